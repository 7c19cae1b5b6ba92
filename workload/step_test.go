package workload

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simnet/simnet/sim"
)

// variant changes the 256-GPU job.
func variant(f func(*Job)) Job {
	j := gpt175()
	f(&j)
	return j
}

// With one data-parallel replica, no tensor parallelism and an instant network
// the step is the ideal schedule plus the optimizer, and the bubble is its idle
// time.
func TestStepIsTheIdealScheduleWithoutCommunication(t *testing.T) {
	for _, s := range []Schedule{GPipe, OneFOneB, Interleaved, ZeroBubble} {
		j := Job{
			Name: "t", Model: gpt("m", 16, 1024, 16, 4096, 512, ""), Batch: Batch{Global: 16, Micro: 1},
			Parallel: Parallel{PP: 4, Schedule: s}, SkipMemoryCheck: true,
		}
		j.Model.Tied = false
		if s == Interleaved {
			j.Parallel.VirtualStages = 2
		}
		c := dgx(4)
		c.Scaleup = Scaleup{BusBW: math.MaxInt64, P2P: math.MaxInt64}
		k := sim.NewKernel()
		tr, err := New(k, nil, c, j)
		if err != nil {
			t.Fatal(err)
		}
		tr.Start()
		if err := k.Run(); err != nil {
			t.Fatal(err)
		}
		res := tr.Result()
		stages := make([][]Action, 4)
		for i := range stages {
			stages[i] = tr.stages[i].actions
		}
		plan := Evaluate(stages, tr.j.Parallel.VirtualStages, func(s int, a Action) sim.Time { return tr.replica(s, 0).cost(a).alone() })
		opt := sim.Time(0)
		for i := range stages {
			opt = max(opt, tr.replica(i, 0).optimizer())
		}
		if want := plan.End + opt; res.Steps[0] != want {
			t.Errorf("%s: step takes %v, want %v", s, res.Steps[0], want)
		}
		for i, st := range res.Stages {
			if st.Breakdown.PPBubble != plan.Idle[i] || st.Breakdown.PPComm != 0 {
				t.Errorf("%s stage %d: bubble %v and transfers %v, want %v and 0", s, i, st.Breakdown.PPBubble, st.Breakdown.PPComm, plan.Idle[i])
			}
		}
	}
}

// Gradients move 2(n-1)/n of their bytes a rank with all-reduce, half of it
// with a reduce-scatter, and sharded parameters the rest.
func TestGradientBytes(t *testing.T) {
	for _, zero := range []int{0, 1} {
		res, n := runJob(t, dgx(32), variant(func(j *Job) { j.Parallel.ZeRO = zero }))
		var params int64
		j := variant(func(*Job) {}).WithDefaults()
		for s := range 8 {
			c, _ := j.shardParams(s)
			params += c
		}
		ranks := int64(8 * 4) // tensor ranks, data-parallel ranks
		want := map[string]int64{"dp_all_reduce": params * 2 * 2 * 3 / 4 * ranks}
		if zero == 1 {
			want = map[string]int64{"dp_reduce_scatter": params * 2 * 3 / 4 * ranks, "dp_all_gather": params * 2 * 3 / 4 * ranks}
		}
		for label, w := range want {
			if got := n.bytes[label]; got < w || got > w+1000 {
				t.Errorf("zero %d: %s moved %d bytes, want %d", zero, label, got, w)
			}
		}
		if res.Breakdown.DPCommExposed <= 0 {
			t.Errorf("zero %d: no exposed reduction", zero)
		}
	}
}

// Each option moves the part of the step that it is about in the right
// direction.
func TestOptionsMoveTheRightPart(t *testing.T) {
	base, _ := runJob(t, dgx(32), gpt175())
	for name, c := range map[string]struct {
		change func(*Job)
		part   func(Breakdown) sim.Time
		more   bool
	}{
		"overlap hides the reduction":       {func(j *Job) { j.Parallel.OverlapGrad = true }, func(b Breakdown) sim.Time { return b.DPCommExposed }, false},
		"fp32 gradients cost more":          {func(j *Job) { j.GradPrecision = "fp32" }, func(b Breakdown) sim.Time { return b.DPCommExposed }, true},
		"int8 gradients cost less":          {func(j *Job) { j.Compression.Kind = "int8" }, func(b Breakdown) sim.Time { return b.DPCommExposed }, false},
		"interleaving cuts the bubble":      {func(j *Job) { j.Parallel.VirtualStages = 3 }, func(b Breakdown) sim.Time { return b.PPBubble }, false},
		"zero-bubble cuts the bubble":       {func(j *Job) { j.Parallel.Schedule = ZeroBubble }, func(b Breakdown) sim.Time { return b.PPBubble }, false},
		"scatter/gather sends less":         {func(j *Job) { j.Parallel.ScatterGather = true }, func(b Breakdown) sim.Time { return b.PPComm }, false},
		"sequence parallel computes less":   {func(j *Job) { j.Parallel.SequenceParallel = true }, func(b Breakdown) sim.Time { return b.Compute }, false},
		"selective recompute computes less": {func(j *Job) { j.Recompute = RecomputeSelective; j.SkipMemoryCheck = true }, func(b Breakdown) sim.Time { return b.Compute }, false},
		"overlapped TP is hidden":           {func(j *Job) { j.Parallel.OverlapTP = true }, func(b Breakdown) sim.Time { return b.TPComm }, false},
		"a straggler shows":                 {func(j *Job) { j.Stragglers = []Straggler{{Rank: 9, Factor: 1.3}} }, func(b Breakdown) sim.Time { return b.PPComm + b.Other }, true},
		"jitter shows":                      {func(j *Job) { j.Jitter = 0.1 }, func(b Breakdown) sim.Time { return b.Other }, true},
	} {
		res, _ := runJob(t, dgx(32), variant(c.change))
		was, is := c.part(base.Breakdown), c.part(res.Breakdown)
		if c.more && is <= was || !c.more && is >= was {
			t.Errorf("%s: from %v to %v", name, was, is)
		}
	}
}

