package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simnet/simnet/sim"
)

// Every setting that is doubted gives the same step without it.
func TestDoubtedSettingsChangeNothing(t *testing.T) {
	moe, err := FindModel("mixtral-8x22b")
	if err != nil {
		t.Fatal(err)
	}
	moe.Seq, moe.Layers = 4096, 8
	dense := moe
	dense.Experts, dense.TopK = 0, 0
	dp := Parallel{DP: 8}
	one := Parallel{TP: 2, PP: 2}
	fsdp := Parallel{DP: 8, FSDP: true}
	for field, c := range map[string]struct {
		p      Parallel
		change func(*Job)
	}{
		"parallel.overlap_grad":      {fsdp, func(j *Job) { j.Parallel.OverlapGrad = true }},
		"parallel.overlap_param":     {dp, func(j *Job) { j.Parallel.OverlapParam = true }},
		"parallel.bucket":            {dp, func(j *Job) { j.Parallel.BucketBytes = 1 << 20 }},
		"parallel.overlap_p2p":       {dp, func(j *Job) { j.Parallel.OverlapP2P = true }},
		"parallel.overlap_tp":        {dp, func(j *Job) { j.Parallel.OverlapTP = true }},
		"parallel.overlap_ep":        {dp, func(j *Job) { j.Parallel.OverlapEP = true }},
		"parallel.sequence_parallel": {dp, func(j *Job) { j.Parallel.SequenceParallel = true }},
		"parallel.scatter_gather":    {dp, func(j *Job) { j.Parallel.ScatterGather = true }},
		"parallel.prefetch":          {dp, func(j *Job) { j.Parallel.Prefetch = 3 }},
		"parallel.units_per_layer":   {dp, func(j *Job) { j.Parallel.UnitsPerLayer = 4 }},
		"parallel.regather":          {fsdp, func(j *Job) { j.Parallel.Regather = true }},
		"parallel.hierarchical":      {one, func(j *Job) { j.Parallel.Hierarchical = true }},
		"parallel.zero":              {one, func(j *Job) { j.Parallel.ZeRO = 1 }},
		"transport.algorithm":        {fsdp, func(j *Job) { j.Transport.Algorithm = "tree" }},
		"compression.kind":           {one, func(j *Job) { j.Compression.Kind = "int8" }},
		"recompute":                  {dp, func(j *Job) { j.Recompute = RecomputeSelective }},
		"moe_imbalance":              {dp, func(j *Job) { j.MoEImbalance = 2 }},
		"sm_contention":              {dp, func(j *Job) { j.SMContention = 0.1 }},
		"p2p_contention":             {one, func(j *Job) { j.P2PContention = 0.1 }},
		"rank_overhead":              {one, func(j *Job) { j.Transport.RankOverhead = sim.Microsecond }},
		"rank_copy":                  {one, func(j *Job) { j.Transport.RankCopy = sim.Microsecond }},
		"copy_passes":                {one, func(j *Job) { j.Transport.CopyPasses = 3 }},
	} {
		j := Job{Name: "t", Model: dense, Parallel: c.p, Batch: Batch{Global: 8, Micro: 1}, SkipMemoryCheck: true}
		if d := j.Doubts(); len(d) > 0 {
			t.Errorf("%s: doubts without it: %v", field, d)
		}
		want, _ := runJob(t, dgx(1), j)
		c.change(&j)
		d := j.Doubts()
		if len(d) != 1 || d[0].Field != field {
			t.Errorf("%s: doubts %v", field, d)
		}
		got, _ := runJob(t, dgx(1), j)
		if x := cmp.Diff(want.Steps, got.Steps); x != "" {
			t.Errorf("%s has an effect: %s", field, x)
		}
	}
}
