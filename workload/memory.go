package workload

// Memory is what one GPU holds, in bytes.
type Memory struct {
	Params, Grads, Optimizer int64
	Activations              int64 // of the micro-batches in flight
	Workspace                int64 // gathered units, communication buffers, CUDA context
	Total, Limit             int64 // Limit: of the smallest GPU the job uses
	Stage                    int   // the fullest stage, which the figures are of
}

// context is what a process holds before any tensor: CUDA context, cuBLAS
// workspaces and NCCL buffers, 2 to 4 GB in practice.
const context = 3 << 30

// chunkLayers returns the layers of each chunk in model order: the first layer
// and the number. The job must be valid.
func (j *Job) chunkLayers(virtual int) (first, n int) {
	p := &j.Parallel
	chunks := p.PP * p.VirtualStages
	if p.StageLayers == nil {
		n = j.Model.Layers / chunks
		return virtual * n, n
	}
	for _, l := range p.StageLayers[:virtual] {
		first += l
	}
	return first, p.StageLayers[virtual]
}

// shardParams returns the parameters that one rank of stage s holds before any
// sharding over data-parallel ranks: those common to all expert ranks, and
// those of its experts.
func (j *Job) shardParams(s int) (common, expert int64) {
	p, m := &j.Parallel, &j.Model
	tp := int64(p.TP)
	for v := range p.VirtualStages {
		first, n := j.chunkLayers(v*p.PP + s)
		for i := first; i < first+n; i++ {
			common += ceilDiv(m.sharedParams(i), tp)
			expert += ceilDiv(m.expertParams(i), tp*int64(p.EP))
		}
	}
	if s == 0 {
		common += ceilDiv(m.embeddingParams(), tp)
		if m.LearnedPositions {
			common += int64(m.Seq) * int64(m.Hidden)
		}
	}
	if s == p.PP-1 && (!m.Tied || p.PP > 1) {
		common += ceilDiv(m.embeddingParams(), tp)
	}
	return common, expert
}

// activationBytes returns what one layer keeps of one micro-batch between its
// forward and its backward, on one rank: Korthikanti et al. (MLSys 2023), table
// 2: s b h (34 + 5 a s/h) without parallelism; the scores' part falls away with
// selective recomputation or fused attention; with full recomputation the input
// alone stays (2 s b h).
func (j *Job) activationBytes(i int) int64 {
	m, p := &j.Model, &j.Parallel
	tp := float64(p.TP)
	sbh := float64(m.Seq) / float64(p.CP) * float64(j.Batch.Micro) * float64(m.Hidden)
	if j.Recompute == RecomputeFull {
		if p.SequenceParallel {
			sbh /= tp
		}
		return int64(2 * sbh)
	}
	outer := 10.0
	if p.SequenceParallel {
		outer /= tp
	}
	h := float64(m.Hidden)
	// Of the 24 that tensor parallelism splits, 16 (4 a hidden width of 4h) are
	// the feed-forward's, 8 the attention's (Q, K, V and its output).
	width := float64(m.FFN)
	if m.moe(i) {
		width = float64((m.TopK + m.SharedExperts) * m.ExpertFFN)
	}
	if m.Gated {
		width *= 1.5
	}
	attention := 2 * (float64(m.Heads)*(float64(m.qk())+float64(m.v())) + float64(m.KVHeads)*float64(m.qk()+m.v())) / h
	inner := 4*width/h + attention
	if j.UnfusedAttention && j.Recompute == RecomputeNone {
		inner += 5 * float64(m.Heads) * float64(m.Seq) / h
	}
	return int64(sbh * (outer + inner/tp))
}

// inFlight returns how many micro-batch passes (over all chunks) a stage holds
// at most.
func (j *Job) inFlight(s int) int {
	p := &j.Parallel
	m := j.MicroBatches()
	open, peak := 0, 0
	for _, a := range p.Schedule.Actions(s, p.PP, m, p.VirtualStages) {
		switch a.Kind {
		case Forward:
			open++
		case Backward:
			open--
		}
		peak = max(peak, open)
	}
	return peak
}

// stageMemory returns the memory of one rank of stage s.
func (j *Job) stageMemory(s int) Memory {
	p, m := &j.Parallel, &j.Model
	common, expert := j.shardParams(s)
	n := common + expert
	dp := int64(p.DP * p.CP)
	shard := func(level int, bytes int64) int64 {
		if p.ZeRO >= level {
			return ceilDiv(bytes, dp)
		}
		return bytes
	}
	e := elementBytes(j.Precision)
	state := int64(12) // fp32 master copy and two Adam moments
	if j.Precision == "fp32" || j.Precision == "tf32" {
		state = 8
	}
	if j.Optimizer == "sgd" {
		state -= 4
	}
	mem := Memory{
		Params:    shard(3, n*e),
		Grads:     shard(2, n*elementBytes(j.GradPrecision)),
		Optimizer: shard(1, n*state),
		Workspace: context,
		Stage:     s,
	}
	var perPass, layers int64
	for v := range p.VirtualStages {
		first, c := j.chunkLayers(v*p.PP + s)
		for i := first; i < first+c; i++ {
			perPass += j.activationBytes(i)
			layers++
		}
	}
	mem.Activations = ceilDiv(perPass*int64(j.inFlight(s)), int64(p.VirtualStages))
	if j.Recompute == RecomputeFull { // one layer's worth lives while it runs again
		k := *j
		k.Recompute = RecomputeNone
		mem.Activations += k.activationBytes(0)
	}
	if s == p.PP-1 { // logits of one micro-batch: fp32 and 16 bit
		mem.Activations += int64(j.Batch.Micro) * int64(m.Seq) / int64(p.CP) * int64(m.Vocab) / int64(p.TP) * 6
	}
	if p.ZeRO == 3 && layers > 0 { // gathered units: the one in use and those ahead, and its gradients
		mem.Workspace += int64(max(0, p.Prefetch)+2) * n / layers * e
	}
	mem.Total = mem.Params + mem.Grads + mem.Optimizer + mem.Activations + mem.Workspace
	return mem
}

// Estimate returns the memory of the fullest GPU. The job must be valid apart
// from fitting.
func Estimate(j Job, c *Cluster) Memory {
	j = j.WithDefaults()
	var worst Memory
	for s := range j.Parallel.PP {
		if mem := j.stageMemory(s); mem.Total > worst.Total {
			worst = mem
		}
	}
	for r := range j.GPUs() {
		g := r
		if j.Placement != nil {
			g = j.Placement[r]
		}
		if t := &c.Types[c.GPUs[g].Type]; worst.Limit == 0 || t.Memory < worst.Limit {
			worst.Limit = t.Memory
		}
	}
	return worst
}
