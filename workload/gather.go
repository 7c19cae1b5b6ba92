package workload

import "github.com/simnet/simnet/sim"

// paramBytes returns what n parameters are in the training precision.
func (j *Job) paramBytes(n int64) int64 { return n * elementBytes(j.Precision) }

// gatherAhead issues the all-gathers of parameters that the optimizer's shards
// of the step before updated, bucket by bucket in the order of the first
// forwards, which they run under.
func (r *replica) gatherAhead(p *sim.Proc) {
	par := &r.t.j.Parallel
	if !par.OverlapParam || par.ZeRO < 1 || par.ZeRO > 2 || !r.replicated() {
		return
	}
	for c := range r.gathers {
		n := r.st.buckets[c]
		for range n {
			r.gathers[c] = append(r.gathers[c], r.gatherParams(p, n*int64(par.VirtualStages)))
		}
	}
}

// gathered runs the first forward of a chunk, each part of it once its bucket
// of parameters has come.
func (r *replica) gathered(p *sim.Proc, chunk int, total sim.Time) {
	n := sim.Time(len(r.gathers[chunk]))
	for i, ev := range r.gathers[chunk] {
		r.wait(p, ev, &r.now.DPCommExposed)
		piece := total*sim.Time(i+1)/n - total*sim.Time(i)/n
		r.sleep(p, piece)
		r.contend(p, piece)
	}
	r.gathers[chunk] = r.gathers[chunk][:0]
}

// gatherAfter is the same all-gather right after the optimizer, exposed.
func (r *replica) gatherAfter(p *sim.Proc) {
	par := &r.t.j.Parallel
	if par.OverlapParam || par.ZeRO < 1 || par.ZeRO > 2 || !r.replicated() {
		return
	}
	t0 := p.Now()
	r.wait(p, r.gatherParams(p, 1), &r.now.DPCommExposed)
	r.span(SpanDP, -1, t0, p.Now())
}

// fsdp is the state of fully sharded parameters: units of one layer are
// gathered before use, Prefetch of them ahead, and in the backward each unit's
// gradients are reduced and scattered as soon as they are complete.
type fsdp struct {
	ahead []*sim.Event // gathers issued and not used yet
}

// run executes a pass unit by unit.
func (u *fsdp) run(p *sim.Proc, r *replica, a Action, total sim.Time) {
	if !r.replicated() {
		r.sleep(p, total)
		return
	}
	par := &r.t.j.Parallel
	if a.Kind == Backward && par.Regather && r.t.j.Recompute == RecomputeFull {
		again := min(total, r.f[a.Chunk].alone())
		u.units(p, r, a, again, false)
		total -= again
	}
	u.units(p, r, a, total, a.Kind != Forward)
}

// units gathers the units of a pass, computes on each, and reduces its
// gradients if asked.
func (u *fsdp) units(p *sim.Proc, r *replica, a Action, total sim.Time, reduce bool) {
	par := &r.t.j.Parallel
	n := int64(max(1, r.cost(a).layers) * par.UnitsPerLayer)
	share := n * int64(par.VirtualStages)
	var full int64 // what the host has to reduce under the next unit; 0: nothing
	for i := range n {
		if len(u.ahead) == 0 {
			u.ahead = append(u.ahead, r.gatherParams(p, share))
		}
		r.wait(p, u.ahead[0], &r.now.DPCommExposed)
		u.ahead = u.ahead[1:]
		for len(u.ahead) < par.Prefetch && i+1+int64(len(u.ahead)) < n {
			u.ahead = append(u.ahead, r.gatherParams(p, share))
		}
		piece := total*sim.Time(i+1)/sim.Time(n) - total*sim.Time(i)/sim.Time(n)
		r.under(p, piece, full)
		r.contend(p, piece)
		switch {
		case reduce && r.lists():
			full = share
		case reduce:
			r.lastOp = r.reduce(1, share)
		}
	}
	if full > 0 {
		r.lastOp = r.issue(p, 1, full)
	}
}
