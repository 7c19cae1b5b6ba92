package scenarios

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/simnet/simnet/workload"
)

// packetKeys are the keys that only packets follow.
var packetKeys = []string{
	"cluster.transport.congestion_control", "cluster.transport.ecn", "cluster.transport.pfc", "cluster.transport.rto", "cluster.transport.retries",
	"cluster.transport.recovery", "cluster.transport.window",
	"cluster.fabric.switch.buffer", "cluster.fabric.switch.cell", "cluster.fabric.switch.cut_through",
	"cluster.fabric.spine.buffer", "cluster.fabric.spine.cell", "cluster.fabric.spine.cut_through",
	"cluster.fabric.core.buffer", "cluster.fabric.core.cell", "cluster.fabric.core.cut_through",
	"cluster.fabric.link.bit_error_rate", "cluster.fabric.uplink.bit_error_rate",
	"observe.queues", "observe.cnp", "observe.rates", "observe.ports", "observe.burst_above", "observe.storm_above", "observe.memory_budget",
	"run.window",
}

// gpuKeys are the keys that computation alone follows.
var gpuKeys = []string{
	"cluster.node.gpu.bf16", "cluster.node.gpu.fp16", "cluster.node.gpu.fp8", "cluster.node.gpu.tf32", "cluster.node.gpu.fp32",
	"cluster.node.gpu.memory", "cluster.node.gpu.memory_bandwidth", "cluster.node.gpu.efficiency", "cluster.node.gpu.attention_efficiency",
	"cluster.node.gpu.sms", "cluster.node.gpu.launch",
}

// nvlinkKeys are those that traffic, which begins and ends at NICs, never meets.
var nvlinkKeys = []string{
	"cluster.node.nvlink.kind", "cluster.node.nvlink.bandwidth", "cluster.node.nvlink.nvls", "cluster.node.nvlink.island", "cluster.node.nvlink.alpha",
	"cluster.node.nvlink.bus_bandwidth", "cluster.node.nvlink.p2p", "cluster.node.cross_island.alpha", "cluster.node.cross_island.bus_bandwidth",
	"cluster.node.cross_island.p2p",
}

// inert says which keys of the machine and of what is recorded change nothing
// here.
func (c *validation) inert(flow bool) {
	s := c.s
	kinds := map[string]bool{}
	for _, j := range c.v.Jobs {
		kinds["training"] = kinds["training"] || j.Training != nil
		kinds["other"] = kinds["other"] || j.Training == nil
		kinds["nvlink"] = kinds["nvlink"] || j.Traffic == nil
	}
	if flow {
		c.without("at flow fidelity, where rates are max-min shares, these keys have no effect", packetKeys...)
		if p := &s.Cluster.Routing.Policy; p.V != "ecmp" {
			c.warn(p.From, "routing.policy: %s has no effect at flow fidelity, where each flow stays on the path that its hash gives (ecmp)", p.V)
		}
		for i := range s.Jobs {
			for _, name := range []string{"NCCL_IB_TIMEOUT", "NCCL_IB_RETRY_CNT"} {
				if v := s.Jobs[i].NCCL.get(name); v != nil {
					c.warn(v.From, "%s has no effect at flow fidelity, which knows no packets", name)
				}
			}
		}
	}
	if !kinds["training"] {
		c.without("no job trains, so that these keys have no effect", append(gpuKeys[:len(gpuKeys):len(gpuKeys)], "cluster.node.nic.rendezvous")...)
	}
	switch x := &s.Cluster.Node.Cross; {
	case !kinds["nvlink"]:
		c.without("flows of traffic begin and end at NICs, so that these keys have no effect", append(nvlinkKeys[:len(nvlinkKeys):len(nvlinkKeys)], "observe.timeline", "cluster.node.gpu.arch")...)
	case s.Cluster.Node.NVLink.Island.V >= s.Cluster.Node.GPUs.V:
		c.without("a node is one NVLink island, so that these keys have no effect", "cluster.node.cross_island.alpha", "cluster.node.cross_island.bus_bandwidth", "cluster.node.cross_island.p2p")
	case !x.BusBW.Set():
		c.without("without cross_island.bus_bandwidth traffic between islands takes the NICs, so that these keys have no effect", "cluster.node.cross_island.alpha", "cluster.node.cross_island.p2p")
	}
	if r := &s.Run; r.Tolerance.From.Kind >= FromFile && r.Fidelity.V != "hybrid" {
		c.warn(r.Tolerance.From, "run.tolerance has no effect at %s fidelity: it is hybrid's", r.Fidelity.V)
	}
	for i := range s.Jobs {
		c.inertJob(&s.Jobs[i])
	}
}

