package reference

import (
	"testing"
)

func TestAll(t *testing.T) {
	tab, err := Run(Options{Seeds: 10, Progress: func(n string, i, of int) { t.Log(n) }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tab.Rows {
		r := &tab.Rows[i]
		t.Logf("%s %v flows %d equal %d bias %.4f err mean %.5f max %.5f marks %.0f/%.0f cuts %.0f/%.0f pauses %.0f/%.0f q %.0f/%.0f slow %.3f/%.3f %.3f/%.3f %.3f/%.3f", r.Case, r.Kind, r.Flows, r.Equal, r.Bias(), r.Errors.Mean, r.Errors.Max, r.Counters.Simnet.Marks, r.Counters.Reference.Marks, r.Counters.Simnet.Cuts, r.Counters.Reference.Cuts, r.Counters.Simnet.Pauses, r.Counters.Reference.Pauses, r.Counters.Simnet.MaxQueue, r.Counters.Reference.MaxQueue,
			r.Slowdown.Simnet.P50, r.Slowdown.Reference.P50, r.Slowdown.Simnet.P95, r.Slowdown.Reference.P95, r.Slowdown.Simnet.P99, r.Slowdown.Reference.P99)
		for _, f := range r.Failed {
			t.Errorf("%s: %s", r.Case, f)
		}
	}
}
