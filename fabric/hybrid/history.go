package hybrid

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// history is how an island came to be: enough to simulate it again.
type history struct {
	birth sim.Time
	steps []step
}

// step is a change from outside: another island merged into this one, or flows
// that joined over links that were free before.
type step struct {
	at      sim.Time
	merged  *history
	links   []fabric.LinkID
	streams [][2]uint64 // of the links: random states at the join
	flows   []packet.IslandFlow
}

// maxHistory bounds how many changes of one island are remembered: an island
// that never ends has no use for them.
const maxHistory = 64

// replay simulates the history up to time t. What completes on the way has
// been delivered before.
func (e *Engine) replay(h *history, t sim.Time) *runner {
	r := e.newRunner(e.pe.NewIsland(h.birth))
	for i := range h.steps {
		s := &h.steps[i]
		if i > 0 {
			r.settleTo(s.at, known)
		}
		if s.merged != nil {
			o := e.replay(s.merged, s.at-1)
			o.settleTo(s.at, known)
			r.merge(e, o, s.at)
			continue
		}
		r.join(e, s)
	}
	r.run(t, known)
	return r
}

// known ignores a completion.
func known(int32, sim.Time) bool { return false }

// join starts the flows of a step on the island.
func (r *runner) join(e *Engine, s *step) {
	for i, l := range s.links {
		r.live.Claim(l, s.streams[i])
	}
	if r.glide != nil {
		r.glide.Start(s.at, s.flows)
		r.clock = s.at
		return
	}
	r.live.Start(s.at, s.flows)
	r.changed(s.at)
}

// merge takes another island in at time t, which both have been moved to.
func (r *runner) merge(e *Engine, o *runner, t sim.Time) {
	r.skipped += o.skipped
	if r.glide != nil {
		r.glide.Merge(o.glide, t)
		return
	}
	r.live.Merge(o.live, t)
	r.changed(t)
}

// changed begins the search for repetition anew.
func (r *runner) changed(t sim.Time) {
	r.clock = t
	if !r.cfg.Exact {
		r.unit, r.control = r.e.periods(r.live.Links())
		for cost := r.live.Size(); cost > eventsPerUnit*r.live.Active(); cost /= 2 {
			r.unit *= 2 // many links, few flows: look less often
		}
		r.restart(t)
	}
}

// settleTo moves the island to just before t, so that it can change at t.
func (r *runner) settleTo(t sim.Time, ended func(fi int32, at sim.Time) bool) {
	if t-1 > r.clock {
		r.run(t-1, ended)
	}
	r.wakeUp(t)
}

// eventsPerUnit is about how many packet events one flow causes in a unit: 64
// packets over a few hops. A sample costs one for each port and flow.
const eventsPerUnit = 300