// inertJob says which keys of a job change nothing.
func (c *validation) inertJob(j *JobSpec) {
	if x := &j.Compression; x.Ratio.From.Kind >= FromFile && x.Kind.V != "topk" {
		kind := "none"
		if x.Kind.Set() {
			kind = x.Kind.V
		}
		c.warn(x.Ratio.From, "compression.ratio has no effect with kind %s: it is the share of the elements that topk keeps", kind)
	}
	if m := j.Model; m != nil {
		for _, k := range []struct {
			set Origin
			on  bool
			key string
			why string
		}{
			{m.ExpertFFN.From, m.Experts.V > 0, "expert_ffn", "the model has no experts"},
			{m.Dense.From, m.Experts.V > 0, "dense_layers", "the model has no experts"},
			{m.Shared.From, m.Experts.V > 0, "shared_experts", "the model has no experts"},
			{m.TopK.From, m.Experts.V > 0, "top_k", "the model has no experts"},
			{m.MLA.QRank.From, m.MLA.KVRank.V > 0, "mla.q_rank", "latent attention begins with mla.kv_rank"},
			{m.MLA.Rope.From, m.MLA.KVRank.V > 0, "mla.rope_dim", "latent attention begins with mla.kv_rank"},
			{m.MLA.Nope.From, m.MLA.KVRank.V > 0, "mla.nope_dim", "latent attention begins with mla.kv_rank"},
			{m.MLA.VDim.From, m.MLA.KVRank.V > 0, "mla.v_dim", "latent attention begins with mla.kv_rank"},
		} {
			if k.set.Kind >= FromFile && !k.on {
				c.warn(k.set, "model.%s has no effect: %s", k.key, k.why)
			}
		}
	}
	if t := j.Traffic; t != nil {
		if t.Interval.From.Kind >= FromFile && t.Repeat.V == 1 {
			c.warn(t.Interval.From, "traffic.interval has no effect on one round (repeat: 1)")
		}
		hosts := count(&t.Nodes, c.s.Cluster.Nodes.V) * count(&t.NICs, c.s.Cluster.Node.NICs.V)
		if t.Members.From.Kind >= FromFile && t.Group.V == hosts {
			c.warn(t.Members.From, "traffic.members has no effect on one group of all %d NICs", hosts)
		}
	}
}

// without says that those of keys that the user wrote change nothing: a warning
// for what --set asks for, a note for what the file describes, which is the
// machine as it stands, at any fidelity and for any job.
func (c *validation) without(why string, keys ...string) {
	var asked, described []string
	var first Origin
	for _, k := range keys {
		switch o := writtenAt(c.s, k); o.Kind {
		case FromSet:
			if asked = append(asked, k); first.Kind == Unset {
				first = o
			}
		case FromFile:
			described = append(described, k)
		}
	}
	if len(asked) > 0 {
		c.warn(first, "%s: %s", why, strings.Join(asked, ", "))
	}
	if len(described) > 0 {
		c.v.Notes = append(c.v.Notes, fmt.Sprintf("%s: %s", why, strings.Join(described, ", ")))
	}
}

// writtenAt is where the user wrote the value at a dotted path below spec, or the
// strongest of the values in the section there; Unset if none is his.
func writtenAt(spec any, path string) Origin {
	v := reflect.ValueOf(spec).Elem()
	for _, k := range strings.Split(path, ".") {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return Origin{}
			}
			v = v.Elem()
		}
		i := fieldByKey(v.Type(), k)
		if i < 0 {
			panic("scenarios: no key " + path)
		}
		v = v.Field(i)
	}
	var at Origin
	strongest(v, &at)
	return at
}

// strongest keeps the first of the user's values in v, one of --set before one
// of the file.
func strongest(v reflect.Value, at *Origin) {
	if l, ok := v.Addr().Interface().(leaf); ok {
		if o := *l.origin(); o.Kind >= FromFile && o.Kind > at.Kind {
			*at = o
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			strongest(v.Elem(), at)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if k := v.Type().Field(i).Tag.Get("yaml"); k != "" && k != "-" {
				strongest(v.Field(i), at)
			}
		}
	}
}

// unusedLinks says, after a run, which bandwidths inside nodes it never came to.
func (m *Machine) unusedLinks(o *Outcome) {
	n := &m.Valid.Spec.Cluster.Node
	if len(m.Jobs)+len(m.Traces) == 0 {
		return // said before the run
	}
	nv, cross := m.Cluster.Scaleup.Use, m.Cluster.CrossIsland.Use
	for _, x := range []struct {
		from Origin
		used bool
		text string
	}{
		{n.NVLink.Alpha.From, nv.Alpha, "nvlink.alpha has had no effect: nothing moved inside an NVLink island"},
		{n.NVLink.BusBW.From, nv.BusBW, "nvlink.bus_bandwidth has had no effect: no collective had ranks inside an NVLink island"},
		{n.NVLink.P2P.From, nv.P2P, "nvlink.p2p has had no effect: no pair of GPUs of an NVLink island exchanged messages of its own"},
		{n.Cross.Alpha.From, cross.Alpha || !n.Cross.BusBW.Set(), "cross_island.alpha has had no effect: nothing moved between the islands of a node"},
		{n.Cross.BusBW.From, cross.BusBW, "cross_island.bus_bandwidth has had no effect: no collective crossed the islands of a node"},
		{n.Cross.P2P.From, cross.P2P || !n.Cross.BusBW.Set(), "cross_island.p2p has had no effect: no pair of GPUs of two islands exchanged messages of its own"},
	} {
		switch {
		case x.used:
		case x.from.Kind == FromSet:
			o.Warnings = append(o.Warnings, x.from.Position()+": "+x.text)
		case x.from.Kind == FromFile:
			o.Notes = append(o.Notes, x.text)
		}
	}
}

// insideNodes says, where packets are asked for, that what moves inside an
// NVLink domain or a node is none.
func (m *Machine) insideNodes(o *Outcome) {
	fid := m.Valid.Spec.Run.Fidelity.V
	if fid == "flow" || len(m.Jobs)+len(m.Traces) == 0 {
		return
	}
	for _, u := range []*workload.ScaleupUse{m.Cluster.Scaleup.Use, m.Cluster.CrossIsland.Use} {
		if u != nil && (u.Alpha || u.BusBW || u.P2P) {
			o.Notes = append(o.Notes, fmt.Sprintf("at %s fidelity too, what GPUs of one NVLink domain or node exchange takes its time from node.nvlink and cross_island (alpha, bus_bandwidth, p2p), not from packets", fid))
			return
		}
	}
}
