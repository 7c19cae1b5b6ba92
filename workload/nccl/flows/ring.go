package flows

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/workload/nccl"
)

// rings is one ring a channel through all ranks. A node's last rank sends first
// what the ranks of its node have and then what comes in, each rank a chunk at
// a time.
func (b *builder) rings(c nccl.Collective, bytes int64) {
	s := b.p.shape
	n, m, g := int64(s.Ranks()), s.Nodes, int64(s.GPUsPerNode)
	passes := int64(1)
	if c == nccl.AllReduce {
		passes = 2
	}
	share := ceilDiv(bytes, int64(b.ch.Channels))
	lag := min(ceilDiv(share, int64(m)), g*b.ch.ChunkBytes)
	for ch := range b.ch.Channels {
		base := len(b.flows)
		for i := range m {
			k := b.add(b.nic(i, ch, true), b.nic((i+1)%m, ch, false), ceilDiv(passes*(n-1)*share, n), base+(i+m-1)%m)
			b.flows[k].Lag = b.wire(lag)
			Grant(&b.flows[k])
		}
	}
}

// chains is one chain of nodes a channel: from the root for a broadcast, to it
// for a reduction. The root is rank 0.
func (b *builder) chains(c nccl.Collective, bytes int64) {
	m := b.p.shape.Nodes
	share := ceilDiv(bytes, int64(b.ch.Channels))
	first := 0
	if c == nccl.Reduce {
		first = 1 % m
	}
	for ch := range b.ch.Channels {
		for i := range m - 1 {
			src, dst := (first+i)%m, (first+i+1)%m
			var up []int
			if i > 0 {
				up = []int{len(b.flows) - 1}
			}
			b.add(b.nic(src, ch, true), b.nic(dst, ch, false), share, up...)
		}
	}
	b.hops = m - 2
}

// Grant cuts queue pairs and slice of a relay in a ring to what its lag lets
// move: each queue pair sends the floor of its share of the lag, and what comes
// of that has to complete a slice, or the ring would wait for itself.
func Grant(f *fabric.Flow) {
	f.QPs = int(max(1, min(int64(f.QPs), f.Lag)))
	if most := max(1, f.Lag-int64(f.QPs)+1); f.Slice > most {
		f.Slice = most
	}
}
