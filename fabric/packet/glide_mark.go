package packet

import (
	"slices"

	"github.com/simnet/simnet/sim"
)

// mark draws the marks of the packets that have left port p in the last d, while
// its queue went from before to what it is: those above Kmin, at their mean.
func (g *Glide) mark(p *glidePort, before, d float64) {
	low, high := min(before, p.q), max(before, p.q)
	part := 1.0
	if low < p.kmin {
		part = (high - p.kmin) / (high - low)
		low = p.kmin
	}
	b := int32((low + high) / 2)
	o := &g.is.e.ports[p.pi]
	first := g.now - sim.Time(d)
	for _, h := range p.ins {
		x := &g.hops[h]
		x.part += x.out / g.frame * part
		k := int(x.part)
		x.part -= float64(k)
		hits := int64(0)
		for i := range k {
			if b > p.m.kmax || uint64(o.random())<<16 < uint64(max(0, b-p.m.kmin))*p.m.slope {
				hits++
				g.notify(h, p, first+sim.Time(2*i+1)*sim.Time(d)/sim.Time(2*k))
			}
		}
		if hits > 0 {
			o.ecn += hits
			g.is.s.n.marked += hits
			g.is.s.tel.count(g.now, binECN, hits)
		}
	}
}

// notify lets a mark that a packet of hop h has got at a time come to the receiver
// once the packet has passed the queues that stand on its way. The way to the hop
// counts too: rates come there at once, packets do not.
func (g *Glide) notify(h int32, p *glidePort, at sim.Time) {
	x := &g.hops[h]
	if p.markIn {
		at += sim.Time(p.q / p.free())
	}
	q := &g.qps[x.qp]
	for ; h+1 < q.hop+q.n; h++ {
		if y := &g.ports[g.hops[h+1].port]; y.busy {
			at += sim.Time(y.q / y.free())
		}
	}
	g.comes(x.qp, at+g.hops[q.hop].ahead, p.pi)
}

// comes puts a mark by a port that comes to the receiver of QP i at a time among
// those on their way: those of a port further down are drawn later and may come
// earlier.
func (g *Glide) comes(i int32, at sim.Time, port int32) {
	q := &g.qps[i]
	k := len(q.marks)
	for k > 0 && q.marks[k-1].at > at {
		k--
	}
	q.marks = slices.Insert(q.marks, k, glideMark{at, port})
	if k == 0 {
		g.schedule(i)
	}
}

// answer lets the receiver of QP i send a CNP for the first mark that comes, if it
// may.
func (g *Glide) answer(i int32) {
	q := &g.qps[i]
	s := g.is.s
	m := q.marks[0]
	if m.at >= q.cnpAt {
		r := &g.is.e.rcv[q.qi]
		q.cnpAt = m.at + g.is.e.nics[r.node].interval
		g.onWay(i, m.at+q.back)
		s.n.cnps++
		s.tel.count(g.now, binCNPs, 1)
		if r.by = m.port; m.port >= 0 && s.tel.c.StormWindow > 0 {
			if g.now >= s.tel.tickAt {
				g.storms()
			}
			s.now = g.now
			s.storm(r)
		}
	}
	k := 1
	for k < len(q.marks) && q.marks[k].at < q.cnpAt {
		k++
	}
	q.marks = q.marks[:copy(q.marks, q.marks[k:])]
}
