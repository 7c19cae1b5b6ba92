package packet

import (
	"sort"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Merge moves everything of island b into is and ends b. Both must have handled
// all their events before now, and none after.
func (is *Island) Merge(b *Island, now sim.Time) {
	e, s, t := is.e, is.s, b.s
	s.attach(e)
	t.attach(e)
	off := is.movePackets(b)
	is.moveSlots(b)
	for _, pi := range b.ports {
		e.owner[pi] = s.id
		o := &e.ports[pi]
		for q := range uint8(e.nq) {
			u := e.queue(pi, q)
			if o.host >= 0 && q >= queueData {
				continue // QPs
			}
			if u.head >= 0 {
				u.head += off
				u.tail += off
			}
		}
	}
	s.now = now
	if s.w.n == 0 {
		s.w.moveTo(min(now, t.w.last))
	}
	evs := t.w.drain()
	order(evs)
	for _, ev := range evs {
		switch ev.kind() {
		case evArrive, evWhole, evDeliver:
			ev.arg += off
		}
		s.seq++
		key := ev.key&^(1<<tieShift-1) | s.seq&(1<<seqBits-1)<<kindBits | uint64(ev.kind())
		s.w.push(ev.at, key, ev.target, ev.arg)
	}
	is.flows = append(is.flows, b.flows...)
	is.open = append(is.open, b.open...)
	is.ports = append(is.ports, b.ports...)
	is.base = append(is.base, b.base...)
	is.nics = append(is.nics, b.nics...)
	s.n.add(&t.n)
	s.events += t.events
	s.active += t.active
	s.faults = s.faults || t.faults
	s.stuck = s.stuck || t.stuck
	is.birth = min(is.birth, b.birth)
	is.moveTelemetry(b)
	b.recycle()
}

// order sorts events by time, then key: as they would have been handled.
func order(evs []farEvent) {
	sort.Slice(evs, func(i, j int) bool { return evs[i].before(&evs[j]) })
}

// movePackets appends the arena of b to that of is and returns by how much the
// indices of its packets grow.
func (is *Island) movePackets(b *Island) int32 {
	s, t := is.s, b.s
	off := int32(len(s.pkts))
	for i := range t.pkts {
		k := t.pkts[i]
		if k.next >= 0 {
			k.next += off
		}
		s.pkts = append(s.pkts, k)
	}
	s.bodies = append(s.bodies, t.bodies...)
	s.stamps = append(s.stamps, t.stamps...)
	s.ints = append(s.ints, t.ints...)
	s.sacks = append(s.sacks, t.sacks...)
	if t.free >= 0 {
		last := t.free + off
		for s.pkts[last].next >= 0 {
			last = s.pkts[last].next
		}
		s.pkts[last].next = s.free
		s.free = t.free + off
	}
	s.live += t.live
	return off
}

// moveSlots gives the ports of b the switches of is where both have a copy.
func (is *Island) moveSlots(b *Island) {
	e := is.e
	same := map[int32]int32{}
	for _, x := range b.slots {
		d := &e.switches[x]
		mine := int32(-1)
		for _, y := range is.slots {
			if e.switches[y].node == d.node {
				mine = y
			}
		}
		if mine < 0 {
			is.slots = append(is.slots, x)
			continue
		}
		m := &e.switches[mine]
		m.shared += d.shared
		m.used += d.used
		m.fluid += d.fluid
		m.max = max(m.max, d.max, m.used)
		d.shared, d.used, d.fluid = 0, 0, 0
		same[x] = mine
		e.freeSlots = append(e.freeSlots, x)
	}
	for _, pi := range b.ports {
		if to, ok := same[e.ports[pi].sw]; ok && e.ports[pi].host < 0 {
			e.ports[pi].sw = to
		}
	}
}

// moveTelemetry joins what both islands remember. Series and open bursts of b
// end here; its ports start new ones.
func (is *Island) moveTelemetry(b *Island) {
	e, t, u := is.e, &is.s.tel, &b.s.tel
	if u.begun {
		for k := range u.v {
			for i, n := range u.v[k] {
				if n != 0 {
					t.addLate(u.start+sim.Time(i)*u.width, k, n)
				}
			}
		}
	}
	for i := range u.bursts {
		if u.bursts[i].end < 0 {
			u.bursts[i].end = b.s.now
		}
	}
	t.bursts = append(t.bursts, u.bursts...)
	t.lost += u.lost
	for i := range u.storms {
		if st := &u.storms[i]; st.open {
			b.s.endStorm(st)
		}
	}
	t.ended = append(t.ended, u.ended...)
	for i := range u.queues {
		e.shards[0].tel.foldQueue(&u.queues[i])
	}
	for _, pi := range b.ports {
		e.watches[pi] = watch{series: -1, burst: -1}
		is.s.setWatch(pi, &e.ports[pi])
	}
}

// addLate adds n to the bin of one kind that holds at, which may lie before the
// first bin: then the bins move.
func (t *telemetry) addLate(at sim.Time, kind int, n int64) {
	if t.c.MaxBins == 0 || t.c.RateBin == 0 {
		return
	}
	if t.begun && at < t.start {
		more := int((t.start - at + t.width - 1) / t.width)
		for k := range t.v {
			t.v[k] = append(make([]int64, more, more+len(t.v[k])), t.v[k]...)
		}
		t.start -= sim.Time(more) * t.width
		for len(t.v[0]) > t.c.MaxBins {
			for k := range t.v {
				t.v[k] = foldSum(t.v[k])
			}
			t.width *= 2
		}
	}
	if !t.begun {
		t.roll(at)
	}
	t.spread(kind, at, at, n)
	t.end = 0 // count finds its bin anew
}

// Links returns the links of the island in the order of their claims.
func (is *Island) Links() []fabric.LinkID {
	out := make([]fabric.LinkID, 0, len(is.ports)/2)
	for i := 0; i < len(is.ports); i += 2 {
		out = append(out, fabric.LinkID(is.ports[i]/2))
	}
	return out
}
