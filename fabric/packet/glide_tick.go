package packet

import "github.com/simnet/simnet/sim"

// glideTick is the shortest tick: the shortest time between two cuts of a QP
// (CNPInterval of ConnectX), below the round trip through any queue that marks.
const (
	glideTick = 4 * sim.Microsecond
	// maxTick bounds a tick: what leaves a queue within one is spread over it. CNPs of
	// 64 flows that collide are 0.9 % off with ticks of up to 3 times the shortest,
	// 1.3 % with 6, 1.7 % with 16 (permutation-64, 160 draws, chance 0.5 %).
	maxTick  = 3 * glideTick
	tickGrid = glideTick / 4 // ticks end at multiples of it: those of many ports at once
	least    = 1e-12         // a rate that is none
)

// plan says when the busy ports that have just been ticked are next, those upstream
// whenever one that they feed is, and draws the marks until then.
func (g *Glide) plan() {
	g.tickAt = sim.Never
	for l := len(g.busy) - 1; l >= 0; l-- {
		for _, i := range g.busy[l] {
			p := &g.ports[i]
			if p.nextAt <= g.now {
				p.nextAt = g.upTo(p, g.stride(p))
				if p.m != nil {
					g.mark(p, p.nextAt)
				}
			}
			g.tickAt = min(g.tickAt, p.nextAt)
		}
	}
}

// stride returns until when the tick of p that begins may last: while no queue
// marks, or will before half of the time that it takes to get there as it goes, a
// few ticks are as good as one.
func (g *Glide) stride(p *glidePort) sim.Time {
	return g.grid(min(float64(maxTick), float64(g.slice)/2, p.calmFor()))
}

// grid returns the end of a tick that begins now and lasts so long, about.
func (g *Glide) grid(long float64) sim.Time {
	return (g.now + max(glideTick, sim.Time(long))) / tickGrid * tickGrid
}

// calmFor returns half the time that the queue of p takes to its mark or limit as
// it goes, or all the time until it is empty.
func (p *glidePort) calmFor() float64 {
	if grows := p.in - p.free(); grows > 0 || p.q > p.kmin {
		return (min(p.kmin, p.limit) - p.q) / max(2*grows, least)
	} else {
		return p.q/max(-grows, least) + float64(glideTick)
	}
}

// upTo returns a time, or when the first of the busy ports that p feeds is
// ticked if that is earlier.
func (g *Glide) upTo(p *glidePort, at sim.Time) sim.Time {
	for _, h := range p.ins {
		q := &g.qps[g.hops[h].qp]
		for k := h + 1; k < q.hop+q.n; k++ {
			if d := &g.ports[g.hops[k].port]; d.busy {
				at = min(at, d.nextAt)
				break
			}
		}
	}
	return at
}

// due lets busy port i be ticked at a time, if not before, and those that feed it.
func (g *Glide) due(i int32, at sim.Time) {
	p := &g.ports[i]
	if p.nextAt <= at {
		return
	}
	p.nextAt = at
	g.tickAt = min(g.tickAt, at)
	for _, h := range p.ins {
		q := &g.qps[g.hops[h].qp]
		for k := h - 1; k >= q.hop; k-- {
			if u := g.hops[k].port; g.ports[u].busy {
				g.due(u, at)
				break
			}
		}
	}
}

// hasten ends the tick of busy port i soon, which is sent more than it was: as soon
// as if it began now.
func (g *Glide) hasten(i int32) {
	if p := &g.ports[i]; p.nextAt > g.now+glideTick {
		g.due(i, g.grid(p.calmFor()))
	}
}

// align lets the busy ports on the way of q be ticked when those further down are.
func (g *Glide) align(q *glideQP) {
	at := sim.Never
	for h := q.hop + q.n - 1; h >= q.hop; h-- {
		if i := g.hops[h].port; g.ports[i].busy {
			g.due(i, at)
			at = g.ports[i].nextAt
		}
	}
}

// breakTick ends the present ticks of all busy ports now.
func (g *Glide) breakTick() {
	for l := range g.busy {
		for _, i := range g.busy[l] {
			g.ports[i].nextAt = g.now
		}
	}
	if g.ticking > 0 {
		g.tick()
	}
	g.reshare()
}
