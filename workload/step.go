package workload

import "github.com/simnet/simnet/sim"

// run is the process of one replica.
func (r *replica) run(p *sim.Proc) {
	for step := range r.t.j.Steps {
		r.step(p, step)
	}
}

// step runs one training step: the pipeline, the reduction of gradients, the
// optimizer, and the gathering of parameters that it sharded.
func (r *replica) step(p *sim.Proc, step int) {
	t := r.t
	start := p.Now()
	r.now, r.waited = Breakdown{}, 0
	r.gatherAhead(p)
	for i := range r.st.actions {
		a := r.st.actions[i]
		if ev := r.input(a); ev != nil {
			t0 := p.Now()
			r.wait(p, ev, &r.waited)
			r.span(SpanWait, a.Micro, t0, p.Now())
		}
		steady := i >= r.st.steady[0] && i <= r.st.steady[1]
		r.execute(p, a, steady && t.j.Parallel.OverlapP2P && t.j.Parallel.PP > 1)
		if sent := r.deliver(a); sent != nil && !t.j.Parallel.OverlapP2P {
			t0 := p.Now()
			r.wait(p, sent, &r.waited)
			r.span(SpanComm, a.Micro, t0, p.Now())
		}
	}
	for i := range r.inF {
		r.inF[i], r.inB[i] = sim.Event{}, sim.Event{}
	}
	r.reduceRest(p)
	r.reduceEmbedding(p)

	g := &t.barrier[step]
	if g.joined++; g.joined == len(t.replicas) {
		g.lateDP = r.now.DPCommExposed
	}
	g.norm.Arrive(t.k)
	var idle sim.Time
	t0 := p.Now()
	r.wait(p, &g.norm, &idle)
	r.span(SpanWait, -1, t0, p.Now())

	t0 = p.Now()
	d := r.optimizer()
	r.sleep(p, d)
	r.now.Compute += d
	r.sleep(p, t.j.StepOverhead)
	r.now.Other += t.j.StepOverhead
	r.span(SpanOptimizer, -1, t0, p.Now())
	r.gatherAfter(p)

	if g.end.Arrive(t.k); !g.end.Fired() {
		r.wait(p, &g.end, &r.now.Other)
	} else {
		t.results = append(t.results, p.Now()-start)
	}
	r.split(idle, g.lateDP)
	r.sum.add(r.now)
}

// split attributes the time waited in the pipeline, and at the gate after it,
// to what caused it: the schedule's own bubble first; then, at the gate, the
// exposed reduction of the stage that came last; the rest is transfers between
// stages.
func (r *replica) split(atGate, lateDP sim.Time) {
	bubble := min(r.waited+atGate, r.st.idle)
	rest := r.waited + atGate - bubble
	dp := min(rest, atGate, lateDP)
	r.now.PPBubble += bubble
	r.now.DPCommExposed += dp
	r.now.PPComm += rest - dp
}

var spanOf = [...]SpanKind{Forward: SpanForward, Backward: SpanBackward, WeightGrad: SpanWeight}

// execute runs the computation of an action and the collectives inside it.
// pending says that a transfer between stages is in progress meanwhile.
func (r *replica) execute(p *sim.Proc, a Action, pending bool) {
	c := r.cost(a)
	t0 := p.Now()
	cp := r.contextExchange(c)
	var ep *sim.Event
	if r.t.j.Parallel.OverlapEP {
		ep = r.expertExchange(c)
	}
	if a.Kind == Forward && a.Chunk|int16(r.s) != 0 && r.gather > 0 {
		r.sleep(p, r.gather)
		r.now.TPComm += r.gather
	}
	extra := r.stretch(c.compute)
	r.now.Compute += c.compute
	r.now.Other += c.launch + extra
	r.now.TPComm += c.tp
	total := c.alone() + extra
	if lost := r.t.j.P2PContention; pending && lost > 0 {
		slow := toTime(float64(c.compute) * lost / (1 - lost))
		r.now.PPComm += slow
		total += slow
	}
	switch {
	case r.t.j.Parallel.ZeRO == 3:
		r.units.run(p, r, a, total)
	case a.Kind == Forward && len(r.gathers[a.Chunk]) > 0:
		r.gathered(p, int(a.Chunk), total)
	case r.t.j.Parallel.OverlapGrad && r.lastGradient(a):
		r.overlapped(p, int(a.Chunk), total)
	default:
		r.sleep(p, total)
		r.contend(p, total)
	}
	r.tensorExchange(p, c)
	if cp != nil {
		r.wait(p, cp, &r.now.CPComm)
	}
	if !r.t.j.Parallel.OverlapEP {
		ep = r.expertExchange(c)
	}
	if ep != nil {
		r.wait(p, ep, &r.now.EPComm)
	}
	r.span(spanOf[a.Kind], a.Micro, t0, p.Now())
}

// lastGradient reports whether a completes the gradients of its chunk.
func (r *replica) lastGradient(a Action) bool {
	if int(a.Micro) != r.t.micro-1 {
		return false
	}
	return a.Kind == WeightGrad || a.Kind == Backward && r.t.j.Parallel.Schedule != ZeroBubble
}
