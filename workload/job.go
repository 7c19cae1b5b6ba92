package workload

import "github.com/simnet/simnet/sim"

// Schedule is the order in which a pipeline stage runs its micro-batches.
type Schedule string

// The pipeline schedules.
const (
	GPipe       Schedule = "gpipe"       // all forwards, then all backwards (Huang et al., NeurIPS 2019)
	OneFOneB    Schedule = "1f1b"        // PipeDream-Flush (Narayanan et al., ICML 2021)
	Interleaved Schedule = "interleaved" // 1F1B over virtual stages (Narayanan et al., SC21, section 2.2)
	ZeroBubble  Schedule = "zero-bubble" // ZB-H1 (Qi et al., ICLR 2024)
)

// Recompute is how much of the forward pass runs again during the backward.
type Recompute string

// Levels of activation recomputation (Korthikanti et al., MLSys 2023).
const (
	RecomputeNone      Recompute = "none"
	RecomputeSelective Recompute = "selective" // the attention core alone
	RecomputeFull      Recompute = "full"      // every layer from its input
)

// Parallel is how a model is spread over ranks. The product TP*PP*DP*CP is the
// number of GPUs; EP divides DP*CP and takes its ranks from them.
type Parallel struct {
	TP, PP, DP, CP, EP int // each >= 1; 0 counts as 1

	// SequenceParallel splits layer norms and dropouts over the tensor-parallel
	// ranks: each all-reduce becomes a reduce-scatter and an all-gather.
	SequenceParallel bool
	// VirtualStages is the number of model chunks a stage holds (interleaved
	// schedule); 0 counts as 1.
	VirtualStages int
	Schedule      Schedule // empty: 1f1b, or interleaved when VirtualStages > 1
	// StageLayers, if set, lists the layers of each of the PP*VirtualStages
	// chunks in model order, where the layers do not divide evenly.
	StageLayers []int

	// ZeRO is the stage of optimizer-state sharding, 0 to 3 (Rajbhandari et
	// al., SC20). FSDP is ZeRO 3 with gathers unit by unit.
	ZeRO int
	FSDP bool
	// BucketBytes is the size of a gradient bucket; 0 means 25 MiB where
	// overlap is on (the default of PyTorch DDP), else one bucket.
	BucketBytes int64
	// OverlapGrad starts a bucket's reduction during the backward pass of the
	// last micro-batch; OverlapParam hides ZeRO's parameter all-gather behind
	// the next forward; OverlapP2P lets a stage compute while it sends;
	// OverlapTP splits tensor-parallel collectives to run under the GEMMs;
	// OverlapEP runs an action's all-to-all under its computation, as schedules
	// that interleave two micro-batches do (DualPipe, arXiv:2412.19437, 3.2.1).
	OverlapGrad, OverlapParam, OverlapP2P, OverlapTP, OverlapEP bool
	// Prefetch is how many FSDP units are gathered ahead; 0 counts as 1,
	// negative values gather each unit only when it is needed.
	Prefetch int
	// UnitsPerLayer is how many gathers the parameters of a layer take with
	// ZeRO 3: 1 (0 counts as 1) for FSDP's wrapped layers, 4 where every matrix
	// is gathered by itself. Regather gathers them once more for recomputation.
	UnitsPerLayer int
	Regather      bool
	// ScatterGather sends 1/TP of a stage boundary's activation from each
	// tensor-parallel rank and gathers it over NVLink at the receiver (SC21,
	// section 4.1). Sequence parallelism implies the split.
	ScatterGather bool
	// Hierarchical reduces inside each node first, where a data-parallel group
	// has several ranks there; otherwise one ring per NIC passes all ranks.
	Hierarchical bool
	// RankOrder lists the dimensions from the fastest varying, as Megatron-LM's
	// --order: "tp-cp-ep-dp-pp" if empty.
	RankOrder string
}

// Batch sizes are in sequences.
type Batch struct {
	Global int // per step, over all replicas
	Micro  int // per micro-batch and replica
}

// Compression shrinks gradients before they are reduced.
type Compression struct {
	Kind string // "", "fp8", "int8" or "topk"
	// Ratio is the fraction of elements kept by topk, 0 to 1; each costs its
	// value and a 4-byte index.
	Ratio float64
}

// Straggler slows GPUs down.
type Straggler struct {
	Rank   int     // the replica that holds this rank is slowed
	Factor float64 // compute time is multiplied by it, >= 1
}

// Transport is how the job's messages use the network.
type Transport struct {
	QPs     int      // queue pairs a connection (NCCL_IB_QPS_PER_CONNECTION); 0 means 1
	Class   uint8    // priority class
	Slice   int64    // bytes of a relay's slice; 0 leaves it to the engine
	MaxRate sim.Rate // cap of one rank's sender; 0: none
	// PairRate caps one send/recv pair: NCCL gives a peer few channels, so that
	// one pair does not fill a fast NIC (19.5 GB/s on 400 Gb/s by default in
	// the sendrecv_perf runs of 16 B200s). 0: none.
	PairRate sim.Rate
	// Algorithm of gradient all-reduces between domains: "ring" (also empty) or
	// "tree", NCCL's double binary tree. Halves of an all-reduce are rings.
	Algorithm string
	// RankOverhead is the host time that a collective over the replicas costs
	// for each rank of its group before it starts, where the framework handles
	// one tensor a rank; RankCopy is what issuing that tensor's copy from or to
	// the library's buffer costs. The host issues nothing else meanwhile.
	RankOverhead, RankCopy sim.Time
	// CopyPasses is how often such a collective moves its whole buffer through
	// memory beside the transfer, for the copies between the tensors and the
	// library's flat buffer. 0: the collective works in place.
	CopyPasses float64
}

