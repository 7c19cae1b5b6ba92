package packet

// serve ends the present tick of a busy port of a switch: what has come queues
// behind what stands there, and what the port can take leaves. It reports whether
// the port stays busy.
func (g *Glide) serve(p *glidePort) bool {
	d := float64(g.now - p.since)
	if d == 0 {
		return true
	}
	g.account(p)
	g.is.s.events++
	before := p.q
	slice := glideSlice{}
	for _, h := range p.ins {
		x := &g.hops[h]
		a := x.got
		x.out = 0
		if !x.fed {
			a += float64(x.in * float64(g.now-x.at))
		}
		x.got, x.at = 0, g.now
		if a > 0 {
			p.cells = append(p.cells, glideCell{h, a})
			slice.n++
			slice.bytes += a
			x.held += a
		}
	}
	if slice.n > 0 {
		p.fifo = append(p.fifo, slice)
		p.q += slice.bytes
	}
	p.tx += g.drain(p, float64(p.free()*d))
	p.since, p.lasted = g.now, g.now-p.since
	if p.m != nil {
		p.owed = (p.above(p.q) - p.above(before+float64(p.grew*d))) / 2
	}
	g.watch(p, before)
	sw := &g.is.e.switches[g.is.e.ports[p.pi].sw]
	sw.fluid += p.q - before
	most := p.q
	for _, h := range p.ins {
		x := &g.hops[h]
		in := &g.ports[g.hops[h-1].port]
		in.stored += x.held - x.kept
		x.kept = x.held
		most = max(most, in.stored)
		g.pour(&g.qps[x.qp], h+1, x.out, d)
	}
	if (most > p.limit || sw.fluid > float64(sw.pool)/4) && g.full(p) {
		g.over = true
	}
	return p.q > 0 || p.in > p.free()*glideSlack
}

// drain lets up to n bytes of the queue leave, the first to come first, and
// returns how many did.
func (g *Glide) drain(p *glidePort, n float64) float64 {
	if n >= p.q {
		n = p.q
	}
	left := n
	for p.first < len(p.fifo) && (left > 0 || n == p.q) {
		s := &p.fifo[p.first]
		part := 1.0
		if s.bytes > left && n < p.q {
			part = left / s.bytes
		}
		for k := p.cell; k < p.cell+int(s.n); k++ {
			c := &p.cells[k]
			out := float64(c.bytes * part)
			c.bytes -= out
			if c.hop >= 0 {
				x := &g.hops[c.hop]
				x.out += out
				x.held = max(0, x.held-out)
			}
		}
		out := float64(s.bytes * part)
		left -= out
		s.bytes -= out
		if part < 1 {
			break
		}
		p.first++
		p.cell += int(s.n)
	}
	if p.q -= n; p.first == len(p.fifo) {
		p.q = 0
		p.fifo, p.cells, p.first, p.cell = p.fifo[:0], p.cells[:0], 0, 0
	}
	if p.first > len(p.fifo)/2 && p.cell > 64 {
		p.fifo = p.fifo[:copy(p.fifo, p.fifo[p.first:])]
		p.cells = p.cells[:copy(p.cells, p.cells[p.cell:])]
		p.first, p.cell = 0, 0
	}
	return n
}
