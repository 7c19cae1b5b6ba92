package scenarios

import "github.com/simnet/simnet/sim"

// JobSpec is one job: training (model and what goes with it), synthetic traffic,
// or recorded operations.
type JobSpec struct {
	Section
	Name  Val[string]   `yaml:"name" doc:"used in results and by --set jobs.NAME.key; default: train, train2, ..."`
	Start Val[sim.Time] `yaml:"start" default:"0" min:"0ps" doc:"simulated time at which it begins"`

	Model    *ModelSpec    `yaml:"model" doc:"what is trained: a preset, or a preset with overrides, or a shape"`
	Parallel *ParallelSpec `yaml:"parallel" doc:"how it is spread over GPUs"`
	Batch    *BatchSpec    `yaml:"batch"`

	Precision     Val[string]     `yaml:"precision" enum:"bf16,fp16,fp8,tf32,fp32" doc:"of matrix products and activations; default bf16"`
	GradPrecision Val[string]     `yaml:"grad_precision" enum:"bf16,fp16,fp32" doc:"of reduced gradients; default: as precision, 16 bit for fp8"`
	Recompute     Val[string]     `yaml:"recompute" enum:"none,selective,full" doc:"activations computed again in the backward pass; default none"`
	Unfused       Val[bool]       `yaml:"unfused_attention" doc:"attention scores go through memory, as before FlashAttention"`
	Optimizer     Val[string]     `yaml:"optimizer" enum:"adam,sgd" doc:"default adam"`
	Compression   CompressionSpec `yaml:"compression" doc:"of gradients before they are reduced"`
	NCCL          EnvSpec         `yaml:"nccl" doc:"NCCL_* variables by their real names"`
	Placement     PlacementSpec   `yaml:"placement"`
	Stragglers    []StragglerSpec `yaml:"stragglers" doc:"GPUs that compute more slowly"`
	Jitter        Val[Ratio]      `yaml:"jitter" min:"0" max:"1" doc:"standard deviation of compute times as a share of them"`
	StepOverhead  Val[sim.Time]   `yaml:"step_overhead" default:"0ps" min:"0ps" doc:"of a step outside the model: data loading, logging, the host side of the optimizer"`
	PairRate      Val[sim.Rate]   `yaml:"pair_rate" min:"1Mbps" doc:"cap of one send/recv pair, which NCCL gives few channels; absent: none"`
	RankOverhead  Val[sim.Time]   `yaml:"rank_overhead" default:"0ps" min:"0ps" doc:"host time that a collective over the replicas costs for each rank of its group before it starts"`
	RankCopy      Val[sim.Time]   `yaml:"rank_copy" default:"0ps" min:"0ps" doc:"host time to issue the copy of one rank's tensor in such a collective"`
	CopyPasses    Val[Ratio]      `yaml:"copy_passes" min:"0" max:"100" doc:"how often such a collective moves its whole buffer through memory beside the transfer"`
	SMContention  Val[Ratio]      `yaml:"sm_contention" min:"0" max:"0.9" doc:"compute throughput lost while a collective runs under it"`
	P2PContention Val[Ratio]      `yaml:"p2p_contention" min:"0" max:"0.9" doc:"compute throughput lost while an overlapped transfer between stages is pending"`
	MoEImbalance  Val[Ratio]      `yaml:"moe_imbalance" min:"1" max:"64" doc:"tokens of the most loaded expert rank over the mean"`
	SkipMemory    Val[bool]       `yaml:"skip_memory_check" doc:"run although the model does not fit the GPUs' memory"`
	Class         Val[int]        `yaml:"class" default:"0" min:"0" max:"7" doc:"priority class of its packets"`

	Traffic *TrafficSpec `yaml:"traffic" doc:"instead of model: flows without a training job"`
	Trace   *TraceSpec   `yaml:"trace" doc:"instead of model: recorded operations (GOAL, Chakra, SimAI)"`
}

