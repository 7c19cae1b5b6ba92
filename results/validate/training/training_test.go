package training

import (
	"math"
	"strings"
	"testing"
)

// The split is the one that was frozen before the first fit: so many rows of
// each family to calibrate on and to predict.
func TestSplit(t *testing.T) {
	want := map[string][2]int{
		SC21Weak: {4, 6}, SC21PTD: {0, 6}, SC21ZeRO3: {0, 6}, SeqPar: {2, 6}, MCoreWeak: {3, 6}, MLPerfGPT3: {1, 7}, MLPerfOld: {0, 5},
		MLPerf405B: {2, 1}, Llama3: {0, 3}, FSDP: {142, 40}, V100Mesh: {16, 8}, TPScaling: {8, 4},
	}
	got := map[string][2]int{}
	free := map[*Platform]int{}
	for _, r := range Rows() {
		c := got[r.Family]
		if r.Role == Calibrate {
			c[0]++
			free[r.Platform]++
		} else {
			c[1]++
		}
		got[r.Family] = c
	}
	for f, w := range want {
		if got[f] != w {
			t.Errorf("%s: %v rows to calibrate on and to predict, want %v", f, got[f], w)
		}
	}
	for pl, n := range free {
		if n < len(pl.Free) {
			t.Errorf("%s: %d parameters fitted on %d rows", pl.Name, len(pl.Free), n)
		}
		for _, k := range pl.Free {
			lo, hi := pl.bounds(k)
			if v := *pl.Fit.at(k); v < lo || v > hi {
				t.Errorf("%s: %s = %g outside [%g, %g]", pl.Name, k, v, lo, hi)
			}
		}
	}
}

// The shipped parameters are at the minimum over their calibrate rows: a step
// of two percent of its range along any free key is no better.
func TestShippedParametersAreTheFit(t *testing.T) {
	calibrate := map[*Platform][]Row{}
	var platforms []*Platform
	for _, r := range Rows() {
		if r.Role != Calibrate {
			continue
		}
		if calibrate[r.Platform] == nil {
			platforms = append(platforms, r.Platform)
		}
		calibrate[r.Platform] = append(calibrate[r.Platform], r)
	}
	for _, pl := range platforms {
		best, _, err := loss(calibrate[pl], pl.Fit)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range pl.Free {
			lo, hi := pl.bounds(k)
			for _, d := range []float64{-.02, .02} {
				p := pl.Fit
				*p.at(k) = min(max(*p.at(k)+d*(hi-lo), lo), hi)
				if sq, _, err := loss(calibrate[pl], p); err != nil || sq < best-1e-6 {
					t.Errorf("%s: %s = %g gives %.3g, the shipped %g %.3g (%v)", pl.Name, k, *p.at(k), sq, *pl.Fit.at(k), best, err)
				}
			}
		}
	}
}

// Fit finds the shipped parameters again.
func TestFit(t *testing.T) {
	rows := Rows()
	for _, pl := range []*Platform{megatronA100, mcoreH100, oneflowV100} {
		f, err := Fit(pl, rows)
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(f.Params.Efficiency/pl.Fit.Efficiency - 1); d > .01 {
			t.Errorf("%s: shipped %+v, the fit gives %+v", pl.Name, pl.Fit, f.Params)
		}
	}
}

// known are the errors that a change may not worsen: the mean absolute error of
// each family's rows, in percent, rounded up.
var known = map[string]map[Role]float64{
	SC21Weak:   {Calibrate: 0.5, Predict: 1.4},
	SC21PTD:    {Predict: 1.9},
	SC21ZeRO3:  {Predict: 20.2},
	SeqPar:     {Calibrate: 3.3, Predict: 2.5},
	MCoreWeak:  {Calibrate: 1.2, Predict: 6.1},
	MLPerfGPT3: {Calibrate: 0.1, Predict: 1.0},
	MLPerfOld:  {Predict: 3.0},
	MLPerf405B: {Calibrate: 0.1, Predict: 0.7},
	Llama3:     {Predict: 2.3},
	FSDP:       {Calibrate: 4.9, Predict: 6.4},
	V100Mesh:   {Calibrate: 1.5, Predict: 8.5},
	TPScaling:  {Calibrate: 2.2, Predict: 3.3},
}

// Every prediction is as good as it was, and the targets that are met stay met.
func TestErrorsByFamily(t *testing.T) {
	results, err := Run(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Summarise(results) {
		t.Logf("%-18s %-9s %3d rows %6.1f %% (bias %+.1f %%), worst %s %+.1f %%", s.Family, s.Role, s.Rows, 100*s.MAPE, 100*s.Bias, s.Worst.Name, 100*s.Worst.Error)
		if max := known[s.Family][s.Role]; 100*s.MAPE > max {
			t.Errorf("%s, %s: error %.2f %%, was %.1f %%", s.Family, s.Role, 100*s.MAPE, max)
		}
	}
	missed := map[string]bool{}
	for _, m := range Misses {
		missed[m.Family] = true
	}
	var report strings.Builder
	if err := WriteReport(&report, results); err != nil {
		t.Fatal(err)
	}
	for _, tg := range Targets(results) {
		if tg.Met() == (missed[tg.Family] && tg.Limit > 0) {
			t.Errorf("%s: %.3f of %.3f, listed as missed: %v", tg.What, tg.Value, tg.Limit, missed[tg.Family])
		}
		if !strings.Contains(report.String(), strings.TrimSuffix(tg.What, ": mean absolute error")) {
			t.Errorf("the report leaves out %q", tg.What)
		}
		t.Logf("%-70s %3d rows %.3f of %.3f, met: %v", tg.What, tg.Rows, tg.Value, tg.Limit, tg.Met())
	}
}
