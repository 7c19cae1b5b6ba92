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

	check   bool         // look for flows without a path
	missing *fabric.Flow // the first of them
	share   int64        // packets of one flow in the network at once

	flows, bytes   int64
	packetBytes    int64
	packetQPs      int64
	dataHops       int64
	ackHops        int64 // with ackEvery
	ackEvery       int64
	openPackets    int64
	maxOpenPackets int64
	openQPs        int64
	maxOpenQPs     int64
	glideLeast     sim.Time           // flows that take as long alone glide; 0: none does
	glideHops      int64              // of dataHops and ackHops
	hops           map[[2]int32]int64 // by leaves
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
		if c.check && c.missing == nil && c.routes.Hops(f.Src, f.Dst) <= 0 {
			c.missing = f
		}
		c.flows++
		c.bytes += f.Bytes
		var packets, qps int64
		if inside {
			qps = int64(max(1, f.QPs))
			packets = min(c.share, c.packet(f, qps))
			c.openPackets += packets
			c.maxOpenPackets = max(c.maxOpenPackets, c.openPackets)
			c.openQPs += qps
			c.maxOpenQPs = max(c.maxOpenQPs, c.openQPs)
		}
		c.arrive(f, packets, qps)
	}
	return ids
}

// packet counts what is packets of a flow and returns how many they are.
func (c *counter) packet(f *fabric.Flow, qps int64) int64 {
	b := f.Bytes
	if c.head > 0 {
		b = min(b, c.head)
	}
	hops := int64(c.distance(f.Src, f.Dst))
	p := qps * c.framing.Packets((b+qps-1)/qps)
	c.packetBytes += b
	c.packetQPs += qps
	acks := (p + c.ackEvery - 1) / c.ackEvery
	c.dataHops += p * hops
	c.ackHops += acks * hops
	if c.glideLeast > 0 && c.alone(f) >= c.glideLeast {
		c.glideHops += (p + acks) * hops
	}
	return p
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

// alone is how long a flow takes without contention.
func (c *counter) alone(f *fabric.Flow) sim.Time {
	rate := min(c.g.Ports[c.g.PortsOf(f.Src)[0]].Rate, c.g.Ports[c.g.PortsOf(f.Dst)[0]].Rate)
	if f.MaxRate > 0 {
		rate = min(rate, f.MaxRate)
	}
	return rate.TxTime(c.framing.WireBytes(f.Bytes)) + 2*sim.Microsecond
}

func (c *counter) arrive(f *fabric.Flow, packets, qps int64) {
	done := f.Done
	c.k.After(f.Delay+c.alone(f), func() {
		c.openPackets -= packets
		c.openQPs -= qps
		if done != nil {
			done.Arrive(c.k)
		}
	})
}

// SetLink implements fabric.Network.
func (c *counter) SetLink(fabric.LinkID, fabric.LinkState) {}
