package results

// Schema names the form of summary.json; a change of meaning changes it.
const Schema = "simnet.summary/1"

// Summary is summary.json: only what follows from scenario and seed. Pointers
// and empty lists are left out of the file where the engine does not model the
// quantity; NotModelled says which and why.
type Summary struct {
	Schema   string   `json:"schema"`
	Simnet   string   `json:"simnet"`
	Scenario string   `json:"scenario"`
	SHA256   string   `json:"scenario_sha256"`
	Seed     uint64   `json:"seed"`
	Fidelity string   `json:"fidelity"`
	Partial  bool     `json:"partial"`
	GPUs     int      `json:"gpus"`
	SimTimeS float64  `json:"sim_time_s"`
	Warnings []string `json:"warnings"`

	// Step is the first job's; nil without jobs or if no step finished.
	Step *Step `json:"step,omitempty"`
	// Jobs lists every job where there are several.
	Jobs     []JobSummary   `json:"jobs,omitempty"`
	Traces   []TraceSummary `json:"traces,omitempty"`
	Scaling  *Scaling       `json:"scaling,omitempty"`
	Network  Network        `json:"network"`
	Detail   FidelityDetail `json:"fidelity_detail"`
	Findings []Finding      `json:"findings"`
}

// JobSummary is one of several jobs.
type JobSummary struct {
	Job  string `json:"job"`
	GPUs int    `json:"gpus"`
	Step *Step  `json:"step,omitempty"`
}

// Step is the cost of training steps. MFU counts model FLOPs, HFU those of
// recomputation too; both are fractions of the GPUs' peak.
type Step struct {
	TimeS        []float64 `json:"time_s"`
	MeanS        float64   `json:"mean_s"`
	TokensPerS   float64   `json:"tokens_per_s"`
	TFLOPsPerGPU float64   `json:"tflops_per_gpu"` // model FLOPs
	MFU          float64   `json:"mfu"`
	HFU          float64   `json:"hfu"`
	BreakdownS   Breakdown `json:"breakdown_s"`
	Stages       []Stage   `json:"stages,omitempty"`
}

// Breakdown is the mean over ranks of where a step's time goes, in seconds. The
// parts add up to the step time.
type Breakdown struct {
	Compute       float64 `json:"compute"`
	TPComm        float64 `json:"tp_comm"`
	PPComm        float64 `json:"pp_comm"`
	PPBubble      float64 `json:"pp_bubble"`
	DPCommExposed float64 `json:"dp_comm_exposed"`
	EPComm        float64 `json:"ep_comm"`
	CPComm        float64 `json:"cp_comm"`
	Other         float64 `json:"other"`
}

// Stage is the breakdown of one pipeline stage.
type Stage struct {
	Stage      int       `json:"stage"`
	BreakdownS Breakdown `json:"breakdown_s"`
}

// Network is what the fabric did.
type Network struct {
	Flows         int64 `json:"flows"`
	FlowsFinished int64 `json:"flows_finished"`
	// Unfinished names flows that never arrived; nil if all did.
	Unfinished     *Unfinished  `json:"unfinished,omitempty"`
	BytesDelivered int64        `json:"bytes_delivered"`
	ActiveS        float64      `json:"active_s"` // time with at least one flow in progress
	FCTSlowdown    *Quantiles   `json:"fct_slowdown,omitempty"`
	ByCollective   []Collective `json:"by_collective,omitempty"`

	// Control is the congestion control with its preset and main parameters.
	Control            string       `json:"congestion_control,omitempty"`
	Packets            *int64       `json:"packets,omitempty"`
	PacketHops         *int64       `json:"packet_hops,omitempty"` // data and ACKs
	ECNMarked          *int64       `json:"ecn_marked,omitempty"`
	CNPs               *int64       `json:"cnps,omitempty"`
	PFCPauses          *int64       `json:"pfc_pauses,omitempty"`
	PFCResumes         *int64       `json:"pfc_resumes,omitempty"`
	PFCPausedS         *float64     `json:"pfc_paused_s,omitempty"` // summed over ports and classes
	Drops              *int64       `json:"drops,omitempty"`
	RetransmittedBytes *int64       `json:"retransmitted_bytes,omitempty"`
	MaxQueueBytes      *int64       `json:"max_queue_bytes,omitempty"`
	MaxBufferBytes     *int64       `json:"max_buffer_bytes,omitempty"`
	RateCuts           *int64       `json:"rate_cuts,omitempty"`
	NACKs              *int64       `json:"nacks,omitempty"`
	Timeouts           *int64       `json:"timeouts,omitempty"`
	Deadlocks          *int64       `json:"deadlocks,omitempty"`
	FlowsFailed        *int64       `json:"flows_failed,omitempty"` // given up after the retry limit
	Microbursts        []Microburst `json:"microbursts,omitzero"`
	MicroburstsTotal   *int64       `json:"microbursts_total,omitempty"`
	Storms             []Storm      `json:"storms,omitzero"`
	HottestPorts       []HotPort    `json:"hottest_ports"`
	NotModelled        *NotModelled `json:"not_modelled,omitempty"`
}

