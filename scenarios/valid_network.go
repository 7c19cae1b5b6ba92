package scenarios

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
)

// topologyKeys lists the keys of fabric that each topology reads, beyond those
// that all read.
var topologyKeys = map[string][]string{
	"star":           {},
	"leaf-spine":     {"nodes_per_leaf", "spines", "oversubscription", "uplink", "spine"},
	"fat-tree":       {"tiers", "radix", "k", "oversubscription", "core_oversubscription", "uplink", "spine", "core"},
	"rail-optimized": {"nodes_per_leaf", "nodes_per_pod", "spines", "cores", "oversubscription", "core_oversubscription", "uplink", "spine", "core"},
	"rail-only":      {"nodes_per_leaf", "spines", "oversubscription", "uplink", "spine"},
	"dragonfly":      {"groups", "routers_per_group", "nics_per_switch", "global_links", "uplink"},
	"torus":          {"dims", "nics_per_switch", "uplink"},
	"file":           {"file"},
}

// Engine parameter classes of switches, by tier.
const (
	classLeaf uint8 = iota
	classSpine
	classCore
)

// topology checks fabric and derives the topology's own spec.
func (c *validation) topology() {
	f, n := &c.s.Cluster.Fabric, &c.s.Cluster.Node
	c.onlyKeysOf(f)
	if f.Link.Rate.V > n.NIC.Rate.V {
		c.errs.add(f.Link.Rate.From, rateText(n.NIC.Rate.V), "fabric.link: %s is above the NIC's rate of %s", rateText(f.Link.Rate.V), rateText(n.NIC.Rate.V))
	}
	base := topo.Base{
		Hosts:  topo.Hosts{Nodes: c.s.Cluster.Nodes.V, NICs: n.NICs.V, Latency: n.NIC.Latency.V},
		Link:   topo.Cable{Rate: f.Link.Rate.V, Delay: f.Link.Delay.V + f.Link.FEC.V},
		Uplink: topo.Cable{Rate: f.Uplink.Rate.V, Delay: f.Uplink.Delay.V + f.Uplink.FEC.V},
		Leaf:   topo.Device{Class: classLeaf, Latency: f.Switch.Latency.V},
		Spine:  topo.Device{Class: classSpine, Latency: f.Spine.Latency.V},
		Core:   topo.Device{Class: classCore, Latency: f.Core.Latency.V},
	}
	// A host link faster than the port never limits; leaving it out keeps the
	// engines' fast path.
	if n.NIC.PCIe.Set() && n.NIC.PCIe.V < f.Link.Rate.V {
		base.Hosts.Limit = n.NIC.PCIe.V
	}
	over := float64(f.Oversubscription.V)
	missing := false
	need := func(key string, set bool) {
		missing = !c.need(&f.Section, "fabric", key, set) || missing
	}
	var t topo.Spec
	switch f.Topology.V {
	case "star":
		t = topo.Star{Base: base}
	case "leaf-spine":
		need("nodes_per_leaf", f.NodesPerLeaf.Set())
		need("spines", f.Spines.Set())
		t = topo.LeafSpine{Base: base, NodesPerLeaf: f.NodesPerLeaf.V, Spines: f.Spines.V, Oversubscription: over}
	case "fat-tree":
		if f.K.Set() {
			t = topo.KAry{Base: base, K: f.K.V}
			break
		}
		def(&f.Tiers, 2)
		if !f.Radix.Set() && f.Switch.Ports.Set() && f.Switch.Rate.Set() {
			r := int(int64(f.Switch.Ports.V) * int64(f.Switch.Rate.V) / int64(f.Link.Rate.V))
			f.Radix = Val[int]{r, Origin{Kind: FromDefault, Name: "ports of the switch at the link rate"}}
		}
		need("radix", f.Radix.Set())
		t = topo.FatTree{Base: base, Tiers: f.Tiers.V, Radix: f.Radix.V, Oversubscription: over, CoreOversubscription: float64(f.CoreOversub.V)}
	case "rail-optimized":
		need("nodes_per_leaf", f.NodesPerLeaf.Set())
		need("spines", f.Spines.Set())
		t = topo.RailOptimized{Base: base, NodesPerLeaf: f.NodesPerLeaf.V, Spines: f.Spines.V, Oversubscription: over,
			NodesPerPod: f.NodesPerPod.V, Cores: f.Cores.V, CoreOversubscription: float64(f.CoreOversub.V)}
	case "rail-only":
		t = topo.RailOnly{Base: base, NodesPerLeaf: f.NodesPerLeaf.V, Spines: f.Spines.V, Oversubscription: over}
	case "dragonfly":
		need("groups", f.Groups.Set())
		need("routers_per_group", f.Routers.Set())
		need("nics_per_switch", f.NICsPerSwitch.Set())
		need("global_links", f.GlobalLinks.Set())
		t = topo.Dragonfly{Base: base, A: f.Routers.V, P: f.NICsPerSwitch.V, H: f.GlobalLinks.V, Groups: f.Groups.V}
	case "torus":
		need("dims", f.Dims.Set())
		def(&f.NICsPerSwitch, n.NICs.V)
		t = topo.Torus{Base: base, Dims: f.Dims.V, NICsPerSwitch: f.NICsPerSwitch.V}
	case "file":
		need("file", f.File.Set())
		t = fileTopology{base: base, file: c.path(f.File.V)}
	}
	if missing || len(c.errs) > 0 {
		return
	}
	for _, err := range t.Validate() {
		c.topologyError(f, err)
	}
	c.v.Topology = t
}

