package workload

import (
	"fmt"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Collective names a collective operation of a Comm. In the comments n is the
// number of ranks of a group and S the bytes that Issue is told.
type Collective string

// The collectives.
const (
	AllReduce     Collective = "all_reduce"     // S: each rank's buffer
	ReduceScatter Collective = "reduce_scatter" // S: each rank's input, n times its output
	AllGather     Collective = "all_gather"     // S: each rank's output, n times its input
	AllToAll      Collective = "all_to_all"     // S: each rank's input, of which it sends S/n to every rank
	Broadcast     Collective = "broadcast"      // S: what the first rank has
	Reduce        Collective = "reduce"         // S: each rank's input; the last rank gets the sum
	Barrier       Collective = "barrier"        // S is not read
)

// Collectives lists what a Comm can run.
func Collectives() []Collective {
	return []Collective{AllReduce, ReduceScatter, AllGather, AllToAll, Broadcast, Reduce, Barrier}
}

// Mover moves messages and collectives between GPUs in the way of a training
// step, for jobs that are none: by α-β inside an NVLink domain, as flows of
// the NICs between domains, rings as relays.
type Mover struct {
	t    Training
	nics map[int32][]fabric.NodeID // by compute node, ascending
}

// NewMover returns a mover for the job of that name.
func NewMover(k *sim.Kernel, net fabric.Network, c *Cluster, job string, tr Transport) (*Mover, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	m := &Mover{t: Training{k: k, net: net, c: c, j: Job{Name: job, Transport: tr}, domain: c.domains()}, nics: map[int32][]fabric.NodeID{}}
	for i := range c.GPUs {
		g := &c.GPUs[i]
		if !slices.Contains(m.nics[g.Node], g.NIC) {
			m.nics[g.Node] = append(m.nics[g.Node], g.NIC)
		}
	}
	for _, n := range m.nics {
		slices.Sort(n)
	}
	return m, nil
}

// nic returns the NIC that is shift places after the one of GPU g, around its
// node.
func (m *Mover) nic(g, shift int) fabric.NodeID {
	gpu := &m.t.c.GPUs[g]
	if shift == 0 {
		return gpu.NIC
	}
	n := m.nics[gpu.Node]
	return n[(slices.Index(n, gpu.NIC)+shift)%len(n)]
}

// Reach returns an error if nothing joins GPUs a and b: they share a NIC and no
// domain.
func (m *Mover) Reach(a, b int) error {
	if m.t.domain[a] != m.t.domain[b] && m.t.c.GPUs[a].NIC == m.t.c.GPUs[b].NIC {
		return fmt.Errorf("cluster: GPUs %d and %d share a NIC but no island: give the speed of the path between their islands", a, b)
	}
	return nil
}

// Send moves one message of bytes from GPU a to GPU b and lets done, which may
// be nil, have one arrival when it is there. A message to the same GPU is a
// copy in its memory. nic picks another NIC of both nodes, counted on from the
// GPU's own.
func (m *Mover) Send(a, b int, bytes int64, nic int, label string, done *sim.Event) {
	t := &m.t
	ga, gb := &t.c.GPUs[a], &t.c.GPUs[b]
	inside := func(d sim.Time) {
		t.k.After(d, func() {
			if done != nil {
				done.Arrive(t.k)
			}
		})
	}
	switch {
	case a == b:
		inside(t.c.Types[ga.Type].MemoryBW.TxTime(2 * bytes))
	case t.domain[a] == t.domain[b] && ga.Island == gb.Island:
		inside(t.c.Scaleup.send(bytes))
	case t.domain[a] == t.domain[b]:
		inside(t.c.CrossIsland.send(bytes))
	default:
		f := t.flow(m.nic(a, nic), m.nic(b, nic), max(1, bytes), label, done)
		f.MaxRate = minRate(f.MaxRate, t.j.Transport.PairRate)
		t.net.StartGroup([]fabric.Flow{f})
	}
}

// Comm is one or more groups of GPUs of equal size whose collectives move at
// the same time (the rings of all tensor ranks of a stage), one operation after
// the other. An operation starts once every member has issued it.
type Comm struct {
	m      *Mover
	st     stage
	gpus   [][]int
	issued []int
	calls  []call // by operation, from the first not yet issued by all
	first  int
}

type call struct {
	op    Collective
	bytes int64
	left  int
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
func (c *Comm) Issue(member int, op Collective, bytes int64, label string) (*sim.Event, error) {
	i := c.issued[member]
	c.issued[member]++
	for c.first+len(c.calls) <= i {
		c.calls = append(c.calls, call{op, bytes, len(c.issued)})
	}
	x := &c.calls[i-c.first]
	if x.op != op || x.bytes != bytes {
		return nil, fmt.Errorf("issues %s of %d B where others of its group have %s of %d B", op, bytes, x.op, x.bytes)
	}
	x.left--
	for len(c.calls) > 0 && c.calls[0].left == 0 {
		c.calls = c.calls[1:]
		c.first++
	}
	q := c.st.queue.join(i, func(done *sim.Event) { c.start(op, bytes, label, done) })
	return &q.done, nil
}

// Issued returns how many operations a member has issued.
func (c *Comm) Issued(member int) int { return c.issued[member] }

func (c *Comm) start(op Collective, bytes int64, label string, done *sim.Event) {
	t := &c.m.t
	switch op {
	case AllReduce:
		t.moveGroups(&c.st, allReduce, bytes, 0, label, done)
	case ReduceScatter:
		t.moveGroups(&c.st, reduceScatter, bytes, 0, label, done)
	case AllGather:
		t.moveGroups(&c.st, allGather, bytes, 0, label, done)
	case Barrier: // as torch.distributed does it: an all-reduce of one element
		t.moveGroups(&c.st, allReduce, int64(len(c.gpus[0])), 0, label, done)
	case AllToAll:
		c.allToAll(bytes, label, done)
	case Broadcast, Reduce:
		c.chain(bytes, label, done)
	default:
		panic("workload: no collective " + string(op))
	}
}

// allToAll sends every rank's share to every other: inside a domain one message
// after the other at the pair's rate, between domains as flows.
func (c *Comm) allToAll(bytes int64, label string, done *sim.Event) {
	t := &c.m.t
	done.Expect(1)
	var flows []fabric.Flow
	var local sim.Time
	for _, g := range c.gpus {
		share := max(1, ceilDiv(bytes, int64(len(g))))
		for i, a := range g {
			var near, far int64 // inside the island, the domain
			for d := 1; d < len(g); d++ {
				b := g[(i+d)%len(g)]
				ga, gb := &t.c.GPUs[a], &t.c.GPUs[b]
				switch {
				case t.domain[a] != t.domain[b] && ga.NIC != gb.NIC:
					flows = append(flows, t.flow(ga.NIC, gb.NIC, share, label, done))
				case ga.Island == gb.Island:
					near += share
				default:
					far += share
				}
			}
			var d sim.Time
			if near > 0 {
				d += t.c.Scaleup.send(near)
			}
			if far > 0 {
				d += t.c.CrossIsland.send(far)
			}
			local = max(local, d)
		}
	}
	t.k.After(local, func() { done.Arrive(t.k) })
	if len(flows) > 0 {
		t.start(flows, done)
	}
}

// chain passes bytes from rank to rank, each forwarding what it has: a
// pipelined broadcast, or a reduction to the last rank.
func (c *Comm) chain(bytes int64, label string, done *sim.Event) {
	t := &c.m.t
	done.Expect(1)
	var flows []fabric.Flow
	var local sim.Time
	for i := range c.st.dense {
		pl := &c.st.dense[i]
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