// Unfinished is about flows that never arrived: how many, why, and the first of
// them.
type Unfinished struct {
	Flows  int64    `json:"flows"`
	Reason string   `json:"reason"`
	Asked  bool     `json:"asked"` // run.until ended the run: as the scenario wants it
	First  []string `json:"first"`
}

// NotModelled names the keys that are left out, and why.
type NotModelled struct {
	Keys   []string `json:"keys"`
	Reason string   `json:"reason"`
}

// Quantiles are of the slowdown over flows, 1 is ideal.
type Quantiles struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Collective sums up the flows of one label.
type Collective struct {
	Job         string     `json:"job,omitempty"`
	Collective  string     `json:"collective"`
	Flows       int64      `json:"flows"`
	Bytes       int64      `json:"bytes"`
	ActiveS     float64    `json:"active_s"`
	FCTSlowdown *Quantiles `json:"fct_slowdown,omitempty"`
}

// Microburst is an excursion of one egress queue above its threshold.
type Microburst struct {
	Port      string   `json:"port"`
	StartS    float64  `json:"start_s"`
	DurationS float64  `json:"duration_s"`
	PeakBytes int64    `json:"peak_bytes"`
	Flows     []string `json:"flows"`
}

// Storm is a span in which the CNPs caused by one port exceeded the threshold.
// Bandwidths are payload through the port in bit/s.
type Storm struct {
	Port   string  `json:"port"`
	StartS float64 `json:"start_s"`
	EndS   float64 `json:"end_s"`
	CNPs   int64   `json:"cnps"`
	Before float64 `json:"effective_bandwidth_before"`
	// Ramp says that the storm's flows had only just begun, so that before is
	// their start-up and no steady rate.
	Ramp   bool     `json:"before_is_ramp"`
	During float64  `json:"during"`
	After  float64  `json:"after"`
	Flows  []string `json:"flows,omitempty"`
}

// HotPort is one port of the list of hottest ones. Utilisation is of the line
// rate while any flow was in progress anywhere, 0 to 1.
type HotPort struct {
	Port          string  `json:"port"`
	MaxQueueBytes *int64  `json:"max_queue_bytes,omitempty"`
	ECNMarked     *int64  `json:"ecn_marked,omitempty"`
	PFCPauses     *int64  `json:"pfc_pauses,omitempty"`
	Utilisation   float64 `json:"utilisation"`
	TxBytes       int64   `json:"tx_bytes"`
}

// FidelityDetail says how much to trust the numbers.
type FidelityDetail struct {
	PacketCoverage     float64      `json:"packet_coverage"` // of payload bytes, 0 to 1
	Extrapolated       []string     `json:"extrapolated"`
	ErrorAgainstPacket *EngineError `json:"error_against_packet"`
	Reason             string       `json:"reason,omitempty"` // why it is null
	// Notes name keys of the scenario that this run does not follow, and what it
	// does not move as packets.
	Notes []string `json:"notes,omitempty"`
}

// Finding is one sentence on where time goes and which knob moves it.
type Finding struct {
	Kind  string   `json:"kind"`            // "bottleneck", "collision", "storm", ...
	Where string   `json:"where,omitempty"` // port, stage or collective
	Text  string   `json:"text"`
	Knob  string   `json:"knob,omitempty"`
	CostS *float64 `json:"cost_s,omitempty"` // of the step's time, if it is known
}