// Groups that leave their domain move over the network, whatever the kind of
// parallelism.
func TestEveryParallelismMovesItsBytes(t *testing.T) {
	moe, err := FindModel("deepseek-v3")
	if err != nil {
		t.Fatal(err)
	}
	moe.Layers, moe.DenseLayers = 16, 1
	small := func(p Parallel) Job {
		return Job{Name: "t", Model: moe, Parallel: p, Batch: Batch{Global: 64, Micro: 1}, Recompute: RecomputeFull, SkipMemoryCheck: true}
	}
	for label, j := range map[string]Job{
		"ep_all_to_all":     small(Parallel{TP: 2, PP: 2, DP: 16, EP: 16}),
		"cp_ring":           small(Parallel{TP: 8, PP: 2, CP: 2, DP: 2}),
		"tp_all_reduce":     small(Parallel{TP: 16, DP: 4}),
		"dp_all_gather":     small(Parallel{DP: 64, FSDP: true}),
		"dp_reduce_scatter": small(Parallel{TP: 2, PP: 2, DP: 16, EP: 8, ZeRO: 1, OverlapGrad: true, OverlapParam: true}),
		"dp_all_reduce":     small(Parallel{TP: 2, PP: 2, DP: 16, Hierarchical: true}),
	} {
		res, n := runJob(t, dgx(8), j)
		if n.bytes[label] == 0 {
			t.Errorf("%s: nothing moved; %v", label, n.bytes)
		}
		b := res.Breakdown
		if part := map[string]sim.Time{"ep_all_to_all": b.EPComm, "cp_ring": b.CPComm + 1, "tp_all_reduce": b.TPComm, "dp_all_gather": b.DPCommExposed,
			"dp_reduce_scatter": b.DPCommExposed, "dp_all_reduce": b.DPCommExposed}[label]; part <= 0 {
			t.Errorf("%s: no time: %+v", label, b)
		}
	}
}

// A hotter expert rank lengthens the step.
func TestImbalanceCosts(t *testing.T) {
	m, err := FindModel("mixtral-8x22b")
	if err != nil {
		t.Fatal(err)
	}
	m.Seq, m.Layers = 4096, 8
	j := Job{Name: "t", Model: m, Parallel: Parallel{TP: 4, DP: 16, EP: 8, ZeRO: 1}, Batch: Batch{Global: 32, Micro: 1}, SkipMemoryCheck: true}
	even, _ := runJob(t, dgx(8), j)
	j.MoEImbalance = 1.5
	skewed, _ := runJob(t, dgx(8), j)
	if skewed.Breakdown.EPComm <= even.Breakdown.EPComm || skewed.Breakdown.Compute <= even.Breakdown.Compute {
		t.Errorf("imbalance 1.5: %+v, even: %+v", skewed.Breakdown, even.Breakdown)
	}
	j.Parallel.OverlapEP = true
	if under, _ := runJob(t, dgx(8), j); under.Breakdown.EPComm >= skewed.Breakdown.EPComm || under.Breakdown.Compute != skewed.Breakdown.Compute {
		t.Errorf("overlapped: %+v, exposed: %+v", under.Breakdown, skewed.Breakdown)
	}
}

// On a network without contention one replica stands for all.
func TestSymmetricIsExact(t *testing.T) {
	moe, err := FindModel("mixtral-8x22b")
	if err != nil {
		t.Fatal(err)
	}
	moe.Seq, moe.Layers = 4096, 8
	for _, j := range []Job{
		variant(func(j *Job) { j.Parallel.OverlapGrad, j.Parallel.ZeRO, j.Parallel.OverlapParam = true, 1, true }),
		variant(func(j *Job) { j.Parallel.VirtualStages = 3 }),
		{Name: "t", Model: moe, Parallel: Parallel{TP: 4, DP: 64, EP: 8, ZeRO: 1}, Batch: Batch{Global: 128, Micro: 1}, SkipMemoryCheck: true},
		{Name: "t", Model: moe, Parallel: Parallel{DP: 256, FSDP: true}, Batch: Batch{Global: 256, Micro: 1}, SkipMemoryCheck: true},
	} {
		full, n := runJob(t, dgx(32), j)
		j.Symmetric = true
		one, m := runJob(t, dgx(32), j)
		if len(m.flows) > len(n.flows) {
			t.Errorf("%d flows, %d without", len(m.flows), len(n.flows))
		}
		full.Timeline, one.Timeline = nil, nil
		if d := cmp.Diff(full, one); d != "" {
			t.Error(d)
		}
	}
}

