package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Config is everything about the engine that is not in the graph: plain
// values. Start from DefaultConfig; New calls Validate.
type Config struct {
	Seed uint64
	// Compat selects the semantics of the HPCC-family ns-3 models: times cut to
	// nanoseconds, ties in order of scheduling, no CNP pacing, ACKs in the data
	// class, their MMU formulae, completion at the last ACK. In this mode give
	// all flows in one StartGroup, sorted by start, with Delay = start time.
	Compat  bool
	Framing fabric.Framing

	NICs     []NIC    // by Node.Class of hosts
	Switches []Switch // by Node.Class of all other nodes
	Classes  [8]Class // by fabric.Class
	PFC      PFC

	CC       CC
	Window   Window
	Recovery Recovery
	Routing  Routing

	Telemetry Telemetry
}

// NIC is one model of network adapter.
type NIC struct {
	// AckEvery is the number of data packets that one ACK answers; the last
	// packet of a message is always answered. At least 1.
	AckEvery int
	// AckInData puts ACKs into the class of the data they answer; otherwise
	// they travel in the control class, ahead of data and never paused.
	AckInData bool
	// AckIgnoresPause lets a host send ACKs that travel in the data class
	// although that class is paused (ACK_HIGH_PRIO of the HPCC family).
	AckIgnoresPause bool
	// CNPInterval is the shortest time between two CNPs of one QP, CNPDelay the
	// time from the marked packet to the CNP.
	CNPInterval, CNPDelay sim.Time
	// RxBuffer is what the NIC can hold in front of a Node.Limit (PCIe); it
	// sends pauses beyond 3/4 of it and resumes below 1/2. 0 means 1 MiB.
	RxBuffer int64
}

// Ratio is a positive fraction, such as a dynamic-threshold alpha of 1/8.
type Ratio struct{ Num, Den int64 }

// Switch is one model of shared-buffer switch.
type Switch struct {
	// Buffer is the packet memory in bytes, Reserved the part set aside for
	// each (ingress port, lossless class).
	Buffer, Reserved int64
	// Cell is the granule of that memory in bytes: a packet occupies whole
	// cells. 0 counts bytes.
	Cell int64
	// Alpha: an ingress (port, class) may use Alpha x the free shared buffer
	// before XOFF. In Compat it is derived from the port rates instead.
	Alpha Ratio
	// XOFF, if not zero, is a fixed threshold in place of Alpha.
	XOFF int64
	// XonOffset: XON is sent once the use is at or below threshold - XonOffset
	// (or zero).
	XonOffset int64
	// Headroom is the bytes a lossless (port, class) may take beyond XOFF;
	// 0 computes it from rate, delay, latency and MTU.
	Headroom int64
	// EgressAlpha limits each lossy egress queue to that part of the free
	// shared buffer; EgressLimit, if not zero, limits it to fixed bytes.
	EgressAlpha Ratio
	EgressLimit int64
	// ECN holds the marking thresholds by port rate; a port whose rate is not
	// listed scales the entry of the nearest lower rate (of the lowest, if none
	// is lower) by the ratio of the rates.
	ECN []ECN
	// CutThrough forwards a packet once its header is in, where the egress is
	// idle and not faster than the ingress.
	CutThrough bool
	// NoPFC turns priority flow control off: nothing is lossless here.
	NoPFC bool
	// MarkOnEnqueue marks by the queue that an arriving packet finds instead of
	// the one that a departing packet leaves behind.
	MarkOnEnqueue bool
}

// ECN is a WRED profile: no mark up to Kmin bytes, always above Kmax, linear
// up to probability Pmax between.
type ECN struct {
	Rate       sim.Rate
	Kmin, Kmax int64
	Pmax       float64
}

// Class is one data priority.
type Class struct {
	Enabled  bool
	Lossless bool // PFC applies
	ECN      bool // packets are ECN-capable
	// Weight is the DWRR share, >= 1; Strict classes go before all weighted
	// ones, higher numbers first.
	Weight int
	Strict bool
}

