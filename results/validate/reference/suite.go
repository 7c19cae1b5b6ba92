package reference

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/scenarios/hpcc"
	"github.com/simnet/simnet/sim"
)

// Options are the choices of a comparison.
type Options struct {
	Cases []string // names; none means all
	Seeds int      // of simnet, for random cases; 0 means 10
	// FirstSeed is the first of them; 0 means 1.
	FirstSeed uint64
	// Own runs simnet's own mode instead of the reference's meaning; nothing
	// is judged then.
	Own bool
	// Config, if set, changes the engine's configuration before each run.
	Config func(*packet.Config)
	// Progress, if set, is called before each case.
	Progress func(name string, n, of int)
}

// Errors summarises the absolute relative errors of completion times.
type Errors struct{ Mean, P50, P95, P99, Max float64 }

// Quantiles are of the slowdown: completion time over standalone time, at
// least 1.
type Quantiles struct{ Mean, P50, P95, P99, Max float64 }

// Row compares one case.
type Row struct {
	Case  string
	Kind  Kind
	Flows int
	Seeds int // of simnet
	// Equal counts the completion times that equal the reference's.
	Equal  int
	Errors Errors
	// MeanFCT is the mean completion time; Spread the least and the largest of
	// the reference over its seeds (zero if it has one).
	MeanFCT struct{ Reference, Simnet sim.Time }
	// StdErr is the standard error of simnet's mean over its seeds.
	StdErr     sim.Time
	Spread     [2]sim.Time
	Slowdown   struct{ Reference, Simnet Quantiles }
	Counters   struct{ Reference, Simnet Counters }
	Violations []string
	// fct are the completion times in ps (means over seeds), want the
	// reference's, bytes the sizes; by flow.
	fct   []float64
	want  []sim.Time
	bytes []int64
	// Failed says which tolerances are missed; nil is a pass.
	Failed []string
}

// Bias is the relative difference of the mean completion times.
func (r *Row) Bias() float64 {
	return float64(r.MeanFCT.Simnet-r.MeanFCT.Reference) / float64(r.MeanFCT.Reference)
}

// Table is the outcome of a comparison.
type Table struct {
	Own   bool
	Rows  []Row
	Seeds int
}

// Failed returns the number of rows that miss a tolerance.
func (t *Table) Failed() (n int) {
	for i := range t.Rows {
		if len(t.Rows[i].Failed) > 0 {
			n++
		}
	}
	return n
}

// Run replays the cases and compares them, as many at a time as there are
// processors. The table does not depend on how many.
func Run(o Options) (*Table, error) {
	all, err := Cases()
	if err != nil {
		return nil, err
	}
	cases, err := choose(all, o.Cases)
	if err != nil {
		return nil, err
	}
	if o.Seeds == 0 {
		o.Seeds = 10
	}
	t := &Table{Own: o.Own, Seeds: o.Seeds, Rows: make([]Row, len(cases))}
	errs := make([]error, len(cases))
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(len(cases), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(cases) {
					return
				}
				if o.Progress != nil {
					mu.Lock()
					o.Progress(cases[i].Name, i, len(cases))
					mu.Unlock()
				}
				row, err := cases[i].run(&o)
				if err != nil {
					errs[i] = fmt.Errorf("reference: %s: %w", cases[i].Name, err)
					continue
				}
				if !o.Own && o.Config == nil {
					row.judge()
				}
				t.Rows[i] = *row
			}
		})
	}
	wg.Wait()
	return t, errors.Join(errs...)
}

