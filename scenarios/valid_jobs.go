package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/nccl"
)

// job completes what does not come from tags.
func (c *validation) job(i int, j *JobSpec) {
	where := fmt.Sprintf("jobs[%d]", i)
	if !j.Name.Set() {
		name := "train"
		switch {
		case j.Traffic != nil:
			name = "traffic"
		case j.Trace != nil:
			name = "trace"
		}
		if i > 0 {
			name = fmt.Sprintf("%s%d", name, i+1)
		}
		def(&j.Name, name)
	}
	switch {
	case j.Traffic != nil && j.Model != nil:
		c.errs.add(j.Traffic.At, "", "%s: model and traffic are both given; a job is one or the other", where)
	case j.Traffic != nil:
		c.need(&j.Traffic.Section, where+".traffic", "pattern", j.Traffic.Pattern.Set())
	case j.Trace != nil && j.Traffic != nil:
		c.errs.add(j.Trace.At, "", "%s: traffic and trace are both given; a job is one or the other", where)
	case j.Trace != nil && j.Model != nil:
		c.errs.add(j.Trace.At, "", "%s: model and trace are both given; a job is one or the other", where)
	case j.Trace != nil:
		c.need(&j.Trace.Section, where+".trace", "format", j.Trace.Format.Set())
	case j.Model == nil:
		c.errs.add(j.At, "", "%s: key %q (or traffic) is missing", where, "model")
	default:
		c.model(j.Model)
		if j.Parallel == nil {
			c.errs.add(j.At, "", "%s: key %q is missing", where, "parallel")
		}
		if j.Batch == nil {
			c.errs.add(j.At, "", "%s: key %q is missing", where, "batch")
		} else {
			c.need(&j.Batch.Section, where+".batch", "global", j.Batch.Global.Set())
		}
		def(&j.Precision, "bf16")
		def(&j.Recompute, "none")
		def(&j.Optimizer, "adam")
	}
}

// cluster derives the machine as jobs see it. NICs are numbered as package topo
// builds them: first among the nodes, by compute node and index.
func (c *validation) cluster() {
	n := &c.s.Cluster.Node
	g := &n.GPU
	t := workload.GPUType{Name: g.Preset.V, Peak: map[string]float64{}, Memory: int64(g.Memory.V), MemoryBW: sim.Rate(g.Bandwidth.V),
		Efficiency: float64(g.Efficiency.V), Launch: g.Launch.V, SMs: g.SMs.V, Attention: float64(g.Attention.V)}
	if t.Name == "" {
		t.Name = "gpu"
	}
	for name, p := range map[string]Val[FLOPS]{"bf16": g.BF16, "fp16": g.FP16, "fp8": g.FP8, "tf32": g.TF32, "fp32": g.FP32} {
		if p.Set() {
			t.Peak[name] = float64(p.V)
		}
	}
	cl := workload.Cluster{Types: []workload.GPUType{t}, HostOverhead: n.HostOverhead.V}
	cl.Scaleup = workload.Scaleup{Alpha: n.NVLink.Alpha.V, BusBW: sim.Rate(n.NVLink.BusBW.V), P2P: sim.Rate(n.NVLink.P2P.V)}
	if n.Cross.BusBW.Set() {
		def(&n.Cross.Alpha, n.NVLink.Alpha.V)
		def(&n.Cross.P2P, n.Cross.BusBW.V)
		cl.CrossIsland = workload.Scaleup{Alpha: n.Cross.Alpha.V, BusBW: sim.Rate(n.Cross.BusBW.V), P2P: sim.Rate(n.Cross.P2P.V)}
	}
	if in := n.inside(); in != nil {
		cl.GroupBusBW = meshBusBW(n, in)
	}
	gpus, nics, island := n.GPUs.V, n.NICs.V, n.NVLink.Island.V
	if island <= gpus && gpus%island != 0 || island > gpus && island%gpus != 0 {
		c.errs.add(n.NVLink.Island.From, "", "nvlink: an island of %d GPUs and a node of %d do not divide one another", island, gpus)
		return
	}
	affinity := n.Affinity.V
	if !n.Affinity.Set() {
		for i := range gpus {
			affinity = append(affinity, i*nics/gpus)
		}
		n.Affinity = Val[[]int]{affinity, Origin{Kind: FromDefault}}
	}
	if len(affinity) != gpus {
		c.errs.add(n.Affinity.From, "", "node: affinity lists %d NICs for %d GPUs", len(affinity), gpus)
		return
	}
	for _, a := range affinity {
		if a < 0 || a >= nics {
			c.errs.add(n.Affinity.From, "", "node: affinity names NIC %d, the node has %d, counted from 0", a, nics)
			return
		}
	}
	cl.GPUs = make([]workload.GPU, 0, c.s.Cluster.Nodes.V*gpus)
	for node := range c.s.Cluster.Nodes.V {
		for local := range gpus {
			i := len(cl.GPUs)
			cl.GPUs = append(cl.GPUs, workload.GPU{Node: int32(node), Local: int16(local), NIC: fabric.NodeID(node*nics + affinity[local]), Island: int32(i / island)})
		}
	}
	c.v.Cluster = cl
}

