package scenarios

import (
	"fmt"
	"slices"
	"time"

	"github.com/simnet/simnet/fabric"
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

// Measured constants of the engines: see docs/performance.md. Events a hop hold
// with an ACK every four packets; rates are of one core at 2.5 to 3 GHz.
const (
	eventsPerHop      = 1.5   // packet engine, data and ACK hops together
	eventsPerSecond   = 5e6   // packet engine
	eventsPerFlow     = 6.0   // flow engine and jobs
	flowsPerSecond    = 250e3 // flow engine with the jobs that start them
	bytesPerFlow      = 420   // record, names, events; every engine
	bytesPerHost      = 6000  // packet engine: port, NIC and QP state
	bytesPerPort      = 900   // packet engine: queues, accounts of a switch port
	bytesPerPacket    = 96    // packet engine, in flight
	bytesPerGPU       = 600   // jobs
	bytesGraphPerLink = 260   // graph and routes, all engines
	bytesBase         = 24 << 20
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
	c := &counter{k: m.Kernel, g: m.Graph, routes: m.Routes, framing: v.Framing, ackEvery: int64(v.Spec.Cluster.Transport.AckEvery.V), hops: map[[2]int32]int64{}}
	if m.Fidelity != "flow" {
		c.inside = func(string) bool { return true }
		if w := v.Spec.Run.Window; w != nil {
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
	o.Events = int64(hops*eventsPerHop + flowEvents)
	o.Wall = time.Duration((hops*eventsPerHop/eventsPerSecond + float64(c.flows)/flowsPerSecond) * 1e9)
	o.Memory = bytesBase + int64(o.GPUs)*bytesPerGPU + int64(o.Links)*bytesGraphPerLink + c.flows*bytesPerFlow
	if m.Fidelity != "flow" {
		o.Telemetry = m.Valid.telemetryBytes()
		o.Memory += o.Telemetry + int64(o.NICs)*bytesPerHost + int64(2*o.Links-o.NICs)*bytesPerPort + m.inFlight(c)*bytesPerPacket
	}
	return o
}

// inFlight bounds the packets that exist at once: what each open flow may have
// in the network, which is its share of the queues and of the wires.
func (m *Machine) inFlight(c *counter) int64 {
	v := m.Valid
	perFlow := int64(v.Spec.Cluster.Transport.ECN.Kmin.V)
	if !v.Spec.Cluster.Transport.ECN.Enabled.V || v.Spec.Cluster.Transport.CC.Algorithm.V == "none" {
		perFlow = int64(v.Spec.Cluster.Fabric.Switch.Buffer.V) / 8
	}
	return c.maxOpenP * (perFlow/v.Framing.Payload + 1)
}

// telemetryBytes is the bound on what the packet engine remembers: 8 bytes a
// bin of a queue series, four network-wide series, bursts, storms and traces.
func (v *Valid) telemetryBytes() int64 {
	t := &v.Packet.Telemetry
	return int64(t.MaxBins)*8*int64(t.MaxQueues+4) + int64(t.MaxBursts)*(64+4*int64(t.BurstFlows)) + int64(t.MaxStorms)*128 + int64(t.RateTraces)*int64(t.MaxSamples)*16
}
