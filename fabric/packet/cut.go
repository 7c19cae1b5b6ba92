package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// cutBytes is how much of a packet a cut-through switch reads before it
// forwards: preamble, Ethernet, IPv4, UDP and BTH, rounded up to the 64 B cell
// of common pipelines.
const cutBytes = 64

// waitWhole reports whether packet ki, of which the header has come over port
// pi, has to be received whole before port oi can send it: a faster egress
// would run dry. It then comes again as evWhole, bound for hop as now.
func (s *shard) waitWhole(pi, oi, hop, ki int32) bool {
	k := &s.pkts[ki]
	in, out := &s.ports[pi], &s.ports[oi]
	size := int64(k.size)
	if out.rate <= in.rate || size <= cutBytes {
		return false
	}
	if k.what() == kindData { // it is counted when it comes again
		s.n.dataHops--
	} else {
		s.n.ackHops--
	}
	t := in.rate.TxTime(size)
	s.pushArrive(s.now+t-t*cutBytes/sim.Time(size), evWhole, pi, hop, ki)
	return true
}

// whole handles packet ki, bound for port oi, that has come whole.
func (s *shard) whole(oi, ki int32) {
	in := &s.ports[s.pkts[ki].in]
	in.setOdd(oddCut, false)
	s.arrive(oi, ki)
	in.setOdd(oddCut, true)
}

// idealCut is a lower bound of the completion time where switches may cut
// through: everything over the slowest hop, a header over the others.
func (e *Engine) idealCut(path []fabric.PortID, n int64) sim.Time {
	g := e.g
	slowest := 0
	for i, p := range path {
		if g.Ports[p].Rate < g.Ports[path[slowest]].Rate {
			slowest = i
		}
	}
	t := g.Nodes[g.Ports[path[len(path)-1]].Peer].Latency
	for i, p := range path {
		q := &g.Ports[p]
		t += q.Delay + g.Nodes[q.Node].Latency
		if i == slowest {
			t += q.Rate.TxTime(e.cfg.Framing.WireBytes(n))
		} else {
			t += q.Rate.TxTime(min(cutBytes, n))
		}
	}
	return t
}
