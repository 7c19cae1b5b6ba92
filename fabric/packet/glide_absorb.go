package packet

import (
	"slices"

	"github.com/simnet/simnet/sim"
)

// absorber takes the packets of an island off its wires and out of its queues.
type absorber struct {
	g  *Glide
	of map[int32]int32 // place of each QP
}

// absorb lets the glide take over what is under way: data stands in the queues
// that it stands in or is about to come to, what meets none has arrived; marks and
// CNPs come when they would.
func (g *Glide) absorb() {
	e, s := g.is.e, g.is.s
	s.now = g.now
	a := &absorber{g: g, of: make(map[int32]int32, len(g.qps))}
	for i := range g.qps {
		a.of[g.qps[i].qi] = int32(i)
	}
	for _, pi := range g.is.ports {
		for q := uint8(0); q < uint8(e.nq); q++ {
			if q >= queueData && e.ports[pi].sw < 0 {
				break // QPs, not packets
			}
			for ki := e.queue(pi, q).head; ki >= 0; ki = s.pkts[ki].next {
				a.take(ki, pi, g.now, false)
			}
		}
	}
	evs := s.w.drain()
	order(evs)
	for i := range evs {
		switch ev := &evs[i]; ev.kind() {
		case evArrive, evWhole:
			a.take(ev.arg, ev.target, ev.at, true)
		case evCNP:
			if k, ok := a.of[ev.target]; ok {
				r := &s.rcv[ev.target]
				s.countCNP(r)
				g.onWay(k, ev.at+g.qps[k].back-e.nics[r.node].delay)
			}
		case evTimer:
			if k, ok := a.of[ev.target]; ok && uint32(ev.arg) == tagCNP {
				g.onWay(k, ev.at)
			}
		}
	}
	g.clear()
}

// take takes packet ki, which stands in the queue of port pi, or, if it flies,
// comes to it at a time; pi is pathEnd at the end of its way.
func (a *absorber) take(ki, pi int32, at sim.Time, flies bool) {
	g := a.g
	e, s := g.is.e, g.is.s
	k, b := &s.pkts[ki], &s.bodies[ki]
	i, ok := a.of[b.qp]
	if !ok || k.what() == kindPause {
		return
	}
	q := &g.qps[i]
	if k.what() == kindCNP {
		come := false // to pi, on its way
		for _, p := range e.paths[e.rcv[q.qi].path:] {
			if p < 0 {
				break
			}
			if come = come || p == pi; come {
				at += e.ports[p].reach + e.ports[p].rate.TxTime(e.ack)
			}
		}
		g.onWay(i, at)
		return
	}
	if k.what() != kindData {
		return
	}
	hop := q.hop + q.n // the next
	for h := q.hop; pi >= 0 && h < q.hop+q.n; h++ {
		if g.ports[g.hops[h].port].pi == pi {
			hop = h
			break
		}
	}
	s.n.got++
	s.n.dataHops += int64(q.hop + q.n - hop)
	if flies {
		s.n.dataHops++
	}
	size := float64(k.size)
	stood := false
	for h := hop; h < q.hop+q.n; h++ {
		x := &g.hops[h]
		p := &g.ports[x.port]
		if h == hop {
			at += x.ahead
		}
		n := e.ports[p.pi].qbytes
		switch {
		case n == 0 && !stood:
			p.tx += size
		case !stood:
			p.queue(h, size)
			e.switches[e.ports[p.pi].sw].fluid += size
			x.held += size
			at += sim.Time(p.q / p.free())
			stood = true
		default:
			at += sim.Time(float64(n) / p.free())
		}
	}
	if !stood {
		q.got += size
		g.moved += size
	}
	q.tailAt = max(q.tailAt, at)
	if k.flags()&flagECN != 0 {
		g.comes(i, glideMark{at: at, port: b.aux})
	}
}

// queue adds bytes of hop h to the queue, about a tick's worth to a slice.
func (p *glidePort) queue(h int32, bytes float64) {
	n := len(p.fifo)
	if n == 0 || p.fifo[n-1].bytes > p.full*float64(glideTick) {
		p.fifo = append(p.fifo, glideSlice{})
		n++
	}
	p.cells = append(p.cells, glideCell{h, bytes})
	p.fifo[n-1].n++
	p.fifo[n-1].bytes += bytes
	p.q += bytes
}

// onWay puts a CNP that comes to QP i at a time among those on their way.
func (g *Glide) onWay(i int32, at sim.Time) {
	q := &g.qps[i]
	at = max(at, g.now)
	k := len(q.cnps)
	for k > 0 && q.cnps[k-1] > at {
		k--
	}
	q.cnps = slices.Insert(q.cnps, k, at)
}

// clear empties the island's ports, switches and senders of packets.
func (g *Glide) clear() {
	e, s := g.is.e, g.is.s
	s.arena.reset()
	for _, pi := range g.is.ports {
		o := &e.ports[pi]
		if before := o.qbytes; before > 0 {
			o.qbytes = 0
			s.watchDrain(pi, o, before)
		}
		o.pending, o.ready, o.freeAt = false, 0, min(o.freeAt, g.now)
		e.empty(pi)
	}
	for _, x := range g.is.slots {
		e.switches[x].used, e.switches[x].shared = 0, 0
	}
	for _, fi := range g.is.open {
		f := &e.flows[fi]
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			s.snd[qi].state &^= stReady | stTimer | stRTO
			s.rcv[qi].cnpDue = false
		}
	}
}
