package workload

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Training is one job on its way through its steps.
type Training struct {
	k   *sim.Kernel
	net fabric.Network
	c   *Cluster
	j   Job

	layout layout
	domain []int32 // by GPU

	replicas []*replica // by stage, then data-parallel index
	width    int        // replicas a stage that run: DP, or those of one expert group
	stages   []stage
	embed    []*collQueue // by data-parallel index: first and last stage share embeddings
	ints     []int        // block that upstream lists are cut from

	micro    int // micro-batches a replica
	barrier  []gate
	results  []sim.Time // by step
	timeline []Span
	spans    int // bound of the timeline
}

// stage holds what the replicas of one pipeline stage have in common.
type stage struct {
	actions []Action
	// Actions steady[0] to steady[1] alternate between forwards and backwards:
	// there the transfers of one direction are pending under the passes of the
	// other.
	steady  [2]int
	idle    sim.Time // of the ideal schedule, without communication between stages
	queue   *collQueue
	dense   []groupPlan // gradient rings, one a tensor rank
	expert  []groupPlan // rings over ranks with the same experts
	common  int64       // parameters a rank, without and with experts
	experts int64
	buckets []int64 // gradient buckets per chunk
}

// gate is the synchronisation at the end of the reduction (the global gradient
// norm) and at the end of the step.
type gate struct {
	norm, end sim.Event
	joined    int
	lateDP    sim.Time // exposed data-parallel time of the last to arrive
}

// maxSpans bounds the timeline: what a viewer still shows smoothly.
const maxSpans = 100_000

// New prepares job j on cluster c over net. The error names the field that is
// wrong and says what would do.
func New(k *sim.Kernel, net fabric.Network, c *Cluster, j Job) (*Training, error) {
	j = j.WithDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	if err := j.validate(c); err != nil {
		return nil, err
	}
	t := &Training{k: k, net: net, c: c, j: j, domain: c.domains(), micro: j.MicroBatches(), spans: maxSpans}
	var err error
	if t.layout, err = newLayout(j.Parallel); err != nil {
		return nil, err
	}
	t.barrier = make([]gate, j.Steps)
	t.results = make([]sim.Time, 0, j.Steps)
	p := &t.j.Parallel
	t.width = p.DP
	if j.Symmetric {
		t.width = min(p.DP, max(1, p.EP/p.CP))
	}
	for s := range p.PP {
		t.stages = append(t.stages, t.newStage(s))
	}
	for s := range p.PP {
		for d := range t.width {
			r, err := t.newReplica(s, d)
			if err != nil {
				return nil, err
			}
			t.replicas = append(t.replicas, r)
		}
	}
	t.setIdle()
	if t.j.Model.Tied && p.PP > 1 {
		for range t.width {
			t.embed = append(t.embed, &collQueue{k: k, members: 2})
		}
	}
	return t, nil
}

// gpu returns the GPU that a rank runs on.
func (t *Training) gpu(rank int) int {
	if t.j.Placement != nil {
		return t.j.Placement[rank]
	}
	return rank
}

func (t *Training) gpus(ranks []int) []int {
	g := make([]int, len(ranks))
	for i, r := range ranks {
		g[i] = t.gpu(r)
	}
	return g
}

func (t *Training) replica(s, d int) *replica { return t.replicas[s*t.width+d] }

func (t *Training) newStage(s int) stage {
	p := &t.j.Parallel
	st := stage{
		actions: p.Schedule.Actions(s, p.PP, t.micro, p.VirtualStages),
		queue:   &collQueue{k: t.k, members: t.width},
	}
	st.steady = steady(st.actions)
	st.common, st.experts = t.j.shardParams(s)
	for tp := range p.TP {
		ranks := t.layout.replicas(tp, s)
		st.dense = append(st.dense, t.plan(t.gpus(ranks)))
		if st.experts > 0 {
			for _, g := range expertReplicas(ranks, p.EP) {
				st.expert = append(st.expert, t.plan(t.gpus(g)))
			}
		}
	}
	st.buckets = t.bucketCounts(s, st.common+st.experts)
	return st
}

// setIdle computes what each stage idles in the ideal schedule, from the
// durations of the first replica.
func (t *Training) setIdle() {
	p := &t.j.Parallel
	all := make([][]Action, p.PP)
	for s := range all {
		all[s] = t.stages[s].actions
	}
	plan := Evaluate(all, p.VirtualStages, func(s int, a Action) sim.Time {
		return t.replica(s, 0).cost(a).alone()
	})
	for s := range all {
		t.stages[s].idle = plan.Idle[s]
	}
}

// Start launches the job's processes at the kernel's now.
func (t *Training) Start() {
	for i := range t.barrier {
		t.barrier[i].norm.Expect(len(t.replicas))
		t.barrier[i].end.Expect(len(t.replicas))
	}
	for _, r := range t.replicas {
		t.k.Go(fmt.Sprintf("%s/stage%d/replica%d", t.j.Name, r.s, r.d), r.run)
	}
}

// Result returns what has been measured so far: Unfinished says whether steps
// are missing.
func (t *Training) Result() Result {
	j, p := &t.j, &t.j.Parallel
	res := Result{
		Job: j.Name, Steps: t.results, Timeline: t.timeline, Unfinished: len(t.results) < j.Steps, GPUs: j.GPUs(),
		TokensPerStep: int64(j.Batch.Global) * int64(j.Model.Seq),
		ModelFLOPs:    j.Model.ModelFLOPs(j.Batch.Global),
		HardwareFLOPs: j.Model.HardwareFLOPs(j.Batch.Global, j.Recompute),
	}
	for r := range res.GPUs {
		res.PeakFLOPs += t.c.Types[t.c.GPUs[t.gpu(r)].Type].Peak[j.Precision]
	}
	n := int64(len(t.results))
	if n == 0 {
		return res
	}
	var total Breakdown
	for s := range p.PP {
		var sum Breakdown
		for d := range t.width {
			sum.add(t.replica(s, d).sum)
		}
		total.add(sum)
		res.Stages = append(res.Stages, StageResult{Stage: s, Breakdown: sum.mean(n * int64(t.width))})
	}
	res.Breakdown = total.mean(n * int64(t.width*p.PP))
	return res
}
