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
		if w.Steps.V > r.Steps.V {
			c.errs.add(w.Steps.From, "", "run.window: steps is %d, the run has %d", w.Steps.V, r.Steps.V)
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
	if flow {
		for _, k := range []string{"pfc", "ecn", "congestion_control", "ack_every", "recovery", "window"} {
			at := fieldAt(t, k, Origin{})
			if at.Kind == FromFile || at.Kind == FromSet {
				c.warn(at, "transport.%s has no effect at flow fidelity (rates are max-min shares)", k)
			}
		}
		if s.Cluster.Fabric.Switch.Buffer.From.Kind >= FromFile {
			c.warn(s.Cluster.Fabric.Switch.Buffer.From, "fabric.switch.buffer has no effect at flow fidelity")
		}
		if s.Run.Window != nil {
			c.warn(s.Run.Window.At, "run.window has no effect at flow fidelity; --fidelity packet uses it")
		}
	}
	if !flow && !t.ECN.Enabled.V && (t.CC.Algorithm.V == "dcqcn" || t.CC.Algorithm.V == "dctcp") {
		c.warn(t.ECN.Enabled.From, "%s never slows a flow down without ecn", t.CC.Algorithm.V)
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
