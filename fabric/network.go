package fabric

import "github.com/simnet/simnet/sim"

// FlowID numbers the flows of one Network in the order of their start.
type FlowID int32

// Class is the priority class of a flow's data packets, 0 to 7. Control (CNP,
// and ACK if so configured) has a class of its own in the packet engine.
type Class uint8

// Flow is one message, or one rank's share of a pipelined collective.
//
// With Upstream set it is a relay flow: byte x may be sent once
// x < Lag + delivered(u) for every u in Upstream. A ring all-reduce of S bytes
// over n ranks is n such flows in a cycle, each with Bytes = 2(n-1)S/n and
// Lag = S/n; a tree's upward flow lists its children.
type Flow struct {
	Src, Dst NodeID // hosts; Src != Dst
	Bytes    int64  // payload, > 0
	Class    Class
	// QPs is the number of queue pairs that share the bytes evenly; 0 means 1.
	// Each has its own UDP source port and so its own ECMP path.
	QPs int
	// SrcPort is the UDP source port of the first QP; 0 lets the network
	// assign one from the flow's identity.
	SrcPort uint16
	DstPort uint16
	// Upstream holds indices into the group given to StartGroup: a ring is a
	// cycle.
	Upstream []int
	Lag      int64
	// Slice is the granule in bytes in which delivered upstream data becomes
	// available (a NCCL slice); 0 lets every byte count at once.
	Slice int64
	// MaxRate caps the sender below its line rate (copy engines, channels);
	// 0 means no cap.
	MaxRate sim.Rate
	// Delay holds the first byte back after the start of the group (host and
	// proxy overhead).
	Delay sim.Time
	// Path fixes the ports for all QPs (replay of given paths); nil routes.
	Path []PortID
	// AckPath fixes the ports of the ACKs that answer; nil routes them by the
	// reversed header. Only the packet engine looks at it.
	AckPath []PortID
	// Done, if set, gets one Arrive when the last byte has been delivered (at
	// the receiver; the packet engine in replay mode counts the last ACK).
	Done *sim.Event

	// Job and Label name the flow in results: job "train", label
	// "dp_all_reduce". Phase is what run.window selects on.
	Job   string
	Label string
}

// LinkState is the condition of a link.
type LinkState struct {
	Down bool
	Rate sim.Rate // degraded rate; 0 means nominal
	BER  float64  // bit-error rate, 0 to 1
}

// Network moves flows. Engines implement it; workloads use it and never ask
// which engine runs.
type Network interface {
	// StartGroup starts flows at the kernel's now and returns their IDs in the
	// same order. It panics on a flow that no path or no host can carry:
	// callers check reachability at set-up.
	StartGroup(flows []Flow) []FlowID
	// SetLink changes the state of a link at the kernel's now.
	SetLink(l LinkID, s LinkState)
}

// Simulator is what an engine is to the program that runs it: a network, a
// source of events for the kernel, and a report.
type Simulator interface {
	Network
	sim.Engine
	// Report returns what the engine has measured up to the kernel's now. Call
	// it once, at the end.
	Report() *Report
	// Events returns the number of events handled so far (host facts, not part
	// of deterministic results).
	Events() uint64
}
