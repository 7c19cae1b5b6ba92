package collectives

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/simnet/simnet/workload/nccl"
)

func run(t *testing.T) []Result {
	t.Helper()
	rs, err := Run()
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// TestTargets holds the errors that the project promises.
func TestTargets(t *testing.T) {
	for _, g := range Targets(run(t)) {
		if g.Rows == 0 {
			t.Errorf("%s: no rows", g.Name)
		}
		if !g.Met() {
			t.Errorf("%s: %.3f over %d rows, limit %.3f", g.Name, g.Value, g.Rows, g.Limit)
		}
	}
}

// TestFamilies pins the error of every predicted family in the two bands with
// a target, so that a change that trades one for another is seen.
func TestFamilies(t *testing.T) {
	limits := map[string][2]float64{ // small, large; a miss is pinned where it is
		"b200-2node-all_reduce": {.12, .04},
		"b200-2node-all_gather": {.05, .12}, // miss
		"b200-2node-alltoall":   {0, .08},
		"h100-scan":             {0, .04},
		"h100-4node":            {0, .09}, // miss
		"h100-2node-ring":       {0, .04},
		"p4de-2node":            {.12, .04},
		"gb200-nvl72":           {0, .09}, // miss
		"gb300-nvlink-domain":   {0, .04},
		"rtx6000d-2node":        {.25, .05},
		"a3mega-2node":          {.10, .08},
	}
	for _, s := range Summarise(run(t)) {
		if s.Role != Predict || s.Band == MiddleBand {
			continue
		}
		l, ok := limits[s.Family]
		if !ok {
			t.Errorf("%s is not pinned", s.Family)
			continue
		}
		limit := l[0]
		if s.Band == LargeBand {
			limit = l[1]
		}
		if s.MAPE > limit {
			t.Errorf("%s %s: %.1f %%, pinned at %.0f %%; worst %s %+.0f %%", s.Family, s.Band, 100*s.MAPE, 100*limit, s.Worst.ID(), 100*s.Worst.Error)
		}
	}
}

// TestSplitIsTheFrozenOne counts the rows by role: none may move from predict
// to calibrate.
func TestSplitIsTheFrozenOne(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	n := map[Role]int{}
	for _, r := range rows {
		n[r.Role]++
		multi := r.Nodes > 1
		anchor := strings.HasPrefix(r.Log, "h100_16gpu_allreduce_ndr_309") || strings.HasPrefix(r.Log, "a100_16gpu_allreduce_oci") ||
			strings.Contains(r.Log, "sendrecv_v2tuned") || r.Log == "h100_4nodes_scan"
		if r.Role == Calibrate && multi && !anchor {
			t.Errorf("%s has several nodes and calibrates", r.ID())
		}
		// busbw and time of a row say the same.
		if bus := float64(r.Bytes) / r.TimeUS / 1e3 * r.Collective.BusFactor(r.GPUs); r.BusGBs > 1 && math.Abs(bus/r.BusGBs-1) > .02 {
			t.Errorf("%s: busbw %g from time, %g in the table", r.ID(), bus, r.BusGBs)
		}
	}
	want := map[Role]int{Calibrate: 384, Predict: 200, Negative: 23, Extra: 32}
	for r, w := range want {
		if n[r] != w {
			t.Errorf("%d rows %s, want %d", n[r], r, w)
		}
	}
}

// TestFitAgreesWithPresets repeats the calibration and finds the shipped
// values, each inside its range, with far fewer parameters than rows.
func TestFitAgreesWithPresets(t *testing.T) {
	fits, err := Fit()
	if err != nil {
		t.Fatal(err)
	}
	arch := map[string]nccl.Calibration{
		"h100":   nccl.CalibrationFor(nccl.SM90, nccl.NVSwitch),
		"b200":   nccl.CalibrationFor(nccl.SM100, nccl.NVSwitch),
		"a100":   nccl.CalibrationFor(nccl.SM80, nccl.NVSwitch),
		"a40":    nccl.CalibrationFor(nccl.SM86, nccl.Mesh),
		"mi300x": nccl.CalibrationFor(nccl.CDNA3, nccl.Mesh),
	}
	var params, rows int
	for _, f := range fits {
		shipped := arch[f.Name]
		params += len(f.Group.Keys) + len(f.HarnessUS)
		rows += f.Rows
		for _, k := range f.Group.Keys {
			p := f.Cal.P[k]
			if p.Value < p.Min || p.Value > p.Max {
				t.Errorf("%s: %s = %g outside %g..%g", f.Name, k, p.Value, p.Min, p.Max)
			}
			if d := math.Abs(p.Value - shipped.V(k)); d > .03*(p.Max-p.Min) {
				t.Errorf("%s: %s fits to %g, shipped %g", f.Name, k, p.Value, shipped.V(k))
			}
			if !shipped.P[k].Fitted {
				t.Errorf("%s: %s is fitted but not marked so", f.Name, k)
			}
		}
		for h, v := range f.HarnessUS {
			if math.Abs(v-HarnessUS[h]) > 1 {
				t.Errorf("%s: harness %s adds %g us, shipped %g", f.Name, h, v, HarnessUS[h])
			}
		}
	}
	if params*8 > rows {
		t.Errorf("%d parameters for %d rows", params, rows)
	}
}

// TestNegativeDirection: each wrong set-up is slower than the right one.
func TestNegativeDirection(t *testing.T) {
	healthy := map[string]float64{ // busbw in GB/s of the same machine set up well
		"h100_16gpu_allreduce_misconf_290": 450, "a100_4gpu_allreduce_p2p_disabled": 225,
		"a40_2gpu_allreduce_node_nop2p": 47, "a40_4gpu_allreduce_sys_nop2p": 47,
	}
	seen := 0
	for _, r := range run(t) {
		if r.Role != Negative || r.Bytes < 1<<30 {
			continue
		}
		seen++
		if b := r.PredictedBus(); b > healthy[r.Log]/2 {
			t.Errorf("%s: predicted %g GB/s, healthy %g, measured %g", r.ID(), b, healthy[r.Log], r.BusGBs)
		}
	}
	if seen != 16 {
		t.Errorf("%d negative rows from 1 GiB, want 16", seen)
	}
}

func TestReport(t *testing.T) {
	var b bytes.Buffer
	if err := WriteReport(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Collectives", "| predicted rows, busbw from 64 MiB |", "p4de-2node", "channel_gbs", "a3mega"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	b.Reset()
	rs := run(t)
	if err := WriteRows(&b, rs); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != len(rs)+1 {
		t.Errorf("%d lines for %d rows", n, len(rs))
	}
}
