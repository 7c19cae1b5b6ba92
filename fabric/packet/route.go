package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// route chooses the next port of packet ki, which has come over port pi, where
// the routing mode decides for each packet. It returns pathEnd at the
// destination and noRoute if there is no way.
func (s *shard) route(pi, ki int32) int32 {
	at := fabric.NodeID(s.ports[pi].peer)
	k := &s.pkts[ki]
	f := &s.e.flows[s.snd[s.bodies[ki].qp].flow]
	dst := f.rec.Dst
	if k.what() != kindData {
		dst = f.rec.Src
	}
	if at == dst {
		return pathEnd
	}
	var buf [64]fabric.PortID
	next := s.e.r.NextHops(buf[:0], at, dst)
	switch len(next) {
	case 0:
		return noRoute
	case 1:
		return int32(next[0])
	}
	switch s.e.cfg.Routing.Mode {
	case Adaptive:
		return s.leastLoaded(next, k.q)
	case Flowlet:
		return s.flowlet(next, k, s.bodies[ki].qp, pi)
	}
	o := &s.ports[pi] // random, from the stream of the port it came over
	return int32(next[uint64(o.random())*uint64(len(next))>>32])
}

// leastLoaded returns the port with the fewest bytes waiting, the first of
// several in a random rotation.
func (s *shard) leastLoaded(next []fabric.PortID, q uint8) int32 {
	n := uint32(len(next))
	first := uint32(uint64(s.ports[next[0]].random()) * uint64(n) >> 32)
	best, least := int32(-1), int64(0)
	for i := range n {
		p := int32(next[(first+i)%n])
		o := &s.ports[p]
		load := int64(o.qbytes)
		if o.is(oddDown) || o.paused>>q&1 != 0 {
			load += 1 << 40
		}
		if o.freeAt > s.now {
			load++
		}
		if best < 0 || load < least {
			best, least = p, load
		}
	}
	return best
}

// flowlet returns the port that the QP's present flowlet takes: the hash of
// the QP and of how many gaps of at least FlowletGap its sender has made.
func (s *shard) flowlet(next []fabric.PortID, k *packet, qi, pi int32) int32 {
	h := sim.Mix(uint64(uint32(qi))<<32 ^ uint64(s.snd[qi].flowlet)<<8 ^ uint64(k.what()&1) ^ s.e.tieSeed ^ uint64(s.ports[pi].peer)<<44)
	return int32(next[(h>>32)*uint64(len(next))>>32])
}
