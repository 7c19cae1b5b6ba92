package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// Kind is what an operation does.
type Kind string

// The kinds of operation.
const (
	Compute    Kind = "compute"
	Send       Kind = "send"
	Recv       Kind = "recv"
	Collective Kind = "collective"
	Memory     Kind = "memory" // access to memory: Bytes at the rate of the GPU's HBM, unless Time is given
	Nothing    Kind = "nothing"
)

// Any stands for every rank (Op.Peer) and every tag (Op.Tag).
const Any = -1

// Op is one operation of one rank.
type Op struct {
	Rank int
	Name string // label in messages; may be empty
	Kind Kind
	Time sim.Time // of Compute and Memory
	// Bytes of a message, of an access, or of a rank's input to a collective.
	Bytes int64
	Peer  int   // the other rank of Send and Recv; Recv takes Any
	Tag   int64 // of Send and Recv; Any matches every tag
	// Stream serialises computation and memory accesses of a rank.
	Stream int
	NIC    int // of Send: NICs to count on from the rank's own
	// Op and Group of Collective. Members of a group are the ranks that use its
	// name; "" is all ranks of the trace.
	Collective workload.Collective
	Group      string
	// Root is the rank that Broadcast and Scatter go out from and Reduce and
	// Gather go to; nil: as workload.Collective says.
	Root *int
	// Split is what an AllToAll sends to each rank of the group, in the order of
	// their numbers; it adds up to Bytes. Empty: an equal part to each.
	Split []int64
	// After and AfterStart are operations (indices into Job.Ops) that must have
	// ended, or begun, before this one begins.
	After, AfterStart []int
}

// Job is a trace and where it runs.
type Job struct {
	Name      string
	Format    string // as results print it
	Ranks     int
	Ops       []Op
	GPUs      []int // of each rank; nil: rank r runs on GPU r
	Transport workload.Transport
	Repeat    int // how often the trace runs, one after the other; 0 counts as 1
	// Eager is the largest message whose bytes leave before its receive has
	// begun; a larger one waits for it. 0 takes DefaultEager.
	Eager int64
}

// DefaultEager is what NCCL's buffers of one channel take of a send whose
// receive is not there: NCCL_STEPS of NCCL_P2P_NET_CHUNKSIZE, 8 times 128 KiB
// (v2.27.7 src/include/device.h, src/init.cc).
const DefaultEager = 1 << 20

func (j *Job) eager() int64 {
	if j.Eager > 0 {
		return j.Eager
	}
	return DefaultEager
}

// OpError is an operation that cannot be.
type OpError struct {
	Op  int // index into Job.Ops
	Msg string
}

func (e *OpError) Error() string { return fmt.Sprintf("operation %d: %s", e.Op, e.Msg) }

// kind says what an operation does: its kind, or the collective.
func (j *Job) kind(i int) string {
	if o := &j.Ops[i]; o.Kind != Collective {
		return string(o.Kind)
	}
	return string(j.Ops[i].Collective)
}

// label names an operation in messages.
func (j *Job) label(i int) string {
	o := &j.Ops[i]
	what := j.kind(i)
	if o.Name != "" {
		return what + " " + o.Name
	}
	return fmt.Sprintf("%s (operation %d)", what, i)
}

// validate reports the first operation that cannot be.
func (j *Job) validate() error {
	known := workload.Collectives()
	for i := range j.Ops {
		o := &j.Ops[i]
		bad := func(format string, args ...any) error { return &OpError{i, fmt.Sprintf(format, args...)} }
		if o.Rank < 0 || o.Rank >= j.Ranks {
			return bad("rank %d does not exist, there are %d, counted from 0", o.Rank, j.Ranks)
		}
		if o.Time < 0 || o.Bytes < 0 || o.Stream < 0 || o.NIC < 0 || o.Tag < Any {
			return bad("%s has a negative time, size, stream, NIC or tag", j.label(i))
		}
		switch o.Kind {
		case Compute, Memory, Nothing:
		case Send, Recv:
			if o.Kind == Send && o.Peer == Any {
				return bad("%s goes to any rank; only a recv may leave the other end open", j.label(i))
			}
			if o.Peer < Any || o.Peer >= j.Ranks {
				return bad("%s names rank %d, there are %d, counted from 0", j.label(i), o.Peer, j.Ranks)
			}
		case Collective:
			if !slices.Contains(known, o.Collective) {
				return bad("collective %q is not played, only %s", o.Collective, played())
			}
			if o.Root != nil && !slices.Contains(rooted, o.Collective) {
				return bad("%s has a root; only broadcast, reduce, gather and scatter do", j.label(i))
			}
			if err := o.split(); err != "" {
				return bad("%s %s", j.label(i), err)
			}
		default:
			return bad("kind %q is not known", o.Kind)
		}
		for _, list := range [][]int{o.After, o.AfterStart} {
			for _, d := range list {
				if d < 0 || d >= len(j.Ops) {
					return bad("%s comes after operation %d, which does not exist", j.label(i), d)
				}
			}
		}
	}
	if i := j.cycle(); i >= 0 {
		return &OpError{i, j.label(i) + " waits for itself: what it comes after forms a cycle"}
	}
	return nil
}

// rooted are the collectives with a root.
var rooted = []workload.Collective{workload.Broadcast, workload.Reduce, workload.Gather, workload.Scatter}

// split says what is wrong with the split of an operation; "" if nothing is.
func (o *Op) split() string {
	if len(o.Split) == 0 {
		return ""
	}
	if o.Collective != workload.AllToAll {
		return "is split by rank; only all_to_all is"
	}
	var sum int64
	for _, b := range o.Split {
		if b < 0 {
			return "is split into a negative part"
		}
		sum += b
	}
	if sum != o.Bytes {
		return fmt.Sprintf("is split into parts of %d B in all, but has %d", sum, o.Bytes)
	}
	return ""
}

// cycle returns an operation that waits for itself, -1 if none does.
func (j *Job) cycle() int {
	wait := make([]int32, len(j.Ops))
	next := make([][]int, len(j.Ops))
	var ready []int
	for i := range j.Ops {
		o := &j.Ops[i]
		wait[i] = int32(len(o.After) + len(o.AfterStart))
		for _, d := range o.After {
			next[d] = append(next[d], i)
		}
		for _, d := range o.AfterStart {
			next[d] = append(next[d], i)
		}
		if wait[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, d := range next[i] {
			if wait[d]--; wait[d] == 0 {
				ready = append(ready, d)
			}
		}
	}
	return slices.IndexFunc(wait, func(w int32) bool { return w > 0 })
}

// played lists the collectives for messages.
func played() string {
	var names []string
	for _, c := range workload.Collectives() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

func (j *Job) gpu(rank int) int {
	if j.GPUs == nil {
		return rank
	}
	return j.GPUs[rank]
}
