package hybrid

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// unite makes one island of several, of none a new one, on its way to node
// next: live if it has to lead there or has no place in the memory. Those that are
// to glide do so already.
func (e *Engine) unite(all []*island, now sim.Time, next *node, glides bool) *island {
	if len(all) == 0 {
		e.born++
		is := &island{id: e.born, birth: now, hist: &history{birth: now}}
		e.islands = append(e.islands, is)
		if next == nil || e.mayLead(next, now) {
			is.run = e.newRunner(e.pe.NewIsland(now))
			if glides {
				is.run.glide = is.run.live.NewGlide(now)
			}
		}
		return is
	}
	live := next == nil
	birth := now
	for _, o := range all {
		birth = min(birth, o.birth)
	}
	if !live && e.mayLead(next, birth) {
		for _, o := range all {
			live = live || !o.follows()
		}
	}
	for _, o := range all {
		if live && !glides {
			e.revive(o, now-1)
			o.run.settleTo(now, o.quiet(e))
		} else if !live {
			e.drop(o)
		}
		o.leave(now)
	}
	is := all[0]
	for _, o := range all[1:] {
		if live {
			is.run.merge(e, o.run, now)
			o.run = nil
		}
		if is.hist != nil && o.hist != nil {
			is.hist.steps = append(is.hist.steps, step{at: now, merged: o.hist})
		}
		is.links = append(is.links, o.links...)
		is.flows = append(is.flows, o.flows...)
		is.early = append(is.early, o.early...)
		if len(o.pending) > 0 {
			is.pending = append(is.pending, o.pending...)
			is.pendingAt = o.pendingAt
		}
		is.birth = min(is.birth, o.birth)
		for _, l := range o.links {
			e.owner[l] = is
		}
		e.islands = slices.DeleteFunc(e.islands, func(x *island) bool { return x == o })
	}
	if is.hist != nil {
		is.hist.birth = is.birth
	}
	return is
}

// mayLead reports whether an island of that birth may lead to what follows n:
// nobody does, and no older island waits there, whose completions would come to
// light too late.
func (e *Engine) mayLead(n *node, birth sim.Time) bool {
	return n.leaderless() && !slices.ContainsFunc(e.islands, func(o *island) bool { return o.node == n && o.birth < birth })
}

// quiet is what to do with completions on the way to a change: none the kernel
// waits for can be among them that it has not heard of.
func (is *island) quiet(e *Engine) func(fi int32, at sim.Time) bool {
	return func(fi int32, at sim.Time) bool {
		if f := &e.flows[is.run.live.FlowID(fi)]; f.rec.FCT < 0 {
			f.rec.FCT = at - f.rec.Start
			if f.done != nil {
				panic("hybrid: a completion was passed over")
			}
		}
		return false
	}
}

// leave takes the island off its node at time t.
func (is *island) leave(t sim.Time) {
	if n := is.node; n != nil && n.leader == is {
		n.leader = nil
		n.till = max(n.till, t-1-is.birth)
	}
}

// revive makes a following island live by simulating its history up to t. Equal
// histories differ by a packet where arrivals of one instant are put in another
// order; what has completed a little earlier than in the memory is noted in
// early.
func (e *Engine) revive(is *island, t sim.Time) {
	if !is.follows() {
		return
	}
	is.run = e.replay(is.hist, t)
	is.fresh = true
	e.replays++
	is.run.live.Finished(func(id fabric.FlowID) {
		if e.flows[id].rec.FCT >= 0 {
			return
		}
		place := int32(slices.Index(is.flows, id))
		if n := is.node; n == nil || !slices.ContainsFunc(n.ends[is.cursor:], func(x end) bool { return x.place == place }) {
			is.early = append(is.early, id)
		}
	})
}

// catchUp lets the flows that revive has noted complete at time t.
func (e *Engine) catchUp(is *island, t sim.Time) {
	for _, id := range is.early {
		if n := is.node; n != nil {
			n.ends = append(n.ends, end{t - is.birth, int32(slices.Index(is.flows, id))})
		} else {
			is.pending = append(is.pending, id)
			is.pendingAt = t
		}
	}
	is.early = is.early[:0]
}

// drop ends the packets of a live island that will follow another.
func (e *Engine) drop(is *island) {
	if !is.follows() {
		e.events += is.run.live.Events()
		is.run.live.Discard()
		is.run = nil
	}
}

// prepare sees to it that every node somebody waits on has a leader.
func (e *Engine) prepare(limit sim.Time) {
	for _, is := range e.islands {
		if !is.follows() || !is.node.leaderless() || is.pendingEnd() != sim.Never || is.next() > limit {
			continue
		}
		first := is
		for _, o := range e.islands {
			if o.node == is.node && o.birth < first.birth {
				first = o
			}
		}
		e.revive(first, first.birth+first.node.till)
		first.node.leader = first
		e.catchUp(first, first.birth+first.node.till)
		e.changed = true
	}
}

// reap ends the islands whose links are idle.
func (e *Engine) reap() {
	gone := false
	for _, is := range e.islands {
		if is.idle && is.pendingEnd() == sim.Never {
			e.finish(is)
			gone = true
		}
	}
	if gone {
		e.changed = true
		e.islands = slices.DeleteFunc(e.islands, func(is *island) bool { return is.idle && is.pendingEnd() == sim.Never })
	}
}

// finish counts what an island did and frees its links.
func (e *Engine) finish(is *island) {
	if n := is.node; is.follows() {
		e.pe.Apply(n.outcome, is.birth, is.links, is.flows)
		e.played += n.outcome.Delivered()
	} else {
		e.skipped += is.run.skipped
		at := is.run.clock - is.birth
		e.last = max(e.last, is.run.live.Now())
		e.events += is.run.live.Events()
		o := is.run.live.Release()
		if n != nil {
			n.outcome, n.idleAt, n.leader = o, at, nil
			n.lucky = o.Marked() > 0
		}
	}
	for _, l := range is.links {
		e.owner[l] = nil
	}
}
