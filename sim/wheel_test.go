package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The wheel yields exactly what sorting by (At, Key) yields, whatever the mix
// of pushes and pops, ties included, at several widths of bucket.
func TestWheelOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shift := rapid.SampledFrom([]uint{4, 10, 20}).Draw(t, "shift")
		w := NewWheel(shift, 6)
		var want []Item
		now, seq := Time(0), uint64(0)
		less := func(a, b Item) int {
			if a.before(&b) {
				return -1
			}
			return 1
		}
		push := func(n int, span int64) {
			for range n {
				seq++
				at := now + Time(rapid.Int64Range(0, span).Draw(t, "d"))
				it := Item{At: at, Key: MakeKey(uint16(Mix(seq)), seq, 1), Target: uint32(seq)}
				w.Push(it)
				want = append(want, it)
			}
		}
		pop := func() {
			slices.SortFunc(want, less)
			if got := w.Peek(); got != want[0].At {
				t.Fatalf("Peek %d, want %d", got, want[0].At)
			}
			if _, ok := w.PopBefore(want[0].At - 1); ok {
				t.Fatal("PopBefore went beyond its limit")
			}
			it, ok := w.Pop()
			if !ok || it != want[0] {
				t.Fatalf("got %+v %v, want %+v", it, ok, want[0])
			}
			want, now = want[1:], it.At
		}
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			push(rapid.IntRange(1, 60).Draw(t, "n"), rapid.SampledFrom([]int64{3, 1000, 1 << 17, 1 << 32}).Draw(t, "span"))
			for range rapid.IntRange(0, 60).Draw(t, "pops") {
				if len(want) > 0 {
					pop()
				}
			}
		}
		for len(want) > 0 {
			pop()
		}
		if _, ok := w.Pop(); ok || w.Len() != 0 || w.Peek() != Never {
			t.Fatal("items left")
		}
	})
}

func TestWheelRefusesThePast(t *testing.T) {
	w := NewWheel(10, 6)
	w.Push(Item{At: 100})
	w.Pop()
	defer func() {
		if recover() == nil {
			t.Fatal("no panic")
		}
	}()
	w.Push(Item{At: 99})
}

// Simultaneous items under seeded ties come out in an order that favours no
// source: each of four sources goes first about a quarter of the time.
func TestTiesAreFair(t *testing.T) {
	w := NewWheel(10, 6)
	var first [4]int
	var seq uint64
	const rounds = 4000
	for r := range rounds {
		for s := range uint32(4) {
			seq++
			w.Push(Item{At: Time(r) * 5000, Key: MakeKey(uint16(Mix(seq^77)), seq, 0), Target: s})
		}
		it, _ := w.Pop()
		first[it.Target]++
		for range 3 {
			w.Pop()
		}
	}
	for s, n := range first {
		if n < rounds/4-150 || n > rounds/4+150 { // 5.5 standard deviations
			t.Errorf("source %d was first %d times of %d", s, n, rounds)
		}
	}
}

func hold(b *testing.B, pending int) {
	w := NewWheel(10, 12)
	r := rand.New(rand.NewPCG(1, 2))
	delay := make([]Time, 1<<16)
	for i := range delay {
		delay[i] = Time(r.Int64N(1_000_000))
	}
	var seq uint64
	for i := range pending {
		seq++
		w.Push(Item{At: delay[i&0xffff], Key: MakeKey(0, seq, 0)})
	}
	step := func() {
		it, _ := w.Pop()
		seq++
		w.Push(Item{At: it.At + delay[seq&0xffff], Key: MakeKey(0, seq, 0)})
	}
	for range 4 * pending {
		step()
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		step()
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

func BenchmarkWheel1k(b *testing.B)   { hold(b, 1_000) }
func BenchmarkWheel100k(b *testing.B) { hold(b, 100_000) }
func BenchmarkWheel1M(b *testing.B)   { hold(b, 1_000_000) }

func TestWheelDoesNotAllocate(t *testing.T) {
	w := NewWheel(10, 12)
	var seq uint64
	for i := range 10_000 {
		seq++
		w.Push(Item{At: Time(i * 97), Key: seq})
	}
	step := func() {
		for range 20_000 {
			it, _ := w.Pop()
			seq++
			w.Push(Item{At: it.At + Time(Mix(seq)%970_000), Key: seq})
		}
	}
	for range 40 {
		step()
	}
	if n := testing.AllocsPerRun(5, step) / 20_000; n > 0.001 {
		t.Errorf("%.4f allocations an event", n)
	}
}
