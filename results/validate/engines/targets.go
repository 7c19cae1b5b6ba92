package engines

import (
	"fmt"
	"math"
)

// What the hybrid engine promises on every case: mean error of completion times,
// of the step time, of marks, CNPs and pauses. The flow engine promises nothing;
// its error is measured and printed.
const (
	maxFCT     = .01
	maxStep    = .005
	maxCounter = .05
	// minCount is the count from which a relative error says something.
	minCount = 100
)

// Missed lists the promises of the hybrid engine that do not hold, and the runs
// that failed.
func (t *Table) Missed() []string {
	out := append([]string(nil), t.Broken...)
	miss := func(r *Row, what string, got, limit float64) {
		if math.Abs(got) > limit {
			out = append(out, fmt.Sprintf("%s at %s: %s off by %.2f %%, at most %.1f %%", r.Case, r.Engine, what, 100*got, 100*limit))
		}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Engine != "hybrid" {
			continue
		}
		miss(r, "completion times", r.FCT.MeanAbs, maxFCT)
		if r.Step != nil {
			miss(r, "step time", *r.Step, maxStep)
		}
		for _, c := range []struct {
			name string
			n    Count
		}{{"ECN marks", r.Counters.ECN}, {"CNPs", r.Counters.CNPs}, {"pauses", r.Counters.Pauses}} {
			if c.n.Packet >= minCount {
				miss(r, c.name, c.n.Error(), maxCounter)
			}
		}
	}
	return out
}
