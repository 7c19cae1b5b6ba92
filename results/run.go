package results

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/trace"
)

// Run is a finished (or interrupted) run, as the program that ran it hands it
// over.
type Run struct {
	Scenario string // name
	SHA256   string // of the effective scenario, hexadecimal
	Seed     uint64
	Fidelity string // "flow", "hybrid" or "packet"
	Version  string // of simnet
	// Effective is the effective configuration, YAML.
	Effective []byte

	// Control names the congestion control and its parameters; "" at flow
	// fidelity and in replays.
	Control string

	GPUs    int
	SimTime sim.Time // clock at the end
	Graph   *fabric.Graph
	Report  *fabric.Report    // of all engines that took part, merged
	Jobs    []workload.Result // empty for a replay of flows
	Traces  []trace.Result    // jobs of recorded operations
	// NodeLinks holds the loads of the links inside a node, where they are known.
	NodeLinks []scenarios.NodeLinks
	// Partial marks a run that was interrupted or that met its time limit.
	Partial bool
	// Asked marks a partial run that ended where its scenario says (run.until),
	// Interrupted one that somebody stopped.
	Asked, Interrupted bool
	Warnings           []string
	// Notes name keys of the scenario that this run does not follow, and what it
	// does not move as packets.
	Notes []string
	// Unfinished says why flows never arrived; "" if all did.
	Unfinished string

	// Coverage is the fraction of payload bytes moved as packets, 0 to 1; nil
	// takes it from the report.
	Coverage *float64
	// EngineError is the measured error of this fidelity against packet on
	// comparable runs; nil if nobody measured it.
	EngineError *EngineError
	// Crossings, if set, lists the flows that left through a port and the bytes
	// each sent there. Findings use it to name colliding flows.
	Crossings func(fabric.PortID) []Crossing
	Scaling   *Scaling // against a reference run, if there is one

	Host Host
}

// Crossing is one flow's share of a port's traffic: queue pairs and payload
// bytes.
type Crossing struct {
	Flow  fabric.FlowID
	QPs   int
	Bytes int64
}

// Host holds the facts of the machine and the moment: run.json.
type Host struct {
	WallS            float64 `json:"wall_s"`
	CPUS             float64 `json:"cpu_s"`
	Events           uint64  `json:"events"`
	EventsPerS       float64 `json:"events_per_s"`
	PacketHopsPerS   float64 `json:"packet_hops_per_s"`
	PeakRSSBytes     int64   `json:"peak_rss_bytes"`
	GOMAXPROCS       int     `json:"gomaxprocs"`
	Go               string  `json:"go"`
	HostCPU          string  `json:"host_cpu"`
	Command          string  `json:"command,omitempty"`
	Commit           string  `json:"commit,omitempty"`
	WrittenAt        string  `json:"written_at,omitempty"` // RFC 3339
	SetupS           float64 `json:"setup_s,omitempty"`
	InvariantsOnline bool    `json:"invariants_online,omitempty"` // built with -tags invariants
}

// modelled reports whether the run's engine handles packets, queues and
// congestion control.
func (r *Run) modelled() bool { return r.Fidelity != "flow" }
