package fabric

import "github.com/simnet/simnet/sim"

// Report is what an engine measured. Fields that an engine does not model stay
// zero; Modelled says so, and the summary leaves them out rather than print 0.
type Report struct {
	Fidelity string // "flow", "hybrid" or "packet"
	Counters Counters
	Flows    []FlowRecord // in FlowID order
	Ports    []PortStats  // by PortID
	Queues   []QueueSeries
	Rates    []RateSeries // on request
	Bins     Bins         // network-wide rates over time
	Bursts   []Burst      // in order of start, bounded; BurstsLost counts the rest
	// BurstsLost counts bursts beyond the bound on len(Bursts).
	BurstsLost int64
	Storms     []Storm
	// Violations lists broken invariants; empty in a correct run.
	Violations []string
	// Notes lists what the configuration did not bear out, each once and
	// bounded: lossless packets dropped because the headroom was too small.
	Notes []string
	// Extrapolated names counters that the hybrid engine did not count packet
	// by packet.
	Extrapolated []string
	// PacketBytes is how many of BytesDelivered were moved as packets.
	PacketBytes int64
	// End is the time of the last event; it may lie beyond the kernel's now
	// where the engine went on with flows that never arrived.
	End sim.Time
}

// Counters are totals over the run.
type Counters struct {
	Flows, FlowsFinished int64
	FlowsFailed          int64 // given up after the retry limit
	BytesDelivered       int64 // payload
	Packets              int64 // data packets sent by hosts
	DataHops, AckHops    int64 // packets received over a link, by kind
	ECNMarked            int64 // data packets marked
	CNPs                 int64 // sent by receivers
	PFCPauses            int64 // pause frames received that started a pause
	PFCResumes           int64
	PFCPausedTime        sim.Time // summed over ports and classes
	PFCWatchdogs         int64    // times a queue was paused for longer than the watchdog allows
	Drops                int64
	RetransmittedBytes   int64
	MaxQueueBytes        int64 // largest egress queue
	RateCuts             int64
	NACKs, Timeouts      int64
	MaxBufferBytes       int64 // largest shared occupancy of one switch
	Deadlocks            int64
}

// FlowRecord is the outcome of one flow.
type FlowRecord struct {
	Src, Dst NodeID
	Bytes    int64
	Start    sim.Time
	FCT      sim.Time // completion - start; negative if unfinished
	Ideal    sim.Time // the same flow alone on an idle network
	Class    Class
	QPs      uint8  // queue pairs, at least 1
	SrcPort  uint16 // UDP source port of the first QP if the flow brought one, else 0
	Job      string
	Label    string
}

// PortStats are totals of one port.
type PortStats struct {
	TxBytes   int64 // wire bytes sent
	TxPackets int64
	MaxQueue  int64 // egress, bytes
	ECNMarked int64
	Drops     int64
	Pauses    int64    // pause frames received
	Paused    sim.Time // time spent paused
}

// QueueSeries is one port's egress queue over time: the largest length in each
// bin. The engine keeps the ports with the largest queues.
type QueueSeries struct {
	Port  PortID
	Start sim.Time // of the first bin
	Bin   sim.Time // width; the engine doubles it to stay within its budget
	Max   []int64  // bytes
	// Thresholds to draw beside it, bytes; 0 if there is none.
	Kmin, Kmax, XOFF int64
}

// RateSeries is the sending rate of one flow's QPs summed, sampled at changes.
type RateSeries struct {
	Flow FlowID
	At   []sim.Time
	Rate []sim.Rate
}

// Bins are network-wide counts over time.
type Bins struct {
	Start     sim.Time // of the first bin
	Bin       sim.Time
	CNPs      []int64
	Pauses    []int64
	ECN       []int64
	Delivered []int64 // payload bytes
}

// Burst is one excursion of an egress queue above its threshold.
type Burst struct {
	Port     PortID
	Start    sim.Time
	Duration sim.Time
	Peak     int64    // bytes
	Flows    []FlowID // those that had packets in the queue, bounded
}

// Storm is a span in which the CNPs caused by one port exceed the storm
// threshold. Effective bandwidth is payload through the port, bit/s: in the
// window before, during the storm, and in the worst window of its aftermath
// (the queue drains first, then the senders' cut rates show).
type Storm struct {
	Port                  PortID
	Start, End            sim.Time
	CNPs                  int64
	Before, During, After float64
	Window                sim.Time // over which Before was taken
	Flows                 []FlowID
}
