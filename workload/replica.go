package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// replica is one data-parallel copy of one pipeline stage: TP x CP ranks in
// lockstep, one process.
type replica struct {
	t    *Training
	s, d int
	st   *stage

	f, b, w    []pass // by chunk
	gather     sim.Time
	inF, inB   []sim.Event // by chunk*micro + micro-batch: arrived from the neighbour
	next, prev hop         // to the following and the preceding stage (cyclic)
	tp, cp     []groupPlan // groups that cross domains, one a lane
	ep         *collQueue  // shared by the replicas of an expert group
	epPeers    []hop       // from this replica to each other of its expert group

	slow     float64 // straggler factor
	rng      *rand.Rand
	ops      int // operations issued on the stage's queue
	epOps    int
	embedOps int
	lastOp   *sim.Event
	now      Breakdown // of this step
	waited   sim.Time  // for the pipeline, this step
	sum      Breakdown // over finished steps
	units    fsdp
	gathers  [][]*sim.Event // of parameters, by chunk and bucket, when they overlap the forward
}

// hop is how messages go from each rank of one replica to its counterpart in
// another.
type hop struct {
	remote [][2]fabric.NodeID
	inside *Scaleup // set if some pair shares a domain
}

// hopTo pairs the ranks of r with those of stage s, replica d.
func (t *Training) hopTo(r *replica, s, d int) (hop, error) {
	var h hop
	l := &t.layout
	for c := range l.p.CP {
		for tp := range l.p.TP {
			a, b := t.gpu(l.rank(tp, c, r.d, r.s)), t.gpu(l.rank(tp, c, d, s))
			ga, gb := &t.c.GPUs[a], &t.c.GPUs[b]
			switch {
			case t.domain[a] != t.domain[b]:
				if ga.NIC == gb.NIC {
					return h, fmt.Errorf("cluster: GPUs %d and %d share a NIC but no island: give the speed of the path between their islands", a, b)
				}
				h.remote = append(h.remote, [2]fabric.NodeID{ga.NIC, gb.NIC})
			case ga.Island != gb.Island:
				h.inside = &t.c.CrossIsland
			case h.inside == nil:
				h.inside = &t.c.Scaleup
			}
		}
	}
	return h, nil
}

// send moves bytes from every rank of h and lets done have its arrivals.
func (t *Training) send(h *hop, bytes int64, label string, done *sim.Event) {
	n := len(h.remote)
	if h.inside != nil {
		n++
	}
	done.Expect(n)
	if h.inside != nil {
		t.k.After(h.inside.send(bytes), func() { done.Arrive(t.k) })
	}
	if len(h.remote) == 0 {
		return
	}
	flows := make([]fabric.Flow, len(h.remote))
	for i, p := range h.remote {
		flows[i] = t.flow(p[0], p[1], bytes, label, done)
		flows[i].MaxRate = minRate(flows[i].MaxRate, t.j.Transport.PairRate)
	}
	t.net.StartGroup(flows)
}

func (t *Training) newReplica(s, d int) (*replica, error) {
	p := &t.j.Parallel
	r := &replica{t: t, s: s, d: d, st: &t.stages[s], slow: 1}
	var err error
	if p.PP > 1 {
		if r.next, err = t.hopTo(r, (s+1)%p.PP, d); err != nil {
			return nil, err
		}
		if r.prev, err = t.hopTo(r, (s+p.PP-1)%p.PP, d); err != nil {
			return nil, err
		}
	}
	typ := t.slowest(s, d)
	local := groupPlan{n: p.TP, local: &t.c.Scaleup, inside: &t.c.Scaleup, inner: p.TP}
	for c := range p.CP {
		var ranks []int
		for tp := range p.TP {
			ranks = append(ranks, t.layout.rank(tp, c, d, s))
		}
		pl := t.plan(t.gpus(ranks))
		if pl.local == nil || local.local == &t.c.Scaleup {
			local = pl
		}
		if p.TP > 1 && pl.local == nil {
			r.tp = append(r.tp, pl)
		}
	}
	if p.CP > 1 {
		for tp := range p.TP {
			var ranks []int
			for c := range p.CP {
				ranks = append(ranks, t.layout.rank(tp, c, d, s))
			}
			r.cp = append(r.cp, t.plan(t.gpus(ranks)))
		}
	}
	co := &coster{j: &t.j, g: typ, tp: &local, peak: typ.Peak[t.j.Precision], peak2: typ.Peak[t.j.Precision]}
	if t.j.Precision == "fp8" && typ.Peak["bf16"] > 0 {
		co.peak2 = typ.Peak["bf16"]
	}
	r.gather = co.gather()
	r.chunks(co)
	for _, x := range t.j.Stragglers {
		for c := range p.CP {
			for tp := range p.TP {
				if t.layout.rank(tp, c, d, s) == x.Rank {
					r.slow = max(r.slow, x.Factor)
				}
			}
		}
	}
	if t.j.Jitter > 0 {
		r.rng = sim.Stream(t.j.Seed, fmt.Sprintf("%s/jitter/%d/%d", t.j.Name, s, d))
	}
	n := p.VirtualStages * t.micro
	r.inF, r.inB = make([]sim.Event, n), make([]sim.Event, n)
	r.gathers = make([][]*sim.Event, p.VirtualStages)
	return r, t.expertGroup(r)
}

