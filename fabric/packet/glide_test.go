package packet

import (
	"math"
	"testing"

	"github.com/simnet/simnet/sim"
)

// What small wants leave of the supply goes to the large ones, in equal parts.
func TestWaterLevel(t *testing.T) {
	for _, c := range []struct {
		want   []float64
		supply float64
		level  float64
	}{
		{[]float64{1, 2, 10}, 9, 6},
		{[]float64{5, 5}, 4, 2},
		{[]float64{1, 1, 1, 7}, 6, 3},
		{[]float64{3, 4, 100}, 10.5, 3.75},
	} {
		if got := waterLevel(c.want, c.supply); math.Abs(got-c.level) > 1e-12 {
			t.Errorf("%v of %g: level %g, want %g", c.want, c.supply, got, c.level)
		}
	}
}

// A rate that changes counts from the next packet on: packets of 1,000 B at 1 B
// a ns since 5 us are sent every us, so the one after 7.25 us leaves at 8 us.
func TestGlideWaitsForTheNextPacket(t *testing.T) {
	q := glideQP{due: 5 * sim.Microsecond}
	for _, c := range [][2]sim.Time{
		{7*sim.Microsecond + 250*sim.Nanosecond, 8 * sim.Microsecond},
		{8 * sim.Microsecond, 8 * sim.Microsecond},
		{3 * sim.Microsecond, 5 * sim.Microsecond}, // it waits already
	} {
		if got := q.after(c[0], 1e-3, 1000); got != c[1] {
			t.Errorf("after %v: %v, want %v", c[0], got, c[1])
		}
	}
}

// A queue serves what came first: behind 30 kB of one QP, 10 kB of another come
// in one tick, and 20 kB of both in the next; of 45 kB that leave, 32.5 kB are of
// the first.
func TestGlideQueueIsFirstInFirstOut(t *testing.T) {
	g := &Glide{hops: make([]glideHop, 2)}
	p := &glidePort{full: 1e9}
	for _, c := range []glideCell{{0, 30e3}, {1, 10e3}} {
		p.queue(c.hop, c.bytes)
		g.hops[c.hop].held += c.bytes
	}
	p.cells = append(p.cells, glideCell{0, 10e3}, glideCell{1, 10e3})
	p.fifo = append(p.fifo, glideSlice{2, 20e3})
	g.hops[0].held, g.hops[1].held, p.q = 40e3, 20e3, 60e3
	if n := g.drain(p, 45e3); n != 45e3 {
		t.Errorf("%g B left", n)
	}
	for i, want := range []float64{32.5e3, 12.5e3} {
		if x := &g.hops[i]; math.Abs(x.out-want) > 1e-6 || math.Abs(x.out+x.held-[]float64{40e3, 20e3}[i]) > 1e-6 {
			t.Errorf("hop %d: %g B left and %g stand, want %g to leave", i, x.out, x.held, want)
		}
	}
	if g.drain(p, 45e3); p.q != 0 || g.hops[0].held > 1e-6 || len(p.cells) != 0 {
		t.Errorf("%g B are left", p.q)
	}
}

// What leaves next is known before it does: of the 10th to the 45th kB of a queue
// with 30 kB of one QP in front of 10 kB of another, and nothing but the first
// behind, 20 kB are of the first, then 10 kB of the other, 5 kB of the first again.
func TestGlidePreviewsWhatLeaves(t *testing.T) {
	g := &Glide{hops: make([]glideHop, 2)}
	g.hops[0].in = 1
	p := &glidePort{full: 1, in: 1, ins: []int32{0, 1}}
	p.cells = []glideCell{{0, 30e3}, {1, 10e3}}
	p.fifo = []glideSlice{{1, 30e3}, {1, 10e3}}
	p.q = 40e3
	g.preview(p, 10e3, 45e3)
	for i, want := range []float64{25e3, 10e3} {
		if got := g.hops[i].next; math.Abs(got-want) > 1e-6 {
			t.Errorf("hop %d: %g B are to leave, want %g", i, got, want)
		}
	}
}

// A queue marks by what stands above Kmin, up to Kmax.
func TestGlideAboveKmin(t *testing.T) {
	p := &glidePort{kmin: 100e3, m: &marking{kmin: 100e3, kmax: 400e3}}
	for _, c := range [][2]float64{{50e3, 0}, {100e3, 0}, {150e3, 50e3}, {400e3, 300e3}, {500e3, 300e3}} {
		if got := p.above(c[0]); got != c[1] {
			t.Errorf("%g B: %g above, want %g", c[0], got, c[1])
		}
	}
}
