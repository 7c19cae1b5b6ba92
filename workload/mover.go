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
	AllToAll      Collective = "all_to_all"     // S: a rank's input, of which it sends S/n to every rank, or as its Share says
	Broadcast     Collective = "broadcast"      // S: what the root has, by default the first rank
	Reduce        Collective = "reduce"         // S: each rank's input; the root, by default the last rank, gets the sum
	Gather        Collective = "gather"         // S: a rank's input; the root, by default the first rank, gets them all
	Scatter       Collective = "scatter"        // S: a rank's output, which the root, by default the first rank, sends it
	Barrier       Collective = "barrier"        // S is not read
)

// Collectives lists what a Comm can run.
func Collectives() []Collective {
	return []Collective{AllReduce, ReduceScatter, AllGather, AllToAll, Broadcast, Reduce, Gather, Scatter, Barrier}
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
