package workload

// Doubt is a setting of a valid job that has no effect, or an effect that its
// author may not expect.
type Doubt struct {
	Field   string // as scenarios spell it: "parallel.prefetch"
	Message string
}

// Doubts lists the settings of a valid job that change nothing, in a fixed
// order.
func (j Job) Doubts() []Doubt {
	explicit := j.Parallel
	j = j.WithDefaults()
	p := &j.Parallel
	replicas := p.DP * p.CP
	ring := j.Transport.Algorithm != "tree"
	var out []Doubt
	for _, d := range []struct {
		set            bool
		field, message string
	}{
		{p.OverlapGrad && replicas == 1, "parallel.overlap_grad", "has no effect: there is one replica, so that no gradients are reduced"},
		{p.OverlapGrad && p.ZeRO == 3, "parallel.overlap_grad", "has no effect: zero 3 reduces each unit's gradients as they come"},
		{p.OverlapParam && (p.ZeRO == 0 || p.ZeRO == 3), "parallel.overlap_param", "has no effect: only zero 1 and 2 gather parameters after the optimizer"},
		{p.ZeRO > 0 && replicas == 1, "parallel.zero", "has no effect: there is one replica, so that nothing is sharded"},
		{p.BucketBytes > 0 && !p.OverlapGrad && !(p.OverlapParam && p.ZeRO > 0), "parallel.bucket", "has no effect without overlap_grad: gradients are reduced at once"},
		{p.OverlapP2P && p.PP == 1, "parallel.overlap_p2p", "has no effect without a pipeline (pp: 1)"},
		{p.OverlapTP && p.TP == 1, "parallel.overlap_tp", "has no effect without tensor parallelism (tp: 1)"},
		{p.OverlapEP && p.EP == 1, "parallel.overlap_ep", "has no effect without expert parallelism (ep: 1)"},
		{p.SequenceParallel && p.TP == 1, "parallel.sequence_parallel", "has no effect without tensor parallelism (tp: 1)"},
		{p.ScatterGather && p.SequenceParallel, "parallel.scatter_gather", "has no effect: sequence parallelism sends shares already"},
		{p.ScatterGather && !p.SequenceParallel && (p.TP == 1 || p.PP == 1), "parallel.scatter_gather", "has no effect without both tensor and pipeline parallelism"},
		{explicit.Prefetch != 0 && p.ZeRO < 3, "parallel.prefetch", "has no effect: only zero 3 gathers parameters ahead"},
		{explicit.UnitsPerLayer > 1 && p.ZeRO < 3, "parallel.units_per_layer", "has no effect: only zero 3 gathers parameters unit by unit"},
		{p.Regather && (p.ZeRO < 3 || j.Recompute != RecomputeFull), "parallel.regather", "has no effect without zero 3 and full recomputation"},
		{p.Hierarchical && replicas == 1, "parallel.hierarchical", "has no effect: there is one replica, so that no gradients are reduced"},
		{p.Hierarchical && !ring && p.ZeRO == 0, "parallel.hierarchical", "has no effect: the all-reduce is a tree"},
		{!ring && p.ZeRO > 0, "transport.algorithm", "tree has no effect: zero reduces and gathers in halves, which are rings"},
		{j.Compression.Kind != "" && replicas == 1, "compression.kind", "has no effect: there is one replica, so that no gradients are reduced"},
		{j.Recompute == RecomputeSelective && !j.UnfusedAttention, "recompute", "selective has no effect: a fused attention core keeps no scores"},
		{j.MoEImbalance > 1 && j.Model.Experts == 0, "moe_imbalance", "has no effect: the model has no experts"},
		{j.SMContention > 0 && !p.OverlapGrad && !p.OverlapParam && !p.OverlapTP && p.ZeRO < 3, "sm_contention", "has no effect: no collective runs under computation"},
		{j.P2PContention > 0 && (!p.OverlapP2P || p.PP == 1), "p2p_contention", "has no effect: no transfer between stages is pending under computation"},
		{j.Transport.RankOverhead > 0 && replicas == 1, "rank_overhead", "has no effect: there is one replica, so that nothing is reduced or gathered"},
		{j.Transport.RankCopy > 0 && replicas == 1, "rank_copy", "has no effect: there is one replica, so that nothing is reduced or gathered"},
		{j.Transport.CopyPasses > 0 && replicas == 1, "copy_passes", "has no effect: there is one replica, so that nothing is reduced or gathered"},
	} {
		if d.set {
			out = append(out, Doubt{d.field, d.message})
		}
	}
	return out
}
