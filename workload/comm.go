package workload

import (
	"fmt"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Comm is one or more groups of GPUs of equal size whose collectives move at
// the same time (the rings of all tensor ranks of a stage), one operation after
// the other. An operation starts once every member has issued it.
type Comm struct {
	m      *Mover
	st     stage
	gpus   [][]int
	issued []int
	calls  []*call // by operation, from the first not yet issued by all
	first  int
}

// Share is a member's part in one operation.
type Share struct {
	Bytes int64 // S, as the Collective says; of AllToAll, Gather and Scatter it may differ by member
	// Root is the index in the group of the root of Broadcast, Reduce, Gather
	// and Scatter; NoRoot takes the default.
	Root int
	// Split is what an AllToAll sends to each rank of the group, in its order;
	// nil: S/n to each. It adds up to Bytes.
	Split []int64
}

// NoRoot leaves the root of an operation to its default.
const NoRoot = -1

// uneven reports whether members may have shares of different sizes.
func (c Collective) uneven() bool { return c == AllToAll || c == Gather || c == Scatter }

type call struct {
	op     Collective
	shares []Share // by member
	from   int     // the member that was first to issue it
	left   int
}

// Comm returns a communicator with that many members (processes that issue its
// operations) over groups of GPUs in ring order.
func (m *Mover) Comm(members int, groups ...[]int) (*Comm, error) {
	c := &Comm{m: m, gpus: groups, issued: make([]int, members), st: stage{queue: &collQueue{k: m.t.k, members: members}}}
	for _, g := range groups {
		domains := map[fabric.NodeID]int32{} // by NIC
		for _, a := range g {
			nic, d := m.t.c.GPUs[a].NIC, m.t.domain[a]
			if was, ok := domains[nic]; ok && was != d {
				return nil, fmt.Errorf("cluster: two islands of GPUs %v share a NIC and nothing joins them: give the speed of the path between them (node.cross_island)", g)
			}
			domains[nic] = d
		}
		c.st.dense = append(c.st.dense, m.t.plan(g))
	}
	return c, nil
}

// Issue adds the member's next operation and returns the event of its end. The
// error says in what the member disagrees with those before it.
func (c *Comm) Issue(member int, op Collective, share Share, label string) (*sim.Event, error) {
	i := c.issued[member]
	c.issued[member]++
	for c.first+len(c.calls) <= i {
		c.calls = append(c.calls, &call{op, make([]Share, len(c.issued)), member, len(c.issued)})
	}
	x := c.calls[i-c.first]
	x.shares[member] = share
	switch first := x.shares[x.from]; {
	case x.op != op || first.Bytes != share.Bytes && !op.uneven():
		return nil, fmt.Errorf("issues %s of %d B where others of its group have %s of %d B", op, share.Bytes, x.op, first.Bytes)
	case first.Root != share.Root:
		return nil, fmt.Errorf("issues %s with another root than others of its group", op)
	}
	x.left--
	for len(c.calls) > 0 && c.calls[0].left == 0 {
		c.calls = c.calls[1:]
		c.first++
	}
	q := c.st.queue.join(i, func(done *sim.Event) { c.start(x, label, done) })
	return &q.done, nil
}

// Issued returns how many operations a member has issued.
func (c *Comm) Issued(member int) int { return c.issued[member] }

// share returns the part of rank i of a group: its member's.
func (c *Comm) share(x *call, i int) Share {
	if len(x.shares) == 1 { // one member issues for the whole group
		return x.shares[0]
	}
	return x.shares[i]
}

func (c *Comm) start(x *call, label string, done *sim.Event) {
	t, bytes := &c.m.t, x.shares[0].Bytes
	switch x.op {
	case AllReduce:
		t.moveGroups(&c.st, allReduce, bytes, 0, label, done)
	case ReduceScatter:
		t.moveGroups(&c.st, reduceScatter, bytes, 0, label, done)
	case AllGather:
		t.moveGroups(&c.st, allGather, bytes, 0, label, done)
	case Barrier: // as torch.distributed does it: an all-reduce of one element
		t.moveGroups(&c.st, allReduce, int64(len(c.gpus[0])), 0, label, done)
	case AllToAll, Gather, Scatter:
		c.pairs(x, label, done)
	case Broadcast, Reduce:
		c.chain(x, label, done)
	default:
		panic("workload: no collective " + string(x.op))
	}
}

// sends lists what the ranks of group g send one another, as NCCL does it by
// grouped send and receive: give is called for each pair that has something.
func (c *Comm) sends(x *call, g []int, give func(from, to int, bytes int64)) {
	n := len(g)
	root := max(0, x.shares[0].Root)
	for i := range g {
		s := c.share(x, i)
		switch {
		case x.op == Gather && i != root && s.Bytes > 0:
			give(i, root, s.Bytes)
		case x.op == Scatter && i != root && s.Bytes > 0:
			give(root, i, s.Bytes)
		case x.op == AllToAll && s.Split != nil:
			for d := 1; d < n; d++ {
				if j := (i + d) % n; s.Split[j] > 0 {
					give(i, j, s.Split[j])
				}
			}
		case x.op == AllToAll:
			for d := 1; d < n; d++ {
				give(i, (i+d)%n, max(1, ceilDiv(s.Bytes, int64(n))))
			}
		}
	}
}

// pairs moves messages between pairs of ranks: inside a domain what a rank
// sends, or gets, goes one after the other at the pair's rate, between domains
// as flows.
func (c *Comm) pairs(x *call, label string, done *sim.Event) {
	t := &c.m.t
	done.Expect(1)
	var flows []fabric.Flow
	var local sim.Time
	for _, g := range c.gpus {
		type traffic struct{ near, far int64 } // inside the island, the domain
		out, in := make([]traffic, len(g)), make([]traffic, len(g))
		c.sends(x, g, func(i, j int, bytes int64) {
			a, b := g[i], g[j]
			ga, gb := &t.c.GPUs[a], &t.c.GPUs[b]
			switch {
			case t.domain[a] != t.domain[b] && ga.NIC != gb.NIC:
				flows = append(flows, t.flow(ga.NIC, gb.NIC, bytes, label, done))
			case ga.Island == gb.Island:
				out[i].near += bytes
				in[j].near += bytes
			default:
				out[i].far += bytes
				in[j].far += bytes
			}
		})
		for _, side := range [][]traffic{out, in} {
			for _, r := range side {
				var d sim.Time
				if r.near > 0 {
					d += t.c.Scaleup.send(r.near)
				}
				if r.far > 0 {
					d += t.c.CrossIsland.send(r.far)
				}
				local = max(local, d)
			}
		}
	}
	t.k.After(local, func() { done.Arrive(t.k) })
	if len(flows) > 0 {
		t.start(flows, done)
	}
}

// chain passes bytes from rank to rank, each forwarding what it has: a
// pipelined broadcast, or a reduction to the last rank.
func (c *Comm) chain(x *call, label string, done *sim.Event) {
	t, bytes := &c.m.t, x.shares[0].Bytes
	done.Expect(1)
	var flows []fabric.Flow
	var local sim.Time
	for i := range c.st.dense {
		pl := c.chainPlan(x, i)
		if pl.n == 1 || bytes == 0 {
			continue
		}
		if pl.local != nil {
			local = max(local, pl.local.alpha(int64(pl.n-1))+pl.local.busBW().TxTime(bytes))
			continue
		}
		share := max(1, ceilDiv(bytes, int64(len(pl.rails))))
		for _, ring := range pl.rails {
			for k, src := range ring[:len(ring)-1] {
				f := t.flow(src, ring[k+1], share, label, done)
				f.Slice = t.j.Transport.Slice
				if pl.inner > 1 {
					f.MaxRate = minRate(f.MaxRate, pl.inside.busBW()/sim.Rate(len(pl.rails)))
					f.Delay += pl.inside.alpha(int64(pl.inner - 1))
				}
				if k > 0 {
					f.Upstream = t.upstream(len(flows) - 1)
				}
				flows = append(flows, f)
			}
		}
	}
	t.k.After(local, func() { done.Arrive(t.k) })
	if len(flows) > 0 {
		t.start(flows, done)
	}
}

// chainPlan lays group i out from the root, or to it.
func (c *Comm) chainPlan(x *call, i int) *groupPlan {
	g, first := c.gpus[i], x.shares[0].Root
	if first == NoRoot {
		return &c.st.dense[i]
	}
	if x.op == Reduce {
		first++ // the root is last
	}
	if first %= len(g); first == 0 {
		return &c.st.dense[i]
	}
	pl := c.m.t.plan(slices.Concat(g[first:], g[:first]))
	return &pl
}
