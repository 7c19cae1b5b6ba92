package packet

import "math"

// limits sets what the QPs of each flow that relays others may have sent by the
// end of the tick of their NIC, now: what has come by its middle. What they send is spread over the
// tick, so that it follows what comes neither sooner nor later on average.
func (g *Glide) limits() {
	e := g.is.e
	open := g.relays[:0]
	for _, i := range g.relays {
		f := &g.flows[i]
		x := &e.flows[f.fi]
		if x.left == 0 {
			continue
		}
		half, due := g.feeds(i)
		if !due {
			open = append(open, i)
			continue
		}
		f.room = math.Inf(1)
		limit, waits := float64(x.rec.Bytes), false
		for _, u := range f.up {
			if e.flows[g.flows[u].fi].left == 0 {
				continue
			}
			waits = true
			limit = min(limit, g.relayed(u, f.slice, half)+f.lag)
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

// feeds returns half the tick of the NIC by which flow i sends, if that ends now.
func (g *Glide) feeds(i int32) (half float64, due bool) {
	for _, k := range g.flows[i].qps {
		if q := &g.qps[k]; q.of(i) {
			if p := &g.ports[g.hops[q.hop].port]; p.busy && p.nextAt <= g.now {
				return float64(g.now-p.since) / 2, true
			}
		}
	}
	return 0, false
}

// relayed returns how much of flow u those that relay it in slices may count on
// half a tick before its end. Of the last slice that is only what has come.
func (g *Glide) relayed(u int32, slice, half float64) float64 {
	e := g.is.e
	x := &e.flows[g.flows[u].fi]
	all := float64(x.rec.Bytes)
	n := all
	for _, i := range g.flows[u].qps {
		q := &g.qps[i]
		if !q.of(u) {
			continue
		}
		got := g.arrived(q) - float64(q.gotRate*(half+float64(q.lat)))
		if last := q.hop + q.n - 1; g.hops[last].fed {
			got += float64(g.leaves(q, last) * (half - float64(q.lat)))
		}
		had := float64(q.base)
		if size := float64(e.snd[q.qi].size); had+g.arrived(q)*g.pay/g.frame < size {
			soon := min(had+max(0, got)*g.pay/g.frame, size-1)
			n = min(n, soon*float64(x.qps))
		}
	}
	if slice > 0 && n < all {
		n = math.Floor((n+0.5)/slice) * slice // rounding has not lost a byte
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
