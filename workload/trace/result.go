package trace

import "github.com/simnet/simnet/sim"

// Player is a trace that runs.
type Player interface {
	// Start begins the job at the kernel's now.
	Start()
	// Result returns what has been measured so far.
	Result() Result
	// Stuck says, once nothing is left to happen, what each unfinished rank
	// waits for, at most n of them; nil if the job is done.
	Stuck(n int) []string
}

// Result is what a trace's run gave.
type Result struct {
	Job, Format string
	Ranks, Ops  int        // Ops counts the operations of all ranks in one run
	Makespans   []sim.Time // of each run
	Breakdown   Breakdown  // mean over ranks and runs; adds up to the mean makespan
	// Overlapped is communication that ran under computation, mean likewise; it
	// is part of Breakdown.Compute.
	Overlapped sim.Time
	Messages   int64 // sent
	Bytes      int64 // of messages, and of collectives as issued by each rank
	Unfinished bool
	Warnings   []string
	// Timeline holds what the first ranks did in the last run, in the order of
	// its end, bounded.
	Timeline []Span
}

// Span is one bar of the timeline: an operation, or a phase of a layer.
type Span struct {
	Rank       int
	Kind       string // compute, send, recv, memory, or the collective
	Name       string
	Start, End sim.Time
}

// Bounds of the timeline: what a viewer still shows smoothly.
const (
	timelineRanks = 64
	timelineSpans = 50_000
)

// timeline collects spans of the current run.
type timeline []Span

func (t *timeline) add(s Span) {
	if s.Rank < timelineRanks && len(*t) < timelineSpans && s.End > s.Start {
		*t = append(*t, s)
	}
}

// Breakdown splits a rank's time. A graph of operations fills Compute, Comm and
// Idle; layers fill the others.
type Breakdown struct {
	Compute sim.Time // something computes
	Comm    sim.Time // waiting for messages or collectives
	TPComm  sim.Time // by the group of the collective
	EPComm  sim.Time
	DPComm  sim.Time
	PPComm  sim.Time // messages between stages
	Bubble  sim.Time // of the pipeline
	Idle    sim.Time // nothing runs and nothing is waited for, or the rank is done
}

// Total returns the sum of the parts.
func (b Breakdown) Total() sim.Time {
	return b.Compute + b.Comm + b.TPComm + b.EPComm + b.DPComm + b.PPComm + b.Bubble + b.Idle
}

func (b *Breakdown) add(o Breakdown) {
	b.Compute += o.Compute
	b.Comm += o.Comm
	b.TPComm += o.TPComm
	b.EPComm += o.EPComm
	b.DPComm += o.DPComm
	b.PPComm += o.PPComm
	b.Bubble += o.Bubble
	b.Idle += o.Idle
}

// mean divides a sum over n spans that makes up total each on average; what
// rounding drops goes to Idle.
func (b Breakdown) mean(n int64, total sim.Time) Breakdown {
	if n == 0 {
		return Breakdown{}
	}
	d := sim.Time(n)
	m := Breakdown{Compute: b.Compute / d, Comm: b.Comm / d, TPComm: b.TPComm / d, EPComm: b.EPComm / d, DPComm: b.DPComm / d,
		PPComm: b.PPComm / d, Bubble: b.Bubble / d}
	m.Idle = total - m.Total()
	return m
}

// mean returns the mean of makespans, rounded down.
func mean(t []sim.Time) sim.Time {
	if len(t) == 0 {
		return 0
	}
	var sum sim.Time
	for _, x := range t {
		sum += x
	}
	return sum / sim.Time(len(t))
}
