package engines

import (
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	var quick []string
	for _, c := range Cases() {
		if c.Quick {
			quick = append(quick, c.Name)
		}
	}
	tab, err := Run(Options{Cases: quick, Progress: func(n, f string, e uint64, w time.Duration) { t.Logf("%s %s %d events %v", n, f, e, w) }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tab.Rows {
		r := &tab.Rows[i]
		t.Logf("%-20s %-7s mean %.2f%% p99 %.2f%% bias %.2f%% finish %.2f%% ratio %.1f %+v", r.Case, r.Engine, 100*r.FCT.MeanAbs, 100*r.FCT.P99Abs, 100*r.FCT.Bias, 100*r.Finish, r.EventsRatio, r.Counters)
		if r.Step != nil {
			t.Logf("     step %.3f %%", 100**r.Step)
		}
	}
	t.Log(tab.Broken)
}