// ModelSpec is the shape of a transformer.
type ModelSpec struct {
	Section
	Preset    Val[string] `yaml:"preset" short:"true" doc:"simnet catalog models"`
	Layers    Val[int]    `yaml:"layers" min:"1" max:"10000"`
	Hidden    Val[int]    `yaml:"hidden" min:"1" max:"1000000"`
	Heads     Val[int]    `yaml:"heads" min:"1"`
	KVHeads   Val[int]    `yaml:"kv_heads" min:"1" doc:"grouped-query attention; default: heads"`
	HeadDim   Val[int]    `yaml:"head_dim" min:"1" doc:"default: hidden/heads"`
	FFN       Val[int]    `yaml:"ffn" min:"1" doc:"width of the feed-forward layer; default: 4*hidden"`
	Gated     Val[bool]   `yaml:"gated" doc:"SwiGLU: three matrices"`
	Vocab     Val[int]    `yaml:"vocab" min:"1"`
	Seq       Val[int]    `yaml:"seq" min:"1" doc:"tokens a sequence"`
	Tied      Val[bool]   `yaml:"tied_embeddings"`
	Learned   Val[bool]   `yaml:"learned_positions"`
	Experts   Val[int]    `yaml:"experts" min:"0"`
	TopK      Val[int]    `yaml:"top_k" min:"0"`
	Shared    Val[int]    `yaml:"shared_experts" min:"0"`
	ExpertFFN Val[int]    `yaml:"expert_ffn" min:"1"`
	Dense     Val[int]    `yaml:"dense_layers" min:"0" doc:"layers before the first with experts"`
	MLA       MLASpec     `yaml:"mla" doc:"multi-head latent attention"`
}

// MLASpec is the shape of multi-head latent attention.
type MLASpec struct {
	Section
	QRank  Val[int] `yaml:"q_rank" min:"1"`
	KVRank Val[int] `yaml:"kv_rank" min:"1"`
	Rope   Val[int] `yaml:"rope_dim" min:"0"`
	Nope   Val[int] `yaml:"nope_dim" min:"0"`
	VDim   Val[int] `yaml:"v_dim" min:"1"`
}

// ParallelSpec is how a model is spread over GPUs.
type ParallelSpec struct {
	Section
	TP            Val[int]    `yaml:"tp" default:"1" min:"1" doc:"tensor parallel"`
	PP            Val[int]    `yaml:"pp" default:"1" min:"1" doc:"pipeline stages"`
	DP            Val[int]    `yaml:"dp" min:"1" doc:"data-parallel replicas; default: what the GPUs left over allow"`
	CP            Val[int]    `yaml:"cp" default:"1" min:"1" doc:"context parallel"`
	EP            Val[int]    `yaml:"ep" default:"1" min:"1" doc:"expert parallel, out of dp*cp"`
	SP            Val[bool]   `yaml:"sequence_parallel" default:"false"`
	Virtual       Val[int]    `yaml:"virtual_stages" default:"1" min:"1" doc:"model chunks a stage (interleaved)"`
	Schedule      Val[string] `yaml:"schedule" enum:"gpipe,1f1b,interleaved,zero-bubble" doc:"default 1f1b, interleaved with virtual stages"`
	StageLayers   Val[[]int]  `yaml:"stage_layers" doc:"layers of each chunk in model order"`
	ZeRO          Val[int]    `yaml:"zero" default:"0" min:"0" max:"3" doc:"stage of optimizer-state sharding"`
	FSDP          Val[bool]   `yaml:"fsdp" default:"false"`
	Bucket        Val[Bytes]  `yaml:"bucket" min:"1KB" doc:"gradient bucket; default 25 MiB with overlap, else one"`
	OverlapGrad   Val[bool]   `yaml:"overlap_grad_reduce" default:"false" doc:"reduce buckets during the last backward pass"`
	OverlapParam  Val[bool]   `yaml:"overlap_param_gather" default:"false"`
	OverlapP2P    Val[bool]   `yaml:"overlap_p2p" default:"false" doc:"a stage computes while it sends"`
	OverlapTP     Val[bool]   `yaml:"overlap_tp" default:"false"`
	OverlapEP     Val[bool]   `yaml:"overlap_ep" default:"false" doc:"all-to-all under the computation of another micro-batch, as DualPipe"`
	UnitsPerLayer Val[int]    `yaml:"units_per_layer" default:"1" min:"1" max:"16" doc:"zero 3: gathers that the parameters of a layer take"`
	Regather      Val[bool]   `yaml:"regather" default:"false" doc:"zero 3: gather once more for recomputation"`
	Prefetch      Val[int]    `yaml:"prefetch" default:"1" min:"1" doc:"FSDP units gathered ahead"`
	ScatterGather Val[bool]   `yaml:"scatter_gather" default:"false" doc:"each tensor-parallel rank sends its share of a stage boundary"`
	Hierarchical  Val[bool]   `yaml:"hierarchical_dp" default:"false" doc:"reduce inside each node first"`
	RankOrder     Val[string] `yaml:"rank_order" default:"tp-cp-ep-dp-pp" doc:"dimensions from the fastest varying"`
}

