package flow

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// settle solves for the rates at now and reschedules what they change. A
// relay may turn out to have no slack at its new rate: then it is bound and
// the rates are solved for again.
func (e *Engine) settle() {
	e.dirty = false
	for e.rounds = 0; len(e.sys.fresh) > 0 || len(e.sys.stale) > 0; e.rounds++ {
		e.sys.solve()
		changed := e.sys.changed
		if len(e.sys.edges) == len(e.sys.freeEdge) { // no relays
			for _, v := range changed {
				e.retime(v)
				e.schedule(v)
			}
			continue
		}
		for _, v := range changed {
			e.retime(v)
		}
		for _, v := range changed {
			if e.slots[v].relay {
				e.couplings(v)
			}
		}
		for _, v := range changed {
			e.schedule(v)
			if e.slots[v].relay {
				for id := e.sys.vars[v].down; id >= 0; id = e.sys.edges[id].nextDown {
					e.schedule(e.sys.edges[id].d)
				}
			}
		}
	}
}

// retime brings slot s up to now and gives it the rate that the solver found.
func (e *Engine) retime(s int32) {
	f := &e.slots[s]
	e.bring(f)
	f.rate = e.sys.vars[s].level * float64(f.qps)
}

// bring computes what is left of f at now.
func (e *Engine) bring(f *transfer) {
	if f.last < e.now {
		f.left = max(0, f.left-float64(f.rate*float64(e.now-f.last)))
		f.last = e.now
	}
}

// horizon is beyond any simulation: times that lie farther away are never.
const horizon = float64(math.MaxInt64 / 4)

// schedule finds the next occurrence of slot s.
func (e *Engine) schedule(s int32) {
	f := &e.slots[s]
	if f.state != stRunning || !f.open {
		return
	}
	at, kind := sim.Never, onEnd
	if f.rate > 0 {
		if d := f.left / f.rate; d < horizon {
			at = max(f.last+sim.Time(d+0.5), e.now)
		}
	}
	if f.relay {
		t := e.exhaustion(s)
		for ; t <= e.now; t = e.exhaustion(s) {
			if e.rounds >= maxRounds {
				t = e.now + e.relays[s].grain
				break
			}
			if e.exhaust(s); !f.open {
				return
			}
		}
		if t < at {
			at, kind = t, onBind
		}
	}
	if at == sim.Never {
		e.cal.clear(s)
		return
	}
	e.cal.set(s, at, kind)
}

// maxRounds bounds how often relays are bound at one instant: beyond it they
// wait for one grain of their slack.
const maxRounds = 32
