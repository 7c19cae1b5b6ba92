package workload

import "github.com/simnet/simnet/sim"

// Collectives on lists of tensors, one tensor a rank (torch.distributed's
// all_gather and reduce_scatter): for each of them the host makes a view and
// issues a copy from or to the library's flat buffer. The copies of a gather
// are issued while it moves, those of a reduction before it starts; all of them
// together move the buffer through memory once more.

// lists reports whether collectives over the replicas are on lists.
func (r *replica) lists() bool {
	t := &r.t.j.Transport
	return t.RankOverhead+t.RankCopy > 0
}

// each is the time of a host that spends d on each rank of the replicas' group.
func (r *replica) each(d sim.Time) sim.Time {
	return sim.Time(r.t.j.Parallel.DP*r.t.j.Parallel.CP) * d
}

// host lets the host of r work for d before it can issue anything else.
func (r *replica) host(p *sim.Proc, d sim.Time) {
	r.sleep(p, d)
	r.now.DPCommExposed += d
}

// gatherParams issues the gathering of 1/den of the stage's parameters.
func (r *replica) gatherParams(p *sim.Proc, den int64) *sim.Event {
	t := &r.t.j.Transport
	r.host(p, r.each(t.RankOverhead))
	ev := r.collective(allGather, 1, den, r.t.j.paramBytes, "dp_all_gather")
	r.host(p, r.each(t.RankCopy))
	return ev
}

// copied returns an event whose firing lets done have an arrival once the
// copies of bytes have been made, or done itself where there are none.
func (r *replica) copied(bytes int64, done *sim.Event) *sim.Event {
	passes := r.t.j.Transport.CopyPasses
	if passes == 0 {
		return done
	}
	d := toTime(r.t.slowest(r.s, r.d).memoryTime(passes * float64(bytes)))
	done.Expect(1)
	moved := &sim.Event{}
	moved.Then(r.t.k, func() { r.t.k.After(d, func() { done.Arrive(r.t.k) }) })
	return moved
}

// under runs a computation of length d and lets the host issue the reduction of
// 1/den of the gradients meanwhile, which are those of the computation before;
// den 0: none. The device is synchronised before anything else is issued.
func (r *replica) under(p *sim.Proc, d sim.Time, den int64) {
	if den == 0 {
		r.sleep(p, d)
		return
	}
	t := &r.t.j.Transport
	issue := r.each(t.RankOverhead + t.RankCopy)
	r.sleep(p, min(d, issue))
	r.host(p, max(0, issue-d))
	r.lastOp = r.reduce(1, den)
	r.sleep(p, max(0, d-issue))
	r.wait(p, r.lastOp, &r.now.DPCommExposed)
}