// Job is one training job: plain values, all of them explicit.
type Job struct {
	Name     string
	Model    Model
	Parallel Parallel
	Batch    Batch
	Steps    int // 0 counts as 1
	// Precision of the matrix products and activations: a key of
	// GPUType.Peak. GradPrecision is that of reduced gradients: "fp32", "bf16"
	// or "fp16"; empty: as Precision, 16 bit where that is fp8.
	Precision     string
	GradPrecision string
	Recompute     Recompute // empty: none
	// UnfusedAttention writes the attention scores to memory, as before
	// FlashAttention.
	UnfusedAttention bool
	Compression      Compression
	Optimizer        string // "adam" (default) or "sgd"
	// MoEImbalance is the tokens of the most loaded expert rank over the mean,
	// >= 1; 0 counts as 1.
	MoEImbalance float64
	Stragglers   []Straggler
	// Jitter is the standard deviation of each action's compute time, as a
	// fraction of it; drawn from a half-normal, since work is never early.
	Jitter float64
	// SMContention is the fraction of compute throughput lost while a
	// collective runs under it, 0 to 1 (the SMs that NCCL's kernels occupy).
	SMContention float64
	// P2PContention is the fraction of compute throughput lost while an
	// overlapped transfer between stages is pending, 0 to 1: the kernel of a
	// receive holds its SMs until the other stage has sent.
	P2PContention float64
	// StepOverhead is what a step costs outside the model on every rank: data
	// loading, logging, the host side of the optimizer.
	StepOverhead sim.Time
	// Placement gives the GPU (index into Cluster.GPUs) of each rank; nil:
	// rank r runs on GPU r.
	Placement []int
	Transport Transport
	Seed      uint64
	// TimelineReplicas is how many data-parallel replicas the timeline shows; 0
	// counts as 1.
	TimelineReplicas int
	// Symmetric runs the processes of one data-parallel replica (of one expert
	// group) for all of them; collectives move in full. It is exact where
	// replicas do not disturb one another, which only a network without
	// contention promises, and excludes stragglers and jitter.
	Symmetric bool
	// SkipMemoryCheck lets a job start that does not fit the GPUs' memory.
	SkipMemoryCheck bool
}

func (p Parallel) withDefaults() Parallel {
	for _, d := range []*int{&p.TP, &p.PP, &p.DP, &p.CP, &p.EP, &p.VirtualStages, &p.Prefetch, &p.UnitsPerLayer} {
		if *d == 0 {
			*d = 1
		}
	}
	if p.Schedule == "" {
		p.Schedule = OneFOneB
		if p.VirtualStages > 1 {
			p.Schedule = Interleaved
		}
	}
	if p.FSDP {
		p.ZeRO = 3
	}
	if p.RankOrder == "" {
		p.RankOrder = "tp-cp-ep-dp-pp"
	}
	return p
}

// WithDefaults returns j with every zero value that stands for a default
// replaced by it. New applies it; tools that print a job's effective values
// may too.
func (j Job) WithDefaults() Job {
	j.Parallel = j.Parallel.withDefaults()
	j.Model = j.Model.withDefaults()
	if j.Steps == 0 {
		j.Steps = 1
	}
	if j.Precision == "" {
		j.Precision = "bf16"
	}
	if j.GradPrecision == "" {
		j.GradPrecision = j.Precision
		if j.Precision == "fp8" || j.Precision == "tf32" {
			j.GradPrecision = map[string]string{"fp8": "bf16", "tf32": "fp32"}[j.Precision]
		}
	}
	if j.Recompute == "" {
		j.Recompute = RecomputeNone
	}
	if j.Optimizer == "" {
		j.Optimizer = "adam"
	}
	if j.MoEImbalance == 0 {
		j.MoEImbalance = 1
	}
	if j.TimelineReplicas == 0 {
		j.TimelineReplicas = 1
	}
	return j
}

// GPUs returns the number of GPUs that the job occupies.
func (j Job) GPUs() int {
	p := j.Parallel.withDefaults()
	return p.TP * p.PP * p.DP * p.CP
}

// MicroBatches returns the number of micro-batches that a replica runs a step.
// The job must be valid.
func (j Job) MicroBatches() int {
	return j.Batch.Global / (j.Batch.Micro * j.Parallel.withDefaults().DP)
}

// elementBytes is the size of one value of a precision in memory and on the
// wire. FP8 training keeps activations between GEMMs in 16 bits
// (TransformerEngine); tf32 is stored as fp32.
func elementBytes(precision string) int64 {
	switch precision {
	case "fp32", "tf32":
		return 4
	default:
		return 2
	}
}
