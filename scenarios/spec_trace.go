package scenarios

import "github.com/simnet/simnet/sim"

// TraceSpec is a job of recorded operations: a graph over ranks (goal, chakra)
// or the layers that every GPU runs (simai), as `simnet import` writes them.
type TraceSpec struct {
	Section
	Format       Val[string]      `yaml:"format" enum:"goal,chakra,simai" doc:"goal and chakra: operations by rank; simai: layers, and jobs[].parallel says how ranks are grouped"`
	Files        Val[[]string]    `yaml:"files" doc:"the files themselves, relative to the scenario, in place of operations or layers; chakra: one a rank"`
	Ranks        Val[int]         `yaml:"ranks" min:"1" max:"4194304" doc:"goal, chakra: one GPU each; default: the highest rank that an operation names"`
	Operations   []OperationSpec  `yaml:"operations" doc:"goal, chakra: the graph"`
	Eager        Val[Bytes]       `yaml:"eager" min:"1B" doc:"goal, chakra: the largest message that leaves before its receive has begun, a larger one waits for it; default 1MiB, what NCCL's buffers take"`
	MicroBatches Val[int]         `yaml:"micro_batches" min:"1" doc:"simai: how many the layers hold in all; with several stages they run by 1F1B where the layers repeat as often, else a bubble of (pp-1)/micro_batches follows; default 1"`
	PPBytes      Val[Bytes]       `yaml:"pp_bytes" doc:"simai: between neighbouring stages, a GPU, micro-batch and direction"`
	Layers       []TraceLayerSpec `yaml:"layers" doc:"simai: the rows of one iteration; forward in order, then backward in reverse"`
}

// OperationSpec is one operation of one rank.
type OperationSpec struct {
	Section
	ID         Val[int]      `yaml:"id" min:"0" doc:"what after and after_start refer to; default: the position in the list, counted from 0"`
	Rank       Val[int]      `yaml:"rank" min:"0"`
	Op         Val[string]   `yaml:"op" enum:"compute,send,recv,collective,memory,nothing" doc:"a send ends when its bytes have arrived, a recv when its message has"`
	Name       Val[string]   `yaml:"name" doc:"used in messages"`
	Time       Val[sim.Time] `yaml:"time" min:"0ps" doc:"of compute and memory"`
	Bytes      Val[Bytes]    `yaml:"bytes" doc:"of the message, the access, or a rank's input to the collective; of scatter its output"`
	Collective Val[string]   `yaml:"collective" enum:"all_reduce,reduce_scatter,all_gather,all_to_all,broadcast,reduce,barrier,gather,scatter"`
	Group      Val[string]   `yaml:"group" doc:"of the collective: the ranks that use the same name; absent: all ranks"`
	Root       Val[int]      `yaml:"root" min:"0" doc:"of broadcast, reduce, gather, scatter: rank; absent: the first of the group, of reduce the last"`
	Split      Val[[]Bytes]  `yaml:"split" doc:"of all_to_all: what goes to each rank of the group, in the order of their numbers; adds up to bytes; absent: an equal part to each"`
	To         Val[Peer]     `yaml:"to" doc:"send: rank"`
	Source     Val[Peer]     `yaml:"from" doc:"recv: rank, or any"`
	Tag        Val[int64]    `yaml:"tag" min:"-1" doc:"send and recv match on it; -1 matches every tag; default 0"`
	Stream     Val[int]      `yaml:"stream" min:"0" doc:"computation of one stream of a rank runs one after the other; default 0"`
	NIC        Val[int]      `yaml:"nic" min:"0" doc:"send: NICs to count on from the rank's own; default 0"`
	After      Val[[]int]    `yaml:"after" doc:"operations that must have ended"`
	AfterStart Val[[]int]    `yaml:"after_start" doc:"operations that must have begun"`
}

// TraceLayerSpec is one row of a SimAI workload.
type TraceLayerSpec struct {
	Section
	Name       Val[string]    `yaml:"name"`
	Forward    TracePhaseSpec `yaml:"forward"`
	InputGrad  TracePhaseSpec `yaml:"input_grad"`
	WeightGrad TracePhaseSpec `yaml:"weight_grad" doc:"its collective runs beside what follows and is waited for at the end"`
	Update     Val[sim.Time]  `yaml:"update" min:"0ps" doc:"of the weights, after their gradients' collective"`
}

// TracePhaseSpec is computation and the collective after it.
type TracePhaseSpec struct {
	Section
	Time       Val[sim.Time] `yaml:"time" min:"0ps"`
	Collective Val[string]   `yaml:"collective" enum:"all_reduce,reduce_scatter,all_gather,all_to_all,broadcast,reduce,gather,scatter,barrier"`
	Group      Val[string]   `yaml:"group" enum:"tp,dp,ep,dp_ep" doc:"dp_ep: the ranks that hold the same experts"`
	Bytes      Val[Bytes]    `yaml:"bytes" doc:"the whole buffer: the output of an all-gather, the input of the others"`
}

// Peer is a rank, or any of them.
type Peer int

// AnyPeer is written any.
const AnyPeer Peer = -1

// String is how YAML has it.
func (p Peer) String() string {
	if p == AnyPeer {
		return "any"
	}
	return intText(int(p))
}
