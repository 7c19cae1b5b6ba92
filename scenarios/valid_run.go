package scenarios

import (
	"slices"
	"strings"
)

// phases are the labels that training jobs give their flows, with the kinds of
// parallelism that cause them.
var phases = []string{"dp_all_reduce", "dp_reduce_scatter", "dp_all_gather", "pp_forward", "pp_backward", "tp_all_reduce", "ep_all_to_all", "cp_ring", "embedding_all_reduce"}

func (c *validation) run() {
	r := &c.s.Run
	if w := r.Window; w != nil {
		if c.need(&w.Section, "run.window", "phases", w.Phases.Set()) {
			known := append(slices.Clone(phases), c.trafficLabels()...)
			for _, p := range w.Phases.V {
				if !slices.Contains(known, p) {
					c.errs.add(w.Phases.From, nearest(p, known), "run.window: unknown phase %q, want some of %s", p, strings.Join(known, ", "))
				}
			}
		}
	}
	if r.Until.Set() && r.Steps.From.Kind >= FromFile && len(c.s.Jobs) > 0 && r.Steps.V > 1 {
		c.warn(r.Until.From, "run: until may end the run before its %d steps are done; results are then marked partial", r.Steps.V)
	}
}

// effects warns of keys that change nothing in this scenario.
func (c *validation) effects() {
	s := c.s
	t := &s.Cluster.Transport
	flow := s.Run.Fidelity.V == "flow"
	c.inert(flow)
	if o := s.Observe.Rates; o.V > 0 && (s.Run.Fidelity.V == "hybrid" || s.Run.Parallel.V && !flow) {
		c.warn(o.From, "observe.rates has no effect where islands of flows are simulated apart (hybrid fidelity, run.parallel)")
	}
	if p := s.Run.Parallel; p.V && s.Run.Fidelity.V != "packet" {
		c.warn(p.From, "run.parallel has no effect at %s fidelity", s.Run.Fidelity.V)
	}
	if w := s.Run.Window; w != nil && s.Run.Fidelity.V == "hybrid" {
		c.warn(w.Section.At, "run.window has no effect at hybrid fidelity, which moves packets in every phase")
	}
	if l := &s.Cluster.Node.NVLink; l.Rate.From.Kind >= FromFile && l.BusBW.From.Kind == FromPreset {
		c.warn(l.Rate.From, "nvlink.bandwidth moves the choices of simnet nccl-test alone; the step follows nvlink.bus_bandwidth and p2p, which are the preset's (%s)", l.BusBW.From.Name)
	}
	c.prune()
	if !flow && !t.ECN.Enabled.V && (t.CC.Algorithm.V == "dcqcn" || t.CC.Algorithm.V == "dctcp") {
		c.warn(t.ECN.Enabled.From, "%s never slows a flow down without ecn", t.CC.Algorithm.V)
	}
	if cc := &t.CC; !flow && cc.Algorithm.V == "dcqcn" && cc.HyperIncrease.From.Kind >= FromFile && c.v.Packet.CC.DCQCN.ByteCounter == 0 {
		c.warn(cc.HyperIncrease.From, "hyper_increase has no effect while byte_counter is 0B: it needs both the timer and the counter past fast recovery")
	}
	if !flow && !t.PFC.Enabled.V {
		p := &t.PFC
		for k, at := range []Origin{p.Alpha.From, p.Headroom.From, p.Reserved.From, p.XonDelta.From, p.Watchdog.From} {
			if at.Kind >= FromFile {
				c.warn(at, "pfc.%s has no effect without PFC", [...]string{"alpha", "headroom", "reserved", "xon_offset", "watchdog"}[k])
			}
		}
	}
	if r := &s.Run.Steps; r.From.Kind >= FromFile && r.V > 1 && !slices.ContainsFunc(c.v.Jobs, func(j ValidJob) bool { return j.Traffic == nil }) {
		c.warn(r.From, "run.steps has no effect: no job trains; traffic repeats by its own key repeat")
	}
	if o := &s.Cluster.Node.HostOverhead; o.From.Kind >= FromFile && !slices.ContainsFunc(c.v.Jobs, func(j ValidJob) bool { return j.Traffic == nil }) {
		c.warn(o.From, "node.host_overhead has no effect: flows of traffic begin at the NIC")
	}
	if !flow && t.CC.Algorithm.V == "none" && !t.PFC.Enabled.V {
		c.warn(t.PFC.Enabled.From, "without congestion control and PFC packets are dropped whenever a queue is full")
	}
	if n := &s.Cluster.Node; n.NICs.V > 0 {
		used := map[int]bool{}
		for _, a := range n.Affinity.V {
			used[a] = true
		}
		if len(used) < n.NICs.V {
			c.warn(n.NICs.From, "only %d of the %d NICs of a node carry GPU traffic (node.affinity)", len(used), n.NICs.V)
		}
	}
	h := &s.Cluster.Routing
	if !slices.Contains(h.Fields.V, "udp_src_port") {
		for i := range s.Jobs {
			if v := s.Jobs[i].NCCL.get("NCCL_IB_QPS_PER_CONNECTION"); v != nil && v.Value != "1" {
				c.warn(v.From, "more queue pairs spread nothing while routing.fields leaves udp_src_port out")
			}
		}
	}
}

// prune drops the sections that the topology does not read from the effective
// configuration.
func (c *validation) prune() {
	f := &c.s.Cluster.Fabric
	keys := topologyKeys[f.Topology.V]
	if !slices.Contains(keys, "uplink") {
		f.Uplink = LinkSpec{}
	}
	if !slices.Contains(keys, "spine") {
		f.Spine = SwitchSpec{}
	}
	if !slices.Contains(keys, "core") || f.Topology.V == "rail-optimized" && !f.NodesPerPod.Set() || f.Topology.V == "fat-tree" && f.Tiers.V == 2 {
		f.Core = SwitchSpec{}
	}
}