// PFC holds what 802.1Qbb leaves to configuration.
type PFC struct {
	// Quanta is the pause time of one frame in units of 512 bit times; 0 means
	// until resumed (no expiry). Refresh is the share of that time after which
	// a still congested queue repeats the pause, in percent.
	Quanta  int64
	Refresh int64
	// Response is the time a paused sender takes to stop (802.1Qbb annex O).
	Response sim.Time
	Frame    int64 // bytes of a pause frame on the wire
	// Watchdog: a queue paused without a break for this long is reported and,
	// with WatchdogDrop, its packets are dropped until it is resumed. 0: off.
	Watchdog     sim.Time
	WatchdogDrop bool
}

// Algorithm is a congestion control.
type Algorithm uint8

// The congestion controls.
const (
	None Algorithm = iota
	DCQCN
	DCTCP
	HPCC
	TIMELY
	Swift
)

var algorithms = [...]string{"none", "dcqcn", "dctcp", "hpcc", "timely", "swift"}

func (a Algorithm) String() string { return algorithms[a] }

// Algorithms returns the names of the congestion controls, in the order of
// their values.
func Algorithms() []string { return algorithms[:] }

// CC selects a congestion control; only the parameters of the one selected
// count.
type CC struct {
	Algorithm Algorithm
	DCQCN     DCQCNParams
	DCTCP     DCTCPParams
	HPCC      HPCCParams
	TIMELY    TIMELYParams
	Swift     SwiftParams
}

// Window limits the bytes a QP has in flight.
type Window struct {
	// Bytes is a fixed limit; 0 with BDP false means none.
	Bytes int64
	// BDP uses the bandwidth-delay product of the QP's path instead, times
	// Factor percent (0 means 100); Global the largest over all host pairs.
	BDP    bool
	Factor int64
	Global bool
	// Variable scales the window by current rate / line rate.
	Variable bool
}

// RecoveryMode is how lost packets are sent again.
type RecoveryMode uint8

// The modes of recovery.
const (
	GoBackN RecoveryMode = iota
	SelectiveRepeat
)

// Recovery is the reliability of the transport.
type Recovery struct {
	Mode RecoveryMode
	// RTO is the retransmission timeout; InfiniBand counts 4.096 us x 2^n. 0
	// means no timeout.
	RTO sim.Time
	// RetryLimit is how many timeouts in a row a QP survives; 7 is the largest
	// of InfiniBand. The next one fails the flow.
	RetryLimit int
	// NackInterval repeats a NACK for the same gap at most that often; 0 sends
	// one a gap.
	NackInterval sim.Time
}

// RTOExponent returns the timeout of NCCL_IB_TIMEOUT or the local ACK timeout
// field n: 4.096 us x 2^n (InfiniBand Architecture 1.4, 9.7.6.1.3).
func RTOExponent(n int) sim.Time { return 4096 * sim.Nanosecond << n }

// RoutingMode is how packets choose among equal paths.
type RoutingMode uint8

// The routing modes.
const (
	ECMP     RoutingMode = iota // a hash of the header, fixed for each QP
	Flowlet                     // the hash again after each gap
	Adaptive                    // the least loaded egress at each switch
	Spray                       // a random egress for each packet
)

// Routing selects among equal-cost paths. All but ECMP may reorder, which
// the receiver then places as it arrives (as NICs built for them do).
type Routing struct {
	Mode       RoutingMode
	FlowletGap sim.Time
}

// Telemetry bounds what the engine remembers. All bounds are >= 0.
type Telemetry struct {
	QueueBin  sim.Time // first width of a bin of queue series
	RateBin   sim.Time // first width of network-wide bins
	MaxBins   int      // a series that gets longer doubles its bins
	MaxQueues int      // how many ports keep a queue series
	// BurstBytes is the egress queue at which a burst record starts; 0 uses the
	// port's Kmax. It ends below half of that.
	BurstBytes int64
	MaxBursts  int
	BurstFlows int // flows named in a burst
	// StormCNPs is how many CNPs caused by one port within StormWindow make a
	// storm; 0 turns storms off.
	StormCNPs   int64
	StormWindow sim.Time
	MaxStorms   int
	// RateTraces is the number of flows, from the first, whose rate is traced;
	// MaxSamples bounds each trace.
	RateTraces int
	MaxSamples int
}
