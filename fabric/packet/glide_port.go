package packet

import (
	"github.com/simnet/simnet/sim"
)

// share divides the port of a NIC among its QPs: each gets what it may send,
// up to an equal part of what the others leave.
func (g *Glide) share(p *glidePort, dt float64) {
	e := g.is.e
	sum := 0.0
	want := g.nic[:0]
	for _, h := range p.ins {
		q := &g.qps[g.hops[h].qp]
		w := q.mean
		if room := g.flows[q.fi].room; room < float64(e.snd[q.qi].size) {
			g.busy = true
			w = min(w, max(0, room-float64(e.snd[q.qi].next)-q.sent)*g.frame/g.pay/dt)
		}
		want = append(want, w)
		sum += w
	}
	g.nic = want
	level := p.rate
	if sum > p.rate {
		level = waterLevel(want, p.rate)
	}
	for i, h := range p.ins {
		x := min(want[i], level)
		q := &g.qps[g.hops[h].qp]
		q.send = x
		g.pass(h, q, x, dt)
	}
}

// waterLevel returns the level up to which wants are filled by supply.
func waterLevel(want []float64, supply float64) float64 {
	n := len(want)
	level := supply / float64(n)
	for {
		left, high := supply, 0
		for _, w := range want {
			if w <= level {
				left -= w
			} else {
				high++
			}
		}
		if high == 0 {
			return level
		}
		next := left / float64(high)
		if next <= level {
			return next
		}
		level = next
	}
}

// pass hands what leaves hop h to the next, or to the receiver.
func (g *Glide) pass(h int32, q *glideQP, out, dt float64) {
	if h+1 < q.hop+q.n {
		g.hops[h+1].in = out
		return
	}
	q.got += float64(out*dt) * g.pay / g.frame
}

// serve lets a port of a switch serve its queue for dt, until now.
func (g *Glide) serve(p *glidePort, dt float64, now sim.Time) {
	in := 0.0
	for _, h := range p.ins {
		in += g.hops[h].in
	}
	if p.q == 0 && in <= p.rate {
		for _, h := range p.ins {
			x := &g.hops[h]
			g.pass(h, &g.qps[x.qp], x.in, dt)
		}
		return
	}
	g.busy = true
	g.steps++
	before := p.q
	all := before + float64(in*dt)
	served := min(1, float64(p.rate*dt)/all)
	p.q = 0
	for _, h := range p.ins {
		x := &g.hops[h]
		has := x.held + float64(x.in*dt)
		out := has * served
		x.held = has - out
		p.q += x.held
		g.pass(h, &g.qps[x.qp], out/dt, dt)
		x.left = out / g.frame
	}
	p.max = max(p.max, p.q)
	if p.q < 1 {
		p.q = 0
	}
	if p.m == nil {
		return
	}
	if p.q > p.limit {
		g.done = true
	}
	if high := max(before, p.q); high > p.kmin {
		g.mark(p, min(before, p.q), high, sim.Time(dt), now)
	}
}

// mark draws the marks of the packets that have left port p while its queue
// went from low to high or back: those above Kmin, at their mean.
func (g *Glide) mark(p *glidePort, low, high float64, d, now sim.Time) {
	part, first := 1.0, now-d
	if low < p.kmin {
		part = (high - p.kmin) / (high - low)
		low = p.kmin
	}
	b := int32((low + high) / 2)
	for _, h := range p.ins {
		x := &g.hops[h]
		x.part += x.left * part
		k := int(x.part)
		x.part -= float64(k)
		hits := 0
		for i := range k {
			p.rnd += 0x9e3779b97f4a7c15
			if b > p.m.kmax || uint64(uint32(sim.Mix(p.rnd)>>32))<<16 < uint64(max(0, b-p.m.kmin))*p.m.slope {
				hits++
				g.notify(x, p, first+sim.Time(2*i+1)*d/sim.Time(2*k))
			}
		}
		if hits > 0 {
			p.marks += int64(hits)
			g.n.marked += int64(hits)
			g.is.s.tel.count(now, binECN, int64(hits))
		}
	}
}

// notify sends a CNP for a mark that a packet of hop x has got at a time, if
// the receiver may send one.
func (g *Glide) notify(x *glideHop, p *glidePort, at sim.Time) {
	q := &g.qps[x.qp]
	e := g.is.e
	n := &e.nics[e.rcv[q.qi].node]
	if at += x.lat; at < q.cnpAt || q.waiting == len(q.cnps) {
		return
	}
	q.cnpAt = at + n.interval
	g.n.cnps++
	g.is.s.tel.count(g.now, binCNPs, 1)
	if p.markIn {
		at += sim.Time(p.q / p.rate)
	}
	if q.waiting > 0 {
		at = max(at, q.cnps[q.waiting-1])
	}
	q.cnps[q.waiting] = at
	q.waiting++
	q.look(&g.c.st[q.qi])
}

// countACKs takes down what ACKs leave of every port.
func (g *Glide) countACKs() {
	e := g.is.e
	at := make(map[int32]int32, len(g.ports))
	for i := range g.ports {
		g.ports[i].acks = 0
		at[g.ports[i].pi] = int32(i)
	}
	for i := range g.qps {
		q := &g.qps[i]
		load := q.send * float64(e.ack) / g.frame / float64(max(1, e.snd[q.qi].every))
		for _, pi := range e.paths[e.rcv[q.qi].path:] {
			if pi < 0 {
				break
			}
			if p, ok := at[pi]; ok {
				g.ports[p].acks += load
			}
		}
	}
	for i := range g.ports {
		p := &g.ports[i]
		p.rate = p.full - p.acks
	}
}
