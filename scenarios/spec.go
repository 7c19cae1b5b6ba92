package scenarios

import "github.com/simnet/simnet/sim"

// Spec is a scenario as written. After Validate every value that applies is
// set, each with its origin.
type Spec struct {
	Section
	Name        Val[string] `yaml:"name" doc:"short name, used in results and as the default output directory"`
	Description Val[string] `yaml:"description" default:"" doc:"one line for the report"`
	Seed        Val[uint64] `yaml:"seed" default:"1" doc:"seed of every random stream"`
	Cluster     ClusterSpec `yaml:"cluster" doc:"the machine: compute nodes and the network between them"`
	Jobs        []JobSpec   `yaml:"jobs" doc:"what runs on it: training jobs and background traffic"`
	Faults      []FaultSpec `yaml:"faults" doc:"links that fail, degrade or recover during the run"`
	Run         RunSpec     `yaml:"run" doc:"how it is simulated"`
	Observe     ObserveSpec `yaml:"observe" doc:"what is recorded"`
}

// RunSpec is how the scenario is simulated.
type RunSpec struct {
	Section
	Fidelity Val[string]   `yaml:"fidelity" enum:"flow,hybrid,packet" default:"hybrid" doc:"flow: max-min rates; packet: every packet; hybrid: packets where buffers fill or flows are short, between them fluid under DCQCN"`
	Steps    Val[int]      `yaml:"steps" default:"1" min:"1" max:"1000" doc:"training steps"`
	Until    Val[sim.Time] `yaml:"until" min:"1ps" doc:"stop at this simulated time, which is no failure: exit code 0, and partial results if the jobs were not done; absent: when the jobs are done"`
	// Parallel is hybrid.Config.Exact.
	Parallel Val[bool] `yaml:"parallel" default:"false" doc:"packet: islands of flows that share no link run on separate cores, with the same bytes on any number; in the shared buffer of a switch they do not see one another"`
	// Tolerance is hybrid.Config.Tolerance.
	Tolerance Val[Ratio]  `yaml:"tolerance" min:"0.0001" max:"0.5" doc:"hybrid: by how much neighbouring windows may differ and count as repetition: x 0.1 without congestion, x 3 under congestion controls other than dcqcn (flows of dcqcn glide, which it does not touch); absent: 1%"`
	Window    *WindowSpec `yaml:"window" doc:"packet detail for the named phases only, the rest at flow fidelity"`
}

// WindowSpec limits packet-level detail to the head of named phases.
type WindowSpec struct {
	Section
	Phases       Val[[]string] `yaml:"phases" doc:"labels of flows: dp_all_reduce, pp_send, ..."`
	BytesPerRank Val[Bytes]    `yaml:"bytes_per_rank" min:"1B" doc:"how much of each flow is packets; absent: all of it"`
}

// ObserveSpec is what is recorded.
type ObserveSpec struct {
	Section
	Queues       Val[sim.Time] `yaml:"queues" default:"1us" min:"10ns" doc:"bin width of queue telemetry; widened to stay within the budget"`
	CNP          Val[sim.Time] `yaml:"cnp" default:"10us" min:"10ns" doc:"bin width of CNP, pause and mark counts"`
	Timeline     Val[bool]     `yaml:"timeline" default:"true" doc:"write timeline.json of the last step"`
	Rates        Val[int]      `yaml:"rates" default:"0" min:"0" max:"4096" doc:"how many flows get a rate trace (packet)"`
	Ports        Val[int]      `yaml:"ports" default:"64" min:"0" max:"65536" doc:"how many ports, those with the largest queues, keep a queue series"`
	BurstAbove   Val[Bytes]    `yaml:"burst_above" min:"1B" doc:"egress queue that counts as a micro-burst; absent: Kmin"`
	StormAbove   Val[int]      `yaml:"storm_above" default:"0" min:"0" doc:"CNPs a bin caused by one port that count as a storm; 0: chosen by the engine"`
	MemoryBudget Val[Bytes]    `yaml:"memory_budget" default:"64MiB" min:"1MiB" doc:"telemetry never takes more than this"`
}

// FaultSpec changes one link at a time.
type FaultSpec struct {
	Section
	At       Val[sim.Time] `yaml:"at" min:"0ps" doc:"simulated time of the change"`
	Link     Val[string]   `yaml:"link" doc:"the two ends, node0/nic0-leaf0, and #1 for the second of parallel links"`
	State    Val[string]   `yaml:"state" enum:"down,degraded,up" doc:"what it becomes"`
	Rate     Val[sim.Rate] `yaml:"rate" min:"1bps" doc:"of a degraded link"`
	BER      Val[Ratio]    `yaml:"bit_error_rate" min:"0" max:"1" doc:"of a degraded link"`
	Duration Val[sim.Time] `yaml:"duration" min:"1ps" doc:"after which the link is as before; absent: for good"`
}
