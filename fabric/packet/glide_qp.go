package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// takes reports whether QP qi can be carried beside the others: in order, in
// their class and on a way of usual length.
func (g *Glide) takes(qi int32) bool {
	e := g.is.e
	x, r := &e.snd[qi], &e.rcv[qi]
	if g.class == 0 {
		g.class = x.q
	}
	n := e.hops(x.path)
	return n >= 2 && n <= maxHops && e.paths[x.path+n] == pathEnd && x.q == g.class && x.retx == 0 && len(r.ooo) == 0
}

// hops returns the number of ports of a path.
func (e *Engine) hops(path int32) int32 {
	n := int32(0)
	for e.paths[path+n] >= 0 {
		n++
	}
	return n
}

// board takes QP qi of g.flows[flow] on board, which has sent and delivered what
// its sender and receiver say, and returns its place.
func (g *Glide) board(qi, flow int32) int32 {
	e := g.is.e
	x, r := &e.snd[qi], &e.rcv[qi]
	n := e.hops(x.path)
	i := int32(len(g.qps))
	if k := len(g.spareQPs); k > 0 {
		i, g.spareQPs = g.spareQPs[k-1], g.spareQPs[:k-1]
	} else {
		g.qps = append(g.qps, glideQP{})
	}
	hop := int32(len(g.hops))
	if k := len(g.spareHops[n]); k > 0 {
		hop, g.spareHops[n] = g.spareHops[n][k-1], g.spareHops[n][:k-1]
	} else {
		g.hops = append(g.hops, make([]glideHop, n)...)
	}
	left := x.size - x.next
	g.qps[i] = glideQP{
		qi: qi, flow: flow, hop: hop, n: n, place: -1, state: qpSends, rate: x.rate, line: x.line, pace: wireRate(x.rate),
		at: g.now, gotAt: g.now, had: x.next, base: r.next, total: float64(left + (left+e.payload-1)/e.payload*e.header),
		quota: math.Inf(1), due: max(x.avail, g.now), applyAt: sim.Never, endAt: sim.Never, quotaAt: sim.Never, stopAt: sim.Never, may: math.Inf(1), meanAt: g.now, mean: wireRate(x.rate), cnpAt: r.cnpAt, marks: g.qps[i].marks[:0], cnps: g.qps[i].cnps[:0],
	}
	q := &g.qps[i]
	if x.state&stBegun != 0 {
		q.sent = -q.pace * float64(q.due-g.now) // it waits for its next packet
	}
	if x.quota < 1<<62 {
		q.quota = float64(x.quota)
	}
	last := x.size - (x.size-1)/e.payload*e.payload + e.header
	q.back = e.nics[r.node].delay
	for _, pi := range e.paths[r.path:] {
		if pi < 0 {
			break
		}
		g.port(pi)
		q.back += e.ports[pi].reach + e.ports[pi].rate.TxTime(e.ack)
	}
	ahead := sim.Time(0)
	for k := n - 1; k >= 0; k-- {
		pi := e.paths[x.path+k]
		o := &e.ports[pi]
		h := &g.hops[hop+k]
		p := g.port(pi)
		ahead += o.reach
		*h = glideHop{port: p, qp: i, place: int32(len(g.ports[p].ins)), fed: g.ports[p].host, at: g.now, part: 0.5, ahead: ahead}
		g.ports[p].ins = append(g.ports[p].ins, hop+k)
		if k > 0 {
			ahead += o.rate.TxTime(e.payload + e.header)
		}
	}
	q.lat = e.lastWay(e.paths[x.path:x.path+n], last, x.size > e.payload)
	for k := int32(1); k < n; k++ {
		if !g.raise(g.hops[hop+k].port, g.ports[g.hops[hop+k-1].port].level+1) {
			g.over = true // ports that wait for one another have no order
		}
	}
	g.live++
	g.flows[flow].qps = append(g.flows[flow].qps, i)
	return i
}

// lastWay returns how long the last packet of a QP, of so many bytes on the wire,
// takes from its end at the NIC to the receiver: if others go before it, it never
// overtakes the one just before, which is full.
func (e *Engine) lastWay(path []int32, last int64, follows bool) sim.Time {
	t, before := sim.Time(0), -e.ports[path[0]].rate.TxTime(last)
	for k, pi := range path {
		o := &e.ports[pi]
		if k > 0 {
			before += o.rate.TxTime(e.payload + e.header)
			if follows {
				t = max(t, before)
			}
			t += o.rate.TxTime(last)
		}
		t += o.reach
		before += o.reach
	}
	return t
}

