package packet

import (
	"math/bits"

	"github.com/simnet/simnet/sim"
)

// drain removes every event, in an order that depends on nothing but the
// history of w. The events come without the time in their keys.
func (w *wheel) drain() []farEvent {
	out := make([]farEvent, 0, w.n)
	add := func(base sim.Time, evs []event) {
		for _, ev := range evs {
			at := base + sim.Time(ev.key>>offShift)
			ev.key &= 1<<offShift - 1
			out = append(out, farEvent{at, ev})
		}
	}
	add(w.base, w.run[w.pos:])
	w.run, w.pos, w.stop = w.run[:0], 0, 0
	for k, m := range w.full {
		for m != 0 {
			i := int64(k<<6 + bits.TrailingZeros64(m))
			m &= m - 1
			b := w.cur + (i-w.cur)&w.mask
			base := sim.Time(b << w.shift)
			w.take(&w.slots[i])
			add(base, w.run)
			w.run = w.run[:0]
		}
		w.full[k] = 0
	}
	out = append(out, w.far...)
	w.far = w.far[:0]
	w.n, w.inside = 0, 0
	return out
}

// moveTo sets the clock of an empty wheel.
func (w *wheel) moveTo(t sim.Time) {
	w.last = t
	w.cur = int64(t) >> w.shift
	w.base = sim.Time(w.cur << w.shift)
}

// shiftBy moves the clock and every event d into the future; events for which
// keep, if not nil, reports false are dropped.
func (w *wheel) shiftBy(d sim.Time, keep func(*event) bool) {
	evs := w.drain()
	w.moveTo(w.last + d)
	for i := range evs {
		if keep != nil && !keep(&evs[i].event) {
			continue
		}
		w.push(evs[i].at+d, evs[i].key, evs[i].target, evs[i].arg)
	}
}
