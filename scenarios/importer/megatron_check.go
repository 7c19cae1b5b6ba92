package importer

import (
	"fmt"
)

// checkSizes holds the numbers against each other as Megatron-LM's
// validate_args does, and derives DP and virtual stages.
func (m *Megatron) checkSizes(r *megatronReader, at place) error {
	s := &m.Shape
	for _, need := range []struct {
		name string
		v    int64
	}{{"num-layers", s.Layers}, {"hidden-size", s.Hidden}, {"num-attention-heads", s.Heads}} {
		if need.v == 0 {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: no --%s; the model's shape is not complete", at, need.name))
		}
	}
	where := func(names ...string) place { return r.where(at, names...) }
	_, channels := r.l.vals["kv-channels"]
	switch {
	case s.Heads > 0 && !channels && s.KVLoRA == 0 && s.Hidden%s.Heads != 0:
		return where("num-attention-heads").errorf("%d attention heads do not divide hidden size %d", s.Heads, s.Hidden)
	case s.KVHeads > 0 && s.Heads%s.KVHeads != 0:
		return where("num-query-groups").errorf("%d query groups do not divide %d attention heads", s.KVHeads, s.Heads)
	case s.Heads%m.TP != 0:
		return where("tensor-model-parallel-size").errorf("tensor parallel %d does not divide %d attention heads", m.TP, s.Heads)
	case s.Experts > 0 && s.Experts%m.EP != 0:
		return where("expert-model-parallel-size").errorf("expert parallel %d does not divide %d experts", m.EP, s.Experts)
	case s.Experts == 0 && m.EP > 1 && s.Layers > 0 && r.l.at["use-checkpoint-args"].line == 0:
		return where("expert-model-parallel-size").errorf("expert parallel %d without experts", m.EP).hint("--num-experts is missing")
	case s.TopK > s.Experts:
		return where("moe-router-topk").errorf("%d experts a token, but only %d experts", s.TopK, s.Experts)
	}
	if m.SequenceParallel && m.TP == 1 {
		m.warnings = append(m.warnings, fmt.Sprintf("%s: --sequence-parallel without tensor parallelism has no effect", where("sequence-parallel")))
		m.SequenceParallel = false
	}
	if err := m.virtual(r, where); err != nil {
		return err
	}
	return m.replicas(where)
}

// virtual finds the number of model chunks a stage.
func (m *Megatron) virtual(r *megatronReader, where func(...string) place) error {
	m.VirtualStages = 1
	layers := m.Shape.Layers
	uneven := r.l.at["decoder-first-pipeline-num-layers"].line > 0 || r.l.at["decoder-last-pipeline-num-layers"].line > 0 || r.l.at["pipeline-model-parallel-layout"].line > 0 ||
		r.l.at["account-for-embedding-in-pipeline-split"].line > 0 || r.l.at["account-for-loss-in-pipeline-split"].line > 0
	if layers%m.PP != 0 && !uneven {
		return where("pipeline-model-parallel-size").errorf("%d pipeline stages do not divide %d layers", m.PP, layers).
			hint("uneven stages need --decoder-first-pipeline-num-layers, --decoder-last-pipeline-num-layers or --pipeline-model-parallel-layout")
	}
	if uneven {
		m.warnings = append(m.warnings, "uneven pipeline stages are not mapped; set parallel.stage_layers")
	}
	const perChunk, perRank = "num-layers-per-virtual-pipeline-stage", "num-virtual-stages-per-pipeline-rank"
	n := r.integer(perRank, 0)
	if chunk := r.integer(perChunk, 0); chunk > 0 {
		stage := layers / m.PP
		if layers > 0 && !uneven && stage%chunk != 0 {
			return where(perChunk).errorf("%d layers a virtual stage do not divide %d layers a stage", chunk, stage)
		}
		n = max(1, stage/chunk)
	}
	if r.err != nil {
		return r.err
	}
	if n > 1 && m.PP < 2 {
		return where(perChunk, perRank).errorf("virtual stages without pipeline parallelism").hint("--pipeline-model-parallel-size is missing")
	}
	if n > 0 {
		m.VirtualStages = n
	}
	// Overlap of pipeline transfers is Megatron-LM's default, with the
	// interleaved schedule alone.
	m.OverlapP2P = m.VirtualStages > 1 && !r.flag("no-overlap-p2p-communication")
	return nil
}

// replicas divides the GPUs.
func (m *Megatron) replicas(where func(...string) place) error {
	model := m.TP * m.PP
	if model > megatronMost || model*m.CP > megatronMost {
		return where("tensor-model-parallel-size").errorf("tp times pp times cp is above %d", megatronMost)
	}
	model *= m.CP
	if m.Nodes == 0 || m.GPUsPerNode == 0 {
		m.warnings = append(m.warnings, "the number of GPUs is not said (torchrun --nnodes and --nproc_per_node, srun -N and --ntasks-per-node); set cluster.nodes")
		return nil
	}
	world := m.Nodes * m.GPUsPerNode
	if world < model {
		// Scripts in public are written for one node, to be changed.
		m.warnings = append(m.warnings, fmt.Sprintf("%s: tp %d, pp %d and cp %d need %d GPUs, but %s of %d are launched; set cluster.nodes",
			where("tensor-model-parallel-size", "pipeline-model-parallel-size"), m.TP, m.PP, m.CP, model, plural(int(m.Nodes), "node"), m.GPUsPerNode))
		m.Nodes = 0
		return nil
	}
	if world%model != 0 {
		return where("tensor-model-parallel-size", "pipeline-model-parallel-size").errorf("tp %d times pp %d times cp %d does not divide %d GPUs", m.TP, m.PP, m.CP, world).
			hint("%s of %d GPUs", plural(int(m.Nodes), "node"), m.GPUsPerNode)
	}
	m.DP = world / model
	if m.Global > 0 && m.Global%(m.Micro*m.DP) != 0 {
		return where("global-batch-size").errorf("global batch %d is no multiple of micro batch %d times %d replicas", m.Global, m.Micro, m.DP)
	}
	if m.EP > 1 && m.DP*m.CP%m.EP != 0 {
		m.warnings = append(m.warnings, fmt.Sprintf("%s: expert parallel %d does not divide dp %d times cp %d (Megatron-LM folds tensor-parallel ranks in with --expert-tensor-parallel-size)", where("expert-model-parallel-size"), m.EP, m.DP, m.CP))
	}
	return nil
}
