package scenarios

import (
	"math"
	"reflect"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// ccKeys lists the parameters that each algorithm reads.
var ccKeys = map[string][]string{
	"none":   {},
	"dcqcn":  {"g", "alpha_timer", "rate_timer", "byte_counter", "fast_recovery", "additive_increase", "hyper_increase", "min_rate", "decrease_interval", "clamp_target", "cnp_interval"},
	"dctcp":  {"g", "additive_increase", "min_rate"},
	"hpcc":   {"target", "additive_increase", "min_rate"},
	"timely": {"beta", "t_low", "t_high", "additive_increase", "min_rate"},
	"swift":  {"beta", "target_delay"},
	"tcp":    {},
}

// transport derives the packet engine's configuration.
func (c *validation) transport() {
	t := &c.s.Cluster.Transport
	cc := &t.CC
	for _, k := range keysOf(reflect.TypeFor[CCSpec]()) {
		if k == "algorithm" || k == "preset" || slices.Contains(ccKeys[cc.Algorithm.V], k) {
			continue
		}
		if at := fieldAt(cc, k, Origin{}); at.Kind != Unset {
			c.errs.add(at, "", "congestion_control: %s is no parameter of %s", k, cc.Algorithm.V)
		}
	}
	fid := c.s.Run.Fidelity
	if t.Kind.V != "roce" && fid.V != "flow" {
		c.errs.add(t.Kind.From, "", "transport: %s is not modelled at %s fidelity; run it with fidelity flow", t.Kind.V, fid.V)
	}
	if cc.Algorithm.V == "tcp" && (t.Kind.V != "tcp" || fid.V != "flow") {
		c.errs.add(cc.Algorithm.From, "", "congestion_control: tcp needs transport kind tcp and fidelity flow")
	}
	if t.Kind.V == "tcp" {
		c.warn(t.Kind.From, "transport: tcp is modelled by the bytes of its headers alone")
	} else if t.Kind.V == "infiniband" {
		c.warn(t.Kind.From, "transport: infiniband is modelled by the bytes of its headers alone: no credits, no virtual lanes")
	}
	c.v.Framing = framing(t.Kind.V, int64(t.MTU.V))
	if most := int64(math.MaxUint16) - c.v.Framing.Header; int64(t.MTU.V) > most {
		c.errs.add(t.MTU.From, "", "transport: an mtu of %v and %d B of headers do not fit a frame of 65535 B; at most %v", t.MTU.V, c.v.Framing.Header, Bytes(most))
	}
	p := packet.DefaultConfig()
	p.Seed = c.s.Seed.V
	p.Framing = c.v.Framing
	p.NICs[0].AckEvery = t.AckEvery.V
	if t.Recovery.V == "selective-repeat" {
		p.Recovery.Mode = packet.SelectiveRepeat
	}
	p.Window.Bytes = int64(t.Window.V)
	f := &c.s.Cluster.Fabric
	p.Switches = nil
	for _, s := range []*SwitchSpec{&f.Switch, &f.Spine, &f.Core} {
		p.Switches = append(p.Switches, c.packetSwitch(s, t))
	}
	if t.PFC.Enabled.V {
		p.PFC.Watchdog = t.PFC.Watchdog.V
	}
	p.Classes[0].Lossless = t.PFC.Enabled.V
	p.Classes[0].ECN = t.ECN.Enabled.V
	c.congestionControl(&p)
	c.telemetry(&p.Telemetry)
	if p.CC.Algorithm == packet.TIMELY && p.CC.TIMELY.THigh <= p.CC.TIMELY.TLow {
		at := cc.THigh.From
		if !cc.THigh.Set() {
			at = cc.TLow.From
		}
		c.errs.add(at, "", "congestion_control: t_high (%v) is not above t_low (%v)", p.CC.TIMELY.THigh, p.CC.TIMELY.TLow)
	}
	c.v.Packet = p
}

// Bins of a queue series: enough for a plot at least, and no more than a
// screen's width several times over.
const minBins, maxBins = 256, 4096

// telemetry spends the memory budget on as many bins as it buys.
func (c *validation) telemetry(t *packet.Telemetry) {
	o := &c.s.Observe
	t.QueueBin, t.RateBin = o.Queues.V, o.CNP.V
	t.MaxQueues, t.RateTraces = o.Ports.V, o.Rates.V
	t.BurstBytes = int64(o.BurstAbove.V)
	if o.StormAbove.V > 0 {
		t.StormCNPs, t.StormWindow = int64(o.StormAbove.V), o.CNP.V
	}
	t.MaxBins = 0
	rest := int64(o.MemoryBudget.V) - telemetryBytes(t)
	bins := rest / (8 * int64(t.MaxQueues+networkSeries)) &^ 1
	if bins < minBins {
		c.errs.add(o.MemoryBudget.From, "", "observe: %d queue series and %d rate traces need more than the budget of %v; lower ports or rates, or raise memory_budget to %v",
			t.MaxQueues, t.RateTraces, o.MemoryBudget.V, Bytes(mib((telemetryBytes(t) + 8*minBins*int64(t.MaxQueues+networkSeries)))))
		return
	}
	t.MaxBins = int(min(bins, maxBins))
}

// mib rounds up to a mebibyte.
func mib(n int64) int64 { return (n + 1<<20 - 1) >> 20 << 20 }

// networkSeries is how many network-wide series there are: CNPs, pauses, marks
// and delivered bytes.
const networkSeries = 4

// telemetryBytes is the bound on what the packet engine remembers: 8 bytes a
// bin of a series, bursts, storms and rate traces.
func telemetryBytes(t *packet.Telemetry) int64 {
	return int64(t.MaxBins)*8*int64(t.MaxQueues+networkSeries) + int64(t.MaxBursts)*(64+4*int64(t.BurstFlows)) + int64(t.MaxStorms)*128 + int64(t.RateTraces)*int64(t.MaxSamples)*16
}

func (c *validation) packetSwitch(s *SwitchSpec, t *TransportSpec) packet.Switch {
	k := packet.DefaultSwitch()
	k.Buffer, k.Cell, k.Reserved = int64(s.Buffer.V), int64(s.Cell.V), int64(t.PFC.Reserved.V)
	k.Alpha = fraction(t.PFC.Alpha.V)
	k.XonOffset = int64(t.PFC.XonDelta.V)
	k.Headroom = 0
	if t.PFC.Headroom.V != Auto {
		k.Headroom = int64(t.PFC.Headroom.V)
	}
	k.CutThrough, k.NoPFC = s.Cut.V, !t.PFC.Enabled.V
	k.ECN = nil // the builder adds it, by port rate
	return k
}

// fraction is r as a ratio of integers, to the 2^-24 that the packet engine
// counts alpha in.
func fraction(r Ratio) packet.Ratio {
	den := int64(1)
	for float64(r)*float64(den) != math.Trunc(float64(r)*float64(den)) && den < 1<<24 {
		den *= 2
	}
	return packet.Ratio{Num: max(1, int64(math.Round(float64(r)*float64(den)))), Den: den}
}

func (c *validation) congestionControl(p *packet.Config) {
	cc := &c.s.Cluster.Transport.CC
	i := slices.Index(packet.Algorithms(), cc.Algorithm.V)
	if i < 0 { // tcp, at flow fidelity alone
		i = 0
	}
	k := packet.DefaultCC(packet.Algorithm(i))
	set(&k.DCQCN.G, cc.G)
	set(&k.DCTCP.G, cc.G)
	put(&k.DCQCN.AlphaTimer, cc.AlphaTimer)
	put(&k.DCQCN.CutInterval, cc.DecreaseInterval)
	put(&k.DCQCN.RateTimer, cc.RateTimer)
	put(&k.DCQCN.FastRecovery, cc.FastRecovery)
	put(&k.DCQCN.HAI, cc.HyperIncrease)
	put(&k.DCQCN.ClampTarget, cc.ClampTarget)
	if cc.ByteCounter.Set() {
		k.DCQCN.ByteCounter = int64(cc.ByteCounter.V)
	}
	for _, ai := range []*sim.Rate{&k.DCQCN.AI, &k.DCTCP.AI, &k.HPCC.AI, &k.TIMELY.AI} {
		put(ai, cc.AdditiveIncrease)
	}
	for _, m := range []*sim.Rate{&k.DCQCN.MinRate, &k.DCTCP.MinRate, &k.HPCC.MinRate, &k.TIMELY.MinRate} {
		put(m, cc.MinRate)
	}
	set(&k.HPCC.Target, cc.Target)
	set(&k.TIMELY.Beta, cc.Beta)
	set(&k.Swift.Beta, cc.Beta)
	put(&k.TIMELY.TLow, cc.TLow)
	put(&k.TIMELY.THigh, cc.THigh)
	put(&k.Swift.BaseTarget, cc.TargetDelay)
	p.CC = k
	put(&p.NICs[0].CNPInterval, cc.CNPInterval)
}

// recovery completes the reliability of the transport, once the jobs are known.
func (c *validation) recovery() {
	t := &c.s.Cluster.Transport
	// NCCL's defaults: NCCL_IB_TIMEOUT 20, NCCL_IB_RETRY_CNT 7.
	def(&t.RTO, rto(20))
	def(&t.Retries, 7)
	c.v.Packet.Recovery.RTO, c.v.Packet.Recovery.RetryLimit = t.RTO.V, t.Retries.V
}

func put[T any](dst *T, v Val[T]) {
	if v.Set() {
		*dst = v.V
	}
}

func set(dst *float64, v Val[Ratio]) {
	if v.Set() {
		*dst = float64(v.V)
	}
}

// framing returns the header and ACK sizes of a transport.
func framing(kind string, mtu int64) fabric.Framing {
	switch kind {
	case "infiniband":
		// LRH 8, BTH 12, ICRC 4, VCRC 2 (InfiniBand Architecture 1.4, chapter 5);
		// an ACK adds an AETH of 4.
		return fabric.Framing{Payload: mtu, Header: 26, Ack: 30}
	case "tcp":
		// Preamble 8, Ethernet 14, IPv4 20, TCP with timestamps 32, FCS 4, gap 12.
		return fabric.Framing{Payload: mtu, Header: 90, Ack: 90}
	}
	return fabric.RoCEv2(mtu)
}
