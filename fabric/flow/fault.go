package flow

import (
	"github.com/simnet/simnet/fabric"
)

// SetLink changes the state of a link at the kernel's now. When a link goes
// down or comes back, the routes change and every flow whose path is not given
// takes the way that its headers now lead; a flow without a way waits for one.
// A bit-error rate has no effect at this fidelity.
func (e *Engine) SetLink(l fabric.LinkID, st fabric.LinkState) {
	e.now = max(e.now, e.k.Now())
	e.dirty = true
	rate := e.g.Links[l].Rate
	if st.Rate > 0 {
		rate = min(rate, st.Rate)
	}
	if st.Down {
		rate = 0
	}
	for p := 2 * l; p < 2*l+2; p++ {
		e.sys.setCap(int32(p), bytesPerPs(rate))
	}
	if st.Down == e.down[l] {
		return
	}
	e.down[l] = st.Down
	e.r.SetDown(l, st.Down)
	e.r.Rebuild()
	for s := range e.slots {
		if f := &e.slots[s]; f.state == stPending || f.state == stRunning {
			e.reroute(int32(s))
		}
	}
}

// reroute moves slot s to the path that the routes give it now.
func (e *Engine) reroute(s int32) {
	f := &e.slots[s]
	r := e.recs.at(f.id)
	if r.given {
		return
	}
	if fl := r.flow(); e.find(&fl, r) != nil {
		e.place.reset()
	}
	x := &e.sys.vars[s]
	if e.same(x) {
		return
	}
	if f.state == stPending {
		e.sys.forget(s)
		e.sys.reserve(s, e.place.on)
		return
	}
	e.bring(f)
	e.account(s, 1-f.left/f.wire-e.counted[s])
	e.counted[s], f.moved = 1-f.left/f.wire, true
	e.sys.remove(s)
	x.level, f.rate, x.neck = 0, 0, neckNone
	if len(e.place.on) == 0 {
		e.cal.clear(s)
		return
	}
	e.sys.reserve(s, e.place.on)
	e.sys.enter(s)
}

// same reports whether variable x is already where the placer has led.
func (e *Engine) same(x *variable) bool {
	if int(x.size) != len(e.place.on) {
		return false
	}
	for i, c := range e.sys.incs[x.first : x.first+x.size] {
		if c.link != e.place.on[i].link || c.k != e.place.on[i].k {
			return false
		}
	}
	return true
}
