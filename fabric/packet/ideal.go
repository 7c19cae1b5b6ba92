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
