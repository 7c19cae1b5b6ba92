package scenarios

import (
	"testing"

	"github.com/simnet/simnet/sim"
)

// TestShippedRun: every shipped scenario runs at flow fidelity, and its parts
// add up to its step.
func TestShippedRun(t *testing.T) {
	files, _ := shippedFiles(t)
	for _, f := range files {
		v, err := Load(f, []string{"run.fidelity=flow"})
		if err != nil {
			t.Error(err)
			continue
		}
		if len(v.Cluster.GPUs) > 2048 {
			continue // the benches run it
		}
		m, err := v.Build(BuildOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		o, err := m.Run(nil)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if o.Partial || len(o.Report.Violations) > 0 || o.Report.Counters.Flows != o.Report.Counters.FlowsFinished {
			t.Errorf("%s: partial %v, %v, %d of %d flows", f, o.Partial, o.Report.Violations, o.Report.Counters.FlowsFinished, o.Report.Counters.Flows)
		}
		for _, r := range o.Results {
			var sum sim.Time
			for _, s := range r.Steps {
				sum += s
			}
			mean := sum / sim.Time(len(r.Steps))
			if d := float64(r.Breakdown.Total())/float64(mean) - 1; d < -0.001 || d > 0.001 {
				t.Errorf("%s %s: parts add up to %v, the step takes %v", f, r.Job, r.Breakdown.Total(), mean)
			}
			t.Logf("%s %s: %v %+v", f, r.Job, r.Steps, r.Breakdown)
		}
		for _, w := range m.Warnings {
			t.Errorf("%s: %s", f, w)
		}
	}
}

// TestIslands: tensor parallelism inside the islands of V100 cube-mesh nodes
// beats tensor parallelism across them, with and without a pipeline, by as much
// as published runs on such nodes show (6 to 46 %).
func TestIslands(t *testing.T) {
	study, err := LoadStudy("v100-islands.yaml", nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	took := map[string]sim.Time{}
	for i := range study.Points {
		m, err := study.Points[i].Valid.Build(BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.Run(nil)
		if err != nil {
			t.Fatal(err)
		}
		took[study.Points[i].At["layout"]] = o.Results[0].Steps[0]
	}
	for _, pair := range [][2]string{{"tp8-dp4", "tp4-dp8"}, {"tp8-pp2-dp2", "tp4-pp2-dp4"}} {
		gain := float64(took[pair[0]])/float64(took[pair[1]]) - 1
		t.Logf("%s takes %v, %s %v: %+.1f %%", pair[0], took[pair[0]], pair[1], took[pair[1]], 100*gain)
		if gain < 0.06 || gain > 0.46 {
			t.Errorf("%s against %s gains %.1f %%", pair[1], pair[0], 100*gain)
		}
	}
}
