package workload

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl/flows"
)

// tree appends the relay flows of an all-reduce of s bytes over a double binary
// tree of domains to buf and returns it: each tree reduces half of every rail's
// share towards its root, a member's upward flow following the slowest of its
// children, and broadcasts the sum back down. A slice is a step of NCCL's
// buffer, half of a ring's.
func (t *Training) tree(buf []fabric.Flow, pl *groupPlan, s int64, label string, done *sim.Event) []fabric.Flow {
	m := len(pl.rails[0])
	rails := int64(len(pl.rails))
	half := max(1, ceilDiv(ceilDiv(s, rails), 2))
	limit := t.j.Transport.MaxRate
	delay := t.c.HostOverhead
	if pl.inner > 1 {
		// A chain inside each domain, there and back: a GPU passes every byte up
		// and down, so that the payload moves at half the bus bandwidth, and an
		// edge has half of a rail's share of it.
		limit = minRate(limit, pl.inside.busBW()/sim.Rate(4*rails))
		delay += pl.inside.alpha(int64(2 * (pl.inner - 1)))
	}
	for tree := range 2 {
		edges := flows.TreeFlows(flows.Parents(m, tree))
		for _, nics := range pl.rails {
			base := len(buf)
			for _, e := range edges {
				f := t.flow(nics[e.From], nics[e.To], half, label, done)
				f.Slice, f.MaxRate, f.Delay = t.j.Transport.Slice/2, limit, delay
				for _, u := range e.Upstream {
					f.Upstream = append(f.Upstream, base+u)
				}
				buf = append(buf, f)
			}
		}
	}
	return buf
}