// topologyError places an error of package topo at the key that it names.
func (c *validation) topologyError(f *FabricSpec, err error) {
	var e *topo.FieldError
	if !errors.As(err, &e) {
		c.errs.add(f.At, "", "fabric: %v", err)
		return
	}
	key := map[string]string{"a": "routers_per_group", "p": "nics_per_switch", "h": "global_links"}[e.Field]
	if key == "" {
		key = e.Field
	}
	at := fieldAt(f, key, f.At)
	if e.Field == "nodes" {
		at = c.s.Cluster.Nodes.From
	}
	c.errs.add(at, "", "%s %s", key, e.Reason)
}

// onlyKeysOf refuses keys that the chosen topology would ignore.
func (c *validation) onlyKeysOf(f *FabricSpec) {
	allowed := topologyKeys[f.Topology.V]
	for _, keys := range topologyKeys {
		for _, k := range keys {
			if slices.Contains(allowed, k) {
				continue
			}
			at := fieldAt(f, k, Origin{})
			if at.Kind != Unset && !slices.ContainsFunc(c.errs, func(e *Error) bool { return e.At == at }) {
				c.errs.add(at, "", "fabric: %s has no meaning for topology %s", k, f.Topology.V)
			}
		}
	}
}

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
	c.v.Framing = framing(t.Kind.V, int64(t.MTU.V))
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
	o := &c.s.Observe
	p.Telemetry.QueueBin, p.Telemetry.RateBin = o.Queues.V, o.CNP.V
	p.Telemetry.MaxQueues, p.Telemetry.RateTraces = o.Ports.V, o.Rates.V
	p.Telemetry.BurstBytes = int64(o.BurstAbove.V)
	if o.StormAbove.V > 0 {
		p.Telemetry.StormCNPs, p.Telemetry.StormWindow = int64(o.StormAbove.V), o.CNP.V
	}
	c.v.Packet = p
}

func (c *validation) packetSwitch(s *SwitchSpec, t *TransportSpec) packet.Switch {
	k := packet.DefaultSwitch()
	k.Buffer, k.Reserved = int64(s.Buffer.V), int64(t.PFC.Reserved.V)
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

// fraction is r as a ratio of integers, to a part in 4,096 below one.
func fraction(r Ratio) packet.Ratio {
	den := int64(1)
	for float64(r)*float64(den) != math.Trunc(float64(r)*float64(den)) && den < 4096 {
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

// headerFields maps the words of routing.fields to hash fields.
var headerFields = map[string]fabric.Fields{
	"src_ip": fabric.FieldSrcIP, "dst_ip": fabric.FieldDstIP,
	"udp_src_port": fabric.FieldSrcPort, "udp_dst_port": fabric.FieldDstPort, "protocol": fabric.FieldProto,
}

func (c *validation) routing() {
	r := &c.s.Cluster.Routing
	h := fabric.Hasher{Kind: fabric.HashKinds[r.Hash.V], PerSwitch: true}
	if r.Hash.V == "murmur3" {
		h.Kind = fabric.Murmur3
	}
	for _, f := range r.Fields.V {
		h.Fields |= headerFields[f]
	}
	if h.Fields == 0 {
		c.errs.add(r.Fields.From, "", "routing: fields is empty; every packet would take the same port")
	}
	switch r.Seed.V {
	case "per-switch":
		h.Seed = uint32(c.s.Seed.V)
	case "equal":
		h.PerSwitch = false
	default:
		n, err := strconv.ParseUint(r.Seed.V, 10, 32)
		if err != nil {
			c.errs.add(r.Seed.From, nearest(r.Seed.V, []string{"per-switch", "equal"}), "routing: seed is %q, want per-switch, equal, or a number", r.Seed.V)
		}
		h.Seed = uint32(n)
	}
	c.v.Hasher = h
	switch r.Policy.V {
	case "spray":
		c.v.Packet.Routing.Mode = packet.Spray
	case "adaptive":
		c.v.Packet.Routing.Mode = packet.Adaptive
	case "flowlet":
		c.v.Packet.Routing.Mode = packet.Flowlet
		// Longer than the spread of path delays inside a cluster (a few us).
		c.v.Packet.Routing.FlowletGap = 50 * sim.Microsecond
	}
}

// path resolves a file name against the scenario's directory.
func (c *validation) path(file string) string { return resolve(c.v.Dir, file) }
