package engines

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/sim"
)

// bound is the largest error of completion times (mean), of the end of the last
// flow and of the step time.
type bound struct{ fct, end, step float64 }

// bounds of the flow engine are one and a half times what was measured on the
// quick cases, so that a change of an engine that matters is seen.
var bounds = map[string]bound{
	"gpt-64-overlap":     {.35, .03, .03},
	"ring-64-4m":         {.24, .23, 0},
	"alltoall-64-64k":    {.04, .02, 0},
	"incast-8":           {.24, .43, 0},
	"incast-32":          {.85, .02, 0},
	"incast-32-64k":      {.93, .03, 0},
	"permutation-128-2m": {.53, .71, 0},
	"hadoop-30":          {.27, .13, 0},
}

// In the mean over draws hybrid may be off by hybridSlack beyond three standard
// errors, counts by the 5 % that it promises. Of absolute errors of single flows
// chance leaves sqrt(2/pi) standard errors in the mean if they are normal.
const (
	hybridSlack = .01
	chances     = 3
	testDraws   = 8
)

func TestQuickCases(t *testing.T) {
	var quick []string
	for _, c := range Cases() {
		if c.Quick {
			quick = append(quick, c.Name)
		}
	}
	tab, err := Run(Options{Cases: quick, Engines: []string{"flow", "hybrid"}, Draws: testDraws})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range tab.Broken {
		t.Error(b)
	}
	if len(tab.Rows) != 2*len(quick) || len(quick) != len(bounds) {
		t.Fatalf("%d rows of %d cases, bounds for %d", len(tab.Rows), len(quick), len(bounds))
	}
	for i := range tab.Rows {
		r := &tab.Rows[i]
		t.Logf("%-20s %-6s %d draws: FCT mean %.2f %%, p99 %.2f %%, bias %s; end %s; step %s; %.0f times fewer events; %s", r.Case, r.Engine, r.Draws,
			100*r.FCT.MeanAbs, 100*r.FCT.P99Abs, withSE(r.FCT.Bias, r.FCT.BiasSE), withSE(r.Finish, r.FinishSE), step(r.Step, r.StepSE), r.EventsRatio, r.Counters.cells())
		if r.Engine == "flow" {
			flowRow(t, r)
		} else {
			hybridRow(t, r)
		}
	}
}

// flowRow compares a row of the flow engine with its bounds and with the error
// that results print.
func flowRow(t *testing.T, r *Row) {
	old, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	b := bounds[r.Case]
	if r.FCT.MeanAbs > b.fct || math.Abs(r.Finish) > b.end {
		t.Errorf("%s at flow: error of completion times %.2f %%, of the end %.2f %%; at most %.0f and %.0f %%", r.Case, 100*r.FCT.MeanAbs, 100*r.Finish, 100*b.fct, 100*b.end)
	}
	if r.Step != nil && *r.Step > b.step {
		t.Errorf("%s at flow: step time off by %.2f %%", r.Case, 100**r.Step)
	}
	if o := old.row(r.Case, "flow"); o == nil {
		t.Errorf("%s is not among the embedded errors; run make docs", r.Case)
	} else if o := o.FCT.MeanAbs; math.Abs(o-r.FCT.MeanAbs) > .02+.3*o {
		t.Errorf("%s: results print an error of %.2f %%, now it is %.2f %%; run make docs", r.Case, 100*o, 100*r.FCT.MeanAbs)
	}
}

// hybridRow holds a row of the hybrid engine to packet's mean.
func hybridRow(t *testing.T, r *Row) {
	type value struct {
		what           string
		err, se, slack float64
	}
	all := []value{{"end", r.Finish, r.FinishSE, hybridSlack}, {"completion times in the mean", r.FCT.Bias, r.FCT.BiasSE, hybridSlack},
		{"single completion times", r.FCT.MeanAbs, r.FCT.SE / 2, hybridSlack}}
	if r.Step != nil {
		all = append(all, value{"step time", *r.Step, r.StepSE, hybridSlack})
	}
	for _, c := range []struct {
		name string
		n    Count
	}{{targetECN, r.Counters.ECN}, {targetCNPs, r.Counters.CNPs}, {targetPauses, r.Counters.Pauses}} {
		if c.n.Packet >= minCount {
			all = append(all, value{c.name, c.n.Error(), c.n.SE, maxCounter})
		}
	}
	for _, x := range all {
		if math.Abs(x.err) > x.slack+chances*x.se {
			t.Errorf("%s at hybrid: %s off by %.2f %%, %.0f standard errors are %.2f %%", r.Case, x.what, 100*x.err, float64(chances), 100*chances*x.se)
		}
	}
}

// A table holds every case at flow fidelity, and the page says so.
func TestStoredIsWhole(t *testing.T) {
	tab, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Cases() {
		if !slices.ContainsFunc(tab.Rows, func(r Row) bool { return r.Case == c.Name && r.Engine == "flow" }) {
			t.Errorf("%s at flow fidelity was never measured", c.Name)
		}
	}
	for _, f := range Families() {
		if e, ok := tab.Of("flow", f); !ok || e.FCTMeanAbs <= 0 || e.FCTP99Abs < e.FCTMeanAbs {
			t.Errorf("%s: %+v", f, e)
		}
	}
	var b bytes.Buffer
	if err := tab.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, c := range Cases() {
		if strings.Count(b.String(), "| "+c.Name+" |") < 2 {
			t.Errorf("the page does not name %s as a case and as a row", c.Name)
		}
	}
}

