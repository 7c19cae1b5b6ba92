package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// Now returns how far the glide has come.
func (g *Glide) Now() sim.Time { return g.now }

// Next returns when its next tick ends.
func (g *Glide) Next() sim.Time { return g.now + g.step() }

// Advance lets whole ticks pass up to limit, and reports whether the glide is
// over: packets have to take it from Now on.
func (g *Glide) Advance(limit sim.Time) bool {
	for !g.done && g.Next() <= limit {
		g.tick(g.step())
	}
	return g.done
}

// step returns the length of the next tick. Where no queue stands and no relay
// waits nothing changes until a QP changes its rate.
func (g *Glide) step() sim.Time {
	if g.busy || g.ticks == 0 {
		return glideTick
	}
	next := g.now + 16*glideTick
	for i := range g.qps {
		q := &g.qps[i]
		next = min(next, q.next)
		if q.send*float64(next-g.now) > q.left {
			next = g.now + sim.Time(q.left/q.send)
		}
	}
	return max(1, (next-g.now)/glideTick) * glideTick
}

// tick lets d pass.
func (g *Glide) tick(d sim.Time) {
	g.ticks++
	g.control(d)
	g.relays()
	if g.ticks%ackTicks == 0 {
		g.countACKs()
	}
	dt := float64(d)
	g.busy = false
	for i := range g.ports {
		p := &g.ports[i]
		if p.host {
			g.share(p, dt)
		} else {
			g.serve(p, dt, g.now+d)
		}
	}
	ratio := g.pay / g.frame
	for i := range g.qps {
		q := &g.qps[i]
		by := float64(q.send*dt) * ratio
		q.sent += by
		q.left -= by
		q.quota -= by
		if q.left <= 0 {
			g.done = true
		}
		if q.quota < 0 && g.c.st[q.qi].running && g.c.p.ByteCounter > 0 {
			g.bytes(q)
		}
		g.moved += by
	}
	g.now += d
	g.tell(int64(g.moved))
}

// tell lets the telemetry know that so many bytes have been delivered.
func (g *Glide) tell(bytes int64) {
	g.is.s.tel.count(g.now, binDelivered, bytes-g.told)
	g.told = bytes
}

// ackTicks is how many ticks pass before the load of ACKs is taken anew.
const ackTicks = 16

// control handles the timers and CNPs of a tick of length d, and takes down the
// mean rate over it. A rate that changes counts from the next packet on, which
// waits for the time that the last one has set.
func (g *Glide) control(d sim.Time) {
	end := g.now + d
	for i := range g.qps {
		q := &g.qps[i]
		q.mean = q.pace
		if q.next >= end && q.due <= g.now {
			continue
		}
		from, sum := g.now, 0.0
		for q.next < end {
			at, old := max(q.next, from), q.pace
			g.turn(q, at)
			if at < q.due || q.pace == old {
				continue
			}
			sum += float64(old * float64(q.after(at, old, g.frame)-max(from, q.due)))
			q.due = q.after(at, old, g.frame)
			from = q.due
		}
		if from = max(from, q.due); from < end {
			sum += float64(q.pace * float64(end-from))
		}
		q.mean = sum / float64(d)
	}
}

// after returns when q, which sends packets at a pace since due, sends the first
// one not before a time.
func (q *glideQP) after(at sim.Time, pace, frame float64) sim.Time {
	if at <= q.due {
		return q.due
	}
	gap := frame / pace
	return max(at, q.due+sim.Time(math.Ceil(float64(at-q.due)/gap)*gap))
}

// turn handles what is due for q at a time: a CNP or its rate timer.
func (g *Glide) turn(q *glideQP, at sim.Time) {
	p, st := &g.c.p, &g.c.st[q.qi]
	if q.waiting > 0 && q.cnps[0] <= at {
		q.waiting--
		copy(q.cnps[:], q.cnps[1:])
		if r, cut := p.cut(st, q.rate, at); cut {
			g.n.cuts++
			g.set(q, r)
			st.running = true
			st.timerAt = at + p.RateTimer
			if p.ByteCounter > 0 {
				q.quota = float64(p.ByteCounter)
			}
		}
	} else {
		st.timers = min(st.timers+1, 1<<15)
		r, more := p.raise(st, q.rate, q.line)
		g.set(q, r)
		st.running = more
		st.timerAt = at + p.RateTimer
	}
	q.look(st)
}

// look sets when q has to be looked at.
func (q *glideQP) look(st *dcqcnState) {
	q.next = sim.Never
	if st.running {
		q.next = st.timerAt
	}
	if q.waiting > 0 {
		q.next = min(q.next, q.cnps[0])
	}
}

// bytes is the byte counter of q.
func (g *Glide) bytes(q *glideQP) {
	st := &g.c.st[q.qi]
	st.rounds = min(st.rounds+1, 1<<15)
	q.quota += float64(g.c.p.ByteCounter)
	r, _ := g.c.p.raise(st, q.rate, q.line)
	g.set(q, r)
}

func (g *Glide) set(q *glideQP, r sim.Rate) {
	q.rate, q.pace = r, wireRate(r)
	g.steps++
}

// relays sets what the QPs of each flow may have sent by the end of the tick.
func (g *Glide) relays() {
	e := g.is.e
	for i := range g.flows {
		f := &g.flows[i]
		f.room = math.Inf(1)
		limit := f.bytes
		for _, u := range f.up {
			x := &g.flows[u]
			n := x.bytes
			for k := x.first; k < x.first+x.n; k++ {
				q := &g.qps[k]
				n = min(n, (float64(e.rcv[q.qi].next)+q.got)*x.qps)
			}
			if f.slice > 0 && n < x.bytes {
				n = math.Floor(n/f.slice) * f.slice
			}
			limit = min(limit, n+f.lag)
		}
		if limit < f.bytes {
			f.room = limit / f.qps
		}
	}
}