// raise lifts a port, and those behind it on the way of any QP, to a level.
func (g *Glide) raise(port, level int32) bool {
	p := &g.ports[port]
	if p.level >= level {
		return true
	}
	if level > maxLevel {
		return false
	}
	if p.busy {
		g.unlist(port)
	}
	p.level = level
	if p.busy {
		g.busy[level] = append(g.busy[level], port)
	}
	for _, h := range p.ins {
		if q := &g.qps[g.hops[h].qp]; h+1 < q.hop+q.n && !g.raise(g.hops[h+1].port, level+1) {
			return false
		}
	}
	return true
}

// unlist takes a port off the list of its level.
func (g *Glide) unlist(port int32) {
	a := g.busy[g.ports[port].level]
	for i := range a {
		if a[i] == port {
			a[i] = a[len(a)-1]
			g.busy[g.ports[port].level] = a[:len(a)-1]
			return
		}
	}
}

// begin lets QP i send.
func (g *Glide) begin(i int32) {
	q := &g.qps[i]
	e := g.is.e
	x := &e.snd[q.qi]
	x.state |= stBegun
	st := &g.c.st[q.qi]
	*st = dcqcnState{alpha: 1, target: x.rate, alphaAt: g.now}
	if r := g.c.p.InitialRate; r > 0 && r < q.rate {
		q.rate, q.pace, st.target = r, wireRate(r), r
		st.running, st.timerAt = true, g.now+g.c.p.RateTimer
		q.restartBytes(&g.c.p)
	}
	g.expect(q, 0)
	q.state, q.at, q.due = qpSends, g.now, g.now
	g.follow(i)
	g.share(&g.ports[g.hops[q.hop].port])
	g.align(q)
}

func (q *glideQP) restartBytes(p *DCQCNParams) {
	if p.ByteCounter > 0 {
		q.quota = float64(p.ByteCounter)
	}
}

// cut handles a CNP that has come for QP i.
func (g *Glide) cut(i int32) {
	q := &g.qps[i]
	st := &g.c.st[q.qi]
	q.cnps = append(q.cnps[:0], q.cnps[1:]...)
	r, cut := g.c.p.cut(st, q.rate, g.now)
	if !cut {
		return
	}
	g.is.s.n.cuts++
	st.running, st.timerAt = true, g.now+g.c.p.RateTimer
	g.settle(q)
	q.restartBytes(&g.c.p)
	g.setRate(i, r)
	g.quotaTime(q)
}

// spend is the byte counter of QP i, which has run out.
func (g *Glide) spend(i int32) {
	q := &g.qps[i]
	st := &g.c.st[q.qi]
	q.quota = math.Inf(1)
	if st.running && g.c.p.ByteCounter > 0 {
		st.rounds = min(st.rounds+1, 1<<15)
		q.restartBytes(&g.c.p)
		r, _ := g.c.p.raise(st, q.rate, q.line)
		g.setRate(i, r)
	}
	g.quotaTime(q)
}

// setRate gives QP i a rate, which counts from the next packet on: that waits for
// the time that the last one has set.
func (g *Glide) setRate(i int32, r sim.Rate) {
	q := &g.qps[i]
	if r == q.rate {
		return
	}
	g.is.s.events++
	if q.applyAt == sim.Never {
		q.applyAt = q.after(g.now, q.pace, g.frame)
	}
	q.rate = r
	if q.state == qpSends && q.applyAt <= g.now {
		g.apply(i)
	}
}

// apply makes the rate of QP i its pace.
func (g *Glide) apply(i int32) {
	q := &g.qps[i]
	g.settle(q)
	q.pace, q.due, q.applyAt = wireRate(q.rate), g.now, sim.Never
	g.share(&g.ports[g.hops[q.hop].port])
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

// settle brings what q has sent up to now.
func (g *Glide) settle(q *glideQP) {
	d := float64(g.now - q.at)
	q.at = g.now
	if d == 0 || q.state != qpSends {
		return
	}
	by := float64(q.send * d)
	q.sent = min(q.total, q.sent+by)
	q.quota -= by * g.pay / g.frame
}

// quotaTime sets when the byte counter of q runs out as it goes.
func (g *Glide) quotaTime(q *glideQP) {
	q.quotaAt = sim.Never
	if q.send > 0 && !math.IsInf(q.quota, 1) {
		q.quotaAt = q.at + max(0, sim.Time(math.Ceil(q.quota/(q.send*g.pay/g.frame))))
	}
}
