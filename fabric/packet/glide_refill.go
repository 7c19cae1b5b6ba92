package packet

import (
	"cmp"
	"math"
	"slices"
)

// enqueue puts packets into the queues in the order in which their bytes stand
// there: those of one slice in turn.
func (g *Glide) enqueue(fill []int64) {
	type turn struct {
		at float64 // part of the slice before it
		h  int32
	}
	var turns []turn
	for i := range g.ports {
		p := &g.ports[i]
		for _, h := range p.ins {
			g.hops[h].got = 0
		}
		at := p.cell
		for k := p.first; k < len(p.fifo); k++ {
			n := int(p.fifo[k].n)
			turns = turns[:0]
			for _, c := range p.cells[at : at+n] {
				if c.hop < 0 {
					continue
				}
				x := &g.hops[c.hop]
				old := x.got
				x.got += c.bytes
				for f := math.Floor(old/g.frame) + 1; f*g.frame <= x.got; f++ {
					turns = append(turns, turn{(float64(f*g.frame) - old) / c.bytes, c.hop})
				}
			}
			at += n
			slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
			for _, t := range turns {
				if fill[t.h] > 0 {
					g.put1(t.h, fill)
				}
			}
		}
		for _, h := range p.ins { // what rounding has kept
			for fill[h] > 0 {
				g.put1(h, fill)
			}
		}
	}
}

// put1 puts the next packet of hop h into its queue.
func (g *Glide) put1(h int32, fill []int64) {
	e, s := g.is.e, g.is.s
	fill[h]--
	x := &g.hops[h]
	q := &g.qps[x.qp]
	f := &s.snd[q.qi]
	pay := min(e.payload, f.next-x.seq)
	ki, in := s.alloc(), g.ports[g.hops[h-1].port].pi
	var flags uint8
	if fill[h]%int64(max(1, f.every)) == 0 {
		flags = flagAckReq
	}
	s.pkts[ki] = packet{path: f.path + h - q.hop + 1, in: in, size: uint16(pay + e.header), kind: kindData | flags<<4, q: f.q}
	s.bodies[ki] = body{seq: x.seq, qp: q.qi, aux: -1}
	x.seq += pay
	s.forward(in, g.ports[x.port].pi, ki)
}

// stamp puts the marks that are on their way on the packets that are, in their
// order and spread evenly; without any, their CNPs go at once.
func (g *Glide) stamp() {
	s := g.is.s
	of := map[int32][]int32{} // packets by QP
	for i := range g.qps {
		if q := &g.qps[i]; q.state != qpGone && len(q.marks) > 0 {
			of[q.qi] = nil
		}
	}
	for ki := range s.pkts { // none is free yet: all have just been made
		b := &s.bodies[ki]
		if a, ok := of[b.qp]; ok && s.pkts[ki].what() == kindData {
			of[b.qp] = append(a, int32(ki))
		}
	}
	for i := range g.qps {
		q := &g.qps[i]
		a := of[q.qi]
		if q.state == qpGone || len(q.marks) == 0 {
			continue
		}
		slices.SortFunc(a, func(x, y int32) int { return int(s.bodies[x].seq - s.bodies[y].seq) })
		m := min(len(q.marks), len(a))
		for k := range m {
			ki := a[k*len(a)/m]
			s.pkts[ki].set(flagECN)
			s.bodies[ki].aux = q.marks[k*len(q.marks)/m].port
		}
		if m > 0 {
			q.marks = q.marks[:0]
			continue
		}
		for len(q.marks) > 0 {
			n, at := len(q.cnps), max(q.marks[0].at+q.back, s.now)
			if g.answer(int32(i)); len(q.cnps) > n {
				s.setTimer(q.qi, at, tagCNP)
			}
		}
		s.rcv[q.qi].cnpAt = q.cnpAt
	}
}
