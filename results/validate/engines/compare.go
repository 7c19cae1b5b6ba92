package engines

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Row is one engine against packet on one case. Errors are fractions of the
// packet engine's value.
type Row struct {
	Case   string `json:"case"`
	Family Family `json:"family"`
	Engine string `json:"engine"` // "flow", "hybrid" or Again
	Flows  int    `json:"flows"`
	// FCT is of completion times over flows.
	FCT FCTError `json:"fct"`
	// Finish is the signed error of the end of the last flow; Step the largest
	// absolute error of a job's step time, null without a training job.
	Finish float64  `json:"finish"`
	Step   *float64 `json:"step_time,omitempty"`
	// Counters are null where the engine has no packets.
	Counters *CounterErrors `json:"counters,omitempty"`
	// EventsRatio is packet's events over this engine's.
	EventsRatio float64 `json:"events_ratio"`

	pairs []pair // completion times, for the figure
}

// FCTError is the error of completion times: mean and 99th percentile of the
// absolute error, and the mean signed error.
type FCTError struct {
	MeanAbs float64 `json:"mean_abs"`
	P99Abs  float64 `json:"p99_abs"`
	Bias    float64 `json:"bias"`
}

// CounterErrors are counts of the engine and of packet.
type CounterErrors struct {
	ECN    Count `json:"ecn_marked"`
	CNPs   Count `json:"cnps"`
	Pauses Count `json:"pfc_pauses"`
}

// Count is one counter by engine and by packet.
type Count struct {
	Engine int64 `json:"engine"`
	Packet int64 `json:"packet"`
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
	return float64(c.Engine)/float64(c.Packet) - 1
}

// pair is one flow's completion time by both engines, in seconds.
type pair struct{ engine, packet float64 }

// compare makes the row of x against the packet engine's p.
func compare(c Case, engine string, x, p *measured) Row {
	r := Row{Case: c.Name, Family: c.Family, Engine: engine, Flows: len(p.fct)}
	keys := slices.SortedFunc(maps.Keys(p.fct), func(a, b flowKey) int {
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.label, b.label), cmp.Compare(a.src, b.src), cmp.Compare(a.dst, b.dst), a.nth-b.nth)
	})
	var abs, signed []float64
	for _, k := range keys {
		got, ok := x.fct[k]
		if want := p.fct[k]; ok && want > 0 {
			e := float64(got-want) / float64(want)
			abs, signed = append(abs, math.Abs(e)), append(signed, e)
			r.pairs = append(r.pairs, pair{got.Seconds(), want.Seconds()})
		}
	}
	if len(abs) > 0 {
		slices.Sort(abs)
		r.FCT = FCTError{round(stat.Mean(abs, nil)), round(stat.Quantile(.99, stat.Empirical, abs, nil)), round(stat.Mean(signed, nil))}
	}
	if p.finish > 0 {
		r.Finish = round(float64(x.finish-p.finish) / float64(p.finish))
	}
	if len(p.steps) > 0 && len(x.steps) == len(p.steps) {
		var most float64
		for i := range p.steps {
			most = max(most, math.Abs(float64(x.steps[i]-p.steps[i]))/float64(p.steps[i]))
		}
		most = round(most)
		r.Step = &most
	}
	if x.events > 0 {
		r.EventsRatio = round(float64(p.events) / float64(x.events))
	}
	if engine != "flow" {
		a, b := &x.counters, &p.counters
		r.Counters = &CounterErrors{ECN: Count{a.ECNMarked, b.ECNMarked}, CNPs: Count{a.CNPs, b.CNPs}, Pauses: Count{a.PFCPauses, b.PFCPauses}}
	}
	return r
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
