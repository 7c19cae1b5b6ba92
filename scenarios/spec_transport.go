package scenarios

import "github.com/simnet/simnet/sim"

// TransportSpec is what NICs and switches do with packets.
type TransportSpec struct {
	Section
	Kind     Val[string]   `yaml:"kind" enum:"roce,infiniband,tcp" default:"roce"`
	MTU      Val[Bytes]    `yaml:"mtu" min:"64B" max:"65536B" default:"4096B" doc:"payload of a packet"`
	CC       CCSpec        `yaml:"congestion_control"`
	PFC      PFCSpec       `yaml:"pfc"`
	ECN      ECNSpec       `yaml:"ecn"`
	AckEvery Val[int]      `yaml:"ack_every" min:"1" max:"256" default:"4" doc:"data packets answered by one ACK"`
	Recovery Val[string]   `yaml:"recovery" enum:"go-back-n,selective-repeat" default:"go-back-n"`
	RTO      Val[sim.Time] `yaml:"rto" min:"1us" doc:"retransmission timeout; default: NCCL_IB_TIMEOUT of the jobs, 4.096 us * 2^20 without one"`
	Retries  Val[int]      `yaml:"retries" min:"0" max:"7" doc:"timeouts in a row before a QP fails; default: NCCL_IB_RETRY_CNT"`
	Window   Val[Bytes]    `yaml:"window" min:"1B" doc:"bytes in flight a QP; absent: not limited"`
}

// CCSpec is a congestion control algorithm and its parameters. Absent values
// are those of the preset.
type CCSpec struct {
	Section
	Algorithm Val[string] `yaml:"algorithm" short:"true" default:"dcqcn" enum:"none,dcqcn,dctcp,hpcc,timely,swift,tcp"`
	Preset    Val[string] `yaml:"preset" doc:"simnet catalog dcqcn"`

	G                Val[Ratio]    `yaml:"g" min:"0.00001" max:"1" doc:"gain of the moving average of alpha"`
	AlphaTimer       Val[sim.Time] `yaml:"alpha_timer" min:"100ns" doc:"alpha decays after this time without a CNP"`
	RateTimer        Val[sim.Time] `yaml:"rate_timer" min:"100ns" doc:"rate increase timer"`
	ByteCounter      Val[Bytes]    `yaml:"byte_counter" min:"0B" doc:"rate increase byte counter; 0B: off"`
	FastRecovery     Val[int]      `yaml:"fast_recovery" min:"0" max:"100" doc:"stages of fast recovery (F)"`
	AdditiveIncrease Val[sim.Rate] `yaml:"additive_increase" min:"1Kbps" doc:"R_AI"`
	HyperIncrease    Val[sim.Rate] `yaml:"hyper_increase" min:"0bps" doc:"R_HAI"`
	MinRate          Val[sim.Rate] `yaml:"min_rate" min:"1Kbps"`
	DecreaseInterval Val[sim.Time] `yaml:"decrease_interval" min:"0ps" doc:"shortest time between two cuts"`
	ClampTarget      Val[bool]     `yaml:"clamp_target" doc:"the target rate follows every cut, not the first alone"`
	Target           Val[Ratio]    `yaml:"target" min:"0.1" max:"1" doc:"hpcc: eta"`
	Beta             Val[Ratio]    `yaml:"beta" min:"0.01" max:"1" doc:"timely, swift: multiplicative decrease"`
	TLow             Val[sim.Time] `yaml:"t_low" min:"0ps" doc:"timely"`
	THigh            Val[sim.Time] `yaml:"t_high" min:"1ns" doc:"timely"`
	TargetDelay      Val[sim.Time] `yaml:"target_delay" min:"1ns" doc:"swift; absent: the idle round trip"`
	CNPInterval      Val[sim.Time] `yaml:"cnp_interval" min:"0ps" doc:"shortest time between two CNPs of one flow"`
}

// PFCSpec is priority flow control.
type PFCSpec struct {
	Section
	Enabled  Val[bool]      `yaml:"enabled" short:"true" default:"true"`
	Alpha    Val[Ratio]     `yaml:"alpha" min:"0.001" max:"64" default:"1/8" doc:"dynamic threshold: XOFF at alpha times the free shared buffer (counted in 2^-24: 1/3 of 64 MB is exact to 2 B)"`
	Headroom Val[AutoBytes] `yaml:"headroom" default:"auto" doc:"per port and class; auto: from rate, cable and response time"`
	Reserved Val[Bytes]     `yaml:"reserved" default:"19KB" min:"0B" doc:"guaranteed to each port and class"`
	XonDelta Val[Bytes]     `yaml:"xon_offset" default:"18KB" min:"0B" doc:"XON lies this much below XOFF"`
	Watchdog Val[sim.Time]  `yaml:"watchdog" default:"200ms" min:"1us" doc:"a queue paused for longer is reported"`
}

// ECNSpec is WRED marking on egress queues.
type ECNSpec struct {
	Section
	Enabled Val[bool]   `yaml:"enabled" default:"true"`
	Preset  Val[string] `yaml:"preset" short:"true" doc:"simnet catalog ecn"`
	Kmin    Val[Bytes]  `yaml:"kmin" min:"0B"`
	Kmax    Val[Bytes]  `yaml:"kmax" min:"0B"`
	Pmax    Val[Ratio]  `yaml:"pmax" min:"0" max:"1"`
	// Reference is the port rate that kmin and kmax are for.
	Reference Val[sim.Rate] `yaml:"at_rate" min:"1Mbps" doc:"port rate that kmin and kmax are for; other ports scale in proportion; absent: they do not scale"`
}
