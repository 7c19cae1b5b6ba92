package scenarios

import (
	"context"
	"errors"
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl"
	"github.com/simnet/simnet/workload/nccl/flows"
)

// CollectiveRun is one call of a collective moved by an engine.
type CollectiveRun struct {
	Time     sim.Time
	Choice   nccl.Choice
	Parts    nccl.Parts // of the cost model: the call on an idle network
	Flows    int
	Worst    float64 // largest time of a flow over its time alone on the network
	Events   uint64
	Warnings []string
}

// RunCollective runs one call of bytes, as nccl-tests counts them, on as many
// nodes as the shape of m has, taken in the order of the first training job's
// placement, by the engine of run.fidelity
// and on a kernel of its own. Nothing else runs: the jobs and the window of the
// scenario are left out, its faults happen. It ends early, with an error, when
// ctx does.
func (v *Valid) RunCollective(ctx context.Context, m *nccl.Model, c nccl.Collective, bytes int64, o BuildOptions) (*CollectiveRun, error) {
	alone := *v
	alone.Jobs = nil
	alone.Spec.Run.Window = nil
	mach, err := alone.Build(o)
	if err != nil {
		return nil, err
	}
	defer mach.Kernel.Close()
	ranks := m.Shape().Ranks()
	if ranks > len(mach.Cluster.GPUs) {
		return nil, fmt.Errorf("%d ranks: the cluster has %d GPUs", ranks, len(mach.Cluster.GPUs))
	}
	gpus := make([]fabric.NodeID, 0, ranks)
	for _, g := range v.collectiveGPUs()[:ranks] {
		gpus = append(gpus, mach.Cluster.GPUs[g].NIC)
	}
	p, err := flows.New(m, gpus, flows.Options{Job: "nccl-test", Class: v.collectiveClass(), Routes: mach.Routes, Framing: v.Framing})
	if err != nil {
		return nil, err
	}
	plan, err := p.Plan(c, bytes, m.Choose(c, max(bytes, 1)))
	if err != nil {
		return nil, err
	}
	done := new(sim.Event)
	plan.Start(mach.Kernel, mach.Net, done)
	defer context.AfterFunc(ctx, mach.Stop)()
	if err := mach.Kernel.Run(); errors.Is(err, sim.ErrStopped) {
		return nil, fmt.Errorf("%s of %d B: stopped", c, bytes)
	} else if err != nil {
		return nil, err
	}
	r := mach.Sims[0].Report()
	if !done.Fired() {
		return nil, fmt.Errorf("%s of %d B never ends: %d of %d flows arrived, %d failed", c, bytes, r.Counters.FlowsFinished, r.Counters.Flows, r.Counters.FlowsFailed)
	}
	if len(r.Violations) > 0 {
		return nil, fmt.Errorf("%s of %d B: %s", c, bytes, r.Violations[0])
	}
	run := &CollectiveRun{Time: done.At(), Choice: plan.Choice, Parts: plan.Parts, Flows: len(plan.Flows), Events: mach.events(), Warnings: mach.Warnings}
	for i := range r.Flows {
		if f := &r.Flows[i]; f.Ideal > 0 {
			run.Worst = max(run.Worst, float64(f.FCT)/float64(f.Ideal))
		}
	}
	return run, nil
}

// collectiveClass is the priority class of the first training job.
func (v *Valid) collectiveClass() fabric.Class {
	for i := range v.Jobs {
		if t := v.Jobs[i].Training; t != nil {
			return fabric.Class(t.Transport.Class)
		}
	}
	return 0
}

// collectiveGPUs lists the GPUs of whole nodes: first those of the first
// training job, in the order in which its ranks come to them, then the others.
func (v *Valid) collectiveGPUs() []int {
	all := v.Cluster.GPUs
	per := v.Spec.Cluster.Node.GPUs.V
	order := make([]int, 0, len(all))
	taken := make([]bool, len(all)/per)
	take := func(node int) {
		if !taken[node] {
			taken[node] = true
			for g := range per {
				order = append(order, node*per+g)
			}
		}
	}
	for i := range v.Jobs {
		t := v.Jobs[i].Training
		if t == nil {
			continue
		}
		// A domain of several nodes stays together.
		if v.Spec.Cluster.Node.NVLink.Island.V <= per {
			for _, g := range t.Placement {
				take(g / per)
			}
		}
		break
	}
	for n := range taken {
		take(n)
	}
	return order
}
