package workload

import "github.com/simnet/simnet/sim"

// Breakdown splits a span of one rank's time by what it waited for or did.
// The parts add up to the step time.
type Breakdown struct {
	Compute       sim.Time // forward, backward, recomputation, optimizer
	TPComm        sim.Time // exposed tensor- and sequence-parallel collectives
	PPComm        sim.Time // waiting for pipeline transfers beyond the bubble
	PPBubble      sim.Time // idle because of the schedule
	DPCommExposed sim.Time // data-parallel collectives not hidden by compute
	EPComm        sim.Time // expert-parallel all-to-all, exposed
	CPComm        sim.Time // context-parallel exchange, exposed
	Other         sim.Time // launch overheads, stragglers, anything else
}

// Total returns the sum of the parts.
func (b Breakdown) Total() sim.Time {
	return b.Compute + b.TPComm + b.PPComm + b.PPBubble + b.DPCommExposed + b.EPComm + b.CPComm + b.Other
}

// StageResult is the mean over the data-parallel replicas of one pipeline
// stage.
type StageResult struct {
	Stage     int
	Breakdown Breakdown
}

// SpanKind names what a Span shows.
type SpanKind string

// Kinds of span in a timeline.
const (
	SpanForward   SpanKind = "forward"
	SpanBackward  SpanKind = "backward"
	SpanWeight    SpanKind = "weight_grad" // zero-bubble schedules split the backward
	SpanRecompute SpanKind = "recompute"
	SpanWait      SpanKind = "wait"
	SpanDP        SpanKind = "dp_comm"
	SpanOptimizer SpanKind = "optimizer"
	SpanComm      SpanKind = "comm"
)

// Span is one bar of the timeline.
type Span struct {
	Kind       SpanKind
	Stage      int32
	Replica    int32 // data-parallel replica
	Micro      int32 // micro-batch, -1 if none
	Start, End sim.Time
}

// Result is what one job's run gave.
type Result struct {
	Job        string
	Steps      []sim.Time    // duration of each step
	Breakdown  Breakdown     // mean over ranks, of one step (mean over steps)
	Stages     []StageResult // one a pipeline stage, same averaging
	Timeline   []Span        // of the last step, replicas 0 (and more if asked)
	Unfinished bool

	TokensPerStep int64
	ModelFLOPs    float64 // per step, whole job, without recomputation
	HardwareFLOPs float64 // per step, with recomputation
	PeakFLOPs     float64 // of all the job's GPUs, FLOP/s
	GPUs          int
}
