package fabric

import "github.com/simnet/simnet/sim"

// Framing is how payload becomes packets on the wire.
type Framing struct {
	Payload int64 // bytes a full data packet carries (the path MTU of RoCE)
	Header  int64 // bytes added to each data packet on the wire
	Ack     int64 // bytes of an ACK, NACK or CNP on the wire
}

// RoCEv2 returns the framing of RoCEv2 over Ethernet with the given RDMA
// payload MTU: preamble and SFD 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4,
// FCS 4, inter-packet gap 12 (IEEE 802.3-2018 section 3; InfiniBand
// Architecture 1.4, Annex A17). The RETH of a write's first packet (16 B) is
// left out: one packet in hundreds. An ACK carries an AETH of 4 and fills the
// minimum frame: 8+14+20+8+12+4+4+4+12 = 86 B.
func RoCEv2(mtu int64) Framing {
	return Framing{Payload: mtu, Header: 82, Ack: 86}
}

// Packets returns the number of packets of a message of n bytes.
func (f Framing) Packets(n int64) int64 { return (n + f.Payload - 1) / f.Payload }

// WireBytes returns what n payload bytes occupy on the wire.
func (f Framing) WireBytes(n int64) int64 { return n + f.Packets(n)*f.Header }

// Ideal returns the completion time of a message of n bytes alone on path:
// store and forward of the first packet over every hop, node latencies,
// propagation, and the rest of the message at the slowest rate (of the path,
// of limit if that is not zero). It is a lower bound for every engine.
func Ideal(g *Graph, path []PortID, n int64, f Framing, limit sim.Rate) sim.Time {
	if len(path) == 0 {
		return 0
	}
	first := min(n, f.Payload) + f.Header
	last := n - (f.Packets(n)-1)*f.Payload + f.Header
	var t sim.Time
	slowest := g.Ports[path[0]].Rate
	for _, p := range path {
		slowest = min(slowest, g.Ports[p].Rate)
	}
	// The last packet leaves the bottleneck no earlier than all bytes before it
	// have; on every other hop it costs its own serialization.
	counted := false
	for i, p := range path {
		q := &g.Ports[p]
		if q.Rate == slowest && !counted {
			counted = true
			r := q.Rate
			if limit > 0 {
				r = min(r, limit)
			}
			t += r.TxTime(f.WireBytes(n)-last) + q.Rate.TxTime(last)
		} else {
			t += q.Rate.TxTime(min(first, last))
		}
		t += q.Delay
		if i > 0 {
			t += g.Nodes[q.Node].Latency
		}
	}
	t += g.Nodes[g.Ports[path[0]].Node].Latency + g.Nodes[g.Ports[path[len(path)-1]].Peer].Latency
	return t
}
