package hybrid

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// island is a set of flows connected by shared links or as relays, from its
// birth on idle links until they are idle again. It is live, with packets of its
// own; or it follows its place in the memory, where another island with the
// same history has been or is being simulated.
type island struct {
	id    int32
	birth sim.Time
	links []fabric.LinkID // in the order in which they were claimed
	flows []fabric.FlowID // in the order in which they joined
	hist  *history        // how it came to be; nil if it is not remembered
	node  *node           // its place in the memory; nil if it has none

	run       *runner         // nil while it follows
	pending   []fabric.FlowID // completions not yet delivered, without a node
	pendingAt sim.Time
	low       sim.Time // no completion that the kernel waits for before
	fresh     bool     // low has to be computed anew
	idle      bool     // its links are idle
	nextAt    sim.Time // next and earliestEnd, as last looked at
	lowAt     sim.Time

	early  []fabric.FlowID // completed in a replay before their time
	cursor int             // what of the node's completions has been delivered
}

// follows reports whether the island is played back.
func (is *island) follows() bool { return is.run == nil }

// next returns the time of the earliest thing that may happen to the island.
func (is *island) next() sim.Time {
	if t := is.pendingEnd(); t != sim.Never {
		return t
	}
	switch {
	case is.follows() && is.node.complete():
		return is.birth + is.node.idleAt
	case is.follows() && is.node.leader != nil:
		return later(is.node.leader.next(), is.birth-is.node.leader.birth)
	case is.follows():
		return is.birth + is.node.till + 1
	case is.idle:
		return is.run.clock
	case is.run.parked:
		return is.run.wake
	case is.run.glide != nil:
		return is.run.glide.Next()
	}
	return is.run.live.Next()
}

// pendingEnd returns the time of the earliest completion that is known and not
// delivered, Never if none is known.
func (is *island) pendingEnd() sim.Time {
	switch {
	case is.node != nil && is.cursor < len(is.node.ends):
		return is.birth + is.node.ends[is.cursor].at
	case is.node == nil && len(is.pending) > 0:
		return is.pendingAt
	}
	return sim.Never
}

// earliestEnd returns a time before which the island completes nothing that the
// kernel waits for.
func (is *island) earliestEnd(e *Engine) sim.Time {
	if t := is.pendingEnd(); t != sim.Never {
		return t
	}
	if is.follows() {
		switch n := is.node; {
		case n.complete():
			return sim.Never
		case n.leader != nil:
			return later(n.leader.earliestEnd(e), is.birth-n.leader.birth)
		default:
			return is.birth + n.till
		}
	}
	switch {
	case is.idle:
		return sim.Never
	case is.run.parked:
		return is.run.wake
	}
	if is.fresh {
		is.fresh = false
		wanted := func(id fabric.FlowID) bool { return e.flows[id].done != nil }
		if g := is.run.glide; g != nil {
			is.low = max(g.EarliestEnd(wanted), g.Next())
			return is.low
		}
		is.low = is.run.live.EarliestEnd(wanted)
		is.low = max(is.low, is.run.live.Next())
	}
	return is.low
}

// later adds d to t unless t is Never.
func later(t, d sim.Time) sim.Time {
	if t == sim.Never {
		return t
	}
	return t + d
}

// look takes down when a live island has something to do.
func (is *island) look(e *Engine) {
	is.nextAt, is.lowAt = is.next(), is.earliestEnd(e)
}

// runnable reports whether a live island may run at all.
func (is *island) runnable() bool {
	return !is.idle && is.pendingEnd() == sim.Never
}

// advance runs a live island up to bound or to its first completion that the
// kernel waits for. It touches nothing but the island and its flows.
func (is *island) advance(e *Engine, bound sim.Time) {
	is.run.run(bound, func(fi int32, at sim.Time) bool { return is.ended(e, fi, at) })
	is.fresh = true
	is.idle = is.run.glide == nil && is.run.live.Idle()
	if n := is.node; n != nil {
		n.till = max(n.till, is.run.clock-is.birth)
		if is.run.parked {
			n.till = max(n.till, is.run.wake-1-is.birth)
		}
	}
}

// ended notes that a flow of the packet engine has completed, and reports
// whether the kernel waits for it.
func (is *island) ended(e *Engine, fi int32, at sim.Time) bool {
	id := is.run.live.FlowID(fi)
	f := &e.flows[id]
	if n := is.node; n != nil {
		n.ends = append(n.ends, end{at - is.birth, int32(slices.Index(is.flows, id))})
		return f.done != nil
	}
	switch {
	case f.rec.FCT >= 0:
		return false
	case f.done == nil:
		f.rec.FCT = at - f.rec.Start
		return false
	}
	is.pending = append(is.pending, id)
	is.pendingAt = at
	return true
}

// take appends the flows that complete at pendingEnd and forgets them.
func (is *island) take(ids []fabric.FlowID) []fabric.FlowID {
	if is.node == nil {
		ids = append(ids, is.pending...)
		is.pending = is.pending[:0]
		return ids
	}
	ends := is.node.ends
	for at := ends[is.cursor].at; is.cursor < len(ends) && ends[is.cursor].at == at; is.cursor++ {
		ids = append(ids, is.flows[ends[is.cursor].place])
	}
	return ids
}

// events returns the packet events of a live island.
func (is *island) events() uint64 {
	if is.follows() {
		return 0
	}
	return is.run.live.Events()
}

// newRunner returns a runner of a packet island without flows.
func (e *Engine) newRunner(live *packet.Island) *runner {
	return &runner{e: e, live: live, cfg: &e.cfg, clock: live.Birth()}
}

// periods returns the sampling unit of an island on the given links and the
// span that a window under congestion has to cover.
func (e *Engine) periods(links []fabric.LinkID) (unit, control sim.Time) {
	rate := sim.Rate(0)
	delay := sim.Time(0)
	for _, l := range links {
		x := &e.g.Links[l]
		delay = max(delay, x.Delay+max(e.g.Nodes[x.A].Latency, e.g.Nodes[x.B].Latency))
		if e.g.Nodes[x.A].Kind.Host() || e.g.Nodes[x.B].Kind.Host() {
			if rate == 0 || x.Rate < rate {
				rate = x.Rate
			}
		}
	}
	f := &e.cfg.Packet.Framing
	unit = unitPackets * rate.TxTime(f.Payload+f.Header)
	control = max(4*unit, controlRTTs*12*delay)
	if cc := &e.cfg.Packet.CC; cc.Algorithm == packet.DCQCN {
		control = max(control, controlPeriods*cc.DCQCN.RateTimer)
	}
	return unit, control
}

// controlRTTs is how many round trips, of six hops each way at most, a window
// under congestion covers for controls that follow the round trip.
const controlRTTs = 32
