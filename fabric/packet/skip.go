package packet

import (
	"github.com/simnet/simnet/sim"
)

// Skip lets what happened from a to b, which is now, go on for d without
// packets: QPs advance at their rates, every pending event moves by d, counters
// grow as they did since mid, a sample in between: marks come in bursts when flows
// start, which must not be repeated. The caller has asked Horizon. It returns the
// payload bytes that moved.
func (is *Island) Skip(a, mid, b *Sample, d sim.Time) int64 {
	e, s := is.e, is.s
	s.attach(e)
	shift := is.advances(a, b, d)
	is.moveBytes(shift)
	is.moveTimes(d, nil)
	total, packets := int64(0), int64(0)
	for _, x := range shift {
		total += x.by
		packets += x.by / e.payload
	}
	is.moveCounters(mid, b, d, total, packets)
	is.moveBins(mid, b, d, total)
	is.wakeRelays()
	return total
}

// advance is by how many bytes QP qi moves on.
type advance struct {
	qi int32
	by int64
}

// advances returns the bytes by which each QP moves: whole packets, and not
// beyond what a relay may have sent by then.
func (is *Island) advances(a, b *Sample, d sim.Time) []advance {
	e := is.e
	pay := e.payload
	var out []advance
	at := map[int32]int{}
	i := 0
	for _, fi := range is.open {
		f := &e.flows[fi]
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			by := int64(0)
			if x := &e.snd[qi]; e.rcv[qi].next < x.size {
				by = min(moved(a, b, i, d)/pay*pay, max(0, x.size-x.next-1)/pay*pay)
			}
			at[qi] = len(out)
			out = append(out, advance{qi, by})
			i++
		}
	}
	is.holdRelays(out, at)
	return out
}

// holdRelays keeps what flows move behind what their upstream flows will have
// delivered; at is where each QP stands in out.
func (is *Island) holdRelays(out []advance, at map[int32]int) {
	e := is.e
	pay := e.payload
	for range relayPasses {
		changed := false
		for _, fi := range is.open {
			f := &e.flows[fi]
			if f.left == 0 {
				continue
			}
			for _, ui := range f.up {
				u := &e.flows[ui]
				if u.left == 0 {
					continue
				}
				had := u.rec.Bytes
				for qi := u.qp; qi < u.qp+u.qps; qi++ {
					if n := e.rcv[qi].next; n < e.snd[qi].size {
						had = min(had, (n+out[at[qi]].by)*int64(u.qps)) // it is on the list
					}
				}
				limit := (had + f.lag) / int64(f.qps)
				for qi := f.qp; qi < f.qp+f.qps; qi++ {
					i, ok := at[qi]
					if !ok {
						continue
					}
					x := &out[i]
					if most := max(0, limit-e.snd[qi].next) / pay * pay; x.by > most && e.snd[qi].size > limit {
						x.by, changed = most, true
					}
				}
			}
		}
		if !changed {
			break
		}
	}
}

// relayPasses bounds how often limits are passed on around a ring; what is left
// then makes a relay wait a little after the skip.
const relayPasses = 8

// moveBytes moves QPs and the packets in flight on.
func (is *Island) moveBytes(shift []advance) {
	e, s := is.e, is.s
	by := make(map[int32]int64, len(shift))
	for _, x := range shift {
		if x.by == 0 {
			continue
		}
		by[x.qi] = x.by
		f, r := &e.snd[x.qi], &e.rcv[x.qi]
		f.next += x.by
		f.una += x.by
		f.high += x.by
		r.next += x.by
		switch c := e.cc.(type) {
		case *dctcp:
			c.st[x.qi].window += x.by
			c.st[x.qi].cutEnd += x.by
		case *hpcc:
			c.st[x.qi].seen += x.by
		case *timely:
			c.st[x.qi].seen += x.by
		}
	}
	for i := range s.pkts {
		k := &s.pkts[i]
		if w := k.what(); w == kindData || w == kindAck || w == kindNack {
			s.bodies[i].seq += by[s.bodies[i].qp]
		}
	}
}

// moveTimes moves everything that waits for a time by d, of events those that
// keep lets through, nil meaning all.
func (is *Island) moveTimes(d sim.Time, keep func(*event) bool) {
	e, s := is.e, is.s
	s.w.shiftBy(d, keep)
	s.now += d
	for _, pi := range is.ports {
		e.ports[pi].freeAt += d
		for k := range e.nc {
			e.pauses[pi*e.nc+k].since += d
		}
	}
	for _, ni := range is.nics {
		e.nics[ni].txFree += d
		e.nics[ni].rxFree += d
	}
	for i := range s.stamps {
		s.stamps[i] += d
	}
	for _, fi := range is.open {
		f := &e.flows[fi]
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			e.snd[qi].avail += d
			e.snd[qi].rtoAt += d
			e.rcv[qi].cnpAt += d
			e.rcv[qi].nackAt += d
			switch c := e.cc.(type) {
			case *dcqcn:
				c.st[qi].alphaAt += d
				c.st[qi].cutAt += d
			case *swift:
				c.st[qi].cutAt += d
			}
		}
	}
}

// moveCounters adds what d brings at the pace of a window; packets and bytes
// are exact.
func (is *Island) moveCounters(a, b *Sample, d sim.Time, total, packets int64) {
	e, s := is.e, is.s
	n, x, y := &s.n, &a.n, &b.n
	more := func(from, to int64) int64 { return mulDiv(to-from, int64(d), int64(b.At-a.At)) }
	n.sent += packets
	n.got += packets
	n.delivered += total
	n.dataHops += more(x.dataHops, y.dataHops)
	n.ackHops += more(x.ackHops, y.ackHops)
	n.marked += more(x.marked, y.marked)
	n.cnps += more(x.cnps, y.cnps)
	n.cuts += more(x.cuts, y.cuts)
	starts := more(x.pauses, y.pauses)
	n.pauses += starts
	n.resumes += starts
	for i, pi := range is.ports {
		o, p, q := &e.ports[pi], &a.ports[i], &b.ports[i]
		o.txBytes += more(p.txBytes, q.txBytes)
		o.txPkts += uint32(more(int64(p.txPkts), int64(q.txPkts)))
		o.ecn += more(p.ecn, q.ecn)
		o.pauses += more(p.pauses, q.pauses)
		o.pausedTime += sim.Time(more(int64(p.paused), int64(q.paused)))
	}
}

// moveBins spreads what d brought over the span d before now.
func (is *Island) moveBins(a, b *Sample, d sim.Time, total int64) {
	s := is.s
	t := &s.tel
	if d == 0 {
		return
	}
	more := func(from, to int64) int64 { return mulDiv(to-from, int64(d), int64(b.At-a.At)) }
	for k, n := range [binKinds]int64{
		binCNPs: more(a.n.cnps, b.n.cnps), binPauses: more(a.n.pauses, b.n.pauses), binECN: more(a.n.marked, b.n.marked), binDelivered: total,
	} {
		t.spread(k, s.now-d, s.now, n)
	}
}

// wakeRelays gives relays the limits that their upstream flows now allow.
func (is *Island) wakeRelays() {
	e, s := is.e, is.s
	for _, fi := range is.open {
		f := &e.flows[fi]
		if len(f.down) > 0 && f.left > 0 {
			f.notify = e.nextNotify(f, e.delivered(f))
		}
	}
	for _, fi := range is.open {
		f := &e.flows[fi]
		if len(f.up) == 0 || f.left == 0 || !e.setLimit(f) {
			continue
		}
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			if s.snd[qi].state&stBegun != 0 {
				s.wake(qi)
			}
		}
	}
}
