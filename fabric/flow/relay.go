package flow

import (
	"math"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// A relay d of upstream u has sent, of its payload, x_d(t). It may send up to
//
//	lag + a(t),   a(t) = x_u(t - delay) ~ x_u(t) - rate_u * delay, not below 0,
//
// where delay is the time a byte of u takes to arrive, and to complete a slice.
// Its slack is what it has left of that. With slack left the network alone sets
// its rate. Without, it is bound to the rate of u. Around a cycle the lags add
// up to what may be in flight, so that no rate in it exceeds
//
//	sum of lags / sum of delays,
//
// which is the pace of a ring whose steps are shorter than its latency.

// relay is what the coupling needs to know of a slot.
type relay struct {
	lag   float64  // payload that it may send ahead
	pipe  float64  // ps from a bit's departure to its availability at the far end
	hold  float64  // ps that the rest of a slice takes, as a relay
	scale float64  // payload a wire byte
	alone float64  // wire rate on an idle network
	level float64  // bound on the level
	cycle float64  // the same while bound, if it is part of a cycle
	first sim.Time // when it began to move
	grain sim.Time // moments at which slack runs out are rounded up to it
}

func newRelay(f *fabric.Flow, s *shape) relay {
	return relay{pipe: float64(s.pipe), scale: float64(f.Bytes) / s.wire, alone: s.alone, level: s.level, cycle: math.Inf(1), first: sim.Never}
}

// grainsPerLag is into how many parts the time is cut that a relay's lag takes
// on an idle network: rounding up to a part makes relays that run out of slack
// at nearly the same moment do so together, at an error below half a percent of
// their lag.
const grainsPerLag = 256

// minGrain is about 33 ns, a fifth of a 4 KiB packet at 200 Gb/s: a fluid is no
// truer than that, and short lags would cost an event a grain.
const minGrain = 1 << 15

// grainsPerFlow is into how many grains a flow that is shorter than minGrain at
// its rate is cut: a ring of a few bytes a rank still takes its latencies.
const grainsPerFlow = 64

// couple connects the relays of a group.
func (e *Engine) couple(fs []fabric.Flow, slots []int32) {
	for i := range fs {
		f := &fs[i]
		if len(f.Upstream) == 0 {
			continue
		}
		d := slots[i]
		r := &e.relays[d]
		r.lag = float64(f.Lag)
		// The first packet of a slice is part of the pipe.
		r.hold = float64(max(0, min(f.Slice, f.Bytes)-e.cfg.Framing.Payload)) / (r.alone * r.scale)
		r.grain = minGrain
		for whole := float64(f.Bytes) / (r.alone * r.scale) / grainsPerFlow; r.grain > 1 && float64(r.grain) > whole; {
			r.grain /= 2 // or a short flow would be through before it waits
		}
		for span := r.lag / (r.alone * r.scale) / grainsPerLag; r.grain < 1<<40 && float64(2*r.grain) <= span; {
			r.grain *= 2
		}
		e.slots[d].relay = true
		for _, j := range f.Upstream {
			u := slots[j]
			e.slots[u].relay = true
			// Equal rates of payload: level * qps * scale.
			ratio := 1.0
			if a, b := e.pay(u), e.pay(d); a != b {
				ratio = a / b
			}
			e.sys.couple(u, d, ratio)
		}
	}
	e.cycles(fs, slots)
}

// pay returns the payload rate of slot s at level one.
func (e *Engine) pay(s int32) float64 { return float64(e.slots[s].qps) * e.relays[s].scale }

// cycles finds the cycles among flows with one upstream each and sets the pace
// of each.
func (e *Engine) cycles(fs []fabric.Flow, slots []int32) {
	seen := make([]int32, len(fs))
	for i := range fs {
		j := i
		for seen[j] == 0 && len(fs[j].Upstream) == 1 {
			seen[j] = int32(i) + 1
			j = fs[j].Upstream[0]
		}
		if seen[j] != int32(i)+1 || len(fs[j].Upstream) != 1 {
			continue
		}
		var lags, delays float64
		for k := j; ; {
			u := fs[k].Upstream[0]
			lags += e.relays[slots[k]].lag
			delays += e.delay(slots[u], slots[k])
			if k = u; k == j {
				break
			}
		}
		for k := j; ; {
			s := slots[k]
			e.relays[s].cycle = lags / delays / e.pay(s)
			if k = fs[k].Upstream[0]; k == j {
				break
			}
		}
	}
}

// delay returns the time from a byte's departure from u until d may send on.
func (e *Engine) delay(u, d int32) float64 { return e.relays[u].pipe + e.relays[d].hold }

// sent returns the payload that slot s has sent by now.
func (e *Engine) sent(s int32) float64 {
	return float64(e.wireSent(&e.slots[s]) * e.relays[s].scale)
}

// wireSent returns the wire bytes that f has sent by now.
func (e *Engine) wireSent(f *transfer) float64 {
	x := f.wire - f.left
	if f.state == stRunning {
		x = min(f.wire, x+float64(f.rate*float64(e.now-f.last)))
	}
	return x
}

// runsOut returns in how many ps the slack of edge id is used up; +Inf if not
// at these rates.
func (e *Engine) runsOut(id int32) float64 {
	c := &e.sys.edges[id]
	u, d := c.u, c.d
	rate := float64(e.slots[d].rate * e.relays[d].scale)
	if rate <= 0 || e.slots[u].state == stTail {
		return math.Inf(1)
	}
	theirs := float64(e.slots[u].rate * e.relays[u].scale)
	got := e.sent(u) - float64(theirs*e.delay(u, d))
	free := e.relays[d].lag - e.sent(d)
	if got < 0 {
		if t := free / rate; theirs <= 0 || t <= -got/theirs {
			return t
		}
	}
	if rate <= theirs*(1+epsilon) {
		return math.Inf(1)
	}
	return (free + got) / (rate - theirs)
}

// exhaustion returns when the first slack of slot s is used up, rounded up to
// its grain; not after now if it is.
func (e *Engine) exhaustion(s int32) sim.Time {
	t := math.Inf(1)
	for id := e.sys.vars[s].up; id >= 0; id = e.sys.edges[id].nextUp {
		if !e.sys.edges[id].bound {
			t = min(t, e.runsOut(id))
		}
	}
	switch {
	case t < 1:
		return e.now
	case t > horizon:
		return sim.Never
	}
	g := e.relays[s].grain
	return (e.now + sim.Time(t) + g - 1) / g * g
}

// exhaust binds slot s to the upstreams that have nothing more for it.
func (e *Engine) exhaust(s int32) {
	for id := e.sys.vars[s].up; id >= 0; id = e.sys.edges[id].nextUp {
		c := &e.sys.edges[id]
		if c.bound || e.runsOut(id) >= 1 {
			continue
		}
		e.dirty = true
		if r := &e.relays[s]; r.cycle < math.Inf(1) {
			e.sys.setLimit(s, min(r.level, r.cycle))
		} else if e.waits(c.u, s) {
			e.shut(s)
			return
		}
		e.sys.bind(id)
	}
}

// waits reports whether nothing of u has arrived for d.
func (e *Engine) waits(u, d int32) bool {
	first := e.relays[u].first
	return first == sim.Never || e.now < first+sim.Time(e.delay(u, d))
}

// shut stops slot s until its upstreams' first bytes arrive.
func (e *Engine) shut(s int32) {
	f := &e.slots[s]
	e.bring(f)
	f.open, f.rate = false, 0
	e.sys.setLimit(s, 0)
	e.await(s)
}

// await sets the time at which slot s, shut, may open.
func (e *Engine) await(s int32) {
	at := e.now
	for id := e.sys.vars[s].up; id >= 0; id = e.sys.edges[id].nextUp {
		u := e.sys.edges[id].u
		if e.relays[u].first == sim.Never {
			e.cal.clear(s)
			return
		}
		at = max(at, e.relays[u].first+sim.Time(e.delay(u, s)))
	}
	e.cal.set(s, at, onOpen)
}

// unlock lets slot s go on, bound to the upstreams that it has caught up with.
func (e *Engine) unlock(s int32) {
	f := &e.slots[s]
	f.open = true
	e.sys.setLimit(s, e.relays[s].level)
	for id := e.sys.vars[s].up; id >= 0; id = e.sys.edges[id].nextUp {
		u := e.sys.edges[id].u
		got := e.sent(u) - float64(e.slots[u].rate*e.relays[u].scale*e.delay(u, s))
		if e.slots[u].state != stTail && e.relays[s].lag+got-e.sent(s) < 1 {
			e.sys.bind(id)
		}
	}
}

// couplings follows up a change of the rate of slot s.
func (e *Engine) couplings(s int32) {
	r, rate := &e.relays[s], e.slots[s].rate*e.relays[s].scale
	moves := r.first == sim.Never && rate > 0
	if moves {
		r.first = e.now
	}
	for id := e.sys.vars[s].up; id >= 0; id = e.sys.edges[id].nextUp {
		c := &e.sys.edges[id]
		if c.bound && e.slots[c.u].rate*e.relays[c.u].scale > rate*(1+epsilon) {
			e.loosen(id)
		}
	}
	for id := e.sys.vars[s].down; id >= 0; id = e.sys.edges[id].nextDown {
		c := &e.sys.edges[id]
		if d := &e.slots[c.d]; c.bound && rate > d.rate*e.relays[c.d].scale*(1+epsilon) {
			e.loosen(id)
		} else if moves && d.state == stRunning && !d.open {
			e.await(c.d)
		}
	}
}

// loosen unbinds edge id: the relay has become slower than its upstream.
func (e *Engine) loosen(id int32) {
	e.sys.unbind(id)
	e.unlimit(e.sys.edges[id].d)
}

// unlimit lifts the pace of the cycle from slot d unless it is still bound.
func (e *Engine) unlimit(d int32) {
	for id := e.sys.vars[d].up; id >= 0; id = e.sys.edges[id].nextUp {
		if e.sys.edges[id].bound {
			return
		}
	}
	if e.slots[d].open {
		e.sys.setLimit(d, e.relays[d].level)
	}
}
