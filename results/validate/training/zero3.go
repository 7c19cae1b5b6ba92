package training

import (
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// What a collective on a list of tensors costs in PyTorch 1.8 under DeepSpeed
// 0.3 (deepspeed/runtime/zero/partition_parameters.py, _allgather_param and
// _reduce_scatter_gradient, of April 2021): beside the transfer, a view of each
// rank's part made in Python, and a copy of it issued in C++.
//
// At eight ranks, 1,024 gathers of a forward take 270 ms with 60 ms of
// computation once nothing else is left in them (DeepSpeed pull request 1188,
// issue 1174: 5.1B parameters, eight A100s): 205 us each, of which 21.5 us are
// what any collective of torch.distributed costs (the fit on all_reduce_bench
// in the validation of collectives). That leaves 23 us a rank. The profile in
// issue 1069 shows 130 us of the host before and 250 us in the call, a third and
// two thirds; by itself it allows 12 (three operations of 4 us) to 47 us.
const (
	ListViews  = 8 * sim.Microsecond
	ListCopies = 15 * sim.Microsecond
)

// ListPasses is how often the copies move the buffer through memory. A gather
// of 4.29 GB on eight V100s takes 139.6 ms on a list and 30.1 ms in place
// (PyTorch pull request 33924, February 2020): 109.5 ms at 900 GB/s times
// memoryFraction are 18.4 passes, where the copies alone would be 2 (a later
// PyTorch on Hopper shows 2.4). DeepSpeed adds a pass to each of three gathers,
// which clear their buffer, and two to a reduction, which divides it first: 1.25
// a collective.
const ListPasses = 18.4 + 1.25

// liveParameters is DeepSpeed's stage3_max_live_parameters: while more than that
// are gathered, nothing is gathered ahead.
const liveParameters = 1_000_000_000

// zero3 returns how DeepSpeed of early 2021 runs m on gpus GPUs without model
// parallelism: every matrix gathered by itself, in the forward, for
// recomputation and in the backward, over all ranks; a device synchronisation
// before each; the next one ahead where the largest matrix leaves room.
func zero3(m workload.Model, gpus int) (workload.Parallel, workload.Transport) {
	p := workload.Parallel{DP: gpus, ZeRO: 3, Prefetch: -1, UnitsPerLayer: 4, Regather: true}
	if 4*m.Hidden*m.Hidden < liveParameters {
		p.Prefetch = 1
	}
	return p, workload.Transport{RankOverhead: ListViews, RankCopy: ListCopies, CopyPasses: ListPasses}
}
