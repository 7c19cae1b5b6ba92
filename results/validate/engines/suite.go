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
	// Limit is the longest that one run may take; 0 means five minutes.
	Limit time.Duration
	// Progress, if set, is called after each run; calls do not overlap.
	Progress func(name, fidelity string, events uint64, wall time.Duration)
}

// Table is the outcome of a comparison.
type Table struct {
	Rows []Row `json:"rows"` // by case, flow before hybrid
	// Broken lists what went wrong: "case at fidelity: what".
	Broken []string `json:"broken,omitempty"`
}

// heaviest are the cases with the most packets: they start first, so that two
// cores end together.
var heaviest = []string{"ring-256-256m", "gpt-64", "zero-64", "two-jobs", "ring-64-256m"}

// Run runs the cases on every engine, as many at a time as there are
// processors. The table does not depend on how many.
func Run(o Options) (*Table, error) {
	cases, err := choose(o.Cases)
	if err != nil {
		return nil, err
	}
	type job struct{ at, engine int } // of cases; of fidelities
	if o.Engines == nil {
		o.Engines = []string{"flow", "hybrid", Again}
	}
	if o.Limit == 0 {
		o.Limit = 5 * time.Minute
	}
	fidelities := append([]string{"packet"}, o.Engines...)
	got := make([][]*measured, len(cases))
	var jobs []job
	for i := range cases {
		got[i] = make([]*measured, len(fidelities))
		for e := range fidelities {
			jobs = append(jobs, job{i, e})
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int {
		rank := func(j job) int {
			if k := slices.Index(heaviest, cases[j.at].Name); k >= 0 && fidelities[j.engine] != "flow" {
				return k
			}
			return len(heaviest)
		}
		return rank(a) - rank(b)
	})
	errs := make([]error, len(jobs))
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
				c, f := cases[jobs[i].at], fidelities[jobs[i].engine]
				m, err := measure(c, f, o.Limit)
				if err != nil {
					errs[i] = fmt.Errorf("%s at %s: %w", c.Name, f, err)
					continue
				}
				got[jobs[i].at][jobs[i].engine] = m
				if o.Progress != nil {
					mu.Lock()
					o.Progress(c.Name, f, m.events, m.wall)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	t := &Table{}
	for _, err := range errs {
		if err != nil {
			t.Broken = append(t.Broken, err.Error())
		}
	}
	for i, c := range cases {
		p := got[i][0]
		for e, m := range got[i] {
			if m == nil {
				continue
			}
			for _, b := range m.broken {
				t.Broken = append(t.Broken, fmt.Sprintf("%s at %s: %s", c.Name, fidelities[e], b))
			}
			if e > 0 && p != nil {
				t.Rows = append(t.Rows, compare(c, fidelities[e], m, p))
			}
		}
	}
	slices.Sort(t.Broken)
	return t, nil
}
