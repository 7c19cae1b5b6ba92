package workload

import (
	"fmt"
	"sort"
	"strings"
)

// validate reports the first impossible thing about j on c. It names the field
// as scenarios spell it and says what would do. j has its defaults.
func (j *Job) validate(c *Cluster) error {
	for _, check := range []func(*Cluster) error{
		j.validateModel, j.validateSizes, j.validatePipeline, j.validateOptions, j.validatePlacement, j.validateMemory,
	} {
		if err := check(c); err != nil {
			return err
		}
	}
	return nil
}

func (j *Job) validateModel(*Cluster) error {
	m := &j.Model
	for _, f := range []struct {
		name string
		v    int
	}{{"layers", m.Layers}, {"hidden", m.Hidden}, {"heads", m.Heads}, {"vocab", m.Vocab}, {"seq", m.Seq}} {
		if f.v <= 0 {
			return fmt.Errorf("model.%s: is %d and must be at least 1", f.name, f.v)
		}
	}
	if m.KVHeads < 1 || m.Heads%m.KVHeads != 0 {
		return fmt.Errorf("model.kv_heads: %d does not divide heads = %d", m.KVHeads, m.Heads)
	}
	if m.Experts > 0 && (m.TopK < 1 || m.TopK > m.Experts) {
		return fmt.Errorf("model.top_k: is %d and must lie between 1 and experts = %d", m.TopK, m.Experts)
	}
	if m.Experts == 0 && (m.TopK > 0 || m.SharedExperts > 0) {
		return fmt.Errorf("model.experts: is 0 although top_k or shared_experts is set")
	}
	if m.DenseLayers < 0 || m.DenseLayers > m.Layers {
		return fmt.Errorf("model.dense_layers: is %d of %d layers", m.DenseLayers, m.Layers)
	}
	return nil
}

func (j *Job) validateSizes(c *Cluster) error {
	p, b := &j.Parallel, &j.Batch
	for _, f := range []struct {
		name string
		v    int
	}{
		{"parallel.tp", p.TP}, {"parallel.pp", p.PP}, {"parallel.dp", p.DP}, {"parallel.cp", p.CP}, {"parallel.ep", p.EP},
		{"parallel.virtual_stages", p.VirtualStages}, {"parallel.units_per_layer", p.UnitsPerLayer},
		{"batch.global", b.Global}, {"batch.micro", b.Micro}, {"steps", j.Steps},
	} {
		if f.v < 1 {
			return fmt.Errorf("%s: is %d and must be at least 1", f.name, f.v)
		}
	}
	n := p.TP * p.PP * p.DP * p.CP
	if j.Placement == nil && n > len(c.GPUs) {
		return fmt.Errorf("parallel: tp*pp*dp*cp = %d*%d*%d*%d = %d, but the cluster has %d GPUs; dp: %d would fit",
			p.TP, p.PP, p.DP, p.CP, n, len(c.GPUs), max(1, len(c.GPUs)/(p.TP*p.PP*p.CP)))
	}
	if j.Placement != nil && len(j.Placement) != n {
		return fmt.Errorf("parallel: tp*pp*dp*cp = %d*%d*%d*%d = %d, but the job is placed on %d GPUs", p.TP, p.PP, p.DP, p.CP, n, len(j.Placement))
	}
	if per := b.Micro * p.DP; b.Global%per != 0 {
		return fmt.Errorf("batch.global: %d is not divisible by micro * dp = %d * %d = %d; %d or %d would do",
			b.Global, b.Micro, p.DP, per, max(1, b.Global/per)*per, (b.Global/per+1)*per)
	}
	if m := &j.Model; m.Heads%p.TP != 0 {
		return fmt.Errorf("parallel.tp: %d does not divide the model's %d heads; it takes one of %s", p.TP, m.Heads, divisors(m.Heads))
	}
	if j.Model.Seq%p.CP != 0 {
		return fmt.Errorf("parallel.cp: %d does not divide the sequence of %d tokens", p.CP, j.Model.Seq)
	}
	if p.EP > 1 && j.Model.Experts == 0 {
		return fmt.Errorf("parallel.ep: is %d, but model %s has no experts; leave it out", p.EP, j.Model.Name)
	}
	if p.EP > 1 && (p.DP*p.CP)%p.EP != 0 {
		return fmt.Errorf("parallel.ep: %d does not divide dp*cp = %d, from which its ranks come", p.EP, p.DP*p.CP)
	}
	if p.EP > 1 && j.Model.Experts%p.EP != 0 {
		return fmt.Errorf("parallel.ep: %d does not divide the model's %d experts", p.EP, j.Model.Experts)
	}
	if p.EP > 1 && p.EP%p.CP != 0 && p.CP%p.EP != 0 {
		return fmt.Errorf("parallel.ep: %d and cp = %d must divide one another", p.EP, p.CP)
	}
	return nil
}

