package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// permit sets up to where QP i may send: what its flow has itself and what has come
// of those that it relays.
func (g *Glide) permit(i int32) {
	e := g.is.e
	q := &g.qps[i]
	f := &g.flows[q.flow]
	x := &e.flows[f.fi]
	limit := float64(x.rec.Bytes)
	for _, u := range f.up {
		if e.flows[g.flows[u].fi].left > 0 {
			limit = min(limit, g.relayed(u, f.slice)+f.lag)
		}
	}
	q.may = math.Inf(1)
	if limit < float64(x.rec.Bytes) {
		q.may = max(0, (limit/float64(x.qps)-float64(q.had))*g.frame/g.pay)
	}
}

// relayed returns how much of flow u those that relay it in slices may count on:
// what its receiver has, the way of the last packet apart. Of the last slice that
// is only what is done.
func (g *Glide) relayed(u int32, slice float64) float64 {
	e := g.is.e
	x := &e.flows[g.flows[u].fi]
	all := float64(x.rec.Bytes)
	n := all
	for _, i := range g.flows[u].qps {
		if q := &g.qps[i]; q.of(u) {
			had := float64(q.base) + max(0, g.cameBy(q, g.now-q.lat))*g.pay/g.frame
			n = min(n, min(had, float64(e.snd[q.qi].size-1))*float64(x.qps))
		}
	}
	if n < all {
		n = math.Floor((n+0.5)/slice) * slice // rounding has not lost a byte
	}
	return n
}

// cameBy returns what had come of q by a time not long ago.
func (g *Glide) cameBy(q *glideQP, at sim.Time) float64 {
	rate, since := g.coming(q)
	if at < since && since == q.gotAt {
		rate = q.gotWas
	}
	return q.got + float64(rate*float64(at-since))
}

// coming returns at what rate the receiver of q gets bytes beyond q.got, and since
// when.
func (g *Glide) coming(q *glideQP) (rate float64, since sim.Time) {
	last := q.hop + q.n - 1
	if !g.hops[last].fed {
		return q.gotRate, q.gotAt
	}
	for h := last; h > q.hop; h-- { // by ticks of the last port with a queue, as in the one before
		if p := &g.ports[g.hops[h].port]; p.busy {
			return g.leaves(q, last), p.since
		}
	}
	return g.leaves(q, last), g.now
}

// awaits returns when QP i may send more than it has, as it goes: when the next slice
// of what its flow relays has come.
func (g *Glide) awaits(i int32) sim.Time {
	e := g.is.e
	q := &g.qps[i]
	f := &g.flows[q.flow]
	used := float64((float64(q.had) + q.may*g.pay/g.frame) * float64(e.flows[f.fi].qps))
	at := g.now + 1
	for _, u := range f.up {
		x := &e.flows[g.flows[u].fi]
		if x.left == 0 {
			continue
		}
		want := min(float64(x.rec.Bytes), float64(math.Floor((used-f.lag+0.5)/f.slice)*f.slice)+f.slice) / float64(x.qps)
		for _, k := range g.flows[u].qps {
			q := &g.qps[k]
			if !q.of(u) {
				continue
			}
			if want >= float64(e.snd[q.qi].size) {
				return sim.Never // it says so when it is done
			}
			need := (want-float64(q.base)-0.1)*g.frame/g.pay - q.got
			rate, since := g.coming(q)
			if need <= 0 && since == q.gotAt {
				rate = q.gotWas
			}
			switch wait := need / rate; {
			case rate > 0 && wait < float64(maxSkip):
				at = max(at, since+q.lat+sim.Time(math.Ceil(wait)))
			case need > 0:
				return sim.Never
			}
		}
	}
	return at
}

// stop handles QP i, which has sent what it might, or is said to be allowed more.
func (g *Glide) stop(i int32) {
	q := &g.qps[i]
	g.is.s.events++
	g.settle(q)
	g.permit(i)
	waits := q.may-q.sent < 1
	if waits {
		q.stopAt = max(g.awaits(i), g.now+tickGrid/4)
	}
	if waits == q.blocked {
		if !waits {
			q.stopTime()
		}
		return
	}
	q.blocked = waits
	g.share(&g.ports[g.hops[q.hop].port])
}

// stopTime sets when q has sent what it may.
func (q *glideQP) stopTime() {
	if q.blocked {
		return
	}
	q.stopAt = sim.Never
	if q.may < q.total && q.send > 0 {
		q.stopAt = q.at + sim.Time(math.Ceil(max(0, q.may-q.sent)/q.send))
	}
}

// heed tells those that wait for flow u that it comes otherwise than it did.
func (g *Glide) heed(u int32) {
	for _, d := range g.flows[u].down {
		for _, k := range g.flows[d].qps {
			if q := &g.qps[k]; q.of(d) && q.state == qpSends && q.blocked {
				q.stopAt = g.awaits(k)
				g.schedule(k)
			}
		}
	}
}

// addFlow takes a flow on board, its QPs apart, and returns its place.
func (g *Glide) addFlow(fi int32) int32 {
	f := &g.is.e.flows[fi]
	i := int32(len(g.flows))
	if k := len(g.spareFlows); k > 0 {
		i, g.spareFlows = g.spareFlows[k-1], g.spareFlows[:k-1]
	} else {
		g.flows = append(g.flows, glideFlow{})
	}
	g.flows[i] = glideFlow{fi: fi, lag: float64(f.lag), slice: float64(f.slice), qps: g.flows[i].qps[:0]}
	if f.slice == 0 { // byte by byte: what a link carries in a tick at once
		g.flows[i].slice = float64(glideTick) * wireRate(g.is.e.snd[f.qp].line)
	}
	return i
}

// tie tells flow i which of the others, by their places, it relays.
func (g *Glide) tie(i int32, place map[int32]int32) {
	f := &g.flows[i]
	for _, u := range g.is.e.flows[f.fi].up {
		if p, ok := place[u]; ok {
			f.up = append(f.up, p)
			g.flows[p].down = append(g.flows[p].down, i)
		}
	}
	if len(f.up) == 0 {
		return
	}
	if x := &g.is.e.flows[f.fi]; x.slice > 0 {
		g.slice = min(g.slice, g.is.e.snd[x.qp].line.TxTime(x.slice))
	}
	for _, k := range f.qps {
		if g.qps[k].state == qpSends {
			g.follow(k)
		}
	}
}

// follow lets QP i, which begins to send, wait if its flow relays others.
func (g *Glide) follow(i int32) {
	q := &g.qps[i]
	if len(g.flows[q.flow].up) == 0 {
		return
	}
	g.permit(i)
	if q.blocked = q.may-q.sent < 1; q.blocked {
		q.stopAt = g.awaits(i)
	}
}
