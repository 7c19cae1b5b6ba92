package flow

import "github.com/simnet/simnet/sim"

// early reports whether relay s, which has sent all it can at time at, still
// waits for the last byte of an upstream, and if so defers its end. The rates
// of a relay and its upstream change at one moment here, where in truth the
// change takes the upstream's latency to arrive.
func (e *Engine) early(s int32, at sim.Time) bool {
	f, r := &e.slots[s], &e.relays[s]
	need := e.recs.at(f.id).bytes
	last := at
	for id := e.sys.vars[s].up; id >= 0; id = e.sys.edges[id].nextUp {
		u := e.sys.edges[id].u
		x := &e.slots[u]
		if rec := e.recs.at(x.id); float64(need)-r.lag >= float64(rec.bytes) {
			end := x.last
			if x.state != stTail {
				if x.left == 0 { // deferred itself
					end = e.cal.when(u)
				} else if d := x.left / x.rate; d < horizon {
					end += sim.Time(d + 0.5)
				} else {
					end = sim.Never
				}
			}
			if end == sim.Never { // satisfied will call again
				f.left, f.last = 0, e.now
				e.cal.clear(s)
				return true
			}
			// A transfer starts its sender's latency early throughout.
			last = max(last, end+x.tail-e.g.Nodes[rec.src].Latency)
		}
	}
	if last <= at {
		return false
	}
	f.left, f.last = 0, e.now
	e.cal.set(s, last, onEnd)
	return true
}

// finished takes slot s, whose transfer is over, off its upstreams.
func (e *Engine) finished(s int32) {
	for id := e.sys.vars[s].up; id >= 0; id = e.sys.vars[s].up {
		e.sys.uncouple(id)
	}
}

// satisfied removes edge id, whose upstream has been delivered whole.
func (e *Engine) satisfied(id int32) {
	d := e.sys.edges[id].d
	e.dirty = true
	e.sys.uncouple(id)
	if e.slots[d].state != stRunning {
		return
	}
	if !e.slots[d].open {
		e.await(d)
		return
	}
	e.unlimit(d)
	e.rounds = 0
	e.schedule(d)
}
