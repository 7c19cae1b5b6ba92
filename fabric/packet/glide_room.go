package packet

import "github.com/simnet/simnet/fabric"

// roomFor returns what one queue may fill alone before the switch of o pauses its
// upstream or drops.
func (e *Engine) roomFor(o *port, pi int32) float64 {
	d := &e.switches[o.sw]
	a := &e.accounts[(pi^1)*e.nc]
	switch {
	case a.lossless && a.fixed != 0:
		return float64(a.fixed)
	case !a.lossless && d.egressLimit != 0:
		return float64(d.egressLimit)
	}
	alpha := d.alpha(a)
	return alpha / (1 + alpha) * float64(d.pool)
}

// alpha returns the part of the free buffer that an account may hold, or if it is
// not lossless an egress queue.
func (d *device) alpha(a *account) float64 {
	if a.lossless {
		return float64(a.alpha) / alphaOne
	}
	return float64(d.egressAlpha) / alphaOne
}

// full reports whether what stands at the switch of port p comes near to a pause
// or a drop there: glideRoom of what an ingress port may hold, or a queue if its
// class is not lossless.
func (g *Glide) full(p *glidePort) bool {
	e := g.is.e
	o := &e.ports[p.pi]
	d := &e.switches[o.sw]
	free := float64(d.pool)
	in := map[int32]float64{}
	for _, x := range e.g.PortsOf(fabric.NodeID(o.node)) {
		if e.owner[x] != g.is.s.id || e.glideOf[x] == 0 {
			continue
		}
		k := e.glideOf[x] - 1
		y := &g.ports[k]
		free -= y.q
		for _, h := range y.ins {
			in[g.ports[g.hops[h-1].port].pi] += g.hops[h].held
		}
	}
	for pi, n := range in {
		a := &e.accounts[pi*e.nc+int32(g.class)-queueData]
		room := d.alpha(a) * max(0, free)
		switch {
		case a.lossless && a.fixed != 0:
			room = float64(a.fixed)
		case !a.lossless:
			if n = p.q; d.egressLimit != 0 {
				room = float64(d.egressLimit)
			}
		}
		if n > glideRoom*room {
			return true
		}
	}
	return false
}

// glideRoom leaves a quarter for what comes within a tick and on the wires.
const glideRoom = 3. / 4
