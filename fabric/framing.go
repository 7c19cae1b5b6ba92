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

// Ideal returns the completion time of a message of n bytes alone on path,
// store and forward at every hop, with node latencies and propagation, at most
// at limit if that is not zero. It is exact for one queue pair, and a lower
// bound for every engine.
//
// The packets before the last are of one size, so the longest chain of
// transmissions that wait for one another takes a first packet down to some
// hop c, all others over the slowest hop up to there, and the last packet from
// c to the end; Ideal is the largest over c.
func Ideal(g *Graph, path []PortID, n int64, f Framing, limit sim.Rate) sim.Time {
	if len(path) == 0 {
		return 0
	}
	packets := f.Packets(n)
	full := f.Payload + f.Header
	last := n - (packets-1)*f.Payload + f.Header
	var fixed, rest sim.Time // latencies; the last packet from hop c on
	for _, p := range path {
		q := &g.Ports[p]
		fixed += q.Delay + g.Nodes[q.Node].Latency
		rest += q.Rate.TxTime(last)
	}
	fixed += g.Nodes[g.Ports[path[len(path)-1]].Peer].Latency
	best := rest
	if packets > 1 {
		if limit > 0 { // the last packet leaves no earlier than those before it allow
			best += limit.TxTime((packets - 1) * full)
		}
		var first, most sim.Time
		slowest := g.Ports[path[0]].Rate
		for _, p := range path {
			r := g.Ports[p].Rate
			first += r.TxTime(full)
			if r <= slowest {
				slowest, most = r, r.TxTime((packets-2)*full)
			}
			best = max(best, first+most+rest)
			rest -= r.TxTime(last)
		}
	}
	return fixed + best
}