// jobs derives each job, places it, and has package workload check it.
func (c *validation) jobs() {
	if len(c.errs) > 0 {
		return
	}
	free := make([]bool, len(c.v.Cluster.GPUs))
	for i := range free {
		free[i] = true
	}
	names := map[string]bool{}
	for i := range c.s.Jobs {
		j := &c.s.Jobs[i]
		if names[j.Name.V] {
			c.errs.add(j.Name.From, "", "jobs: two jobs are named %q", j.Name.V)
			continue
		}
		names[j.Name.V] = true
		vj := ValidJob{Name: j.Name.V, Spec: j}
		if j.Traffic != nil {
			c.traffic(j)
			vj.Traffic = j.Traffic
		} else if j.Trace != nil {
			if vj.Trace = c.trace(j, free); vj.Trace == nil {
				continue
			}
		} else {
			vj.Training = c.training(j, free)
			if vj.Training == nil {
				continue
			}
		}
		c.v.Jobs = append(c.v.Jobs, vj)
	}
}

func (c *validation) training(j *JobSpec, free []bool) *workload.Job {
	p, b := j.Parallel, j.Batch
	env, warnings := j.NCCL.env(&c.errs, "NCCL_ALGO")
	c.v.Warnings = append(c.v.Warnings, warnings...)
	p.takeRest(free)
	w := &workload.Job{
		Name: j.Name.V, Model: modelOf(j.Model), Steps: c.s.Run.Steps.V,
		Parallel: workload.Parallel{
			TP: p.TP.V, PP: p.PP.V, DP: p.DP.V, CP: p.CP.V, EP: p.EP.V, SequenceParallel: p.SP.V, VirtualStages: p.Virtual.V,
			Schedule: workload.Schedule(p.Schedule.V), StageLayers: p.StageLayers.V, ZeRO: p.ZeRO.V, FSDP: p.FSDP.V, BucketBytes: int64(p.Bucket.V),
			OverlapGrad: p.OverlapGrad.V, OverlapParam: p.OverlapParam.V, OverlapP2P: p.OverlapP2P.V, OverlapTP: p.OverlapTP.V, OverlapEP: p.OverlapEP.V,
			UnitsPerLayer: p.UnitsPerLayer.V, Regather: p.Regather.V,
			Prefetch: p.Prefetch.V, ScatterGather: p.ScatterGather.V, Hierarchical: p.Hierarchical.V, RankOrder: p.RankOrder.V,
		},
		Batch:     workload.Batch{Global: b.Global.V, Micro: b.Micro.V},
		Precision: j.Precision.V, GradPrecision: j.GradPrecision.V, Recompute: workload.Recompute(j.Recompute.V), UnfusedAttention: j.Unfused.V,
		Optimizer: j.Optimizer.V, MoEImbalance: float64(j.MoEImbalance.V), Jitter: float64(j.Jitter.V), SMContention: float64(j.SMContention.V),
		P2PContention: float64(j.P2PContention.V),
		Transport: workload.Transport{
			QPs: env.QPsPerConnection, Class: uint8(j.Class.V), Slice: ringSlice(env.BuffSize[simpleProto]),
			PairRate: j.PairRate.V, RankOverhead: j.RankOverhead.V, RankCopy: j.RankCopy.V, CopyPasses: float64(j.CopyPasses.V),
		},
		StepOverhead:    j.StepOverhead.V,
		Seed:            c.s.Seed.V,
		SkipMemoryCheck: j.SkipMemory.V,
	}
	if k := j.Compression.Kind.V; k != "none" {
		w.Compression = workload.Compression{Kind: k, Ratio: float64(j.Compression.Ratio.V)}
	}
	for _, s := range j.Stragglers {
		w.Stragglers = append(w.Stragglers, workload.Straggler{Rank: s.Rank.V, Factor: float64(s.Factor.V)})
	}
	if l := &c.s.Cluster.Node.NVLink; p.TP.V > l.Island.V {
		c.warn(p.TP.From, "tensor-parallel groups of %d reach beyond the NVLink islands of %d; their collectives take slower paths in every layer", p.TP.V, l.Island.V)
	}
	d := w.WithDefaults()
	def(&p.Schedule, string(d.Parallel.Schedule))
	def(&j.GradPrecision, d.GradPrecision)
	c.retransmission(&j.NCCL, env)
	if j.Class.V != 0 {
		c.v.Packet.Classes[j.Class.V] = c.v.Packet.Classes[0]
	}
	if !c.place(j, w, free) {
		return nil
	}
	// The trial catches what cannot be before anything is built or written.
	trial, err := workload.New(sim.NewKernel(), nil, &c.v.Cluster, *w)
	if err != nil {
		c.jobError(j, err)
		return nil
	}
	c.algorithm(j, w, trial, env)
	for _, d := range w.Doubts() {
		key, section := doubtKey(d.Field), j.At
		if i := strings.LastIndexByte(key, '.'); i >= 0 {
			section = fieldAt(j, key[:i], j.At)
		}
		// A default that changes nothing is no news.
		if at := fieldAt(j, key, j.At); at != section {
			c.warn(at, "%s %s", key, d.Message)
		}
	}
	return w
}

