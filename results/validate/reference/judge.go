package reference

import (
	"fmt"
	"math"
	"strings"
)

// Tolerances. Exact cases have none, but for the largest queue: the reference
// samples it when a packet is queued, simnet keeps the same count.
const (
	queueTolerance = 0.01
	// HPCC differs by its algorithm's details that the paper leaves open.
	hpccMean, hpccWorst = 0.01, 0.05
	// A random case without the reference's own spread is one seed of it.
	randomMean = 0.03
	// Counts of random marking.
	countTolerance = 0.12
	// slowdownCases of at least this many flows have percentiles that mean
	// something.
	slowdownFlows = 64
)

// slowdownTolerance is that of the median and the 95th and 99th percentile.
var slowdownTolerance = [3]float64{0.02, 0.05, 0.08}

// judge lists the tolerances that the row misses. A mean over simnet's seeds
// lies within the reference's spread if its interval of two standard errors
// touches it: b1, for one, has a second outcome in one seed of ten (one flow is
// cut repeatedly before the other's first mark), which eight seeds of the
// reference happened not to show.
func (r *Row) judge() {
	miss := func(format string, args ...any) { r.Failed = append(r.Failed, fmt.Sprintf(format, args...)) }
	ref, got := &r.Counters.Reference, &r.Counters.Simnet
	near := func(what string, got, want, tolerance float64) {
		if math.Abs(got-want) > tolerance*want {
			miss("%s: %.6g, in the reference %.6g (tolerance %g %%)", what, got, want, 100*tolerance)
		}
	}
	switch r.Kind {
	case Exact:
		if r.Equal < r.Flows {
			miss("%d of %d completion times differ, by up to %.2g %%", r.Flows-r.Equal, r.Flows, 100*r.Errors.Max)
		}
		near("pauses", got.Pauses, ref.Pauses, 0)
		near("ECN marks", got.Marks, ref.Marks, 0)
		if !strings.HasSuffix(r.Case, "_dctcp") { // the reference counts DCQCN's alone
			near("rate cuts", got.Cuts, ref.Cuts, 0)
		}
		near("largest queue", got.MaxQueue, ref.MaxQueue, queueTolerance)
	case HPCC:
		near("mean completion time", r.MeanFCT.Simnet.Seconds(), r.MeanFCT.Reference.Seconds(), hpccMean)
		if r.Errors.Max > hpccWorst {
			miss("worst flow off by %.2g %% (tolerance %g %%)", 100*r.Errors.Max, 100*hpccWorst)
		}
	case Random:
		if r.Spread[1] > 0 {
			if m, e := r.MeanFCT.Simnet, 2*r.StdErr; m+e < r.Spread[0] || m-e > r.Spread[1] {
				miss("mean completion time %v +- %v is outside the reference's spread, %v to %v", m, e, r.Spread[0], r.Spread[1])
			}
		} else {
			near("mean completion time", r.MeanFCT.Simnet.Seconds(), r.MeanFCT.Reference.Seconds(), randomMean)
		}
		near("ECN marks", got.Marks, ref.Marks, countTolerance)
		near("rate cuts", got.Cuts, ref.Cuts, countTolerance)
		if r.Flows >= slowdownFlows && (strings.Contains(r.Case, "fat320") || strings.Contains(r.Case, "ls64")) {
			s, w := &r.Slowdown.Simnet, &r.Slowdown.Reference
			near("slowdown p50", s.P50, w.P50, slowdownTolerance[0])
			near("slowdown p95", s.P95, w.P95, slowdownTolerance[1])
			near("slowdown p99", s.P99, w.P99, slowdownTolerance[2])
		}
	}
	if got.Drops != ref.Drops {
		miss("drops: %g, in the reference %g", got.Drops, ref.Drops)
	}
	r.Failed = append(r.Failed, r.Violations...)
}
