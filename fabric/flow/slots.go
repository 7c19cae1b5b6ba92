package flow

import "slices"

// flowsPerHost is for how many flows at once there are slots from the start: a
// ring, a tree or a pipeline has fewer. Memory is touched for the first time
// here rather than while flows start.
const flowsPerHost = 4

// maxAtFirst bounds them on the largest networks, at about 30 MB.
const maxAtFirst = 1 << 16

// expect makes room for n flows at once.
func (e *Engine) expect(n int) {
	if n -= len(e.free); n <= 0 {
		return
	}
	e.slots = slices.Grow(e.slots, n)
	e.relays = slices.Grow(e.relays, n)
	e.sys.vars = slices.Grow(e.sys.vars, n)
	e.sys.incs = slices.Grow(e.sys.incs, 8*n) // paths of five to eight hops
	e.cal.nodes = slices.Grow(e.cal.nodes, n)
}

// provide makes n slots and what solving for them all at once takes.
func (e *Engine) provide(n int) {
	e.expect(n)
	for range n {
		e.more()
	}
	e.free = make([]int32, n)
	for i := range e.free {
		e.free[i] = int32(n - 1 - i)
	}
	s := &e.sys
	clear(s.incs[:cap(s.incs)])
	s.fresh, s.play, s.changed = make([]int32, 0, n), make([]int32, 0, n), make([]int32, 0, n)
	links := min(4*n, len(s.links))
	s.touched, s.heap = make([]int32, 0, links), make([]share, 0, links)
}

// slot returns an unused slot.
func (e *Engine) slot() int32 {
	if n := len(e.free); n > 0 {
		s := e.free[n-1]
		e.free = e.free[:n-1]
		return s
	}
	return e.more()
}

// more makes a slot.
func (e *Engine) more() int32 {
	s := int32(len(e.slots))
	e.slots = append(e.slots, transfer{})
	e.relays = append(e.relays, relay{})
	e.sys.grow(s)
	e.cal.grow(s)
	return s
}

func (e *Engine) release(s int32) {
	e.slots[s].state = stFree
	e.slots[s].done = nil
	e.free = append(e.free, s)
}
