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

// A port serves what stands in its queue at its rate and in proportion, and
// nothing is lost: 30 kB from one QP, 10 kB from another, 10 kB more of each in
// a tick in which 20 kB leave.
func TestGlideServesInProportion(t *testing.T) {
	g := &Glide{pay: 1000, frame: 1000}
	g.qps = []glideQP{{hop: 0, n: 1}, {hop: 1, n: 1}}
	g.hops = []glideHop{{qp: 0, held: 30e3, in: 10e3 / 4e6}, {qp: 1, held: 10e3, in: 10e3 / 4e6}}
	p := &glidePort{rate: 20e3 / 4e6, q: 40e3, ins: []int32{0, 1}}
	g.serve(p, 4e6, 4*sim.Microsecond)
	for i, want := range []float64{40e3 / 60e3 * 20e3, 20e3 / 60e3 * 20e3} {
		if got := g.qps[i].got; math.Abs(got-want) > 1e-6 {
			t.Errorf("QP %d got %g B, want %g", i, got, want)
		}
	}
	if math.Abs(p.q-40e3) > 1e-6 || math.Abs(g.hops[0].held+g.hops[1].held-p.q) > 1e-6 {
		t.Errorf("%g B stand in the queue, %g and %g of the QPs", p.q, g.hops[0].held, g.hops[1].held)
	}
}
