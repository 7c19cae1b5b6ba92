package packet

import "github.com/simnet/simnet/sim"

// CanGlide reports whether the engine's congestion control and links are such that
// islands glide at all.
func (e *Engine) CanGlide() bool {
	_, ok := e.cc.(*dcqcn)
	return ok && !e.anyCut && !e.limited && e.cfg.Window.Bytes == 0 && !e.cfg.Window.BDP
}

// Glide turns the island, all of whose events before now have been handled, into
// a glide: what stands in queues and is on its way to one stands in those of the
// glide, marks and CNPs on their way come when they would. It returns nil, and
// changes nothing, where something but congestion control is at work: a pause, a
// fault, a port with a queue that may lead to one; where a relay moves slices
// shorter than a tick, or a flow in progress is too short to be alone for least.
func (is *Island) Glide(now, least sim.Time) *Glide {
	e, s := is.e, is.s
	if !e.CanGlide() || s.faults || is.held() {
		return nil
	}
	g := is.NewGlide(now)
	s.attach(e)
	place := map[int32]int32{}
	for _, fi := range is.open {
		f := &e.flows[fi]
		if f.left == 0 || f.failed {
			continue
		}
		if e.alone(f) < least {
			g.drop()
			return nil
		}
		if len(f.up) > 0 && tooShort(f.slice, s.snd[f.qp].line) {
			g.drop()
			return nil
		}
		place[fi] = g.addFlow(fi)
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			if r := &s.rcv[qi]; r.next == r.size {
				continue
			}
			if !g.takes(qi) {
				g.drop()
				return nil
			}
			i := g.board(qi, place[fi])
			if s.snd[qi].state&stBegun == 0 {
				g.qps[i].state, g.qps[i].startAt = qpWaits, f.rec.Start+e.g.Nodes[f.rec.Src].Latency
			}
		}
	}
	if g.over || g.crowded() {
		g.drop()
		return nil
	}
	g.absorb()
	for _, fi := range is.open {
		if p, ok := place[fi]; ok {
			g.tie(p, place)
		}
	}
	for i := range g.qps {
		q := &g.qps[i]
		if q.state == qpSends && q.total == 0 {
			q.state, q.tailAt = qpArrives, max(q.tailAt, now)
		}
		if q.state == qpWaits {
			g.foresee(q)
		}
		g.schedule(int32(i))
	}
	for i := range g.ports {
		p := &g.ports[i]
		if p.host && len(p.ins) > 0 {
			g.share(p)
		}
		if p.q > 0 && !p.busy {
			g.wakePort(int32(i))
		}
	}
	g.breakTick()
	return g
}

// tooShort reports whether slices of so many bytes come in bursts shorter than a
// tick, over which a glide would spread them.
func tooShort(slice int64, line sim.Rate) bool {
	return slice > 0 && line.TxTime(slice) < glideTick
}

// GlidesSlices reports whether a glide may carry a flow as far as its slices go.
func (e *Engine) GlidesSlices(x *IslandFlow) bool {
	f := x.Flow
	line := e.ports[e.paths[x.QPs[0].Fwd]].rate
	if f.MaxRate > 0 {
		line = min(line, f.MaxRate/sim.Rate(len(x.QPs)))
	}
	return len(f.Upstream) == 0 || !tooShort(f.Slice, line)
}

// alone returns how long the first ports of f would take for its bytes.
func (e *Engine) alone(f *flow) sim.Time {
	x := &e.snd[f.qp]
	return min(x.line*sim.Rate(f.qps), e.ports[x.port].rate).TxTime(f.rec.Bytes)
}

// drop undoes NewGlide and what has come on board since.
func (g *Glide) drop() {
	for i := range g.ports {
		g.is.e.glideOf[g.ports[i].pi] = 0
	}
}

// crowded reports whether a queue that stands would soon end the glide, or senders
// that came back to their line rates together, see Floods.
func (g *Glide) crowded() bool {
	e := g.is.e
	for i := range g.ports {
		p := &g.ports[i]
		o := &e.ports[p.pi]
		if p.host || len(p.ins) == 0 {
			continue
		}
		if float64(o.qbytes) > p.limit {
			return true
		}
		load := 0.0
		for _, h := range p.ins {
			load += g.part(&g.qps[g.hops[h].qp])
		}
		if load > crowd*p.full && e.floods(p.pi, load, float64(o.qbytes)) {
			return true
		}
	}
	return false
}

// crowd is how many times a port's rate makes an incast of its senders: hash
// collisions of a few flows come back one by one.
const crowd = 5

// held reports whether something but congestion control holds packets back: a
// pause, a link that is down or loses packets.
func (is *Island) held() bool {
	e := is.e
	for _, pi := range is.ports {
		o := &e.ports[pi]
		if o.paused != 0 || o.is(oddDown) || o.is(oddLossy) {
			return true
		}
		for k := range e.nc {
			if e.xoff[pi*e.nc+k] {
				return true
			}
		}
	}
	return false
}