func choose(all []Case, names []string) ([]Case, error) {
	if len(names) == 0 {
		return all, nil
	}
	var out []Case
	for _, n := range names {
		i := slices.IndexFunc(all, func(c Case) bool { return c.Name == n })
		if i < 0 {
			return nil, fmt.Errorf("reference: there is no case %q", n)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func (c *Case) run(o *Options) (*Row, error) {
	hc, err := hpcc.New(c.Inputs)
	if err != nil {
		return nil, err
	}
	r := &Row{Case: c.Name, Kind: c.Kind, Flows: len(c.FCT), Seeds: 1}
	if c.Kind == Random || c.Kind == HPCC && o.Own { // ties are random in the own mode, and HPCC is sensitive to them
		r.Seeds = o.Seeds
	}
	first := max(1, o.FirstSeed)
	mean := make([]float64, len(c.FCT)) // completion time in ps, over the seeds
	var bySeed []float64                // mean completion time of each
	var standalone []sim.Time
	for seed := range r.Seeds {
		res, err := hc.Run(hpcc.Options{Own: o.Own, Seed: first + uint64(seed), Config: o.Config})
		if err != nil {
			return nil, err
		}
		rep := res.Report
		if seed == 0 {
			standalone = hc.Standalone()
		}
		fct := make([]sim.Time, len(c.FCT))
		total := 0.0
		for i := range fct {
			if fct[i] = rep.Flows[i].FCT; fct[i] < 0 {
				return nil, fmt.Errorf("flow %d is unfinished", i)
			}
			mean[i] += float64(fct[i]) / float64(r.Seeds)
			total += float64(fct[i])
		}
		bySeed = append(bySeed, total/float64(len(fct)))
		r.Slowdown.Simnet.add(slowdowns(fct, standalone), r.Seeds)
		r.Counters.Simnet.add(&rep.Counters, r.Seeds)
		for _, v := range rep.Violations {
			r.Violations = append(r.Violations, fmt.Sprintf("seed %d: %s", first+uint64(seed), v))
		}
	}
	r.fct, r.want = mean, c.FCT
	for i := range hc.Flows {
		r.bytes = append(r.bytes, hc.Flows[i].Bytes)
	}
	r.compare(c, mean, standalone)
	if r.Seeds > 1 {
		r.StdErr = sim.Time(stat.StdErr(stat.StdDev(bySeed, nil), float64(r.Seeds)))
	}
	return r, nil
}

// compare fills in what the reference says.
func (r *Row) compare(c *Case, mean []float64, standalone []sim.Time) {
	errs := make([]float64, len(mean))
	var sum, refSum float64
	for i, m := range mean {
		want := float64(c.FCT[i])
		errs[i] = math.Abs(m-want) / want
		if m == want {
			r.Equal++
		}
		sum += m
		refSum += want
	}
	n := float64(len(mean))
	r.MeanFCT.Simnet, r.MeanFCT.Reference = sim.Time(sum/n), sim.Time(refSum/n)
	r.Errors = Errors(quantilesOf(errs))
	r.Slowdown.Reference.add(slowdowns(c.FCT, standalone), 1)
	r.Counters.Reference = c.Want
	if len(c.Seeds) > 0 {
		r.useSeeds(c.Seeds)
	}
}

// useSeeds replaces the single reference run by the mean over its seeds.
func (r *Row) useSeeds(seeds []SeedRun) {
	ref := &r.Counters.Reference
	ref.Marks, ref.Cuts, ref.Pauses, ref.MaxQueue = 0, 0, 0, 0
	var total sim.Time
	r.Spread = [2]sim.Time{seeds[0].MeanFCT, seeds[0].MeanFCT}
	n := float64(len(seeds))
	for _, s := range seeds {
		total += s.MeanFCT
		r.Spread = [2]sim.Time{min(r.Spread[0], s.MeanFCT), max(r.Spread[1], s.MeanFCT)}
		ref.Marks += s.Marks / n
		ref.Cuts += s.Cuts / n
		ref.Pauses += s.Pauses / n
		ref.MaxQueue += s.MaxQueue / n
	}
	r.MeanFCT.Reference = total / sim.Time(len(seeds))
}

func (c *Counters) add(x *fabric.Counters, seeds int) {
	n := float64(seeds)
	c.DataHops += float64(x.DataHops) / n
	c.AckHops += float64(x.AckHops) / n
	c.Marks += float64(x.ECNMarked) / n
	c.Cuts += float64(x.RateCuts) / n
	c.Pauses += float64(x.PFCPauses) / n
	c.Drops += float64(x.Drops) / n
	c.MaxQueue += float64(x.MaxQueueBytes) / n
	c.MaxBuffer += float64(x.MaxBufferBytes) / n
}

// slowdowns returns completion over standalone time, at least 1: standalone
// counts more than the idle time.
func slowdowns(fct, standalone []sim.Time) []float64 {
	s := make([]float64, len(fct))
	for i := range fct {
		s[i] = math.Max(1, float64(fct[i])/float64(standalone[i]))
	}
	return s
}

func (q *Quantiles) add(x []float64, seeds int) {
	v, n := quantilesOf(x), float64(seeds)
	q.Mean += v.Mean / n
	q.P50 += v.P50 / n
	q.P95 += v.P95 / n
	q.P99 += v.P99 / n
	q.Max += v.Max / n
}

// quantilesOf sorts x. The quantile p is the element at floor(p*n), as in the
// reference's own summaries.
func quantilesOf(x []float64) Quantiles {
	slices.Sort(x)
	at := func(p float64) float64 { return x[min(len(x)-1, int(p*float64(len(x))))] }
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return Quantiles{sum / float64(len(x)), at(0.5), at(0.95), at(0.99), x[len(x)-1]}
}
