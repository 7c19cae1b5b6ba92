package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Start lets a group of flows start at the given time, the glide's Now or later,
// as part of the glide; see Island.Start.
func (g *Glide) Start(at sim.Time, fs []IslandFlow) {
	g.hold(at)
	is := g.is
	e, s := is.e, is.s
	first := len(is.flows)
	place := map[int32]int32{}
	is.enlist(at, fs)
	for _, fi := range is.flows[first:] {
		f := &e.flows[fi]
		place[fi] = g.addFlow(fi)
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			if !g.takes(qi) {
				g.over = true
			}
			i := g.board(qi, place[fi])
			g.qps[i].state, g.qps[i].startAt = qpWaits, f.rec.Start+e.g.Nodes[f.rec.Src].Latency
			g.schedule(i)
		}
	}
	for _, fi := range is.flows[first:] {
		for _, i := range g.flows[place[fi]].qps {
			g.foresee(&g.qps[i])
		}
		g.tie(place[fi], place)
	}
	s.attach(e)
}

// foresee notes what q, which waits for its start, will send: its share of the NIC.
func (g *Glide) foresee(q *glideQP) {
	g.expect(q, g.part(q))
}

// part returns the share of q of its NIC.
func (g *Glide) part(q *glideQP) float64 {
	nic := &g.ports[g.hops[q.hop].port]
	return min(wireRate(q.line), nic.full/float64(len(nic.ins)))
}

// expect notes what q will send once it starts.
func (g *Glide) expect(q *glideQP, x float64) {
	for h := q.hop; h < q.hop+q.n; h++ {
		p := &g.ports[g.hops[h].port]
		p.soon = max(0, p.soon+x-q.soon)
	}
	q.soon = x
}

// Takes reports whether flows of a class may be part of the glide: those that it
// carries are of one.
func (g *Glide) Takes(c fabric.Class) bool {
	return g.class == 0 || g.class == g.is.e.queueOf[c]
}

// Floods reports whether flows that start together, beside what glides already,
// would fill a queue beyond what a glide may carry before congestion control has
// cut them: packets have to carry them then.
func (e *Engine) Floods(fs []IslandFlow, glides []*Glide) bool {
	qps := map[int32]int32{}
	for i := range fs {
		for _, r := range fs[i].QPs {
			qps[e.paths[r.Fwd]]++
		}
	}
	load := map[int32]float64{}
	for i := range fs {
		f := fs[i].Flow
		for _, r := range fs[i].QPs {
			first := e.paths[r.Fwd]
			x := wireRate(e.ports[first].rate) / float64(qps[first])
			if f.MaxRate > 0 {
				x = min(x, wireRate(f.MaxRate)/float64(len(fs[i].QPs)))
			}
			for _, pi := range e.paths[r.Fwd:] {
				if pi < 0 {
					break
				}
				load[pi] += x
			}
		}
	}
	for pi, x := range load {
		o := &e.ports[pi]
		if o.sw < 0 {
			continue
		}
		q := 0.0
		for _, g := range glides {
			if k := e.glideOf[pi] - 1; k >= 0 && int(k) < len(g.ports) && g.ports[k].pi == pi {
				x += g.ports[k].in + g.ports[k].soon
				q = g.ports[k].q
			}
		}
		if e.floods(pi, x, q) {
			return true
		}
	}
	return false
}

// floods reports whether a load on port pi, where q bytes stand, would fill its
// queue beyond what a glide may carry before senders have been cut.
func (e *Engine) floods(pi int32, load, q float64) bool {
	o := &e.ports[pi]
	if o.mark >= 0 {
		q = max(q, float64(e.markings[o.mark].kmax))
	}
	over := load - wireRate(o.rate)
	return over > 0 && q+float64(over*float64(cutsTime)) > glideRoom*e.roomFor(o, pi)
}

// cutsTime is how long QPs that overload a port go on until it does not grow any
// more: six cuts by half, as DCQCN makes them every 4 us at first.
const cutsTime = 6 * glideTick

// hold brings the glide to t; what happens before has been handled.
func (g *Glide) hold(t sim.Time) { g.now = max(g.now, t) }

// Merge takes another glide in, which has been brought to the same time, with its
// island; see Island.Merge.
func (g *Glide) Merge(b *Glide, now sim.Time) {
	g.hold(now)
	b.hold(now)
	g.is.s.attach(g.is.e)
	b.is.s.attach(b.is.e)
	g.breakTick()
	b.breakTick()
	b.flow()
	g.flow()
	e := g.is.e
	qp, hop, port, flow := int32(len(g.qps)), int32(len(g.hops)), int32(len(g.ports)), int32(len(g.flows))
	for i := range b.qps {
		q := b.qps[i]
		q.flow += flow
		q.hop += hop
		q.tail += hop
		q.place = -1
		g.qps = append(g.qps, q)
	}
	for i := range b.hops {
		h := b.hops[i]
		h.port += port
		h.qp += qp
		g.hops = append(g.hops, h)
	}
	for i := range b.ports {
		p := b.ports[i]
		for k := range p.ins {
			p.ins[k] += hop
		}
		for k := range p.cells {
			if p.cells[k].hop >= 0 {
				p.cells[k].hop += hop
			}
		}
		g.ports = append(g.ports, p)
		e.glideOf[p.pi] = int32(len(g.ports))
	}
	for i := range b.flows {
		f := b.flows[i]
		for k := range f.qps {
			f.qps[k] += qp
		}
		for k := range f.up {
			f.up[k] += flow
		}
		for k := range f.down {
			f.down[k] += flow
		}
		g.flows = append(g.flows, f)
	}
	g.spareQPs = appendShifted(g.spareQPs, b.spareQPs, qp)
	g.spareFlows = appendShifted(g.spareFlows, b.spareFlows, flow)
	for n := range g.spareHops {
		g.spareHops[n] = appendShifted(g.spareHops[n], b.spareHops[n], hop)
	}
	g.stale = appendShifted(g.stale, b.stale, port)
	for l := range g.busy {
		g.busy[l] = appendShifted(g.busy[l], b.busy[l], port)
	}
	g.ticking += b.ticking
	g.tickAt = min(g.tickAt, b.tickAt)
	g.live += b.live
	g.slice = min(g.slice, b.slice)
	g.rate += b.rate
	g.moved += b.moved
	g.told += b.told
	g.delivered += b.delivered
	g.over = g.over || b.over
	for _, i := range b.heap {
		g.schedule(i + qp)
	}
	g.is.Merge(b.is, now)
}

// appendShifted appends the places in b to a, n further on.
func appendShifted(a, b []int32, n int32) []int32 {
	for _, x := range b {
		a = append(a, x+n)
	}
	return a
}
