package results

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// CrossingsOf returns a Run.Crossings that routes the flows again as the
// engines did: r as at the start of the run, flows in the order of their start.
// It does not hold for flows with fixed paths, nor where links failed on the
// way: leave Crossings nil there.
func CrossingsOf(r *fabric.Routes, flows []fabric.FlowRecord) func(fabric.PortID) []Crossing {
	g := r.Graph()
	var byPort map[fabric.PortID][]Crossing // filled at the first question
	return func(p fabric.PortID) []Crossing {
		if byPort == nil {
			byPort = crossings(g, fabric.NewAssigner(r), flows)
		}
		return byPort[p]
	}
}

func crossings(g *fabric.Graph, a *fabric.Assigner, flows []fabric.FlowRecord) map[fabric.PortID][]Crossing {
	m := map[fabric.PortID][]Crossing{}
	var buf []fabric.PortID
	for i := range flows {
		id := fabric.FlowID(i)
		f := fabric.Flow{Src: flows[i].Src, Dst: flows[i].Dst, Bytes: flows[i].Bytes, QPs: int(flows[i].QPs), SrcPort: flows[i].SrcPort}
		n, count := a.Number(&f), f.QPCount()
		for q := range count {
			var err error
			if buf, err = a.Path(buf[:0], &f, n, q); err != nil {
				continue // unreachable: the engine refused or dropped it
			}
			for _, p := range buf {
				if !uplink(g, p) {
					continue
				}
				c := m[p]
				if k := len(c) - 1; k >= 0 && c[k].Flow == id {
					c[k].Bytes += f.QPBytes(q, count)
					c[k].QPs++
				} else {
					m[p] = append(c, Crossing{id, 1, f.QPBytes(q, count)})
				}
			}
		}
	}
	return m
}

// uplink reports whether p leads from a switch to one of a higher tier.
func uplink(g *fabric.Graph, p fabric.PortID) bool {
	from, to := &g.Nodes[g.Ports[p].Node], &g.Nodes[g.Ports[p].Peer]
	return from.Kind == fabric.Switch && to.Kind == fabric.Switch && to.Tier > from.Tier
}

// uplinksOf returns the ports of switch n to the tier above; ports of tiers
// below or beside it are no choice of its routing.
func uplinksOf(g *fabric.Graph, n fabric.NodeID) []fabric.PortID {
	var up []fabric.PortID
	for _, p := range g.PortsOf(n) {
		if uplink(g, p) {
			up = append(up, p)
		}
	}
	return up
}

// share is one collective's part of a port's traffic.
type share struct {
	bytes int64
	span  sim.Time // while one of its flows through the port was in progress
	flows []fabric.FlowID
	qps   int
	slow  float64 // mean slowdown of those flows
}

// shareOf sums up the flows of a job's collective that cross p.
func shareOf(r *Run, p fabric.PortID, job, label string) share {
	var s share
	var spans []interval
	n := 0
	for _, c := range r.Crossings(p) {
		f := &r.Report.Flows[c.Flow]
		if f.Job != job || f.Label != label {
			continue
		}
		s.bytes += c.Bytes
		s.qps += c.QPs
		s.flows = append(s.flows, c.Flow)
		spans = append(spans, active(f, r.SimTime))
		if x, ok := slowdown(f); ok {
			s.slow += x
			n++
		}
	}
	s.span = union(spans)
	if n > 0 {
		s.slow /= float64(n)
	}
	return s
}
