package scenarios

import (
	"fmt"
	"slices"
	"time"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/hybrid"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// Cost is what a run is expected to take, as `simnet check` prints it.
type Cost struct {
	Fidelity string
	GPUs     int
	NICs     int
	Switches int
	Links    int

	Flows       int64    // messages on the network, whole run
	Bytes       int64    // payload of them
	PacketBytes int64    // of Bytes, what is simulated as packets
	DataHops    int64    // data packets times links
	AckHops     int64    // ACKs times links
	Events      int64    // of engines and jobs
	Memory      int64    // peak, bytes
	Telemetry   int64    // of Memory, what telemetry may take
	Simulated   sim.Time // of the jobs on a network without contention: a lower bound
	Wall        time.Duration
}

// Measured constants of the engines, fitted on runs of 16 to 10,240 NICs (an
// AMD EPYC core, Go 1.26, GOGC 100, so that the collector's slack is in them):
// prediction and measured peak of resident memory differ by less than 20 %.
const (
	eventsPerHop    = 1.5 // packet engine, data and ACK hops together, an ACK every four packets
	eventsPerSecond = 5e6 // packet engine
	// What glides at hybrid fidelity: from next to none, where nothing collides, to
	// 0.014 events a hop on GPT-3 175B from 256 to 10,240 GPUs, at 150 to 500 million
	// hops a second.
	eventsPerGlideHop  = 0.006
	glideHopsPerSecond = 300e6
	eventsPerFlow      = 3.4   // flow engine and jobs
	flowsPerSecond     = 150e3 // flow engine with the jobs that start them

	bytesBase      = 25e6  // program, catalog, small scenarios
	bytesPerFlow   = 270   // record, names, events; every engine
	bytesPerSplit  = 120   // joined record of a flow under a window
	bytesPerGPU    = 11000 // jobs, graph, routes
	bytesPerHost   = 4000  // packet engine: port and NIC state
	bytesPerPort   = 1000  // packet engine: queues, accounts of a switch port
	bytesPerQP     = 1500  // packet engine: sender, receiver, path
	bytesPerPacket = 48    // packet engine, in flight

	// Hybrid fidelity uses the places of QPs again; islands keep what they know of
	// them. Fitted on GPT-3 175B on 256 to 10,240 GPUs, GOGC 200.
	bytesPerPastQP = 150
	bytesPerOpenQP = 24000

	bytesPerOperation = 1000 // of a trace (a GOAL schedule of 261,120: 300 MB)
)

// Predict estimates what the run costs without simulating it: the jobs run
// over a network without contention that counts.
func (v *Valid) Predict() (*Cost, error) {
	net, err := v.Topology.Build()
	if err != nil {
		return nil, err
	}
	m := &Machine{Valid: v, Fidelity: v.Spec.Run.Fidelity.V, Kernel: sim.NewKernel(), Graph: net.Graph, NICs: net.NICs}
	m.Routes = fabric.NewRoutes(m.Graph, fabric.RouteOptions{Hasher: v.Hasher})
	m.setCluster()
	c := &counter{k: m.Kernel, g: m.Graph, routes: m.Routes, framing: v.Framing, ackEvery: int64(v.Spec.Cluster.Transport.AckEvery.V), hops: map[[2]int32]int64{}, share: v.packetsPerFlow()}
	if m.Fidelity == "hybrid" && v.Packet.CC.Algorithm == packet.DCQCN {
		c.glideLeast = hybrid.GlideLeast
	}
	if m.Fidelity != "flow" {
		c.inside = func(string) bool { return true }
		if w := v.window(); w != nil {
			c.inside = func(label string) bool { return slices.Contains(w.Phases.V, label) }
			c.head = int64(w.BytesPerRank.V)
		}
	}
	m.Net = c
	if err := m.jobs(); err != nil {
		return nil, err
	}
	for _, s := range m.starts {
		m.Kernel.After(s.at, s.begin)
	}
	limit := sim.Never
	if u := v.Spec.Run.Until; u.Set() {
		limit = u.V
	}
	if err := m.Kernel.RunUntil(limit); err != nil {
		return nil, fmt.Errorf("prediction: %w", err)
	}
	if f := c.missing; f != nil {
		return nil, m.noPath(f)
	}
	end := m.Kernel.Now()
	m.Kernel.Close()
	return m.cost(c, end), nil
}

func (m *Machine) cost(c *counter, end sim.Time) *Cost {
	o := &Cost{Fidelity: m.Fidelity, GPUs: len(m.Cluster.GPUs), NICs: len(m.Graph.Hosts()), Links: len(m.Graph.Links),
		Flows: c.flows, Bytes: c.bytes, PacketBytes: c.packetBytes, DataHops: c.dataHops, AckHops: c.ackHops, Simulated: end}
	o.Switches = len(m.Graph.Nodes) - o.NICs
	hops := float64(c.dataHops + c.ackHops)
	flowEvents := float64(c.flows) * eventsPerFlow
	glide := float64(c.glideHops)
	hops -= glide
	o.Events = int64(hops*eventsPerHop + glide*eventsPerGlideHop + flowEvents)
	o.Wall = time.Duration((hops*eventsPerHop/eventsPerSecond + glide/glideHopsPerSecond + float64(c.flows)/flowsPerSecond) * 1e9)
	o.Memory = bytesBase + c.flows*bytesPerFlow
	for i := range m.Valid.Jobs {
		if j := m.Valid.Jobs[i].Training; j != nil {
			o.Memory += int64(j.GPUs()) * bytesPerGPU
		}
		if t := m.Valid.Jobs[i].Trace; t != nil && t.Graph != nil {
			o.Memory += int64(len(t.Graph.Ops)) * bytesPerOperation
		}
	}
	if m.Valid.window() != nil && m.Fidelity != "flow" {
		o.Memory += c.flows * bytesPerSplit
	}
	if m.Fidelity != "flow" {
		o.Telemetry = telemetryBytes(&m.Valid.Packet.Telemetry)
		o.Memory += o.Telemetry + int64(o.NICs)*bytesPerHost + int64(2*o.Links-o.NICs)*bytesPerPort
		if c.glideLeast > 0 {
			o.Memory += c.packetQPs*bytesPerPastQP + c.maxOpenQPs*bytesPerOpenQP
		} else {
			o.Memory += c.packetQPs * bytesPerQP
		}
		// However many flows are open, a NIC has few packets on their way.
		o.Memory += min(c.maxOpenPackets, 2*int64(o.NICs)*c.share) * bytesPerPacket
	}
	return o
}

// packetsPerFlow is what one open flow may have in the network at once: its
// share of the queues, which marking keeps near Kmin.
func (v *Valid) packetsPerFlow() int64 {
	t := &v.Spec.Cluster.Transport
	share := int64(t.ECN.Kmin.V)
	if !t.ECN.Enabled.V || t.CC.Algorithm.V == "none" {
		share = int64(v.Spec.Cluster.Fabric.Switch.Buffer.V) / 8
	}
	return share/v.Framing.Payload + 1
}
