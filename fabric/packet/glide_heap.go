package packet

import "github.com/simnet/simnet/sim"

// schedule puts QP i where it belongs in the heap.
func (g *Glide) schedule(i int32) {
	q := &g.qps[i]
	q.next = sim.Never
	switch q.state {
	case qpWaits:
		q.next = q.startAt
	case qpSends:
		q.next = min(q.endAt, q.quotaAt, q.applyAt, q.stopAt)
	case qpTrails, qpArrives:
		q.next = q.tailAt
	}
	if q.state != qpWaits && q.state != qpGone {
		if st := &g.c.st[q.qi]; st.running {
			q.next = min(q.next, st.timerAt)
		}
		if len(q.marks) > 0 {
			q.next = min(q.next, q.marks[0].at)
		}
		if len(q.cnps) > 0 {
			q.next = min(q.next, q.cnps[0])
		}
	}
	switch {
	case q.next == sim.Never:
		g.unschedule(i)
		return
	case q.next < g.now:
		q.next = g.now
	}
	if q.place < 0 {
		q.place = int32(len(g.heap))
		g.heap = append(g.heap, i)
	}
	g.down(g.up(q.place))
}

// unschedule takes QP i off the heap.
func (g *Glide) unschedule(i int32) {
	at := g.qps[i].place
	if at < 0 {
		return
	}
	g.qps[i].place = -1
	last := int32(len(g.heap) - 1)
	x := g.heap[last]
	g.heap = g.heap[:last]
	if at < last {
		g.put(at, x)
		g.down(g.up(at))
	}
}

func (g *Glide) put(at, i int32) {
	g.heap[at] = i
	g.qps[i].place = at
}

func (g *Glide) before(a, b int32) bool {
	x, y := g.qps[a].next, g.qps[b].next
	return x < y || x == y && a < b
}

// up moves the QP at a place of the heap towards its top and returns its place.
func (g *Glide) up(at int32) int32 {
	x := g.heap[at]
	for at > 0 && g.before(x, g.heap[(at-1)/2]) {
		g.put(at, g.heap[(at-1)/2])
		at = (at - 1) / 2
	}
	g.put(at, x)
	return at
}

func (g *Glide) down(at int32) {
	x := g.heap[at]
	n := int32(len(g.heap))
	for {
		c := 2*at + 1
		if c >= n {
			break
		}
		if c+1 < n && g.before(g.heap[c+1], g.heap[c]) {
			c++
		}
		if !g.before(g.heap[c], x) {
			break
		}
		g.put(at, g.heap[c])
		at = c
	}
	g.put(at, x)
}
