package packet

import "github.com/simnet/simnet/sim"

// Now returns how far the glide has come.
func (g *Glide) Now() sim.Time { return g.now }

// Next returns when something happens in it.
func (g *Glide) Next() sim.Time {
	if len(g.heap) > 0 {
		return min(g.tickAt, g.qps[g.heap[0]].next)
	}
	return g.tickAt
}

// Over reports whether packets have to take over: a queue has grown too long.
func (g *Glide) Over() bool { return g.over }

// Empty reports whether nothing is left to be carried.
func (g *Glide) Empty() bool { return g.live == 0 }

// Advance lets time pass up to limit, until flows finish or until packets have
// to take over; it returns the flows that finished, all at Now. The slice is valid
// until the next call.
func (g *Glide) Advance(limit sim.Time) []int32 {
	g.is.s.attach(g.is.e)
	g.ended = g.ended[:0]
	for !g.over && len(g.ended) == 0 {
		t := g.Next()
		if t > limit || t == sim.Never {
			break
		}
		g.step(t)
	}
	return g.ended
}

// step handles everything that happens at t.
func (g *Glide) step(t sim.Time) {
	g.now = t
	for len(g.heap) > 0 && g.qps[g.heap[0]].next <= t {
		i := g.heap[0]
		g.event(i)
		if g.qps[i].state != qpGone {
			g.schedule(i)
		}
	}
	if g.tickAt == t {
		g.tick()
	}
	g.reshare()
}

// reshare shares NIC ports anew that ACKs leave more or less of.
func (g *Glide) reshare() {
	for len(g.stale) > 0 {
		p := &g.ports[g.stale[len(g.stale)-1]]
		g.stale = g.stale[:len(g.stale)-1]
		g.share(p)
	}
}

// event handles one thing that is due for QP i.
func (g *Glide) event(i int32) {
	q := &g.qps[i]
	st := &g.c.st[q.qi]
	switch t := g.now; {
	case q.state == qpWaits:
		g.begin(i)
	case len(q.cnps) > 0 && q.cnps[0] <= t:
		g.cut(i)
	case len(q.marks) > 0 && q.marks[0].at <= t:
		g.answer(i)
	case st.running && st.timerAt <= t:
		st.timers = min(st.timers+1, 1<<15)
		r, more := g.c.p.raise(st, q.rate, q.line)
		st.running = more
		st.timerAt = t + g.c.p.RateTimer
		g.setRate(i, r)
	case q.state == qpSends && q.applyAt <= t:
		g.apply(i)
	case q.state == qpSends && q.stopAt <= t:
		g.stop(i)
	case q.state == qpSends && q.endAt <= t:
		g.sentAll(i, t)
	case q.state == qpSends && q.quotaAt <= t:
		g.settle(q)
		g.spend(i)
	case q.state == qpTrails && q.tailAt <= t:
		g.trail(i, q.tailAt)
	case q.state == qpArrives && q.tailAt <= t:
		g.finish(i)
	}
}

// tick ends the ticks of the busy ports that are due, in order downstream.
func (g *Glide) tick() {
	since := g.now
	for l := range g.busy {
		for i := 0; i < len(g.busy[l]); {
			pi := g.busy[l][i]
			p := &g.ports[pi]
			if p.nextAt > g.now {
				i++
				continue
			}
			since = min(since, p.since)
			if g.serve(p) {
				i++
				continue
			}
			last := len(g.busy[l]) - 1
			g.busy[l][i] = g.busy[l][last]
			g.busy[l] = g.busy[l][:last]
			g.ticking--
			g.calm(p)
		}
	}
	g.moved += g.poured
	g.poured = 0
	g.tell(since)
	g.plan()
	if s := g.is.s; g.now >= s.tel.tickAt && s.tel.c.StormWindow > 0 {
		g.storms()
	}
}

// flow brings what receivers have got up to now, and tells the telemetry.
func (g *Glide) flow() {
	from := g.rateAt
	g.moved += float64(g.rate * float64(g.now-from))
	g.rateAt = g.now
	g.tell(from)
}

// tell counts what has been delivered since a time.
func (g *Glide) tell(from sim.Time) {
	n := int64(g.moved * g.pay / g.frame)
	g.is.s.tel.spread(binDelivered, from, g.now, n-g.told)
	g.told = n
}
