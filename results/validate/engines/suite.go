package engines

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the choices of a comparison.
type Options struct {
	Cases []string // names; none means all
	// Engines to compare with packet; nil means flow, hybrid and Again.
	Engines []string
	// Draws is how many runs with other random numbers make the means of packet
	// and hybrid; 0 means one. Large cases have half as many, no case more than its
	// Most, and one without a mark is run once.
	Draws int
	// Limit is the longest that one run may take; 0 means ten minutes.
	Limit time.Duration
	// Progress, if set, is called after each run; calls do not overlap.
	Progress func(name, fidelity string, draw int, events uint64, wall time.Duration)
}

// Table is the outcome of a comparison.
type Table struct {
	Rows []Row `json:"rows"` // by case, then flow, hybrid and Again
	// Broken lists what went wrong: "case at fidelity: what".
	Broken []string `json:"broken,omitempty"`
}

// heaviest are the cases with the most packets: they start first, so that two
// cores end together.
var heaviest = []string{"ring-64-1g", "ring-256-256m", "gpt-64", "zero-64", "rings-of-4-512m", "two-jobs", "ring-64-256m"}

// job is one run.
type job struct {
	at, engine, draw int // of cases; of fidelities; of runs
	fidelity         string
	seed             int // added to the seed of marks
}

// Run runs the cases on every engine, as many at a time as there are
// processors, each on one thread. The table does not depend on how many.
func Run(o Options) (*Table, error) {
	cases, err := choose(o.Cases)
	if err != nil {
		return nil, err
	}
	if o.Engines == nil {
		o.Engines = []string{"flow", "hybrid", Again}
	}
	if o.Limit == 0 {
		o.Limit = 10 * time.Minute
	}
	s := &suite{Options: o, cases: cases, fidelities: append([]string{"packet"}, o.Engines...)}
	s.got = make([][]draws, len(cases))
	var first, rest []job
	for i := range cases {
		s.got[i] = make([]draws, len(s.fidelities))
		s.got[i][0] = make(draws, 1)
		first = append(first, job{at: i, fidelity: "packet"})
	}
	s.run(first)
	for i := range cases {
		n := cases[i].draws(o.Draws)
		if p := s.got[i][0][0]; p == nil || p.counters.ECNMarked == 0 {
			n = 1
		}
		for e, f := range s.fidelities {
			runs, seed, from := n, 0, 0
			switch f {
			case "packet":
				from = 1 // has run
			case "flow":
				runs = 1
			case Again:
				f, seed = "packet", n
			}
			all := make(draws, runs)
			copy(all, s.got[i][e])
			s.got[i][e] = all
			for d := from; d < runs; d++ {
				rest = append(rest, job{at: i, engine: e, draw: d, fidelity: f, seed: seed + d})
			}
		}
	}
	s.run(rest)
	return s.table(), nil
}

// suite is a comparison in progress.
type suite struct {
	Options
	cases      []Case
	fidelities []string
	got        [][]draws // by case and fidelity
	failed     []string
}

// run runs jobs, the heaviest first.
func (s *suite) run(jobs []job) {
	rank := func(j job) int {
		if k := slices.Index(heaviest, s.cases[j.at].Name); k >= 0 && j.fidelity != "flow" {
			return k
		}
		return len(heaviest)
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return rank(a) - rank(b) })
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(len(jobs), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					return
				}
				j := jobs[i]
				c, f := s.cases[j.at], s.fidelities[j.engine]
				m, err := measure(c, j.fidelity, j.seed, s.Limit)
				mu.Lock()
				if err != nil {
					s.failed = append(s.failed, fmt.Sprintf("%s at %s, draw %d: %v", c.Name, f, j.draw, err))
				} else {
					s.got[j.at][j.engine][j.draw] = m
					if s.Progress != nil {
						s.Progress(c.Name, f, j.draw, m.events, m.wall)
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// table compares what the runs gave. An engine of which a run failed has no row.
func (s *suite) table() *Table {
	t := &Table{Broken: s.failed}
	for i, c := range s.cases {
		p := s.got[i][0]
		for e, x := range s.got[i] {
			for d, m := range x {
				if m == nil {
					continue
				}
				for _, b := range m.broken {
					t.Broken = append(t.Broken, fmt.Sprintf("%s at %s, draw %d: %s", c.Name, s.fidelities[e], d, b))
				}
			}
			if e > 0 && p.whole() && x.whole() {
				t.Rows = append(t.Rows, compare(c, s.fidelities[e], x, p))
			}
		}
	}
	slices.Sort(t.Broken)
	return t
}