func (j *Job) validatePipeline(*Cluster) error {
	p := &j.Parallel
	chunks := p.PP * p.VirtualStages
	switch p.Schedule {
	case GPipe, OneFOneB, Interleaved, ZeroBubble:
	default:
		return fmt.Errorf("parallel.schedule: %q is none of gpipe, 1f1b, interleaved, zero-bubble", p.Schedule)
	}
	if p.VirtualStages > 1 && p.Schedule != Interleaved {
		return fmt.Errorf("parallel.virtual_stages: is %d, which needs schedule: interleaved, not %s", p.VirtualStages, p.Schedule)
	}
	if p.VirtualStages > 1 && p.PP == 1 {
		return fmt.Errorf("parallel.virtual_stages: is %d without a pipeline (pp: 1)", p.VirtualStages)
	}
	if m := j.MicroBatches(); p.Schedule == Interleaved && m%p.PP != 0 {
		return fmt.Errorf("parallel.schedule: interleaved needs the micro-batches of a replica, here %d, to be divisible by pp = %d", m, p.PP)
	}
	if p.StageLayers == nil {
		if j.Model.Layers%chunks != 0 {
			return fmt.Errorf("parallel.pp: %d layers do not divide by pp * virtual_stages = %d * %d; choose from %s or list parallel.stage_layers",
				j.Model.Layers, p.PP, p.VirtualStages, divisors(j.Model.Layers))
		}
		return nil
	}
	sum := 0
	for _, n := range p.StageLayers {
		if n < 0 {
			return fmt.Errorf("parallel.stage_layers: holds %d", n)
		}
		sum += n
	}
	if len(p.StageLayers) != chunks || sum != j.Model.Layers {
		return fmt.Errorf("parallel.stage_layers: lists %d chunks with %d layers; pp * virtual_stages = %d and the model has %d",
			len(p.StageLayers), sum, chunks, j.Model.Layers)
	}
	return nil
}

