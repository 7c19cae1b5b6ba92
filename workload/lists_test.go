package workload

import (
	"testing"

	"github.com/simnet/simnet/sim"
)

// lists16 is a small model over sixteen replicas on two nodes.
func lists16(p Parallel) Job {
	p.DP = 16
	return Job{
		Name: "t", Model: gpt("m", 4, 4096, 32, 4096, 1024, ""), Parallel: p, Batch: Batch{Global: 16, Micro: 1},
		Recompute: RecomputeFull, SkipMemoryCheck: true,
	}
}

func step(t *testing.T, j Job, change func(*Transport)) sim.Time {
	t.Helper()
	change(&j.Transport)
	res, _ := runJob(t, dgx(2), j)
	return res.Steps[0]
}

// The one all-reduce at the end of a step waits for the host and for the
// copies, to the picosecond.
func TestListsDelayReduction(t *testing.T) {
	j := lists16(Parallel{})
	base := step(t, j, func(*Transport) {})
	host := step(t, j, func(tr *Transport) { tr.RankOverhead, tr.RankCopy = 8*sim.Microsecond, 15*sim.Microsecond })
	if want := 16 * 23 * sim.Microsecond; host-base != want {
		t.Errorf("the host delays the step by %v, want %v", host-base, want)
	}
	copies := step(t, j, func(tr *Transport) { tr.CopyPasses = 3 })
	d := j.WithDefaults()
	params, _ := d.shardParams(0)
	if want := toTime(dgx(2).Types[0].memoryTime(3 * float64(d.gradBytes(params)))); copies-base != want {
		t.Errorf("the copies delay the step by %v, want %v", copies-base, want)
	}
}

// Gathering each unit when it is needed leaves the device idle while the host
// makes the views; issuing the copies hides under the transfer as far as that
// lasts; and a reduction hides under the computation of the next unit.
func TestListsOfUnits(t *testing.T) {
	j := lists16(Parallel{ZeRO: 3, Prefetch: -1, UnitsPerLayer: 2})
	const units = 8
	tiny := func(tr *Transport) { tr.RankOverhead = sim.Nanosecond } // a host that synchronises, at no cost
	base := step(t, j, tiny)
	const each = 10 * sim.Microsecond
	views := step(t, j, func(tr *Transport) { tr.RankOverhead = each + sim.Nanosecond }) - base
	if gathers, most := 2*units*16*each, (2*units+units)*16*each; views < gathers || views >= most {
		t.Errorf("views delay the step by %v, want at least %v for its gathers and less than %v with its reductions", views, gathers, most)
	}
	copies := step(t, j, func(tr *Transport) { tr.RankOverhead, tr.RankCopy = sim.Nanosecond, each }) - base
	if copies < 0 || copies >= views {
		t.Errorf("copies delay the step by %v, views by %v", copies, views)
	}
	ahead := j
	ahead.Parallel.Prefetch = 1
	if got := step(t, ahead, tiny); got >= base {
		t.Errorf("gathering ahead takes %v, without %v", got, base)
	}
}

// A pending transfer slows the passes between warm-up and drain, no others.
func TestPendingTransfersTakeCompute(t *testing.T) {
	run := func(micro int, lost float64) (sim.Time, Breakdown) {
		j := variant(func(j *Job) {
			j.Parallel.DP, j.Parallel.VirtualStages, j.Parallel.OverlapP2P = 1, 2, true
			j.Batch.Global, j.P2PContention = micro, lost
		})
		res, _ := runJob(t, dgx(8), j)
		return res.Steps[0], res.Breakdown
	}
	free, b := run(32, 0)
	slow, c := run(32, .05)
	if bound := free + toTime(float64(b.Compute)*.05/.95) + sim.Millisecond; slow <= free || slow > bound || c.PPComm <= b.PPComm {
		t.Errorf("%v, and %v with 5 %% lost, at most %v; transfers %v and %v", free, slow, bound, b.PPComm, c.PPComm)
	}
	free, _ = run(8, 0) // as many micro-batches as stages: all forwards first
	if slow, _ = run(8, .05); slow != free {
		t.Errorf("all forwards first: %v, and %v with 5 %% lost", free, slow)
	}
}
