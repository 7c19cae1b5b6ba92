package hybrid

import "github.com/simnet/simnet/fabric"

// SetLink changes the state of a link at the kernel's now; see fabric.Network.
// From the first change on nothing is remembered. Where a link goes down or
// comes up, flows may move to any other: all islands become one.
func (e *Engine) SetLink(l fabric.LinkID, st fabric.LinkState) {
	now := e.k.Now()
	e.faulty, e.changed = true, true
	for _, is := range e.islands {
		e.revive(is, now-1)
		is.run.settleTo(now, is.quiet(e))
		is.leave(now)
		is.node, is.hist, is.fresh = nil, nil, true
		e.catchUp(is, now)
	}
	moves := e.pe.Down(l) != st.Down
	if moves {
		clear(e.conns)
		e.r.SetDown(l, st.Down)
		e.r.Rebuild()
	}
	is := e.owner[l]
	if moves && len(e.islands) > 0 {
		is = e.unite(e.islands, now, nil, false)
		for x := range e.owner {
			if e.owner[x] == nil {
				e.owner[x] = is
				is.links = append(is.links, fabric.LinkID(x))
				is.run.live.Claim(fabric.LinkID(x), e.pe.Streams(fabric.LinkID(x)))
			}
		}
	}
	if is == nil {
		e.pe.SetFreeLink(l, st)
		return
	}
	is.run.live.SetLink(l, st, now)
	is.run.changed(now)
	is.fresh = true
}
