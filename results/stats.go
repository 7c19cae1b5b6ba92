package results

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// round6 keeps six decimals: ratios are no more precise, and the file stays
// readable.
func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// quantiles returns nil for no samples. It sorts x.
func quantiles(x []float64) *Quantiles {
	if len(x) == 0 {
		return nil
	}
	slices.Sort(x)
	q := func(p float64) float64 { return round6(stat.Quantile(p, stat.Empirical, x, nil)) }
	return &Quantiles{Mean: round6(stat.Mean(x, nil)), P50: q(0.5), P95: q(0.95), P99: q(0.99), Max: round6(x[len(x)-1])}
}

// MeanCI returns the mean of x and the half-width of its 95 % confidence
// interval by Student's t; the width is 0 for fewer than two samples.
func MeanCI(x []float64) (mean, half float64) {
	if len(x) == 0 {
		return 0, 0
	}
	mean, std := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return mean, 0
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(x) - 1)}
	return mean, t.Quantile(0.975) * stat.StdErr(std, float64(len(x)))
}

// slowdown is FCT over ideal, at least 1: the standalone times of replayed inputs
// are a little more than an idle network takes. False for a flow that is
// unfinished or has no ideal time.
func slowdown(f *fabric.FlowRecord) (float64, bool) {
	if f.FCT < 0 || f.Ideal <= 0 {
		return 0, false
	}
	return max(1, float64(f.FCT)/float64(f.Ideal)), true
}

type interval struct{ from, to sim.Time }

// union returns the total length covered by the intervals. It sorts them.
func union(v []interval) sim.Time {
	slices.SortFunc(v, func(a, b interval) int {
		switch {
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	var total, end sim.Time
	for i, x := range v {
		if i == 0 || x.from > end {
			total += x.to - x.from
			end = x.to
		} else if x.to > end {
			total += x.to - end
			end = x.to
		}
	}
	return total
}

// active is the span of a flow; an unfinished one lasts until end.
func active(f *fabric.FlowRecord, end sim.Time) interval {
	if f.FCT < 0 {
		return interval{f.Start, max(end, f.Start)}
	}
	return interval{f.Start, f.Start + f.FCT}
}

// byCollective groups flows by job and label, in order of name.
func byCollective(flows []fabric.FlowRecord, end sim.Time) []Collective {
	type key struct{ job, label string }
	type group struct {
		key
		slow []float64
		span []interval
		c    Collective
	}
	index := map[key]int{}
	var groups []*group
	for i := range flows {
		f := &flows[i]
		k := key{f.Job, f.Label}
		j, ok := index[k]
		if !ok {
			j = len(groups)
			index[k] = j
			groups = append(groups, &group{key: k, c: Collective{Job: f.Job, Collective: f.Label}})
		}
		g := groups[j]
		g.c.Flows++
		g.c.Bytes += f.Bytes
		g.span = append(g.span, active(f, end))
		if s, ok := slowdown(f); ok {
			g.slow = append(g.slow, s)
		}
	}
	slices.SortFunc(groups, func(a, b *group) int {
		if c := strings.Compare(a.job, b.job); c != 0 {
			return c
		}
		return strings.Compare(a.label, b.label)
	})
	out := make([]Collective, len(groups))
	for i, g := range groups {
		g.c.ActiveS = union(g.span).Seconds()
		g.c.FCTSlowdown = quantiles(g.slow)
		out[i] = g.c
	}
	return out
}
