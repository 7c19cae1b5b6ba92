package packet

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/simnet/simnet/sim"
)

// The wheel yields the same order as sim.Wheel for any mix of pushes and pops,
// also when a peek has moved it on and something earlier is pushed then.
func TestWheelOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, ref := newWheel(uint(rapid.IntRange(4, 12).Draw(t, "shift")), 6), sim.NewWheel(10, 6)
		now := sim.Time(0)
		seq := uint64(0)
		pop := func() bool {
			at := w.peek()
			it, ok := ref.Pop()
			if !ok {
				if at != sim.Never {
					t.Fatalf("an event at %v is left", at)
				}
				return false
			}
			ev := w.run[w.pos]
			w.pos++
			w.n--
			w.last = at
			if at != it.At || ev.target != int32(it.Target) {
				t.Fatalf("event %d at %d, want %d at %d", ev.target, at, it.Target, it.At)
			}
			now = at
			return true
		}
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				pop()
				continue
			}
			if rapid.Bool().Draw(t, "look") {
				w.peek()
			}
			span := rapid.SampledFrom([]int{0, 3, 100, 5000, 100_000, 10_000_000}).Draw(t, "span")
			for range rapid.SampledFrom([]int{1, 1, 1, 70}).Draw(t, "burst") {
				at := now + sim.Time(rapid.IntRange(0, span).Draw(t, "delay"))
				tie := uint64(rapid.SampledFrom([]int{0, 1, 4095}).Draw(t, "tie"))
				seq++
				w.push(at, tie<<tieShift|seq<<kindBits, int32(seq), 0)
				ref.Push(sim.Item{At: at, Key: tie<<48 | seq<<8, Target: uint32(seq)})
			}
		}
		for pop() {
		}
	})
}

func BenchmarkWheel(b *testing.B) {
	w := newWheel(10, 12)
	x := uint64(1)
	step := func() sim.Time { x = x*6364136223846793005 + 1442695040888963407; return sim.Time(x >> 43) }
	for i := range 10_000 {
		w.push(step(), uint64(i)<<kindBits, 0, 0)
	}
	seq := uint64(10_000)
	for b.Loop() {
		at := w.peek()
		w.pos++
		w.n--
		w.last = at
		seq++
		w.push(at+step(), seq<<kindBits, 0, 0)
	}
	b.ReportAllocs()
}
