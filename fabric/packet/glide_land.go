package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// EarliestEnd returns a time before which no flow for which wanted reports true
// can finish, see Island.EarliestEnd: all that has been sent may have arrived when
// packets take over.
func (g *Glide) EarliestEnd(wanted func(fabric.FlowID) bool) sim.Time {
	e := g.is.e
	least := sim.Never
	for i := range g.flows {
		f := &g.flows[i]
		if !wanted(e.extOf[f.fi]) {
			continue
		}
		most := sim.Time(0)
		for k := f.first; k < f.first+f.n; k++ {
			q := &g.qps[k]
			missing := e.snd[q.qi].size - e.rcv[q.qi].next - int64(max(q.sent, q.got)) - 2*e.payload
			if missing > 0 {
				most = max(most, e.g.Ports[e.paths[e.rcv[q.qi].path]].Rate.TxTime(missing))
			}
		}
		least = min(least, g.now+most)
	}
	return least
}

// Land ends the glide at time t, not before Now: packets go on from where it has
// come. It returns the payload bytes delivered.
func (g *Glide) Land(t sim.Time) int64 {
	is := g.is
	e, s := is.e, is.s
	s.attach(e)
	if t > g.now {
		g.tick(t - g.now)
	}
	d := t - g.from
	if d <= 0 {
		return 0
	}
	shift := make([]advance, 0, len(g.qps))
	at := map[int32]int{}
	for i := range g.qps {
		q := &g.qps[i]
		x := &e.snd[q.qi]
		at[q.qi] = len(shift)
		shift = append(shift, advance{q.qi, min(int64(q.sent)/e.payload*e.payload, max(0, x.size-x.next-1)/e.payload*e.payload)})
	}
	is.holdRelays(shift, at)
	fill := g.refill(shift)
	total := g.count(shift, fill)
	for i := range g.qps { // what the glide has stepped is not to be moved again
		q := &g.qps[i]
		st := &g.c.st[q.qi]
		st.alphaAt -= d
		st.cutAt -= d
		s.rcv[q.qi].cnpAt = q.cnpAt - d
	}
	flying := make([]bool, len(s.pkts)) // to another port
	is.moveTimes(d, func(ev *event) bool {
		if ev.kind() == evArrive && ev.target >= 0 {
			flying[ev.arg] = true
		}
		return !g.times(at, ev)
	})
	g.moveBytes(shift, at, fill, flying)
	s.now = t
	for i := range g.qps {
		q := &g.qps[i]
		st := &g.c.st[q.qi]
		s.setRate(q.qi, q.rate)
		s.snd[q.qi].avail = q.after(s.now, q.pace, g.frame)
		if q.quota < 1<<62 {
			s.snd[q.qi].quota = int64(q.quota)
		}
		for _, at := range q.cnps[:q.waiting] {
			s.setTimer(q.qi, max(at, s.now), tagCNP)
		}
		if !st.running {
			continue
		}
		st.gen++
		st.timerAt = max(st.timerAt, s.now)
		s.setTimer(q.qi, st.timerAt, uint32(st.gen))
	}
	g.enqueue(fill)
	is.wakeRelays()
	for i := range g.qps {
		s.wake(g.qps[i].qi)
	}
	g.tell(total)
	return total
}

// times reports whether an event is a timer that the glide has kept for a QP;
// at holds its QPs.
func (g *Glide) times(at map[int32]int, ev *event) bool {
	k := ev.kind()
	if k != evReady && k != evTimer {
		return false
	}
	if _, ok := at[ev.target]; !ok || uint32(ev.arg) == tagCNP && k == evTimer {
		return false
	}
	if k == evReady {
		g.is.s.snd[ev.target].state &^= stTimer
	}
	return true
}
