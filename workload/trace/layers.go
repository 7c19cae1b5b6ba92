package trace

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// LayerPlayer plays Layers: one process for the ranks of a tensor-parallel
// group, which move in lockstep.
type LayerPlayer struct {
	k         *sim.Kernel
	mover     *workload.Mover
	l         Layers
	blocks    []*block
	gate      []sim.Event // end of each iteration
	makespans []sim.Time
	sum       Breakdown
	messages  int64
	bytes     int64
	spans     timeline
	micro     microRows
	passed    map[boundary]*passing
}

// block is the tensor-parallel group of stage s, replica d.
type block struct {
	p     *LayerPlayer
	s, d  int
	gpus  []int
	comms map[string]member
	now   Breakdown
	at    string // what it is at, for messages
}

type member struct {
	comm *workload.Comm
	i    int
}

// NewLayers returns a player of l over net.
func NewLayers(k *sim.Kernel, net fabric.Network, c *workload.Cluster, l Layers) (*LayerPlayer, error) {
	par := &l.Parallel
	for _, d := range []*int{&par.TP, &par.PP, &par.DP, &par.EP, &l.MicroBatches, &l.Repeat} {
		*d = max(1, *d)
	}
	if par.DP%par.EP != 0 {
		return nil, fmt.Errorf("parallel.ep: %d does not divide dp %d", par.EP, par.DP)
	}
	if err := l.validate(); err != nil {
		return nil, err
	}
	if n := par.TP * par.PP * par.DP; l.GPUs == nil && n > len(c.GPUs) {
		return nil, fmt.Errorf("trace: %d ranks on %d GPUs", n, len(c.GPUs))
	}
	m, err := workload.NewMover(k, net, c, l.Name, l.Transport)
	if err != nil {
		return nil, err
	}
	p := &LayerPlayer{k: k, mover: m, l: l, gate: make([]sim.Event, l.Repeat), micro: findMicroRows(l.Rows, l.MicroBatches), passed: map[boundary]*passing{}}
	for s := range par.PP {
		for d := range par.DP {
			b := &block{p: p, s: s, d: d, comms: map[string]member{}}
			for t := range par.TP {
				b.gpus = append(b.gpus, p.gpu(t, d, s))
			}
			p.blocks = append(p.blocks, b)
		}
	}
	for s := range par.PP {
		var all []int
		for d := range par.DP {
			all = append(all, d)
			if err := p.join(TP, s, []int{d}, true); err != nil {
				return nil, err
			}
		}
		if err := p.join(DP, s, all, false); err != nil {
			return nil, err
		}
		for first := 0; first < par.DP; first += par.EP {
			if err := p.join(EP, s, all[first:first+par.EP], false); err != nil {
				return nil, err
			}
		}
		for e := range par.EP {
			var same []int
			for d := e; d < par.DP; d += par.EP {
				same = append(same, d)
			}
			if err := p.join(DPEP, s, same, false); err != nil {
				return nil, err
			}
		}
		if s+1 < par.PP && l.PPBytes > 0 {
			for d := range par.DP {
				for t := range par.TP {
					if err := m.Reach(p.gpu(t, d, s), p.gpu(t, d, s+1)); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return p, nil
}

// gpu returns the GPU at coordinates: ranks are numbered tp-dp-pp.
func (p *LayerPlayer) gpu(t, d, s int) int {
	r := (s*p.l.Parallel.DP+d)*p.l.Parallel.TP + t
	if p.l.GPUs == nil {
		return r
	}
	return p.l.GPUs[r]
}

func (p *LayerPlayer) block(s, d int) *block { return p.blocks[s*p.l.Parallel.DP+d] }

// join makes a communicator of replicas ds of stage s: one group over the
// tensor ranks of a single one, or a group a tensor rank over them all.
func (p *LayerPlayer) join(name string, s int, ds []int, tensor bool) error {
	var groups [][]int
	if tensor {
		groups = [][]int{p.block(s, ds[0]).gpus}
	} else {
		for t := range p.l.Parallel.TP {
			var g []int
			for _, d := range ds {
				g = append(g, p.gpu(t, d, s))
			}
			groups = append(groups, g)
		}
	}
	c, err := p.mover.Comm(len(ds), groups...)
	if err != nil {
		return err
	}
	for i, d := range ds {
		p.block(s, d).comms[name] = member{c, i}
	}
	return nil
}

// Start implements Player.
func (p *LayerPlayer) Start() {
	for i := range p.gate {
		p.gate[i].Expect(len(p.blocks))
	}
	for _, b := range p.blocks {
		p.k.Go(fmt.Sprintf("%s/stage%d/replica%d", p.l.Name, b.s, b.d), b.run)
	}
}

func (b *block) run(p *sim.Proc) {
	for i := range b.p.l.Repeat {
		began := p.Now()
		b.now = Breakdown{}
		if b.s == 0 && b.d == 0 {
			b.p.spans = b.p.spans[:0]
		}
		idle := &b.now.Idle
		if b.p.Scheduled() { // what a stage waits for at the end is the pipeline's drain
			b.pipeline(p, i)
			idle = &b.now.Bubble
		} else {
			b.iterate(p)
		}
		b.at = "the end of the iteration"
		gate := &b.p.gate[i]
		if gate.Arrive(b.p.k); gate.Fired() {
			b.p.makespans = append(b.p.makespans, p.Now()-began)
		}
		b.wait(p, gate, idle)
		b.p.sum.add(b.now)
	}
}

// pass sends the boundary of all micro-batches to the neighbouring stage, if
// there is one, and waits until it has arrived there.
func (b *block) pass(p *sim.Proc, to int) {
	l := &b.p.l
	if to < 0 || to >= l.Parallel.PP || l.PPBytes == 0 {
		return
	}
	label := "pp_forward"
	if to < b.s {
		label = "pp_backward"
	}
	done := sim.NewEvent(len(b.gpus))
	for t, g := range b.gpus {
		bytes := l.PPBytes * int64(l.MicroBatches)
		b.p.messages++
		b.p.bytes += bytes
		b.p.mover.Send(g, b.p.gpu(t, b.d, to), bytes, 0, label, done)
	}
	b.at = label
	b.wait(p, done, &b.now.PPComm)
}

func (b *block) part(group string) *sim.Time {
	switch group {
	case TP:
		return &b.now.TPComm
	case EP:
		return &b.now.EPComm
	}
	return &b.now.DPComm
}

func (b *block) wait(p *sim.Proc, ev *sim.Event, to *sim.Time) {
	if ev.Fired() {
		return
	}
	t0 := p.Now()
	p.Wait(ev)
	*to += p.Now() - t0
	b.span("wait", b.at, t0, p.Now())
}

// Result implements Player.
func (p *LayerPlayer) Result() Result {
	n := int64(len(p.makespans) * len(p.blocks))
	ops := 0
	for i := range p.l.Rows {
		for _, ph := range []*Phase{&p.l.Rows[i].Forward, &p.l.Rows[i].InputGrad, &p.l.Rows[i].WeightGrad} {
			if ops++; ph.Collective != "" {
				ops++
			}
		}
	}
	ranks := len(p.blocks) * p.l.Parallel.TP
	return Result{Job: p.l.Name, Format: "simai", Ranks: ranks, Ops: ops * ranks, Makespans: p.makespans, Messages: p.messages, Bytes: p.bytes,
		Breakdown: p.sum.mean(n, mean(p.makespans)), Unfinished: len(p.makespans) < p.l.Repeat,
		Timeline: p.spans}
}

// Stuck implements Player.
func (p *LayerPlayer) Stuck(n int) []string {
	if len(p.makespans) == p.l.Repeat {
		return nil
	}
	var out []string
	for _, b := range p.blocks {
		if len(out) < n {
			out = append(out, fmt.Sprintf("rank %d waits in %s", (b.s*p.l.Parallel.DP+b.d)*p.l.Parallel.TP, b.at))
		}
	}
	return out
}
