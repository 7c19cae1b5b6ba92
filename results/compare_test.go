package results

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
)

// pair is a run and one that is 5 % slower with drops.
func pair(t *testing.T) (a, b *Dir) {
	t.Helper()
	light := WriteOptions{NoPlots: true, NoReport: true}
	base := t.TempDir()
	r := synthetic("packet")
	slow := synthetic("packet")
	slow.SHA256 = "7b7b"
	slow.Effective = []byte("name: synthetic-32\nseed: 1\ncluster: {spines: 1}\n")
	j := &slow.Jobs[0]
	extra := j.Steps[0] / 20
	j.Steps = []sim.Time{j.Steps[0] + extra}
	j.Breakdown.DPCommExposed += extra
	slow.Report.Counters.Drops = 17
	var out [2]*Dir
	for i, x := range []*Run{r, slow} {
		dir := filepath.Join(base, []string{"a", "b"}[i])
		if _, err := Write(x, dir, light); err != nil {
			t.Fatal(err)
		}
		var err error
		if out[i], err = Read(dir); err != nil {
			t.Fatal(err)
		}
		out[i].Path = []string{"out/a", "out/b"}[i]
	}
	return out[0], out[1]
}

func TestCompareTable(t *testing.T) {
	a, b := pair(t)
	c := Compare(a, b)
	var w bytes.Buffer
	if err := c.Write(&w, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.txt", w.Bytes())
	if c.Rows[0].Key != "step.mean_s" || math.Abs(c.Rows[0].Relative-0.05) > 1e-9 {
		t.Errorf("first row %+v", c.Rows[0])
	}
}

func TestExpressions(t *testing.T) {
	a, b := pair(t)
	for _, c := range []struct {
		src  string
		want bool
	}{
		{"step.mean_s > 1.02*base.step.mean_s || network.drops > 0", true},
		{"step.mean_s > 1.06*base.step.mean_s", false},
		{"step.mean_s - base.step.mean_s >= 0.1369", true},
		{"network.fct_slowdown.p99 == base.network.fct_slowdown.p99 && network.drops != base.network.drops", true},
		{"!(network.drops > 0)", false},
		{"-network.drops < 0", true},
		{"abs(1 - step.mean_s / base.step.mean_s) < 5.1e-2", true},
		{"max(step.mean_s, base.step.mean_s, 1) == step.mean_s", true},
		{"min(3, 2) * 2 + 1 == 5 && 2 + 2 * 2 == 6 && 8 / 2 / 2 == 2", true},
		{"step.time_s[0] > 2 && network.hottest_ports[1].utilisation < 1", true},
		{"partial == false && fidelity == base.fidelity", true},
		{"has(step.mean_s) && !has(step.nonsense) && !has(base.scaling)", true},
		{"false && no.such.key > 1", false},
	} {
		e, err := ParseExpr(c.src)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if got, err := e.Eval(b, a); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.src, got, err)
		}
	}
}

func TestExpressionErrors(t *testing.T) {
	a, b := pair(t)
	flow := *b
	flow.Summary = Summarize(synthetic("flow"))
	flow.Raw = map[string]any{"network": map[string]any{"flows": 1.0}}
	var w strings.Builder
	for _, src := range []string{
		"", "step.mean_s >", "step.mean_s = 1", "a & b", "(step.mean_s > 1", "step.mean_s > 1)", "1 > 2 ? 3", "1.2.3 > 1",
		"median(step.mean_s) > 1", "abs(1, 2) > 1", "has(1 + 1)", "step.mean_s", "step.mean > 1", "step.meen_s > 1",
		"step.time_s > 1", "step.time_s[3] > 1", "step.time_s[x] > 1", "step > 1", "network.drops[0] > 1", "step.mean_s.x > 1",
		"step.mean_s && true", "!step.mean_s", "scenario > 1", "max(partial, 1) > 0", "1 / network.retransmitted_bytes > 0",
	} {
		e, err := ParseExpr(src)
		if err == nil {
			_, err = e.Eval(b, a)
		}
		if err == nil {
			t.Errorf("%q was accepted", src)
			continue
		}
		w.WriteString(src + "\n" + err.Error() + "\n\n")
	}
	e, err := ParseExpr("network.drops > 0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = e.Eval(&flow, nil); err == nil || !strings.Contains(err.Error(), "not modelled") {
		t.Errorf("drops of the flow engine: %v", err)
	}
	if e, err = ParseExpr("base.step.mean_s > 0"); err != nil {
		t.Fatal(err)
	}
	if _, err = e.Eval(b, nil); err == nil || !strings.Contains(err.Error(), "no run to compare with") {
		t.Errorf("without a base: %v", err)
	}
	golden(t, "expressions.txt", []byte(w.String()))
}

func TestScaling(t *testing.T) {
	c, err := NewScalingCurve("strong", []ScalingPoint{
		{GPUs: 1024, TokensPerS: []float64{3200}, StepS: 1},
		{GPUs: 256, TokensPerS: []float64{1000, 990, 1010}, StepS: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := c.Rows[1]
	if r.GPUs != 1024 || r.Efficiency != 0.8 || r.GPUsWasted != 204.8 || c.Rows[0].Efficiency != 1 || c.Rows[0].GPUsWasted != 0 {
		t.Errorf("%+v", c.Rows)
	}
	// 95 % of Student's t with two degrees of freedom is 4.3027 standard errors.
	if want := 4.302653 * 10 / math.Sqrt(3); math.Abs(c.Rows[0].TokensPerSCI-want) > 1e-3 {
		t.Errorf("interval %g, want %g", c.Rows[0].TokensPerSCI, want)
	}
	golden(t, "scaling.csv", c.CSV())
	for _, bad := range [][]ScalingPoint{nil, {{GPUs: 1}}, {{GPUs: 1, TokensPerS: []float64{0}}},
		{{GPUs: 8, TokensPerS: []float64{1}}, {GPUs: 8, TokensPerS: []float64{1}}}} {
		if _, err := NewScalingCurve("bad", bad); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}
