package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// DCQCNParams are the parameters of DCQCN (Zhu et al., SIGCOMM 2015, table 14).
type DCQCNParams struct {
	G            float64  // gain of alpha
	AlphaTimer   sim.Time // alpha decays this long after the last update
	CutInterval  sim.Time // shortest time between two cuts
	RateTimer    sim.Time // increase timer
	ByteCounter  int64    // increase every so many bytes; 0: off
	FastRecovery int      // stages of fast recovery, F
	AI, HAI      sim.Rate // additive and hyper increase
	MinRate      sim.Rate
	ClampTarget  bool // a cut always sets the target to the current rate
	InitialRate  sim.Rate
}

// DCTCPParams are the parameters of DCTCP (Alizadeh et al., SIGCOMM 2010) as a
// rate-based control.
type DCTCPParams struct {
	G       float64
	AI      sim.Rate // added once a window
	MinRate sim.Rate
}

// HPCCParams are the parameters of HPCC (Li et al., SIGCOMM 2019, algorithm 1).
type HPCCParams struct {
	Target     float64 // eta
	MaxStage   int
	AI         sim.Rate
	MinRate    sim.Rate
	FastReact  bool
	MultiRate  bool  // a rate for each hop, the smallest counts
	IntMulti   int64 // units of INT counters, as a multiple of theirs
	SampleOnly bool  // fast reaction to hops with a queue only
}

// TIMELYParams are the parameters of TIMELY (Mittal et al., SIGCOMM 2015,
// algorithm 1).
type TIMELYParams struct {
	Alpha       float64 // EWMA weight of the RTT difference
	Beta        float64 // multiplicative decrease
	TLow, THigh sim.Time
	MinRTT      sim.Time // 0: the idle RTT of the path
	AI          sim.Rate
	HAIAfter    int // completions in a row before hyper-active increase
	MinRate     sim.Rate
}

// SwiftParams are the parameters of Swift (Kumar et al., SIGCOMM 2020,
// algorithm 1).
type SwiftParams struct {
	AI         float64 // packets added a round trip
	Beta       float64
	MaxMDF     float64
	BaseTarget sim.Time // 0: the idle RTT of the path, plus HopScale a hop
	HopScale   sim.Time
	FSRange    sim.Time // flow-scaling range; 0: off
	FSMin      float64  // window in packets where flow scaling is largest
	FSMax      float64  // window in packets where it ends
	MinWindow  float64  // packets; below one packet the QP is paced
	MaxWindow  float64  // packets; 0: no limit
	InitWindow float64  // packets; 0: the bandwidth-delay product
	RetxReset  int      // timeouts before the window falls to the minimum
	PaceFactor float64  // pacing rate = cwnd / RTT x this
}

// DefaultConfig returns the engine's defaults: RoCEv2 with a 4,096-byte path
// MTU, one lossless class, DCQCN as deployed NICs ship it, a 32 MiB switch.
func DefaultConfig() Config {
	c := Config{
		Seed:    1,
		Framing: fabric.RoCEv2(4096),
		// CNP interval and delay: ConnectX default min_time_between_cnps is 4 us
		// (NVIDIA ESPCommunity "DCQCN parameters"); 1 us of generation.
		NICs:     []NIC{{AckEvery: 4, CNPInterval: 4 * sim.Microsecond, CNPDelay: sim.Microsecond, RxBuffer: 1 << 20}},
		Switches: []Switch{DefaultSwitch()},
		// 802.1Qbb: quanta 0xffff, refreshed at half; response 3,840 bit times
		// at 100 Gbps is below 0.1 us; a PFC frame is 64 B + 20 B preamble and gap.
		PFC:      PFC{Quanta: 0xffff, Refresh: 50, Response: 100 * sim.Nanosecond, Frame: 84},
		CC:       DefaultCC(DCQCN),
		Recovery: Recovery{Mode: GoBackN, RTO: RTOExponent(14), RetryLimit: 7},
		Telemetry: Telemetry{
			QueueBin: sim.Microsecond, RateBin: 10 * sim.Microsecond, MaxBins: 1024, MaxQueues: 16,
			MaxBursts: 1000, BurstFlows: 16, StormCNPs: 100, StormWindow: 100 * sim.Microsecond, MaxStorms: 100,
			MaxSamples: 4096,
		},
	}
	c.Classes[0] = Class{Enabled: true, Lossless: true, ECN: true, Weight: 1}
	return c
}

// DefaultSwitch returns a generic 32 MiB shared-buffer switch. ECN thresholds
// are those of the HPCC paper's evaluation (Kmin 100 KB and Kmax 400 KB at
// 25 Gbps, in proportion to the rate; Pmax 20 %).
func DefaultSwitch() Switch {
	return Switch{
		Buffer: 32 << 20, Reserved: 4096, Alpha: Ratio{1, 8}, XonOffset: 3072, EgressAlpha: Ratio{1, 1},
		ECN: []ECN{{Rate: 25 * sim.Gbps, Kmin: 100e3, Kmax: 400e3, Pmax: 0.2}},
	}
}

// DefaultCC returns the congestion control a with its default parameters: for
// DCQCN the increase and cut timers of deployed NICs, for the others those of
// their papers.
func DefaultCC(a Algorithm) CC {
	return CC{
		Algorithm: a,
		DCQCN: DCQCNParams{
			G: 1.0 / 256, AlphaTimer: 55 * sim.Microsecond, CutInterval: 4 * sim.Microsecond,
			RateTimer: 300 * sim.Microsecond, ByteCounter: 10_000_000, FastRecovery: 5,
			AI: 40 * sim.Mbps, HAI: 200 * sim.Mbps, MinRate: 100 * sim.Mbps,
		},
		DCTCP: DCTCPParams{G: 1.0 / 16, AI: 1 * sim.Gbps, MinRate: 100 * sim.Mbps},
		HPCC:  HPCCParams{Target: 0.95, MaxStage: 5, AI: 50 * sim.Mbps, MinRate: 100 * sim.Mbps, FastReact: true, IntMulti: 1},
		TIMELY: TIMELYParams{
			Alpha: 0.875, Beta: 0.8, TLow: 50 * sim.Microsecond, THigh: 500 * sim.Microsecond,
			AI: 10 * sim.Mbps, HAIAfter: 5, MinRate: 100 * sim.Mbps,
		},
		Swift: SwiftParams{
			AI: 1, Beta: 0.8, MaxMDF: 0.5, HopScale: sim.Microsecond, FSRange: 25 * sim.Microsecond,
			FSMin: 0.1, FSMax: 100, MinWindow: 0.001, RetxReset: 3, PaceFactor: 1,
		},
	}
}
