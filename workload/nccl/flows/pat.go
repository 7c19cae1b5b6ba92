package flows

import "github.com/simnet/simnet/workload/nccl"

// pat is NCCL's parallel aggregated trees, one GPU a node: the ranks at distance
// 1, 2, 4, ... exchange what they have, so that a logarithm of steps is enough.
// An all-gather doubles its bytes every step, a reduce-scatter halves them.
func (b *builder) pat(c nccl.Collective, bytes int64) {
	m := b.p.shape.Nodes
	part := max(1, ceilDiv(ceilDiv(bytes, int64(b.ch.Channels)), int64(m)))
	var steps [][2]int // distance, blocks
	for d := 1; d < m; d *= 2 {
		steps = append(steps, [2]int{d, min(d, m-d)})
	}
	if c == nccl.ReduceScatter {
		for i, j := 0, len(steps)-1; i < j; i, j = i+1, j-1 {
			steps[i], steps[j] = steps[j], steps[i]
		}
	}
	for ch := range b.ch.Channels {
		for k, st := range steps {
			base := len(b.flows)
			for r := range m {
				var up []int
				if k > 0 { // what the step before brought to r
					up = []int{base - m + (r-steps[k-1][0]+m)%m}
				}
				i := b.add(b.nic(r, ch, false), b.nic((r+st[0])%m, ch, false), part*int64(st[1]), up...)
				if f := &b.flows[i]; k > 0 { // what r had before that goes first
					f.Lag = max(0, f.Bytes-b.flows[up[0]].Bytes)
				}
			}
		}
	}
	b.hops = len(steps) - 1
}
