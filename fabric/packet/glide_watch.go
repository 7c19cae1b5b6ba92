package packet

// watch lets the telemetry see the queue of port p, which was before at the last
// tick.
func (g *Glide) watch(p *glidePort, before float64) {
	s := g.is.s
	o := &g.is.e.ports[p.pi]
	n := int32(max(before, p.q))
	if n <= o.watch {
		return
	}
	s.now = g.now
	o.qbytes = n
	s.noteQueue(p.pi, o, func(b *burst) {
		for k := p.cell; k < len(p.cells) && len(b.flows) < s.tel.c.BurstFlows; k++ {
			if h := p.cells[k].hop; h >= 0 {
				s.burstFlow(b, g.qps[g.hops[h].qp].qi)
			}
		}
	})
	o.qbytes = int32(p.q)
	if o.qbytes < n && n > o.watch {
		s.watchDrain(p.pi, o, n)
	}
	o.qbytes = 0
}

// storms ends a window of CNPs if it is over: that looks at what the ports of
// storms have sent.
func (g *Glide) storms() {
	s := g.is.s
	for i := range s.tel.storms {
		g.countSent(s.tel.storms[i].port)
	}
	s.now = g.now
	s.tick()
}

// countSent brings the counters of port pi up to now, if it is one of the glide's.
func (g *Glide) countSent(pi int32) {
	if k := g.is.e.glideOf[pi]; k > 0 {
		p := &g.ports[k-1]
		g.account(p)
		g.countPort(p)
	}
}
