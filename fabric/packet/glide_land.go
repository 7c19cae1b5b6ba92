package packet

import (
	"math"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// EarliestEnd returns a time before which no flow for which wanted reports true
// can finish: what has not been sent has to pass its first link, and the last
// packet the others.
func (g *Glide) EarliestEnd(wanted func(fabric.FlowID) bool) sim.Time {
	e := g.is.e
	least := sim.Never
	for i := range g.flows {
		f := &g.flows[i]
		if e.flows[f.fi].left == 0 || !wanted(e.extOf[f.fi]) {
			continue
		}
		most := g.now
		for _, k := range f.qps {
			if q := &g.qps[k]; q.of(int32(i)) {
				most = max(most, g.qpEnd(q))
			}
		}
		least = min(least, most)
	}
	return least
}

// qpEnd is EarliestEnd of one QP.
func (g *Glide) qpEnd(q *glideQP) sim.Time {
	switch q.state {
	case qpTrails:
		return g.now // its queues may be shorter as packets
	case qpArrives:
		return q.tailAt
	case qpWaits:
		return q.startAt
	}
	left := q.total - q.sent - 2*g.frame - float64(q.send*float64(g.now-q.at))
	return g.now + max(0, sim.Time(left/g.ports[g.hops[q.hop].port].full))
}

// Land ends the glide at time t, or at Now if that is later, and before anything
// else happens in it: packets go on from there, and stand in the queues as the
// glide leaves them. It returns the payload bytes that have been delivered.
func (g *Glide) Land(t sim.Time) int64 {
	is := g.is
	e, s := is.e, is.s
	s.attach(e)
	g.hold(t)
	t = g.now
	g.breakTick()
	g.revoke()
	g.flow()
	s.now = t
	s.w.moveTo(t)
	fill := make([]int64, len(g.hops))
	for i := range g.qps {
		q := &g.qps[i]
		switch q.state {
		case qpGone:
		case qpWaits:
			if fi := g.flows[q.flow].fi; q.qi == e.flows[fi].qp {
				s.push(max(t, q.startAt), evStart, fi, 0)
			}
		default:
			g.unload(int32(i), fill)
		}
	}
	g.tell(t)
	g.enqueue(fill)
	for i := range g.ports {
		g.account(&g.ports[i])
		g.countPort(&g.ports[i])
	}
	for _, x := range is.slots {
		e.switches[x].fluid = 0
	}
	g.stamp()
	g.drop()
	is.wakeRelays()
	for i := range g.qps {
		if q := &g.qps[i]; q.state != qpGone && q.state != qpWaits {
			s.wake(q.qi)
		}
	}
	return g.delivered
}

// unload gives q back to its sender and receiver; fill becomes by hop how many of
// its packets stand in queues.
func (g *Glide) unload(i int32, fill []int64) {
	e, s := g.is.e, g.is.s
	q := &g.qps[i]
	x, r := &e.snd[q.qi], &e.rcv[q.qi]
	g.settle(q)
	end, sent := x.size, g.all(q)
	if q.state == qpSends {
		sent = min(sent, max(0, int64(math.Ceil(q.sent/g.frame-1e-6)))) // one that has begun is on its way
		end = min(x.size, q.had+sent*e.payload)
	}
	stand, at := int64(0), end
	for h := q.hop; h < q.hop+q.n && q.state != qpArrives; h++ {
		y := &g.hops[h]
		for n := int64(y.held / g.frame); fill[h] < n && at > q.base; fill[h]++ {
			at = max(q.base, at-g.lastPay(end, at))
			stand++
		}
		y.seq = at
		s.n.dataHops -= fill[h] * int64(q.hop+q.n-h)
		p := &g.ports[y.port]
		o := &e.ports[p.pi]
		reach := o.reach + o.rate.TxTime(e.payload+e.header) // until its last bit is in
		before := int64(p.flying)
		p.flying += g.leaves(q, h) * float64(reach) / g.frame
		flies := int64(p.flying) - before // no more of all QPs than the wire holds
		for k := int64(0); k < flies && at > q.base; k++ {
			from := max(q.base, at-g.lastPay(end, at))
			g.fly(q, h, from, at-from, s.now+reach*sim.Time(2*(flies-k)-1)/sim.Time(2*flies))
			at = from
			stand++
		}
	}
	if at == x.size { // the last packet flies
		at = max(q.base, at-g.lastPay(end, at))
		stand++
		when := s.now + q.lat
		if q.state == qpArrives {
			when = max(s.now, q.tailAt)
		}
		g.fly(q, q.hop+q.n-1, at, end-at, when)
	}
	g.moved += float64(at-q.base)*g.frame/g.pay - g.arrived(q)
	s.n.delivered += at - q.base
	g.delivered += at - q.base
	g.count(q, sent, stand)
	x.next, x.high, x.una, r.next = end, end, at, at
	s.setRate(q.qi, q.rate)
	x.avail = s.now + max(0, sim.Time((float64(float64(sent)*g.frame)-q.sent)/q.pace))
	if x.quota = 1<<63 - 1; !math.IsInf(q.quota, 1) {
		x.quota = int64(q.quota)
	}
	if rto := e.cfg.Recovery.RTO; rto > 0 && at < end {
		x.state |= stRTO
		x.rtoAt = s.now + rto
		s.push(x.rtoAt, evRTO, q.qi, 0)
	}
	r.cnpAt = q.cnpAt
	for _, at := range q.cnps {
		s.setTimer(q.qi, max(at, s.now), tagCNP)
	}
	if st := &g.c.st[q.qi]; st.running {
		st.gen++
		st.timerAt = max(st.timerAt, s.now)
		s.setTimer(q.qi, st.timerAt, uint32(st.gen))
	}
}

// leaves returns the rate at which bytes of q leave hop h.
func (g *Glide) leaves(q *glideQP, h int32) float64 {
	x := &g.hops[h]
	switch {
	case h+1 < q.hop+q.n:
		return g.hops[h+1].in
	case g.ports[x.port].busy:
		return x.out / float64(g.ports[x.port].lasted)
	}
	return x.in
}

// fly puts a packet of q on the wire behind hop h, to arrive at a time.
func (g *Glide) fly(q *glideQP, h int32, seq, pay int64, at sim.Time) {
	e, s := g.is.e, g.is.s
	f := &s.snd[q.qi]
	k := f.path + h - q.hop + 1
	next, pi := s.paths[k], s.paths[k-1]
	if next >= 0 {
		k++
	}
	ki := s.alloc()
	s.pkts[ki] = packet{path: k, in: pi, size: uint16(pay + e.header), kind: kindData | flagAckReq<<4, q: f.q}
	s.bodies[ki] = body{seq: seq, qp: q.qi, aux: -1}
	s.n.dataHops -= int64(q.hop + q.n - h)
	s.pushArrive(at, evArrive, pi, next, ki)
}

// lastPay returns the payload of the packet that ends at a byte of a QP of which
// end have been sent: only its last one may be short.
func (g *Glide) lastPay(end, at int64) int64 {
	pay := g.is.e.payload
	if rest := end % pay; at == end && rest != 0 {
		return rest
	}
	return pay
}

// countPort adds what has left p to the counters of its port.
func (g *Glide) countPort(p *glidePort) {
	o := &g.is.e.ports[p.pi]
	n := int64(p.tx)
	o.txBytes += n
	o.txPkts += uint32(float64(n) / g.frame)
	p.tx -= float64(n)
}
