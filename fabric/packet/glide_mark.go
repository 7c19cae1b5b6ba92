package packet

import (
	"math"
	"slices"

	"github.com/simnet/simnet/sim"
)

// mark draws the marks of the packets that leave port p until a time, at the queue
// that they will leave behind as it goes. Drawn when a tick has ended, they would
// have come too late; what the queue did otherwise is made up for in the next one.
func (g *Glide) mark(p *glidePort, till sim.Time) {
	from := max(p.marked, g.now)
	grows := p.in - p.free()
	p.grew = grows
	if from >= till || p.owed <= 0 && p.q+max(0, grows*float64(till-g.now)) <= p.kmin {
		return
	}
	p.marked = till
	g.preview(p, float64(p.free()*float64(from-g.now)), float64(p.free()*float64(till-g.now)))
	o := &g.is.e.ports[p.pi]
	tx := o.rate.TxTime(int64(g.frame))
	for _, h := range p.ins {
		x := &g.hops[h]
		if x.next <= 0 {
			continue
		}
		gap := float64(till-from) * g.frame / x.next
		first := float64((1 - x.part) * gap)
		x.part += x.next / g.frame
		k := int(x.part)
		x.part -= float64(k)
		for i := range k {
			at := min(till, from+sim.Time(first+float64(float64(i)*gap)))
			at += (tx - at%tx) % tx
			b := p.q + float64(grows*float64(at-g.now))
			above := int64(p.above(b) + p.owed)
			if b > float64(p.m.kmax) || above > 0 && uint64(o.random())<<16 < uint64(above)*p.m.slope {
				g.marked(p.pi, at, 1)
				g.notify(h, p, at)
			}
		}
	}
}

// above returns by how much a queue of q marks.
func (p *glidePort) above(q float64) float64 {
	return max(0, min(q, float64(p.m.kmax))-p.kmin)
}

// preview sets what each hop of p sends from one byte of its queue to another: what
// stands there, and what comes behind it as it goes.
func (g *Glide) preview(p *glidePort, from, to float64) {
	for _, h := range p.ins {
		g.hops[h].next = 0
	}
	cell, at := p.cell, 0.0
	for k := p.first; k < len(p.fifo) && at < to; k++ {
		s := &p.fifo[k]
		if end := at + s.bytes; end > from {
			part := (min(end, to) - max(at, from)) / s.bytes
			for _, c := range p.cells[cell : cell+int(s.n)] {
				if c.hop >= 0 {
					g.hops[c.hop].next += float64(c.bytes * part)
				}
			}
		}
		at += s.bytes
		cell += int(s.n)
	}
	if rest := to - max(at, from); rest > 0 && p.in > 0 {
		part := rest / max(p.in, p.free())
		for _, h := range p.ins {
			g.hops[h].next += float64(g.hops[h].in * part)
		}
	}
}

// marked counts marks that port pi makes at a time.
func (g *Glide) marked(pi int32, at sim.Time, n int64) {
	g.is.e.ports[pi].ecn += n
	g.is.s.n.marked += n
	g.is.s.tel.spread(binECN, at, at, n)
}

// notify lets a mark that a packet of hop h will get at a time come to the receiver
// once the packet has passed the queues that stand on its way. The way to the hop
// counts too: rates come there at once, packets do not.
func (g *Glide) notify(h int32, p *glidePort, drawn sim.Time) {
	x := &g.hops[h]
	at := drawn
	if p.markIn {
		at += sim.Time(p.q / p.free())
	}
	q := &g.qps[x.qp]
	for ; h+1 < q.hop+q.n; h++ {
		if y := &g.ports[g.hops[h+1].port]; y.busy {
			at += sim.Time(y.q / y.free())
		}
	}
	g.comes(x.qp, glideMark{at: at + g.hops[q.hop].ahead, drawn: drawn, port: p.pi})
}

// revoke takes back the marks that were drawn for times from now on.
func (g *Glide) revoke() {
	for i := range g.qps {
		q := &g.qps[i]
		left := q.marks[:0]
		for _, m := range q.marks {
			if m.drawn > g.now {
				g.marked(m.port, m.drawn, -1)
				continue
			}
			left = append(left, m)
		}
		q.marks = left
	}
}

// comes puts a mark among those that are on their way to the receiver of QP i:
// those of a port further down are drawn later and may come earlier.
func (g *Glide) comes(i int32, m glideMark) {
	q := &g.qps[i]
	k := len(q.marks)
	for k > 0 && q.marks[k-1].at > m.at {
		k--
	}
	q.marks = slices.Insert(q.marks, k, m)
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
		at := m.at + g.is.e.nics[r.node].delay
		g.onWay(i, at+g.waits(r.path, at))
		s.n.cnps++
		s.tel.spread(binCNPs, g.now, g.now, 1)
		if r.by = m.port; m.port >= 0 && s.tel.c.StormWindow > 0 {
			if g.now >= s.tel.tickAt {
				g.storms()
			}
			s.now = g.now
			if _, known := s.tel.byPort[m.port]; !known {
				g.countSent(m.port) // what it has sent so far is before
			}
			s.storm(r)
		}
	}
	k := 1
	for k < len(q.marks) && q.marks[k].at < q.cnpAt {
		k++
	}
	q.marks = q.marks[:copy(q.marks, q.marks[k:])]
}

// waits returns how long a CNP waits along a path if it starts at a time: nothing
// goes before it, but at each port a packet may be on the wire already. Those leave
// a port at even distances. CNPs that come closer together than they were sent do
// not all cut.
func (g *Glide) waits(path int32, at sim.Time) sim.Time {
	e := g.is.e
	t := float64(at)
	for _, pi := range e.paths[path:] {
		if pi < 0 {
			break
		}
		o := &e.ports[pi]
		p := &g.ports[g.port(pi)]
		load := min(p.in, p.full)
		if p.q > 0 {
			load = p.full
		}
		if load > 0 {
			busy := g.frame / p.full
			t += max(0, busy-math.Mod(t+float64(float64(pi)*busy*phase), g.frame/load))
		}
		t += float64(o.reach + o.rate.TxTime(e.ack))
	}
	return sim.Time(t) - at
}

// phase sets the packets of neighbouring ports apart: the golden ratio.
const phase = 0.6180339887498949
