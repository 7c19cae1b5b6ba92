package workload

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// The collectives inside a layer are moved once an action: the bytes of all its
// layers together. Between ranks in lockstep on a network that does not change
// within the action this takes the same time as layer by layer, at a fraction
// of the flows.

// tensorExchange moves the tensor-parallel all-reduces of an action over the
// network where the group spans domains. The lag of the relay stays that of
// one layer's ring, so that every step of every ring pays its latency.
func (r *replica) tensorExchange(p *sim.Proc, c *pass) {
	if c.tpNet == 0 || len(r.tp) == 0 {
		return
	}
	t := r.t
	one := t.j.boundaryTokens()
	ev := &sim.Event{}
	var flows []fabric.Flow
	for i := range r.tp {
		pl := &r.tp[i]
		base := len(flows)
		flows = t.ring(flows, pl, allReduce, c.tpNet, false, "tp_all_reduce", ev)
		lag := max(1, ceilDiv(ceilDiv(one, int64(len(pl.rails))), int64(len(pl.rails[0]))))
		for k := base; k < len(flows); k++ {
			flows[k].Lag = min(flows[k].Lag, lag)
			flows[k].Slice = t.j.Transport.slice(flows[k].Lag)
		}
	}
	t.start(flows, ev)
	r.wait(p, ev, &r.now.TPComm)
}

// boundaryTokens is the size of one activation between layers, whole.
func (j *Job) boundaryTokens() int64 {
	return int64(j.Batch.Micro) * int64(j.Model.Seq) / int64(j.Parallel.CP) * int64(j.Model.Hidden) * elementBytes(j.Precision)
}

// contextExchange starts the ring of keys and values of an action, which runs
// under its computation, and returns the event of its end; nil if there is
// none.
func (r *replica) contextExchange(c *pass) *sim.Event {
	if c.cpNet == 0 {
		return nil
	}
	t := r.t
	ev := &sim.Event{}
	var flows []fabric.Flow
	var local sim.Time
	n := int64(t.j.Parallel.CP)
	for i := range r.cp {
		pl := &r.cp[i]
		if pl.local != nil {
			steps := int64(c.layers) * (n - 1)
			local = max(local, pl.local.alpha(steps)+pl.local.p2p().TxTime(c.cpNet))
			continue
		}
		// What each rank passes on leaves the domain at one of its ranks.
		per := ceilDiv(c.cpNet, int64(len(pl.rails)))
		for _, ring := range pl.rails {
			base := len(flows)
			for k, src := range ring {
				f := t.flow(src, ring[(k+1)%len(ring)], per, "cp_ring", ev)
				f.Upstream = t.upstream(base + (k+len(ring)-1)%len(ring))
				f.Lag = max(1, ceilDiv(per, int64(max(1, c.layers))*(n-1)))
				flows = append(flows, f)
			}
		}
	}
	ev.Expect(1)
	t.k.After(local, func() { ev.Arrive(t.k) })
	if len(flows) > 0 {
		t.start(flows, ev)
	}
	return ev
}

// expertGroup finds the replicas that share r's experts' all-to-all. It is
// called for the replicas of a stage in order.
func (t *Training) expertGroup(r *replica) error {
	p := &t.j.Parallel
	if p.EP == 1 {
		return nil
	}
	span := max(1, p.EP/p.CP) // replicas a group
	first := r.d / span * span
	if r.d == first {
		r.ep = &collQueue{k: t.k, members: span}
	} else {
		r.ep = t.replica(r.s, first).ep
	}
	for d := first; d < first+span; d++ {
		if d == r.d {
			continue
		}
		h, err := t.hopTo(r, r.s, d)
		if err != nil {
			return err
		}
		r.epPeers = append(r.epPeers, h)
	}
	return nil
}

// expertExchange issues the all-to-all of an action and returns the event of
// its end; nil if there is none. Every rank sends each other rank of its group
// its share, the most loaded one MoEImbalance times the mean.
func (r *replica) expertExchange(c *pass) *sim.Event {
	if c.epBytes == 0 || r.ep == nil {
		return nil
	}
	t := r.t
	span := r.ep.members
	first := r.d / span * span
	r.epOps++
	op := r.ep.join(r.epOps-1, func(done *sim.Event) {
		done.Expect(1)
		var flows []fabric.Flow
		var local sim.Time
		share := ceilDiv(c.epBytes, int64(t.j.Parallel.EP-1)) * int64(t.j.Parallel.CP)
		for d := first; d < first+span; d++ {
			m := t.replica(r.s, d)
			var inside int64
			for i := range m.epPeers {
				h := &m.epPeers[i]
				peer := first + i
				if peer >= d {
					peer++
				}
				bytes := share
				if peer == first { // the hot experts' rank
					bytes = int64(float64(share) * t.j.MoEImbalance)
				}
				if h.inside != nil {
					inside += bytes
				}
				for _, pr := range h.remote {
					flows = append(flows, t.flow(pr[0], pr[1], bytes, "ep_all_to_all", done))
				}
			}
			if inside > 0 {
				local = max(local, t.c.Scaleup.send(inside)+t.c.Scaleup.alpha(int64(2*c.layers-1)))
			}
		}
		t.k.After(local, func() { done.Arrive(t.k) })
		if len(flows) > 0 {
			t.start(flows, done)
		}
	})
	return &op.done
}