func TestFamiliesOfARun(t *testing.T) {
	for name, want := range map[string]string{
		"gpt3-175b-256": "training step", "link-fault": "training step, link fault", "two-jobs": "training step, several jobs", "cnp-storm": "ring all-reduce",
	} {
		v, err := scenarios.Shipped(name, []string{"run.fidelity=flow"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := ErrorOf(v)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range e.Families {
			got = append(got, f.Family)
		}
		if s := strings.Join(got, ", "); s != want || len(e.Unmeasured) > 0 || e.Engine != "flow" {
			t.Errorf("%s: %q, unmeasured %q, engine %s; want %q", name, s, e.Unmeasured, e.Engine, want)
		}
	}
	v, err := scenarios.Shipped("cnp-storm", []string{"run.fidelity=packet"})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := ErrorOf(v); err != nil || e != nil {
		t.Errorf("packet fidelity has an error against itself: %+v, %v", e, err)
	}
}

// Flows are matched by name, not by number: jobs may start in another order.
func TestCompareMatchesByName(t *testing.T) {
	a, b := flowKey{job: "x", label: "ring", src: 1, dst: 2}, flowKey{job: "y", label: "ring", src: 1, dst: 2, nth: 1}
	p := &measured{fct: map[flowKey]sim.Time{a: 100, b: 200}, finish: 200, events: 1000}
	x := &measured{fct: map[flowKey]sim.Time{b: 200, a: 110}, finish: 190, events: 10}
	r := compare(Case{Name: "c", Family: Incast}, "hybrid", draws{x}, draws{p})
	if r.FCT.MeanAbs != .05 || r.FCT.P99Abs != .1 || r.FCT.Bias != .05 || r.Finish != -.05 || r.EventsRatio != 100 || r.Step != nil {
		t.Errorf("%+v", r)
	}
	r.Counters.ECN = Count{Engine: 120, Packet: 100}
	missed := (&Table{Rows: []Row{r}}).Missed()
	if len(missed) != 2 { // completion times and marks
		t.Errorf("missed %q", missed)
	}
}

// Draws are compared in the mean, and what differs from draw to draw is chance:
// here the flows of x take 90 and 130 where p's take 100 and 100, so that the
// mean is 10 % off with a standard error of 20 %.
func TestMeansOverDraws(t *testing.T) {
	k := flowKey{job: "x"}
	run := func(fct sim.Time, marks int64) *measured {
		return &measured{fct: map[flowKey]sim.Time{k: fct}, finish: fct, steps: []sim.Time{fct}, counters: fabric.Counters{ECNMarked: marks}, events: 10}
	}
	c := Case{Name: "c", Family: Incast}
	r := compare(c, "hybrid", draws{run(90, 10), run(130, 30)}, draws{run(100, 20), run(100, 20)})
	f := FCTError{MeanAbs: .1, P99Abs: .1, Bias: .1, BiasSE: .2, SE: .2, Beyond: -.173205}
	if r.Draws != 2 || r.FCT != f || r.Finish != .1 || r.FinishSE != .2 || *r.Step != .1 || r.StepSE != .2 || r.Counters.ECN != (Count{20, 20, .5}) {
		t.Errorf("%+v", r)
	}
	// One run of an engine without chance stands against both of packet.
	if r := compare(c, "flow", draws{run(90, 0)}, draws{run(100, 20), run(200, 20)}); r.Draws != 2 || r.Finish != -.4 || math.Abs(r.FinishSE-1./3) > 1e-5 || r.Counters != nil {
		t.Errorf("%+v", r)
	}
	// Draws that are packet's leave no doubt, however much they differ.
	p := draws{run(100, 20), run(200, 40)}
	if r := compare(c, "hybrid", p, p); r.Finish != 0 || r.FinishSE != 0 || r.FCT.Beyond != 0 || r.Counters.ECN.SE != 0 {
		t.Errorf("%+v", r)
	}
}

// The table does not depend on how many runs there are at a time.
func TestTableIsOfAnyThreads(t *testing.T) {
	var want []byte
	for _, n := range []int{1, 3} {
		old := runtime.GOMAXPROCS(n)
		tab, err := Run(Options{Cases: []string{"ring-64-4m", "incast-32-64k"}, Draws: 2})
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tab.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if want != nil && !bytes.Equal(got, want) {
			t.Errorf("%s\nand on one thread\n%s", got, want)
		}
		want = got
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct { // of four draws, where 3.18 standard errors are 95 %
		err, se float64
		want    Verdict
	}{{.003, 0, Met}, {-.003, .0006, Met}, {.004, .001, Open}, {-.008, .001, Open}, {.009, .001, Missed}, {-.006, 0, Missed}, {math.NaN(), 0, Open}} {
		if got := within(c.err, c.se, .005, 4); got != c.want {
			t.Errorf("%g with a standard error of %g: %s, want %s", c.err, c.se, got, c.want)
		}
	}
	again := &FCTError{Beyond: -.02}
	for _, c := range []struct {
		f    FCTError
		want Verdict
	}{
		{FCTError{MeanAbs: .008}, Met},
		{FCTError{MeanAbs: .03, Beyond: .005}, Open}, // chance hides up to 2 %
		{FCTError{MeanAbs: .05, Beyond: .04}, Missed},
		{FCTError{MeanAbs: .04, Bias: .03, BiasSE: .005}, Missed},
	} {
		if got := completionsWithin(&c.f, again, 8); got != c.want {
			t.Errorf("%+v: %s, want %s", c.f, got, c.want)
		}
	}
	if got := completionsWithin(&FCTError{MeanAbs: .03, Beyond: .005}, &FCTError{}, 8); got != Met {
		t.Errorf("nothing beyond chance: %s", got)
	}
}
