package trace

import (
	"fmt"
	"maps"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// Graph plays a graph of operations as a state machine on the kernel's events:
// no processes, one counter an operation.
//
// The bytes of a send leave when it begins, those of one above Job.Eager once
// the receive that they are for has begun too; it ends when they have arrived.
// A receive ends when it has begun and its message has arrived. Messages of one
// source, destination and tag are matched in the order in which they were sent.
type Graph struct {
	k     *sim.Kernel
	c     *workload.Cluster
	mover *workload.Mover
	j     Job

	onEnd, onStart  [][]int32 // by operation: those that come after it
	wait            []int32   // by operation: what must happen before it begins
	state           []uint8
	started         []sim.Time // by operation
	spans           timeline
	left            int // operations of this run that have not ended
	runs            int
	began           sim.Time
	ranks           []rank
	comms           map[string]*groupComm
	queue           []int32 // ready operations that have not begun
	draining        bool
	makespans       []sim.Time
	sum             Breakdown
	overlapped      sim.Time
	messages, bytes int64
	short           int // receives of fewer bytes than were sent
	firstShort      int
}

const (
	opWaiting uint8 = iota
	opReady         // in a stream's queue
	opRunning
	opDone
)

type rank struct {
	box       mailbox
	streams   map[int]*stream
	computing int // operations that compute
	talking   int // operations that communicate
	since     sim.Time
	now       Breakdown // of this run
	overlap   sim.Time
}

type stream struct {
	busy bool
	next []int32
}

// New returns a player of j over net. The error is an *OpError where one
// operation is at fault.
func New(k *sim.Kernel, net fabric.Network, c *workload.Cluster, j Job) (*Graph, error) {
	if err := j.validate(); err != nil {
		return nil, err
	}
	m, err := workload.NewMover(k, net, c, j.Name, j.Transport)
	if err != nil {
		return nil, err
	}
	if n := len(c.GPUs); j.GPUs == nil && j.Ranks > n {
		return nil, fmt.Errorf("trace: %d ranks on %d GPUs", j.Ranks, n)
	}
	g := &Graph{k: k, c: c, mover: m, j: j, ranks: make([]rank, j.Ranks), comms: map[string]*groupComm{}, firstShort: -1}
	g.onEnd, g.onStart = make([][]int32, len(j.Ops)), make([][]int32, len(j.Ops))
	members := map[string][]int{}
	for i := range j.Ops {
		o := &j.Ops[i]
		for _, d := range o.After {
			g.onEnd[d] = append(g.onEnd[d], int32(i))
		}
		for _, d := range o.AfterStart {
			g.onStart[d] = append(g.onStart[d], int32(i))
		}
		switch o.Kind {
		case Send:
			if err := m.Reach(j.gpu(o.Rank), j.gpu(o.Peer)); err != nil {
				return nil, err
			}
		case Collective:
			if !slices.Contains(members[o.Group], o.Rank) {
				members[o.Group] = append(members[o.Group], o.Rank)
			}
		}
	}
	if _, all := members[""]; all {
		members[""] = nil
		for r := range j.Ranks {
			members[""] = append(members[""], r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		ranks := members[name]
		slices.Sort(ranks)
		gc := &groupComm{member: map[int]int{}}
		gpus := make([]int, len(ranks))
		for i, r := range ranks {
			gc.member[r], gpus[i] = i, j.gpu(r)
		}
		if gc.comm, err = m.Comm(len(ranks), gpus); err != nil {
			return nil, err
		}
		g.comms[name] = gc
	}
	for i := range j.Ops {
		if err := g.shares(i); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Start implements Player.
func (g *Graph) Start() {
	g.began = g.k.Now()
	g.left = len(g.j.Ops)
	g.wait, g.state = make([]int32, len(g.j.Ops)), make([]uint8, len(g.j.Ops))
	g.started, g.spans = make([]sim.Time, len(g.j.Ops)), g.spans[:0]
	for r := range g.ranks {
		x := &g.ranks[r]
		x.streams, x.since, x.now, x.overlap = map[int]*stream{}, g.began, Breakdown{}, 0
	}
	for i := range g.j.Ops {
		o := &g.j.Ops[i]
		if g.wait[i] = int32(len(o.After) + len(o.AfterStart)); g.wait[i] == 0 {
			g.queue = append(g.queue, int32(i))
		}
	}
	if g.left == 0 {
		g.k.After(0, g.finish)
		return
	}
	g.drain()
}

// drain begins what is ready, in the order in which it became so. What that
// makes ready in turn is appended, so that long chains do not nest.
func (g *Graph) drain() {
	if g.draining {
		return
	}
	g.draining = true
	for n := 0; n < len(g.queue); n++ {
		g.ready(int(g.queue[n]))
	}
	g.queue, g.draining = g.queue[:0], false
}

// ready lets an operation begin, or queues it on its stream.
func (g *Graph) ready(i int) {
	o := &g.j.Ops[i]
	if o.Kind != Compute && o.Kind != Memory {
		g.begin(i)
		return
	}
	s := g.ranks[o.Rank].streams[o.Stream]
	if s == nil {
		s = &stream{}
		g.ranks[o.Rank].streams[o.Stream] = s
	}
	if s.busy {
		g.state[i] = opReady
		s.next = append(s.next, int32(i))
		return
	}
	s.busy = true
	g.begin(i)
}

func (g *Graph) begin(i int) {
	o := &g.j.Ops[i]
	g.state[i] = opRunning
	g.started[i] = g.k.Now()
	g.count(i, 1)
	g.release(g.onStart[i])
	gpu := g.j.gpu(o.Rank)
	switch o.Kind {
	case Compute:
		g.k.After(o.Time, func() { g.computed(i) })
	case Memory:
		d := o.Time
		if d == 0 {
			d = g.c.Types[g.c.GPUs[gpu].Type].MemoryBW.TxTime(o.Bytes)
		}
		g.k.After(d, func() { g.computed(i) })
	case Send:
		g.send(i)
	case Recv:
		g.receive(i)
	case Collective:
		g.collective(i)
	default:
		g.end(i)
	}
}

// computed ends a computation and begins the next of its stream.
func (g *Graph) computed(i int) {
	o := &g.j.Ops[i]
	s := g.ranks[o.Rank].streams[o.Stream]
	g.end(i)
	if len(s.next) > 0 {
		n := s.next[0]
		s.next = s.next[1:]
		g.begin(int(n))
		g.drain()
		return
	}
	s.busy = false
	g.drain()
}

// end marks an operation as ended; the caller drains the queue afterwards.
func (g *Graph) end(i int) {
	g.state[i] = opDone
	g.spans.add(Span{g.j.Ops[i].Rank, g.j.kind(i), g.j.label(i), g.started[i], g.k.Now()})
	g.count(i, -1)
	g.release(g.onEnd[i])
	if g.left--; g.left == 0 {
		g.finish()
	}
}

// release counts one event off each of ops and queues those that are ready.
func (g *Graph) release(ops []int32) {
	for _, d := range ops {
		if g.wait[d]--; g.wait[d] == 0 {
			g.queue = append(g.queue, d)
		}
	}
}

// finish ends one run of the trace and begins the next.
func (g *Graph) finish() {
	g.makespans = append(g.makespans, g.k.Now()-g.began)
	for r := range g.ranks {
		x := &g.ranks[r]
		g.book(x)
		g.sum.add(x.now)
		g.overlapped += x.overlap
	}
	if g.runs++; g.runs < g.j.Repeat {
		g.k.After(0, g.Start)
	}
}

// Result implements Player.
func (g *Graph) Result() Result {
	n := int64(len(g.makespans) * g.j.Ranks)
	r := Result{Job: g.j.Name, Format: g.j.Format, Ranks: g.j.Ranks, Ops: len(g.j.Ops), Makespans: g.makespans, Messages: g.messages, Bytes: g.bytes,
		Breakdown: g.sum.mean(n, mean(g.makespans)), Unfinished: g.runs < max(1, g.j.Repeat)}
	if n > 0 {
		r.Overlapped = g.overlapped / sim.Time(n)
	}
	r.Warnings, r.Timeline = g.leftovers(), g.spans
	return r
}
