package workload

// TensorBytes returns the bytes of the buffers that one tensor-parallel group
// of the first pipeline stage all-reduces in a step: two activations a layer
// forward and two backward (Shoeybi et al., arXiv:1909.08053, figure 4), two
// more where the layer is computed again, and one for the embedding. With
// sequence parallelism the halves of each all-reduce move as much.
func (j Job) TensorBytes() int64 {
	j = j.WithDefaults()
	if j.Parallel.TP == 1 {
		return 0
	}
	each := int64(4)
	if j.Recompute == RecomputeFull {
		each = 6
	}
	var layers int64
	for v := range j.Parallel.VirtualStages {
		_, n := j.chunkLayers(v * j.Parallel.PP)
		layers += int64(n)
	}
	return (each*layers + 1) * int64(j.MicroBatches()) * j.boundaryTokens()
}

// GradientBytes returns the bytes of gradients that each rank of the first
// pipeline stage reduces over its replicas in a step.
func (j Job) GradientBytes() int64 {
	j = j.WithDefaults()
	if j.Parallel.DP*j.Parallel.CP == 1 {
		return 0
	}
	common, experts := j.shardParams(0)
	return j.gradBytes(common + experts)
}
