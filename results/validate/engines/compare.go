package engines

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Row is one engine against packet on one case, each in the mean over draws.
// Errors are fractions of packet's mean; se is the standard error of the value
// before it, zero with one draw.
type Row struct {
	Case   string `json:"case"`
	Family Family `json:"family"`
	Engine string `json:"engine"` // "flow", "hybrid" or Again
	Draws  int    `json:"draws"`  // of packet; one where nothing is marked at random
	Flows  int    `json:"flows"`
	// FCT is of completion times over flows.
	FCT FCTError `json:"fct"`
	// Finish is the signed error of the end of the last flow; Step the largest
	// absolute error of a job's step time, null without a training job.
	Finish   float64  `json:"finish"`
	FinishSE float64  `json:"finish_se,omitempty"`
	Step     *float64 `json:"step_time,omitempty"`
	StepSE   float64  `json:"step_time_se,omitempty"`
	// Counters are null where the engine has no packets.
	Counters *CounterErrors `json:"counters,omitempty"`
	// EventsRatio is packet's events over this engine's.
	EventsRatio float64 `json:"events_ratio"`

	pairs []pair // completion times, for the figure
}

// FCTError is the error of completion times, each flow's in the mean over draws:
// mean and 99th percentile of the absolute error, and the mean signed error.
type FCTError struct {
	MeanAbs float64 `json:"mean_abs"`
	P99Abs  float64 `json:"p99_abs"`
	Bias    float64 `json:"bias"`
	BiasSE  float64 `json:"bias_se,omitempty"`
	// SE is the standard error of one flow, in the mean over flows.
	SE float64 `json:"se,omitempty"`
	// Beyond is the root of the mean over flows of the squared error less the
	// squared standard error: what is not chance. It is negative where chance
	// would have made more.
	Beyond float64 `json:"beyond_chance"`
}

// CounterErrors are counts of the engine and of packet.
type CounterErrors struct {
	ECN    Count `json:"ecn_marked"`
	CNPs   Count `json:"cnps"`
	Pauses Count `json:"pfc_pauses"`
}

// Count is one counter by engine and by packet, means over draws, and the
// standard error of the relative error.
type Count struct {
	Engine float64 `json:"engine"`
	Packet float64 `json:"packet"`
	SE     float64 `json:"se,omitempty"`
}

// Error is the signed relative error; 0 if both are zero, NaN if packet's alone
// is.
func (c Count) Error() float64 {
	switch {
	case c.Engine == c.Packet:
		return 0
	case c.Packet == 0:
		return math.NaN()
	}
	return c.Engine/c.Packet - 1
}

// pair is one flow's completion time by both engines, in seconds.
type pair struct{ engine, packet float64 }

// compare makes the row of x against the packet engine's p.
func compare(c Case, engine string, x, p draws) Row {
	r := Row{Case: c.Name, Family: c.Family, Engine: engine, Draws: len(p), Flows: len(p[0].fct)}
	r.completions(x, p)
	d := differ(x, p, func(m *measured) float64 { return m.finish.Seconds() })
	r.Finish, r.FinishSE = round(d.err), round(d.se)
	for i := range p[0].steps {
		if len(x[0].steps) != len(p[0].steps) {
			break
		}
		d := differ(x, p, func(m *measured) float64 { return m.steps[i].Seconds() })
		if e := round(math.Abs(d.err)); r.Step == nil || e > *r.Step {
			r.Step, r.StepSE = &e, round(d.se)
		}
	}
	if d := differ(x, p, func(m *measured) float64 { return float64(m.events) }); d.engine > 0 {
		r.EventsRatio = round(d.packet / d.engine)
	}
	if engine != "flow" {
		count := func(of func(*measured) int64) Count {
			d := differ(x, p, func(m *measured) float64 { return float64(of(m)) })
			return Count{round(d.engine), round(d.packet), round(d.se)}
		}
		r.Counters = &CounterErrors{
			ECN:    count(func(m *measured) int64 { return m.counters.ECNMarked }),
			CNPs:   count(func(m *measured) int64 { return m.counters.CNPs }),
			Pauses: count(func(m *measured) int64 { return m.counters.PFCPauses }),
		}
	}
	return r
}

// completions compares completion times, flow by flow.
func (r *Row) completions(x, p draws) {
	keys := slices.SortedFunc(maps.Keys(p[0].fct), func(a, b flowKey) int {
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.label, b.label), cmp.Compare(a.src, b.src), cmp.Compare(a.dst, b.dst), a.nth-b.nth)
	})
	arrived := func(all draws, k flowKey) bool {
		return !slices.ContainsFunc(all, func(m *measured) bool { _, ok := m.fct[k]; return !ok })
	}
	keys = slices.DeleteFunc(keys, func(k flowKey) bool { return !arrived(x, k) || !arrived(p, k) })
	if len(keys) == 0 {
		return
	}
	var abs, signed, se []float64
	beyond := 0.0
	mean := map[flowKey]float64{}
	for _, k := range keys {
		d := differ(x, p, func(m *measured) float64 { return m.fct[k].Seconds() })
		abs, signed, se = append(abs, math.Abs(d.err)), append(signed, d.err), append(se, d.se)
		beyond += (d.err*d.err - d.se*d.se) / float64(len(keys))
		mean[k] = d.packet
		r.pairs = append(r.pairs, pair{d.engine, d.packet})
	}
	bias := differ(x, p, func(m *measured) float64 { // each flow counts by its own time
		sum := 0.0
		for _, k := range keys {
			sum += m.fct[k].Seconds() / mean[k]
		}
		return sum
	})
	slices.Sort(abs)
	r.FCT = FCTError{
		MeanAbs: round(stat.Mean(abs, nil)), P99Abs: round(stat.Quantile(.99, stat.Empirical, abs, nil)),
		Bias: round(stat.Mean(signed, nil)), BiasSE: round(bias.se), SE: round(stat.Mean(se, nil)),
		Beyond: round(math.Copysign(math.Sqrt(math.Abs(beyond)), beyond)),
	}
}

// round keeps six significant digits, so that the stored file is the same on
// every machine.
func round(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}
