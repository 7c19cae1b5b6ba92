package trace

import (
	"fmt"
	"slices"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// Layers is a SimAI workload: the rows that every GPU runs in one iteration,
// all its micro-batches among them (AICB writes them out one after the other).
type Layers struct {
	Name     string
	Parallel workload.Parallel // TP, PP, DP, EP; EP divides DP
	Rows     []Row
	// MicroBatches is how many micro-batches the rows hold. With several stages
	// these run by 1F1B if the rows repeat as often; if not, a bubble of
	// (PP-1)/MicroBatches of what the rows take without data-parallel
	// communication follows them, as SimAI's analytical mode has it. 0 counts as
	// 1.
	MicroBatches int
	PPBytes      int64 // between neighbouring stages, a GPU, micro-batch and direction
	GPUs         []int // of each rank in Megatron-LM's order; nil: rank r runs on GPU r
	Transport    workload.Transport
	Repeat       int // iterations; 0 counts as 1
}

// Row is one layer. An iteration runs all Forward from the first row to the
// last, then for each row from the last to the first InputGrad and WeightGrad.
// Collectives of Forward and InputGrad are waited for, those of WeightGrad at
// the end of the iteration, before the updates.
type Row struct {
	Name                           string
	Forward, InputGrad, WeightGrad Phase
	Update                         sim.Time // of the weights, after their gradients' collective
}

// Phase is computation and then a collective; "" is none.
type Phase struct {
	Time       sim.Time
	Collective workload.Collective
	Group      string // "tp", "dp", "ep", or "dp_ep": the ranks that hold the same experts
	// Bytes is the whole buffer: the output of an all-gather, the input of the
	// others.
	Bytes int64
}

// Groups of a Phase.
const (
	TP   = "tp"
	DP   = "dp"
	EP   = "ep"
	DPEP = "dp_ep"
)

// validate reports the first phase that cannot be.
func (l *Layers) validate() error {
	for i := range l.Rows {
		r := &l.Rows[i]
		for _, ph := range []*Phase{&r.Forward, &r.InputGrad, &r.WeightGrad} {
			switch {
			case ph.Time < 0 || ph.Bytes < 0 || r.Update < 0:
				return fmt.Errorf("row %d (%s): negative time or size", i, r.Name)
			case ph.Collective != "" && !slices.Contains(workload.Collectives(), ph.Collective):
				return fmt.Errorf("row %d (%s): collective %q is not played, only %s", i, r.Name, ph.Collective, played())
			case ph.Collective != "" && ph.Group != TP && ph.Group != DP && ph.Group != EP && ph.Group != DPEP:
				return fmt.Errorf("row %d (%s): group %q is none of tp, dp, ep, dp_ep", i, r.Name, ph.Group)
			}
		}
	}
	return nil
}