// BatchSpec is in sequences.
type BatchSpec struct {
	Section
	Global Val[int] `yaml:"global" min:"1" doc:"per step, all replicas"`
	Micro  Val[int] `yaml:"micro" default:"1" min:"1" doc:"per micro-batch"`
}

// CompressionSpec shrinks gradients.
type CompressionSpec struct {
	Section
	Kind  Val[string] `yaml:"kind" short:"true" enum:"none,fp8,int8,topk"`
	Ratio Val[Ratio]  `yaml:"ratio" min:"0" max:"1" doc:"elements that topk keeps"`
}

// PlacementSpec says which GPUs a job gets.
type PlacementSpec struct {
	Section
	Policy Val[string] `yaml:"policy" short:"true" enum:"linear,random,rail,island,strided" default:"linear" doc:"linear: nodes in order; random: nodes shuffled; strided: one node of each leaf in turn; rail: by local GPU index first; island: NVLink domain by domain"`
	Nodes  Val[[]int]  `yaml:"nodes" doc:"compute nodes to use, in this order; default: those that earlier jobs left"`
}

// StragglerSpec slows one rank down.
type StragglerSpec struct {
	Section
	Rank   Val[int]   `yaml:"rank" min:"0"`
	Factor Val[Ratio] `yaml:"factor" min:"1" max:"100" doc:"compute time is multiplied by it"`
}

// TrafficSpec is a job of flows without a model.
type TrafficSpec struct {
	Section
	Pattern  Val[string]   `yaml:"pattern" enum:"incast,permutation,all-to-all,ring,all-reduce,poisson,flows"`
	Nodes    Val[[]int]    `yaml:"nodes" doc:"compute nodes that take part; default: all"`
	NICs     Val[[]int]    `yaml:"nics" doc:"NICs of each node that take part; default: all"`
	Bytes    Val[Bytes]    `yaml:"bytes" min:"1B" doc:"of one flow; all-reduce: of the buffer"`
	FanIn    Val[int]      `yaml:"fan_in" min:"1" doc:"incast: senders to each receiver; default: all others"`
	Targets  Val[int]      `yaml:"targets" default:"1" min:"1" doc:"incast: receivers"`
	Group    Val[int]      `yaml:"group" min:"2" doc:"ring, all-reduce, all-to-all: members of a group; default: all"`
	Members  Val[string]   `yaml:"members" enum:"adjacent,strided" default:"adjacent" doc:"of a group: neighbours in order, or spread evenly over all"`
	Repeat   Val[int]      `yaml:"repeat" default:"1" min:"1" max:"1000000" doc:"rounds"`
	Interval Val[sim.Time] `yaml:"interval" default:"0" min:"0ps" doc:"between the starts of rounds; 0: the next begins when the last ends"`
	Stagger  Val[sim.Time] `yaml:"stagger" default:"0" min:"0ps" doc:"between the starts of groups (incast: of senders) in a round"`
	QPs      Val[int]      `yaml:"qps" default:"1" min:"1" max:"256" doc:"queue pairs a flow"`
	Load     Val[Ratio]    `yaml:"load" min:"0.001" max:"1" doc:"poisson: offered load of each NIC"`
	Sizes    Val[string]   `yaml:"sizes" enum:"fixed,websearch,hadoop" default:"fixed" doc:"poisson: distribution of flow sizes"`
	Duration Val[sim.Time] `yaml:"duration" min:"1ns" doc:"poisson: how long flows arrive"`
	Flows    []FlowSpec    `yaml:"flows" doc:"pattern flows: one by one"`
}

// FlowSpec is one explicit flow.
type FlowSpec struct {
	Section
	Src   Val[string]   `yaml:"src" doc:"node0/nic0"`
	Dst   Val[string]   `yaml:"dst"`
	Bytes Val[Bytes]    `yaml:"bytes" min:"1B"`
	Start Val[sim.Time] `yaml:"start" default:"0" min:"0ps" doc:"after the start of the job"`
	QPs   Val[int]      `yaml:"qps" min:"1" max:"256"`
	Label Val[string]   `yaml:"label"`
}