// The same job gives the same result and the same timeline.
func TestStepIsDeterministic(t *testing.T) {
	j := variant(func(j *Job) { j.Jitter, j.Steps, j.Parallel.OverlapGrad = 0.05, 3, true })
	a, _ := runJob(t, dgx(32), j)
	b, _ := runJob(t, dgx(32), j)
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if len(a.Timeline) == 0 || len(a.Steps) != 3 {
		t.Errorf("%d spans, %d steps", len(a.Timeline), len(a.Steps))
	}
}

// Errors name the field and say what would do.
func TestErrors(t *testing.T) {
	for want, change := range map[string]func(*Job){
		"parallel: tp*pp*dp*cp = 8*8*8*1 = 512, but the cluster has 256 GPUs; dp: 4 would fit":                    func(j *Job) { j.Parallel.DP = 8 },
		"batch.global: 97 is not divisible by micro * dp = 1 * 4 = 4; 96 or 100 would do":                         func(j *Job) { j.Batch.Global = 97 },
		"parallel.tp: 5 does not divide the model's 96 heads":                                                     func(j *Job) { j.Parallel.TP = 5 },
		"parallel.pp: 96 layers do not divide by pp * virtual_stages = 7 * 1":                                     func(j *Job) { j.Parallel.PP = 7 },
		"parallel.virtual_stages: is 2, which needs schedule: interleaved, not gpipe":                             func(j *Job) { j.Parallel.VirtualStages, j.Parallel.Schedule = 2, GPipe },
		"parallel.schedule: interleaved needs the micro-batches of a replica, here 25, to be divisible by pp = 8": func(j *Job) { j.Parallel.VirtualStages, j.Batch.Global = 2, 100 },
		"parallel.schedule: \"1f2b\" is none of":                                                                  func(j *Job) { j.Parallel.Schedule = "1f2b" },
		"precision: GPU a100 has no peak for \"fp4\"; it has bf16, fp16":                                          func(j *Job) { j.Precision = "fp4" },
		"parallel.ep: is 4, but model gpt3-175b has no experts":                                                   func(j *Job) { j.Parallel.EP = 4 },
		"parallel.zero: stage 3 shards gradients":                                                                 func(j *Job) { j.Parallel.ZeRO = 3 },
		"job train: does not fit: stage 0 needs":                                                                  func(j *Job) { j.Recompute, j.Batch.Micro = RecomputeNone, 2 },
		"placement: GPU 3 is used twice":                                                                          func(j *Job) { j.Placement = make([]int, 256); fillPlacement(j.Placement) },
		"parallel.rank_order: \"xx\" in \"tp-xx\" is no dimension":                                                func(j *Job) { j.Parallel.RankOrder = "tp-xx" },
		"compression.ratio: is 0 and must lie in (0, 1]":                                                          func(j *Job) { j.Compression.Kind = "topk" },
		"stragglers: rank 256 by a factor 2; ranks go from 0 to 255, factors from 1":                              func(j *Job) { j.Stragglers = []Straggler{{256, 2}} },
		"model.kv_heads: 7 does not divide heads = 96":                                                            func(j *Job) { j.Model.KVHeads = 7 },
	} {
		_, err := New(sim.NewKernel(), nil, dgx(32), variant(change))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func fillPlacement(p []int) {
	for i := range p {
		p[i] = i
	}
	p[7] = 3
}

// 10,240 GPUs: 1,280 processes.
func BenchmarkStep10240(b *testing.B) {
	for range b.N {
		k := sim.NewKernel()
		n := &idealNet{k: k, rate: 200 * sim.Gbps, latency: 5 * sim.Microsecond, bytes: map[string]int64{}}
		tr, err := New(k, n, dgx(1280), variant(func(j *Job) { j.Parallel.DP, j.Batch.Global = 160, 160*24 }))
		if err != nil {
			b.Fatal(err)
		}
		tr.Start()
		if err := k.Run(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(n.flows)), "flows")
	}
}

func ExampleParallel_Groups() {
	g, _ := Parallel{TP: 2, PP: 2, DP: 2}.Groups()
	fmt.Println(g.TP, g.DP, g.PP)
	// Output: [[0 1] [2 3] [4 5] [6 7]] [[0 2] [1 3] [4 6] [5 7]] [[0 4] [1 5] [2 6] [3 7]]
}
