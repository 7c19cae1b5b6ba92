package packet

import "math"

// limits sets what the QPs of each flow that relays others may have sent by the
// end of the tick: what has come when it begins.
func (g *Glide) limits() {
	e := g.is.e
	open := g.relays[:0]
	for _, i := range g.relays {
		f := &g.flows[i]
		x := &e.flows[f.fi]
		if x.left == 0 {
			continue
		}
		f.room = math.Inf(1)
		limit, waits := float64(x.rec.Bytes), false
		for _, u := range f.up {
			if e.flows[g.flows[u].fi].left == 0 {
				continue
			}
			waits = true
			limit = min(limit, g.relayed(u, f.slice)+f.lag)
		}
		if limit < float64(x.rec.Bytes) {
			f.room = limit / float64(x.qps)
		}
		if waits {
			open = append(open, i)
		}
	}
	g.relays = open
}

// relayed returns how much of flow u those that relay it in slices may count on.
func (g *Glide) relayed(u int32, slice float64) float64 {
	e := g.is.e
	x := &e.flows[g.flows[u].fi]
	n := float64(x.rec.Bytes)
	for _, i := range g.flows[u].qps {
		if q := &g.qps[i]; q.of(u) {
			if got := float64(q.base) + g.arrived(q)*g.pay/g.frame; got < float64(e.snd[q.qi].size) {
				n = min(n, got*float64(x.qps))
			}
		}
	}
	if slice > 0 && n < float64(x.rec.Bytes) {
		n = math.Floor(n/slice) * slice
	}
	return n
}

// addFlow takes a flow on board, its QPs apart, and returns its place.
func (g *Glide) addFlow(fi int32) int32 {
	f := &g.is.e.flows[fi]
	i := int32(len(g.flows))
	if k := len(g.spareFlows); k > 0 {
		i, g.spareFlows = g.spareFlows[k-1], g.spareFlows[:k-1]
	} else {
		g.flows = append(g.flows, glideFlow{})
	}
	g.flows[i] = glideFlow{fi: fi, lag: float64(f.lag), slice: float64(f.slice), room: math.Inf(1), qps: g.flows[i].qps[:0]}
	return i
}

// tie tells flow i which of the others, by their places, it relays, and lets its
// NIC ports be ticked.
func (g *Glide) tie(i int32, place map[int32]int32) {
	f := &g.flows[i]
	for _, u := range g.is.e.flows[f.fi].up {
		if p, ok := place[u]; ok {
			f.up = append(f.up, p)
			f.kept, g.flows[p].kept = true, true
		}
	}
	if len(f.up) == 0 {
		return
	}
	g.relays = append(g.relays, i)
	if x := &g.is.e.flows[f.fi]; x.slice > 0 {
		g.slice = min(g.slice, g.is.e.snd[x.qp].line.TxTime(x.slice))
	}
	for _, q := range f.qps {
		if p := g.hops[g.qps[q].hop].port; !g.ports[p].busy {
			g.wakePort(p)
		}
	}
}
