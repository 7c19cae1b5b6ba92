package packet

import (
	"math/rand/v2"
	"testing"

	"github.com/simnet/simnet/sim"
)

// A shifted wheel gives the same events in the same order, later.
func TestWheelShift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := newWheel(4, 6), newWheel(4, 6)
	const d = 12345
	for i := range 3000 {
		at, key := sim.Time(r.IntN(4000)), uint64(r.IntN(4))<<tieShift|uint64(i)<<kindBits
		a.push(at, key, int32(i), 0)
		b.push(at, key, int32(i), 0)
	}
	pop := func(w *wheel) (sim.Time, int32) {
		at := w.peek()
		ev := w.run[w.pos]
		w.pos++
		w.n--
		w.last = at
		return at, ev.target
	}
	for range 100 {
		pop(a)
		pop(b)
	}
	b.shiftBy(d, nil)
	for n := a.n; n > 0; n-- {
		at, x := pop(a)
		bt, y := pop(b)
		if x != y || bt != at+d {
			t.Fatalf("event %d at %d, want %d at %d", y, bt, x, at+d)
		}
	}
	if b.n != 0 || b.peek() != sim.Never {
		t.Error("events are left")
	}
}
