package workload

// GradientGroup is the group that reduces the gradients of the first tensor
// rank of a job's first stage, as NCCL's tuner would see it.
type GradientGroup struct {
	GPUs      []int // of the ranks, in ring order
	Domains   int   // that its ranks are in; 1: no byte of it leaves the NVLink domain
	PerDomain int   // ranks in each, the fewest
	Bytes     int64 // of one operation: a bucket where reduction overlaps, else all
	Sharded   bool  // reduce-scatter and all-gather in place of all-reduce (ZeRO)
}

// GradientGroup describes the reduction of gradients.
func (t *Training) GradientGroup() GradientGroup {
	p, st := &t.j.Parallel, &t.stages[0]
	pl := &st.dense[0]
	g := GradientGroup{GPUs: t.gpus(t.layout.replicas(0, 0)), Domains: 1, PerDomain: pl.inner, Sharded: p.ZeRO >= 1}
	if pl.local == nil && len(pl.rails) > 0 {
		g.Domains = len(pl.rails[0])
	}
	ops := int64(1)
	if p.OverlapGrad {
		ops = st.buckets[0] * int64(len(st.buckets))
	}
	g.Bytes = t.j.gradBytes(ceilDiv(st.common, ops))
	return g
}
