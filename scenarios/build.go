package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/trace"
)

// Machine is a scenario ready to run: the graph, one or two engines on one
// kernel, and the jobs.
type Machine struct {
	Valid    *Valid
	Fidelity string
	Kernel   *sim.Kernel
	Graph    *fabric.Graph
	NICs     [][]fabric.NodeID // by compute node, then NIC
	Routes   *fabric.Routes
	Net      fabric.Network // what the jobs use
	Sims     []fabric.Simulator
	Cluster  *workload.Cluster
	// Jobs holds the training jobs in the order of the scenario, Traffic the
	// others.
	Jobs    []*workload.Training
	Traffic []*Generator
	Traces  []trace.Player // jobs of recorded operations
	Packet  packet.Config  // as given to the packet engine
	// Warnings are doubts that need the graph; those of the scenario are in
	// Valid.
	Warnings []string
	window   *splitter // nil without a window
	starts   []start
	expected atomic.Int64 // events, once predicted
}

// start is one job and when it begins.
type start struct {
	at    sim.Time
	begin func()
}

// BuildOptions are choices of the caller that change no result.
type BuildOptions struct {
	// Threads that an engine may use; 0 means one.
	Threads int
}

// Build makes the machine. Errors here are about the scenario as a whole (a
// link that does not exist, nodes that cannot reach each other) and carry
// positions where one value is at fault.
func (v *Valid) Build(o BuildOptions) (*Machine, error) {
	net, err := v.Topology.Build()
	if err != nil {
		return nil, err
	}
	m := &Machine{Valid: v, Fidelity: v.Spec.Run.Fidelity.V, Kernel: sim.NewKernel(), Graph: net.Graph, NICs: net.NICs}
	for i := range m.Graph.Links {
		l := &m.Graph.Links[i]
		l.BER = float64(v.Spec.Cluster.Fabric.Uplink.BER.V)
		if m.Graph.Nodes[l.A].Kind.Host() || m.Graph.Nodes[l.B].Kind.Host() {
			l.BER = float64(v.Spec.Cluster.Fabric.Link.BER.V)
		}
	}
	m.Routes = fabric.NewRoutes(m.Graph, fabric.RouteOptions{Hasher: v.Hasher})
	m.setCluster()
	if err := m.faults(); err != nil {
		return nil, err
	}
	if err := m.engines(o); err != nil {
		return nil, err
	}
	if err := m.jobs(); err != nil {
		return nil, err
	}
	m.doubts()
	return m, nil
}

// setCluster gives every GPU the NIC that it has on the graph.
func (m *Machine) setCluster() {
	c := m.Valid.Cluster
	c.GPUs = slices.Clone(c.GPUs)
	for i := range c.GPUs {
		g := &c.GPUs[i]
		g.NIC = m.NICs[g.Node][m.Valid.Spec.Cluster.Node.Affinity.V[g.Local]]
	}
	c.Scaleup.Use, c.CrossIsland.Use = &workload.ScaleupUse{}, &workload.ScaleupUse{}
	m.Cluster = &c
}

// engines makes the network that the fidelity asks for.
func (m *Machine) engines(o BuildOptions) error {
	v := m.Valid
	m.Packet = v.Packet
	m.Packet.Switches = append([]packet.Switch(nil), v.Packet.Switches...)
	if v.Spec.Cluster.Transport.ECN.Enabled.V {
		profile := ecnByRate(m.Graph, &v.Spec.Cluster.Transport.ECN)
		for i := range m.Packet.Switches {
			m.Packet.Switches[i].ECN = profile
		}
	}
	if m.Fidelity == "flow" {
		f, err := newFlow(m)
		if err != nil {
			return err
		}
		m.Net, m.Sims = f, []fabric.Simulator{f}
	} else {
		p, err := newPacket(m, o)
		if err != nil {
			return err
		}
		m.Net, m.Sims = p, []fabric.Simulator{p}
		if w := v.window(); w != nil {
			f, err := newFlow(m)
			if err != nil {
				return err
			}
			m.window = newSplitter(m.Kernel, m.Routes, v.Framing, p, f, w)
			m.Net, m.Sims = m.window, []fabric.Simulator{p, f}
		}
	}
	for _, s := range m.Sims {
		m.Kernel.Attach(s)
	}
	return nil
}

