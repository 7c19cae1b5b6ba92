package workload

import (
	"testing"

	"github.com/simnet/simnet/sim"
	"pgregory.net/rapid"
)

const (
	tF sim.Time = 1000
	tB sim.Time = 2000
	tW sim.Time = 700
)

func all(s Schedule, p, m, v int) [][]Action {
	a := make([][]Action, p)
	for i := range a {
		a[i] = s.Actions(i, p, m, v)
	}
	return a
}

// draw picks a schedule with a size it takes.
func draw(t *rapid.T) (s Schedule, p, m, v int) {
	s = rapid.SampledFrom([]Schedule{GPipe, OneFOneB, Interleaved, ZeroBubble}).Draw(t, "schedule")
	p = rapid.IntRange(1, 9).Draw(t, "p")
	m = rapid.IntRange(1, 30).Draw(t, "m")
	v = 1
	if s == Interleaved {
		v = rapid.IntRange(1, 4).Draw(t, "v")
		m = p * rapid.IntRange(1, 5).Draw(t, "groups")
	}
	return
}

// Every schedule runs each pass of each micro-batch through each chunk exactly
// once, respects the order inside a stage, and never deadlocks whatever the
// durations.
func TestSchedulesAreCompleteAndAcyclic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, m, v := draw(t)
		stages := all(s, p, m, v)
		for i, actions := range stages {
			seen := map[Action]bool{}
			for _, a := range actions {
				if seen[a] {
					t.Fatalf("%s stage %d runs %v twice", s, i, a)
				}
				if a.Kind == Backward && !seen[Action{Forward, a.Chunk, a.Micro}] {
					t.Fatalf("%s stage %d: backward %v before its forward", s, i, a)
				}
				if a.Kind == WeightGrad && !seen[Action{Backward, a.Chunk, a.Micro}] {
					t.Fatalf("%s stage %d: weight gradient %v before its backward", s, i, a)
				}
				seen[a] = true
			}
			kinds := 2
			if s == ZeroBubble {
				kinds = 3
			}
			if len(actions) != kinds*m*v {
				t.Fatalf("%s stage %d: %d actions, want %d", s, i, len(actions), kinds*m*v)
			}
		}
		r := sim.Stream(uint64(rapid.IntRange(0, 1000).Draw(t, "seed")), "durations")
		Evaluate(stages, v, func(int, Action) sim.Time { return sim.Time(r.IntN(1000) + 1) })
	})
}

// The bubble of GPipe and 1F1B is (p-1)(F+B) out of m(F+B) of work, interleaving
// divides it by v (SC21, section 2.2), and ZB-H1 leaves (p-1)(F+B-W) where the
// pipeline is long enough to fill (Qi et al. 2024, table 2).
func TestBubbleIsTheClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, m, v := draw(t)
		if m < 2*p {
			m = 2 * p
		}
		plan := Evaluate(all(s, p, m, v), v, func(_ int, a Action) sim.Time {
			d := []sim.Time{tF, tB, tW}[a.Kind]
			return d / sim.Time(v) * sim.Time(v) / sim.Time(v)
		})
		d := func(x sim.Time) sim.Time { return x / sim.Time(v) * sim.Time(v) / sim.Time(v) }
		want := sim.Time(p-1) * (d(tF) + d(tB))
		if s == ZeroBubble {
			want = sim.Time(p-1) * (tF + tB - tW)
		}
		for i, idle := range plan.Idle {
			if idle != want {
				t.Fatalf("%s p=%d m=%d v=%d: stage %d idles %d, want %d", s, p, m, v, i, idle, want)
			}
		}
	})
}

// A stage of 1F1B or ZB-H1 never holds more activations than its distance from
// the end; GPipe holds all; interleaved what its warm-up admits.
func TestActivationsInFlightAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, m, v := draw(t)
		for i := range p {
			open, peak, weights := 0, 0, 0
			for _, a := range s.Actions(i, p, m, v) {
				switch a.Kind {
				case Forward:
					open++
					weights++
				case Backward:
					open--
				case WeightGrad:
					weights--
				}
				peak = max(peak, open)
				if s == ZeroBubble && weights > min(p, m) {
					t.Fatalf("stage %d holds %d micro-batches' inputs for weight gradients, 1F1B holds %d", i, weights, p)
				}
			}
			bound := m
			switch {
			case s == OneFOneB || s == ZeroBubble:
				bound = min(m, p-i)
			case s == Interleaved && m > p:
				bound = min(m*v, 2*(p-i-1)+(v-1)*p+1)
			case s == Interleaved:
				bound = m * v
			}
			if peak != bound {
				t.Fatalf("%s p=%d m=%d v=%d: stage %d holds %d passes, want %d", s, p, m, v, i, peak, bound)
			}
		}
	})
}
