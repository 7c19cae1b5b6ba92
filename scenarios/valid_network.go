package scenarios

import (
	"errors"
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
	if c.s.Run.Fidelity.V == "hybrid" && r.Policy.V != "ecmp" {
		c.errs.add(r.Policy.From, "run.fidelity: packet", "routing: policy %s chooses a way for each packet; hybrid fidelity, which is the default, needs ways that stay", r.Policy.V)
	}
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
