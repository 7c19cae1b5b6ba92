package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// sentAll notes that QP i has sent its last byte at a time.
func (g *Glide) sentAll(i int32, at sim.Time) {
	q := &g.qps[i]
	g.settle(q)
	q.sent, q.state = q.total, qpTrails
	q.endAt, q.quotaAt, q.applyAt, q.stopAt = sim.Never, sim.Never, sim.Never, sim.Never
	g.share(&g.ports[g.hops[q.hop].port])
	g.countACKs(q, 0)
	q.tail = q.hop + 1
	g.trail(i, at)
}

// trail follows the last byte of QP i, which has come to the hop q.tail at a
// time, through what queues stand ahead of it.
func (g *Glide) trail(i int32, at sim.Time) {
	q := &g.qps[i]
	for q.tail < q.hop+q.n {
		p := &g.ports[g.hops[q.tail].port]
		q.tail++
		if !p.busy {
			continue
		}
		if wait := sim.Time(math.Ceil(g.stands(p, at) / p.free())); wait > 0 {
			at += wait
			if at > g.now {
				q.tailAt = at
				return
			}
		}
	}
	q.state = qpArrives
	q.tailAt = at + q.lat
}

// stands returns what stands in the queue of busy port p at a time within its
// tick.
func (g *Glide) stands(p *glidePort, at sim.Time) float64 {
	n := p.q - float64(p.free()*float64(at-p.since))
	for _, h := range p.ins {
		x := &g.hops[h]
		from := x.at
		if x.fed {
			from = p.since
		}
		n += x.got + float64(x.in*float64(at-from))
	}
	return n
}

// finish lets QP i complete now.
func (g *Glide) finish(i int32) {
	q := &g.qps[i]
	e, s := g.is.e, g.is.s
	s.now = g.now
	g.count(q, g.all(q), 0)
	x, r := &e.snd[q.qi], &e.rcv[q.qi]
	g.flow()
	g.moved += float64(x.size-q.base)*g.frame/g.pay - g.arrived(q)
	g.tell(g.now)
	s.n.delivered += x.size - q.base
	g.delivered += x.size - q.base
	x.next, x.una, x.high, r.next = x.size, x.size, x.size, x.size
	x.state |= stDone
	fi, flow := x.flow, q.flow
	g.leave(i)
	f := &e.flows[fi]
	f.left--
	g.heed(flow)
	if f.left > 0 {
		return
	}
	f.rec.FCT = g.now - f.rec.Start
	s.active--
	s.n.finished++
	g.ended = append(g.ended, fi)
	if f := &g.flows[flow]; len(f.up)+len(f.down) == 0 { // no other names its place
		g.spareFlows = append(g.spareFlows, flow)
	}
}

// all returns the packets of q that it has to send in the glide.
func (g *Glide) all(q *glideQP) int64 {
	e := g.is.e
	return (e.snd[q.qi].size - q.had + e.payload - 1) / e.payload
}

// count adds to the counters k packets that q has sent, of which so many still
// stand in queues.
func (g *Glide) count(q *glideQP, k, stand int64) {
	e, s := g.is.e, g.is.s
	s.n.sent += k
	s.n.got += k - stand
	s.n.dataHops += k * int64(q.n)
	acks := (k - stand) / int64(max(1, e.snd[q.qi].every))
	for _, pi := range e.paths[e.rcv[q.qi].path:] {
		if pi < 0 {
			break
		}
		s.n.ackHops += acks
	}
}

// leave takes QP i off the glide; what rounding has left of it in queues is
// nobody's.
func (g *Glide) leave(i int32) {
	q := &g.qps[i]
	g.unschedule(i)
	g.countACKs(q, 0)
	for h := q.hop; h < q.hop+q.n; h++ {
		x := &g.hops[h]
		p := &g.ports[x.port]
		g.account(p)
		p.in -= x.in
		if !x.fed {
			p.pass -= x.in
		}
		if x.kept > 0 {
			g.ports[g.hops[h-1].port].stored -= x.kept
		}
		if x.held > 0 {
			for k := p.cell; k < len(p.cells); k++ {
				if p.cells[k].hop == h {
					p.cells[k].hop = -1
				}
			}
		}
		last := len(p.ins) - 1
		p.ins[x.place] = p.ins[last]
		g.hops[p.ins[x.place]].place = x.place
		p.ins = p.ins[:last]
		if last == 0 && !p.busy {
			p.in, p.pass = 0, 0 // what rounding has left
		}
	}
	g.arrive(q, 0)
	q.state = qpGone
	g.live--
	g.spareQPs = append(g.spareQPs, i)
	g.spareHops[q.n] = append(g.spareHops[q.n], q.hop)
}
