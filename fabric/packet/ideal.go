package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// sharedIdeal is a lower bound for a flow whose QPs, n from qp on, share their
// first port: all bytes leave through it, then the last packet has a way to go.
// It is zero if they do not.
func (e *Engine) sharedIdeal(qp, n int32) sim.Time {
	if n == 1 || e.cfg.Routing.Mode != ECMP {
		return 0
	}
	var wire int64
	least := sim.Never
	for q := qp; q < qp+n; q++ {
		f := &e.snd[q]
		if f.port != e.snd[qp].port {
			return 0
		}
		wire += e.cfg.Framing.WireBytes(f.size)
		p := e.paths[f.path:]
		t := e.g.Nodes[e.ports[p[0]].node].Latency
		for _, pi := range p {
			if pi < 0 {
				break
			}
			o := &e.ports[pi]
			t += o.reach
			if pi != p[0] && !e.anyCut {
				t += o.rate.TxTime(e.header + 1)
			}
		}
		least = min(least, t)
	}
	return e.g.Ports[fabric.PortID(e.snd[qp].port)].Rate.TxTime(wire) + least
}

// idealAny is a lower bound where each packet may take another of the equally
// long ways: everything leaves through the first port of path, and the last
// packet crosses the quickest link of each step.
func (e *Engine) idealAny(path []fabric.PortID, n int64) sim.Time {
	g := e.g
	dst := g.Ports[path[len(path)-1]].Peer
	last := n - (e.cfg.Framing.Packets(n)-1)*e.payload + e.header
	if e.anyCut {
		last = min(last, cutBytes)
	}
	o := &g.Ports[path[0]]
	t := g.Nodes[o.Node].Latency + o.Rate.TxTime(e.cfg.Framing.WireBytes(n)) + o.Delay
	at := []fabric.NodeID{o.Peer}
	for at[0] != dst {
		var next []fabric.NodeID
		least := sim.Never
		seen := map[fabric.NodeID]bool{}
		for _, u := range at {
			for _, p := range e.r.NextHops(nil, u, dst) {
				q := &g.Ports[p]
				least = min(least, g.Nodes[u].Latency+q.Delay+q.Rate.TxTime(last))
				if !seen[q.Peer] {
					seen[q.Peer] = true
					next = append(next, q.Peer)
				}
			}
		}
		t += least
		at = next
	}
	return t + g.Nodes[dst].Latency
}

// IslandIdeal returns the completion time of f alone on the network, its QPs
// going the given ways.
func (e *Engine) IslandIdeal(f *fabric.Flow, qps []QPRoute) sim.Time {
	var most sim.Time
	n := int32(len(qps))
	first := int32(len(e.snd))
	for q, route := range qps {
		size := f.QPBytes(q, int(n))
		s, r := e.newQP(0, size, route.Fwd, route.Back, f, n)
		most = max(most, e.ideal(e.buf, size, f.MaxRate/sim.Rate(n))) // newQP left the way in buf
		e.snd, e.rcv = append(e.snd, s), append(e.rcv, r)
	}
	most = max(most, e.sharedIdeal(first, n))
	e.snd, e.rcv = e.snd[:first], e.rcv[:first]
	return most
}