// slowest returns the type of the slowest GPU of a replica, which sets the pace
// of the ranks in lockstep.
func (t *Training) slowest(s, d int) *GPUType {
	var worst *GPUType
	for c := range t.j.Parallel.CP {
		for tp := range t.j.Parallel.TP {
			g := &t.c.Types[t.c.GPUs[t.gpu(t.layout.rank(tp, c, d, s))].Type]
			pace := g.Peak[t.j.Precision] * g.Efficiency
			if worst == nil || pace < worst.Peak[t.j.Precision]*worst.Efficiency {
				worst = g
			}
		}
	}
	return worst
}

// chunks fills in what the passes of each chunk cost.
func (r *replica) chunks(co *coster) {
	j := &r.t.j
	p := &j.Parallel
	split := p.Schedule == ZeroBubble
	for v := range p.VirtualStages {
		first, n := j.chunkLayers(v*p.PP + r.s)
		var f, b, w pass
		for i := first; i < first+n; i++ {
			lf, lb, lw := co.layer(i, split)
			f.add(lf)
			b.add(lb)
			w.add(lw)
		}
		if r.s == 0 && v == 0 {
			ef, eb := co.embedding()
			f.add(ef)
			b.add(eb)
		}
		if r.s == p.PP-1 && v == p.VirtualStages-1 {
			hf, hb := co.head()
			f.add(hf)
			b.add(hb)
		}
		r.f, r.b, r.w = append(r.f, f), append(r.b, b), append(r.w, w)
	}
}

func (r *replica) cost(a Action) *pass {
	switch a.Kind {
	case Forward:
		return &r.f[a.Chunk]
	case Backward:
		return &r.b[a.Chunk]
	default:
		return &r.w[a.Chunk]
	}
}

// input returns the event that an action waits for, nil if it needs nothing
// from another stage.
func (r *replica) input(a Action) *sim.Event {
	p := &r.t.j.Parallel
	i := int(a.Chunk)*r.t.micro + int(a.Micro)
	switch {
	case a.Kind == Forward && (r.s > 0 || a.Chunk > 0) && p.PP > 1:
		return &r.inF[i]
	case a.Kind == Backward && (r.s < p.PP-1 || int(a.Chunk) < p.VirtualStages-1) && p.PP > 1:
		return &r.inB[i]
	}
	return nil
}

// deliver sends the output of an action on and returns the event of its
// arrival; nil if it goes nowhere.
func (r *replica) deliver(a Action) *sim.Event {
	t, p := r.t, &r.t.j.Parallel
	i := int(a.Micro)
	switch {
	case p.PP == 1 || a.Kind == WeightGrad:
		return nil
	case a.Kind == Forward:
		c := int(a.Chunk)
		if r.s == p.PP-1 {
			if c++; c == p.VirtualStages {
				return nil
			}
		}
		ev := &t.replica((r.s+1)%p.PP, r.d).inF[c*t.micro+i]
		t.send(&r.next, t.j.boundaryBytes(), "pp_forward", ev)
		return ev
	default:
		c := int(a.Chunk)
		if r.s == 0 {
			if c--; c < 0 {
				return nil
			}
		}
		ev := &t.replica((r.s+p.PP-1)%p.PP, r.d).inB[c*t.micro+i]
		t.send(&r.prev, t.j.boundaryBytes(), "pp_backward", ev)
		return ev
	}
}

// stretch returns by how much an action of nominal length d takes longer: a
// straggler's factor, and jitter drawn from a half-normal.
func (r *replica) stretch(d sim.Time) sim.Time {
	f := r.slow
	if r.rng != nil {
		f += r.t.j.Jitter * math.Abs(r.rng.NormFloat64())
	}
	if f == 1 {
		return 0
	}
	return toTime(float64(d) * (f - 1))
}

// wait waits for ev and adds the time to bucket.
func (r *replica) wait(p *sim.Proc, ev *sim.Event, bucket *sim.Time) {
	if ev.Fired() {
		return
	}
	t0 := p.Now()
	p.Wait(ev)
	*bucket += p.Now() - t0
}

// sleep lets d pass.
func (r *replica) sleep(p *sim.Proc, d sim.Time) {
	if d > 0 {
		p.Sleep(d)
	}
}

func (r *replica) span(kind SpanKind, micro int32, from, to sim.Time) {
	t := r.t
	if r.d >= t.j.TimelineReplicas || len(t.results) != t.j.Steps-1 || len(t.timeline) >= t.spans || to == from {
		return
	}
	t.timeline = append(t.timeline, Span{Kind: kind, Stage: int32(r.s), Replica: int32(r.d), Micro: micro, Start: from, End: to})
}