// ecnByRate returns the marking profile of every rate of switch port in g.
func ecnByRate(g *fabric.Graph, e *ECNSpec) []packet.ECN {
	rates := map[sim.Rate]bool{}
	for i := range g.Ports {
		if !g.Nodes[g.Ports[i].Node].Kind.Host() {
			rates[g.Ports[i].Rate] = true
		}
	}
	var out []packet.ECN
	for _, r := range slices.Sorted(maps.Keys(rates)) {
		p := packet.ECN{Rate: r, Kmin: int64(e.Kmin.V), Kmax: int64(e.Kmax.V), Pmax: float64(e.Pmax.V)}
		if e.Reference.Set() {
			f := float64(r) / float64(e.Reference.V)
			p.Kmin, p.Kmax = int64(float64(p.Kmin)*f+0.5), int64(float64(p.Kmax)*f+0.5)
		}
		out = append(out, p)
	}
	return out
}

// jobs prepares every job on the network.
func (m *Machine) jobs() error {
	for i := range m.Valid.Jobs {
		j := &m.Valid.Jobs[i]
		if j.Training != nil {
			t, err := workload.New(m.Kernel, m.Net, m.Cluster, *j.Training)
			if err != nil {
				return fmt.Errorf("job %s: %w", j.Name, err)
			}
			m.Jobs = append(m.Jobs, t)
			m.starts = append(m.starts, start{j.Spec.Start.V, t.Start})
			continue
		}
		if j.Trace != nil {
			p, err := j.Trace.player(m)
			if err != nil {
				return fmt.Errorf("job %s: %w", j.Name, err)
			}
			m.Traces = append(m.Traces, p)
			m.starts = append(m.starts, start{j.Spec.Start.V, p.Start})
			continue
		}
		g, err := newGenerator(m, j)
		if err != nil {
			return err
		}
		m.Traffic = append(m.Traffic, g)
		m.starts = append(m.starts, start{j.Spec.Start.V, g.start})
	}
	return m.reachable()
}

// reachable refuses a network on which some flow of the jobs has no path, which
// they would only find out in mid-run. Where all NICs reach each other a look at
// the first is enough; on rails of their own the jobs are tried.
func (m *Machine) reachable() error {
	g := m.Graph
	whole := true
	for _, h := range g.Hosts() {
		whole = whole && (h == g.Hosts()[0] || m.Routes.Hops(g.Hosts()[0], h) > 0)
	}
	if whole {
		return nil
	}
	if c, ok := m.Net.(*counter); ok {
		c.check = true
		return nil
	}
	_, err := m.Valid.Predict()
	return err
}

// noPath places the error of a flow that cannot go anywhere at its job.
func (m *Machine) noPath(f *fabric.Flow) error {
	var errs Errors
	var at Origin
	for i := range m.Valid.Jobs {
		if j := &m.Valid.Jobs[i]; j.Name == f.Job {
			at = j.Spec.At
		}
	}
	errs.add(at, "", "job %s: %s has no path from %s to %s; topology %s does not join them", f.Job, f.Label,
		m.Graph.Nodes[f.Src].Name, m.Graph.Nodes[f.Dst].Name, m.Valid.Spec.Cluster.Fabric.Topology.V)
	return errs
}

// faults finds the links that change and schedules the changes.
func (m *Machine) faults() error {
	var errs Errors
	for i := range m.Valid.Spec.Faults {
		f := &m.Valid.Spec.Faults[i]
		l, hint, err := findLink(m.Graph, f.Link.V)
		if err != nil {
			errs.add(f.Link.From, hint, "faults: %v", err)
			continue
		}
		before := fabric.LinkState{BER: m.Graph.Links[l].BER}
		state := fabric.LinkState{Down: f.State.V == "down", Rate: f.Rate.V, BER: before.BER}
		if f.BER.Set() {
			state.BER = float64(f.BER.V)
		}
		if f.State.V == "up" {
			state = before
		}
		m.Kernel.After(f.At.V, func() { m.Net.SetLink(l, state) })
		if f.Duration.Set() {
			m.Kernel.After(f.At.V+f.Duration.V, func() { m.Net.SetLink(l, before) })
		}
	}
	return errs.err()
}

// String says what the machine is made of, in one line.
func (m *Machine) String() string {
	switches := 0
	for i := range m.Graph.Nodes {
		if !m.Graph.Nodes[i].Kind.Host() {
			switches++
		}
	}
	return fmt.Sprintf("%d GPUs, %d NICs, %d switches, %d links", len(m.Cluster.GPUs), len(m.Graph.Hosts()), switches, len(m.Graph.Links))
}
