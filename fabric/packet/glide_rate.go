package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// share gives the QPs of NIC port p what they send from now on: their paces, or
// equal parts where these are more than the port takes.
func (g *Glide) share(p *glidePort) {
	want, sum := g.want[:0], 0.0
	for _, h := range p.ins {
		q := &g.qps[g.hops[h].qp]
		w := 0.0
		if q.state == qpSends && !q.blocked {
			w = q.pace
		}
		want = append(want, w)
		sum += w
	}
	g.want = want
	level := math.Inf(1)
	if free := p.free(); sum > free {
		level = waterLevel(want, free)
	}
	for k, h := range p.ins {
		g.setSend(g.hops[h].qp, min(want[k], level))
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

// setSend lets QP i send at rate x from now on.
func (g *Glide) setSend(i int32, x float64) {
	q := &g.qps[i]
	h := &g.hops[q.hop]
	if x == q.send && !h.fed {
		return
	}
	g.settle(q)
	relays := len(g.flows[q.flow].up) > 0
	if relays {
		q.mean += float64((q.send - q.mean) * min(1, float64(g.now-q.meanAt)/ackMemory))
		q.meanAt = g.now
	}
	q.send = x
	q.endAt = sim.Never
	if x > 0 {
		q.endAt = g.now + sim.Time(math.Ceil((q.total-q.sent)/x))
	}
	q.stopTime()
	g.quotaTime(q)
	p := &g.ports[h.port]
	g.account(p)
	if h.fed {
		h.fed = false
		p.in, p.pass = p.in+x-h.in, p.pass+x
	} else {
		p.in, p.pass = p.in+x-h.in, p.pass+x-h.in
	}
	h.in = x
	g.pass(q, q.hop+1, x)
	if relays {
		x = q.mean
	}
	g.countACKs(q, x)
	g.schedule(i)
}

// pass lets a rate of x flow into hop h of q, and on from there.
func (g *Glide) pass(q *glideQP, h int32, x float64) {
	for ; h < q.hop+q.n; h++ {
		y := &g.hops[h]
		p := &g.ports[y.port]
		if p.busy && !y.fed {
			y.got += float64(y.in * float64(g.now-y.at))
		}
		g.account(p)
		if y.fed {
			p.pass += x
		} else {
			p.pass += x - y.in
		}
		p.in += x - y.in
		y.in, y.at, y.fed = x, g.now, false
		if p.busy {
			g.hasten(y.port)
			g.feed(q, h+1)
			return
		}
		if p.in > p.free()*glideSlack {
			g.wakePort(y.port)
			return
		}
	}
	g.arrive(q, x)
}

// arrive sets the rate at which the receiver of q gets bytes.
func (g *Glide) arrive(q *glideQP, x float64) {
	if x == q.gotRate {
		return
	}
	g.flow()
	q.got += float64(q.gotRate * float64(g.now-q.gotAt))
	g.rate += x - q.gotRate
	if g.now > q.gotAt {
		q.gotWas = q.gotRate
	}
	q.gotRate, q.gotAt = x, g.now
	g.heed(q.flow)
}

// arrived returns what the receiver of q has got by now.
func (g *Glide) arrived(q *glideQP) float64 {
	return q.got + float64(q.gotRate*float64(g.now-q.gotAt))
}

// feed lets what comes to hop h of q and beyond be known by ticks; behind one of
// which it is all others are too.
func (g *Glide) feed(q *glideQP, h int32) {
	for ; h < q.hop+q.n; h++ {
		y := &g.hops[h]
		if y.fed {
			return
		}
		p := &g.ports[y.port]
		if p.busy {
			y.got += float64(y.in * float64(g.now-y.at))
		}
		g.account(p)
		p.pass -= y.in
		y.fed, y.at = true, g.now
	}
	g.arrive(q, 0)
}

// pour lets v bytes, which have come in a tick of length d, flow into hop h of q
// and on from there.
func (g *Glide) pour(q *glideQP, h int32, v, d float64) {
	for ; h < q.hop+q.n; h++ {
		y := &g.hops[h]
		p := &g.ports[y.port]
		more := v/d - y.in
		p.in += more
		y.in = v / d
		stays := 0.0
		over := p.in - float64(p.free()*glideSlack)
		switch {
		case p.busy && p.woke < g.now:
			g.hasten(y.port)
			stays = float64(v * min(1, float64(g.now-p.woke)/d)) // before it was not busy
		case p.busy: // since this tick: what it takes has come already
			stays = max(0, min(v, float64(more*d)))
		case over > 0:
			g.wakePort(y.port)
			stays = min(v, float64(over*d))
		}
		if y.got += stays; stays == v {
			return
		}
		v -= stays
		p.tx += v
	}
	q.got += v
	g.poured += v
	g.heed(q.flow)
}

// account brings what has left p up to now.
func (g *Glide) account(p *glidePort) {
	d := float64(g.now - p.txAt)
	p.txAt = g.now
	if !p.busy {
		p.tx += float64(p.pass * d)
	}
	p.tx += float64(p.acks * d)
}

// wakePort begins to tick a port that is sent more than it takes.
func (g *Glide) wakePort(i int32) {
	p := &g.ports[i]
	g.account(p)
	p.busy, p.woke, p.since, p.grew, p.owed = true, g.now, g.now, 0, 0
	g.busy[p.level] = append(g.busy[p.level], i)
	g.ticking++
	p.nextAt = sim.Never
	g.due(i, g.upTo(p, g.grid(0)))
	for _, h := range p.ins {
		y := &g.hops[h]
		y.at, y.got = g.now, 0
		g.feed(&g.qps[y.qp], h+1)
	}
}

// calm ends the ticks of a port without a queue: it passes on what comes.
func (g *Glide) calm(p *glidePort) {
	g.account(p)
	p.busy = false
	p.fifo, p.cells, p.first, p.cell = p.fifo[:0], p.cells[:0], 0, 0
	for _, h := range p.ins {
		if y := &g.hops[h]; !y.fed {
			g.pass(&g.qps[y.qp], h+1, y.in)
		}
	}
}

// countACKs takes down what the ACKs of q, which sends at x, leave of the ports
// that they go through, unless that is what it was, about.
func (g *Glide) countACKs(q *glideQP, x float64) {
	e := g.is.e
	if d := x - q.ackRate; x != 0 && math.Abs(d) < ackStep*q.ackRate {
		return
	}
	s := &e.snd[q.qi]
	by := (x - q.ackRate) * float64(e.ack) / g.frame / float64(max(1, s.every))
	q.ackRate = x
	for k, pi := range e.paths[e.rcv[q.qi].path:] {
		if pi < 0 {
			break
		}
		p := &g.ports[g.port(pi)]
		g.account(p)
		p.acks = max(0, p.acks+by)
		if k == 0 && len(p.ins) > 0 {
			g.stale = append(g.stale, e.glideOf[pi]-1)
		}
	}
}

// ackStep is by how much the rate of a QP has to change for its ACKs, half a
// per cent of a link, to be counted anew.
const ackStep = 0.1

// ackMemory is over how long the rate of a QP that relays others, which sends and
// waits in turn, is averaged for that.
const ackMemory = float64(25 * glideTick)