// takeRest lets dp, where it is not given, take the GPUs that are free.
func (p *ParallelSpec) takeRest(free []bool) {
	if p.DP.Set() {
		return
	}
	left := 0
	for _, f := range free {
		if f {
			left++
		}
	}
	p.DP = Val[int]{max(1, left/(p.TP.V*p.PP.V*max(1, p.CP.V))), Origin{Kind: FromDefault, Name: "the GPUs left"}}
}

// retransmission takes the NIC's timeout and retry count from NCCL, which sets
// them on its queue pairs; what the scenario says itself goes before.
func (c *validation) retransmission(e *EnvSpec, env nccl.Env) {
	t := &c.s.Cluster.Transport
	for _, v := range []struct {
		name string
		set  func(Origin)
	}{
		{"NCCL_IB_TIMEOUT", func(o Origin) { t.RTO = Val[sim.Time]{rto(env.IBTimeout), o} }},
		{"NCCL_IB_RETRY_CNT", func(o Origin) { t.Retries = Val[int]{env.IBRetryCount, o} }},
	} {
		known := map[string]Origin{"NCCL_IB_TIMEOUT": t.RTO.From, "NCCL_IB_RETRY_CNT": t.Retries.From}[v.name]
		if known.Kind >= FromFile {
			continue
		}
		o := Origin{Kind: FromDefault, Name: v.name}
		if x := e.get(v.name); x != nil {
			o = Origin{Kind: FromPreset, Name: v.name}
		} else if known.Kind == FromPreset {
			continue // another job's
		}
		v.set(o)
	}
}

// jobError places an error of package workload at the key that it names.
func (c *validation) jobError(j *JobSpec, err error) {
	path, _, _ := strings.Cut(err.Error(), ":")
	at := j.At
	if !strings.Contains(path, " ") {
		at = fieldAt(j, path, j.At)
		if path == "steps" {
			at = c.s.Run.Steps.From
		}
	} else if j.Parallel != nil {
		at = j.Parallel.At
	}
	var es *Error
	if errors.As(err, &es) {
		c.errs = append(c.errs, es)
		return
	}
	c.errs.add(at, "", "%v", err)
}

// doubtKey is a field of workload.Doubt as scenarios spell it.
func doubtKey(field string) string {
	switch field {
	case "parallel.overlap_grad":
		return "parallel.overlap_grad_reduce"
	case "parallel.overlap_param":
		return "parallel.overlap_param_gather"
	case "parallel.hierarchical":
		return "parallel.hierarchical_dp"
	}
	return field
}
