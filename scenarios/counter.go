package scenarios

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// counter is a Network without contention that counts what it carries: jobs
// run over it to learn their flows, bytes and hops before anything is
// simulated in detail.
type counter struct {
	k       *sim.Kernel
	g       *fabric.Graph
	routes  *fabric.Routes
	framing fabric.Framing
	inside  func(label string) bool // whether a flow belongs to the window
	head    int64                   // bytes of each such flow that are packets; 0: all

	flows, bytes          int64
	packetFlows           int64
	packetBytes           int64
	packets, dataHops     int64
	qps                   int64
	ackHops               int64 // with ackEvery
	ackEvery              int64
	open, maxOpen         int64 // flows at once
	openPackets, maxOpenP int64 // flows at once that are packets
	hops                  map[[2]int32]int64
}

// StartGroup implements fabric.Network: each flow arrives after its bytes at
// the slower of its two ports, whatever else moves.
func (c *counter) StartGroup(flows []fabric.Flow) []fabric.FlowID {
	ids := make([]fabric.FlowID, len(flows))
	inside := false
	for i := range flows {
		inside = inside || c.inside != nil && c.inside(flows[i].Label)
	}
	for i := range flows {
		f := &flows[i]
		ids[i] = fabric.FlowID(c.flows)
		c.flows++
		c.bytes += f.Bytes
		if c.open++; c.open > c.maxOpen {
			c.maxOpen = c.open
		}
		n := int64(max(1, f.QPs))
		c.qps += n
		if inside {
			c.packet(f, n)
		}
		c.arrive(f, inside)
	}
	return ids
}

func (c *counter) packet(f *fabric.Flow, qps int64) {
	b := f.Bytes
	if c.head > 0 {
		b = min(b, c.head)
	}
	hops := int64(c.distance(f.Src, f.Dst))
	p := qps * c.framing.Packets((b+qps-1)/qps)
	c.packetFlows++
	c.packetBytes += b
	c.packets += p
	c.dataHops += p * hops
	c.ackHops += (p + c.ackEvery - 1) / c.ackEvery * hops
	if c.openPackets++; c.openPackets > c.maxOpenP {
		c.maxOpenP = c.openPackets
	}
}

// distance is the number of links between two NICs; equal for all NICs on the
// same pair of leaves.
func (c *counter) distance(a, b fabric.NodeID) int {
	key := [2]int32{int32(c.leaf(a)), int32(c.leaf(b))}
	h, ok := c.hops[key]
	if !ok {
		h = int64(c.routes.Hops(a, b))
		c.hops[key] = h
	}
	return int(h)
}

func (c *counter) leaf(n fabric.NodeID) fabric.NodeID {
	return c.g.Ports[c.g.PortsOf(n)[0]].Peer
}

func (c *counter) arrive(f *fabric.Flow, inside bool) {
	rate := min(c.g.Ports[c.g.PortsOf(f.Src)[0]].Rate, c.g.Ports[c.g.PortsOf(f.Dst)[0]].Rate)
	if f.MaxRate > 0 {
		rate = min(rate, f.MaxRate)
	}
	done := f.Done
	c.k.After(f.Delay+rate.TxTime(c.framing.WireBytes(f.Bytes))+2*sim.Microsecond, func() {
		c.open--
		if inside {
			c.openPackets--
		}
		if done != nil {
			done.Arrive(c.k)
		}
	})
}

// SetLink implements fabric.Network.
func (c *counter) SetLink(fabric.LinkID, fabric.LinkState) {}