func (j *Job) validateOptions(c *Cluster) error {
	p := &j.Parallel
	if p.ZeRO < 0 || p.ZeRO > 3 {
		return fmt.Errorf("parallel.zero: is %d; ZeRO has stages 0 to 3", p.ZeRO)
	}
	if p.ZeRO >= 2 && p.PP > 1 {
		return fmt.Errorf("parallel.zero: stage %d shards gradients, which every micro-batch of a pipeline would have to reduce; with pp = %d use 1", p.ZeRO, p.PP)
	}
	if p.BucketBytes < 0 {
		return fmt.Errorf("parallel.bucket: must not be negative")
	}
	for _, t := range c.Types {
		if t.Peak[j.Precision] <= 0 {
			return fmt.Errorf("precision: GPU %s has no peak for %q; it has %s", t.Name, j.Precision, keys(t.Peak))
		}
	}
	switch j.GradPrecision {
	case "fp32", "bf16", "fp16":
	default:
		return fmt.Errorf("grad_precision: %q is none of fp32, bf16, fp16", j.GradPrecision)
	}
	switch j.Recompute {
	case RecomputeNone, RecomputeSelective, RecomputeFull:
	default:
		return fmt.Errorf("recompute: %q is none of none, selective, full", j.Recompute)
	}
	switch j.Optimizer {
	case "adam", "sgd":
	default:
		return fmt.Errorf("optimizer: %q is neither adam nor sgd", j.Optimizer)
	}
	switch k := j.Compression; k.Kind {
	case "", "fp8", "int8":
	case "topk":
		if k.Ratio <= 0 || k.Ratio > 1 {
			return fmt.Errorf("compression.ratio: is %g and must lie in (0, 1]", k.Ratio)
		}
	default:
		return fmt.Errorf("compression.kind: %q is none of fp8, int8, topk", k.Kind)
	}
	switch j.Transport.Algorithm {
	case "", "ring", "tree":
	default:
		return fmt.Errorf("transport.algorithm: %q is neither ring nor tree", j.Transport.Algorithm)
	}
	if j.MoEImbalance < 1 {
		return fmt.Errorf("moe_imbalance: is %g; the most loaded rank has at least the mean (1)", j.MoEImbalance)
	}
	if j.Jitter < 0 || j.Jitter > 1 {
		return fmt.Errorf("jitter: is %g and must lie in [0, 1]", j.Jitter)
	}
	if j.Symmetric && (j.Jitter > 0 || len(j.Stragglers) > 0) {
		return fmt.Errorf("symmetric: replicas differ where there is jitter or a straggler")
	}
	if j.SMContention < 0 || j.SMContention >= 1 {
		return fmt.Errorf("sm_contention: is %g and must lie in [0, 1)", j.SMContention)
	}
	if j.P2PContention < 0 || j.P2PContention >= 1 {
		return fmt.Errorf("p2p_contention: is %g and must lie in [0, 1)", j.P2PContention)
	}
	if t := &j.Transport; t.RankOverhead < 0 || t.RankCopy < 0 || t.CopyPasses < 0 {
		return fmt.Errorf("rank_overhead, rank_copy, copy_passes: are %v, %v and %g and must not be negative", t.RankOverhead, t.RankCopy, t.CopyPasses)
	}
	if j.StepOverhead < 0 {
		return fmt.Errorf("step_overhead: is %v and must not be negative", j.StepOverhead)
	}
	for _, s := range j.Stragglers {
		if s.Rank < 0 || s.Rank >= j.GPUs() || s.Factor < 1 {
			return fmt.Errorf("stragglers: rank %d by a factor %g; ranks go from 0 to %d, factors from 1", s.Rank, s.Factor, j.GPUs()-1)
		}
	}
	return nil
}

func (j *Job) validatePlacement(c *Cluster) error {
	seen := make([]bool, len(c.GPUs))
	for r, g := range j.Placement {
		if g < 0 || g >= len(c.GPUs) {
			return fmt.Errorf("placement: rank %d on GPU %d; the cluster has GPUs 0 to %d", r, g, len(c.GPUs)-1)
		}
		if seen[g] {
			return fmt.Errorf("placement: GPU %d is used twice", g)
		}
		seen[g] = true
	}
	return nil
}

func (j *Job) validateMemory(c *Cluster) error {
	if j.SkipMemoryCheck {
		return nil
	}
	m := Estimate(*j, c)
	if m.Limit == 0 || m.Total <= m.Limit {
		return nil
	}
	hint := "more tp or pp, or zero: 1"
	if m.Activations > m.Total/2 {
		hint = "recompute: full, a smaller batch.micro, or sequence_parallel: true"
	} else if m.Optimizer > m.Total/2 && j.Parallel.DP*j.Parallel.CP > 1 && j.Parallel.ZeRO == 0 {
		hint = "zero: 1, which shards the optimizer, or more tp or pp"
	}
	return fmt.Errorf("job %s: does not fit: stage %d needs %s a GPU (parameters %s, gradients %s, optimizer %s, activations %s, workspace %s) of %s; try %s",
		j.Name, m.Stage, gib(m.Total), gib(m.Params), gib(m.Grads), gib(m.Optimizer), gib(m.Activations), gib(m.Workspace), gib(m.Limit), hint)
}

func gib(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }

func keys(m map[string]float64) string {
	var s []string
	for k := range m {
		s = append(s, k)
	}
	sort.Strings(s)
	return strings.Join(s, ", ")
}

func divisors(n int) string {
	var s []string
	for i := 1; i <= n; i++ {
		if n%i == 0 {
			s = append(s, fmt.Sprint(i))
		}
	}
	return strings.Join(s, ", ")
}
