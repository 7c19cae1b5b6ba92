package packet

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Glide returns a glide from the island's present state, b, a unit of time after
// a; nil if it cannot or need not be: another congestion control, cut-through, a
// pause, a flow that starts or is about to end within least, a relay of slices
// shorter than a tick, an overloaded port; if calm, also where a queue stands
// above Kmin.
func (is *Island) Glide(a, b *Sample, calm bool, least sim.Time) *Glide {
	e, s := is.e, is.s
	c, ok := e.cc.(*dcqcn)
	if !ok || s.faults || e.anyCut || e.cfg.Window.Bytes != 0 || e.cfg.Window.BDP || b.Trouble(a) || is.Starting() || is.held() {
		return nil
	}
	g := &Glide{is: is, c: c, from: b.At, now: b.At, pay: float64(e.payload), frame: float64(e.payload + e.header)}
	index := map[int32]int32{}
	place := map[int32]int32{}
	class := uint8(0)
	i := 0
	for _, fi := range is.flows {
		f := &e.flows[fi]
		first := int32(len(g.qps))
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			x, r := &s.snd[qi], &s.rcv[qi]
			if r.next < x.size {
				if class == 0 {
					class = x.q
				}
				rate := float64(b.sent[i]-a.sent[i]) / float64(b.At-a.At)
				if x.q != class || !g.add(qi, x, r, index, rate, least) {
					return nil
				}
			}
			i++
		}
		if f.left > 0 && f.slice > 0 && s.snd[f.qp].line.TxTime(f.slice) < glideTick {
			return nil // bursts shorter than a tick would be spread over it
		}
		if f.left > 0 {
			place[fi] = int32(len(g.flows))
			g.flows = append(g.flows, glideFlow{
				fi: fi, first: first, n: int32(len(g.qps)) - first, qps: float64(f.qps),
				lag: float64(f.lag), slice: float64(f.slice), bytes: float64(f.rec.Bytes),
			})
			for k := first; k < int32(len(g.qps)); k++ {
				g.qps[k].fi = place[fi]
			}
		}
	}
	if len(g.qps) == 0 {
		return nil
	}
	for _, fi := range is.flows {
		for _, ui := range e.flows[fi].up {
			if p, ok := place[fi]; ok && e.flows[ui].left > 0 {
				g.flows[p].up = append(g.flows[p].up, place[ui])
			}
		}
	}
	if g.overloaded(calm) || !g.order() {
		return nil
	}
	g.countACKs()
	return g
}

// held reports whether something but congestion control holds packets back: a
// pause, a link that is down, a NIC behind a slower bus.
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
	for _, ni := range is.nics {
		n := &e.nics[ni]
		if n.limit == 0 {
			continue
		}
		sum := sim.Rate(0)
		for _, p := range e.g.PortsOf(fabric.NodeID(n.node)) {
			sum += e.ports[p].rate
		}
		if n.limit < sum {
			return true
		}
	}
	return false
}

// add takes a QP on board, which has lately sent at the given rate of payload.
func (g *Glide) add(qi int32, x *sender, r *receiver, index map[int32]int32, rate float64, least sim.Time) bool {
	e := g.is.e
	st := &g.c.st[qi]
	q := glideQP{
		qi: qi, hop: int32(len(g.hops)), rate: x.rate, line: x.line, cnpAt: r.cnpAt, quota: float64(x.quota),
		due:  max(x.avail, g.now),
		send: rate * float64(e.payload+e.header) / float64(e.payload),
		left: float64(x.size - x.next - marginPackets*e.payload), next: sim.Never,
	}
	if st.running {
		q.next = st.timerAt
	}
	q.pace = wireRate(q.rate)
	q.left -= wireRate(q.line) * float64(glideTick) // what the last tick may send too much
	if q.left <= 0 || rate*float64(least) > q.left || x.retx != 0 {
		return false
	}
	for _, pi := range e.paths[x.path:] {
		if pi < 0 {
			if pi != pathEnd {
				return false
			}
			break
		}
		p, ok := index[pi]
		if !ok {
			p = int32(len(g.ports))
			index[pi] = p
			g.ports = append(g.ports, g.port(pi))
		}
		g.hops = append(g.hops, glideHop{port: p, qp: int32(len(g.qps)), in: rate * g.frame / g.pay, part: 0.5})
	}
	q.n = int32(len(g.hops)) - q.hop
	back := e.nics[r.node].delay
	for _, pi := range e.paths[r.path:] {
		if pi < 0 {
			break
		}
		back += e.ports[pi].reach + e.ports[pi].rate.TxTime(e.ack)
	}
	for h := q.hop + q.n - 1; h >= q.hop; h-- {
		o := &e.ports[g.ports[g.hops[h].port].pi]
		back += o.reach + o.rate.TxTime(e.payload+e.header)
		g.hops[h].lat = back
	}
	g.qps = append(g.qps, q)
	return true
}

// overloaded collects the hops of every port, spreads the queues that stand
// over them and reports whether QPs send more than a port can take.
func (g *Glide) overloaded(calm bool) bool {
	for h := range g.hops {
		p := &g.ports[g.hops[h].port]
		p.ins = append(p.ins, int32(h))
	}
	for i := range g.ports {
		p := &g.ports[i]
		if p.host {
			continue
		}
		in := 0.0
		for _, h := range p.ins {
			in += g.hops[h].in
		}
		p.q = float64(g.is.e.ports[p.pi].qbytes)
		if in > glideOver*p.full || p.m != nil && (p.q > p.limit || calm && p.q > p.kmin) {
			return true
		}
		for _, h := range p.ins {
			if in > 0 {
				g.hops[h].held = p.q * g.hops[h].in / in
				g.hops[h].had = g.hops[h].held
			}
		}
		if in == 0 {
			p.q = 0
		}
	}
	return false
}

// order sorts ports so that every QP goes through them in order, and reports
// whether that is possible: it is on all ways up and down.
func (g *Glide) order() bool {
	level := make([]int32, len(g.ports))
	for range len(g.ports) + 1 {
		changed := false
		for i := range g.qps {
			q := &g.qps[i]
			for h := q.hop + 1; h < q.hop+q.n; h++ {
				if l := level[g.hops[h-1].port] + 1; level[g.hops[h].port] < l {
					level[g.hops[h].port], changed = l, true
				}
			}
		}
		if !changed {
			break
		}
		if slices.Max(level) > maxLevel {
			return false
		}
	}
	by := make([]int32, len(g.ports))
	for i := range by {
		by[i] = int32(i)
	}
	slices.SortStableFunc(by, func(a, b int32) int { return int(level[a] - level[b]) })
	ports, to := make([]glidePort, len(by)), make([]int32, len(by))
	for i, p := range by {
		ports[i], to[p] = g.ports[p], int32(i)
	}
	g.ports = ports
	for h := range g.hops {
		g.hops[h].port = to[g.hops[h].port]
	}
	return true
}

// maxLevel is the longest chain of ports in a fabric without loops of waiting.
const maxLevel = 64
