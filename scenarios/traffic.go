package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// trafficKeys lists the keys that each pattern reads, beyond those that all do:
// pattern, nodes, nics and qps.
var trafficKeys = map[string][]string{
	"incast":      {"bytes", "fan_in", "targets", "repeat", "interval", "stagger"},
	"permutation": {"bytes", "repeat", "interval", "stagger"},
	"all-to-all":  {"bytes", "group", "members", "repeat", "interval", "stagger"},
	"ring":        {"bytes", "group", "members", "repeat", "interval", "stagger"},
	"all-reduce":  {"bytes", "group", "members", "repeat", "interval", "stagger"},
	"poisson":     {"bytes", "load", "sizes", "duration"},
	"flows":       {"flows"},
}

var trafficCommon = []string{"pattern", "nodes", "nics", "qps"}

// trafficLabel is the label of the flows of a pattern.
func trafficLabel(pattern string) string { return strings.ReplaceAll(pattern, "-", "_") }

// trafficLabels lists the labels of the flows of jobs that are no training.
func (c *validation) trafficLabels() []string {
	var out []string
	for i := range c.s.Jobs {
		out = append(out, c.s.Jobs[i].Trace.labels()...)
		t := c.s.Jobs[i].Traffic
		if t == nil {
			continue
		}
		out = append(out, trafficLabel(t.Pattern.V))
		for j := range t.Flows {
			if l := t.Flows[j].Label; l.Set() {
				out = append(out, l.V)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// traffic checks a job of flows.
func (c *validation) traffic(j *JobSpec) {
	t := j.Traffic
	where := "traffic"
	p := t.Pattern.V
	keys, ok := trafficKeys[p]
	if !ok {
		return // the enum has said so
	}
	for _, k := range keysOf(reflect.TypeFor[TrafficSpec]()) {
		if slices.Contains(trafficCommon, k) || slices.Contains(keys, k) {
			continue
		}
		if at := fieldAt(t, k, Origin{}); at.Kind >= FromFile {
			c.errs.add(at, "", "%s: %s has no meaning for pattern %s", where, k, p)
		} else {
			forget(t, k)
		}
	}
	for _, k := range []string{"precision", "grad_precision", "recompute", "optimizer", "parallel", "batch", "nccl", "compression", "placement",
		"jitter", "step_overhead", "pair_rate", "rank_overhead", "rank_copy", "copy_passes", "sm_contention", "p2p_contention", "moe_imbalance", "unfused_attention", "skip_memory_check"} {
		if at := fieldAt(j, k, Origin{}); at.Kind >= FromFile {
			c.errs.add(at, "", "%s: %s has no meaning for a job of traffic", where, k)
		} else {
			forget(j, k)
		}
	}
	if len(j.Stragglers) > 0 {
		c.errs.add(j.Stragglers[0].At, "", "%s: stragglers has no meaning for a job of traffic", where)
	}
	if j.Class.V != 0 {
		c.v.Packet.Classes[j.Class.V] = c.v.Packet.Classes[0]
	}
	c.members("nodes", &t.Nodes, c.s.Cluster.Nodes.V)
	c.members("nics", &t.NICs, c.s.Cluster.Node.NICs.V)
	hosts := count(&t.Nodes, c.s.Cluster.Nodes.V) * count(&t.NICs, c.s.Cluster.Node.NICs.V)
	if p == "flows" {
		if len(t.Flows) == 0 {
			c.errs.add(t.At, "", "%s: key %q is missing", where, "flows")
		}
		for i := range t.Flows {
			c.flow(i, &t.Flows[i])
		}
		return
	}
	if hosts < 2 {
		c.errs.add(t.At, "", "%s: %d NIC takes part; a pattern needs at least 2", where, hosts)
		return
	}
	if p != "poisson" || t.Sizes.V == "fixed" {
		c.need(&t.Section, where, "bytes", t.Bytes.Set())
	}
	switch p {
	case "incast":
		if t.Targets.V >= hosts {
			c.errs.add(t.Targets.From, "", "%s: %d targets leave no sender among %d NICs", where, t.Targets.V, hosts)
			return
		}
		def(&t.FanIn, hosts-t.Targets.V)
		if t.FanIn.V > hosts-t.Targets.V {
			c.errs.add(t.FanIn.From, "", "%s: fan_in is %d, but only %d NICs are left to send", where, t.FanIn.V, hosts-t.Targets.V)
		}
	case "all-to-all", "ring", "all-reduce":
		def(&t.Group, hosts)
		if hosts%t.Group.V != 0 {
			c.errs.add(t.Group.From, "", "%s: %d NICs do not divide into groups of %d", where, hosts, t.Group.V)
		}
		if p == "all-reduce" && t.Bytes.Set() && int(t.Bytes.V) < t.Group.V {
			c.errs.add(t.Bytes.From, "", "%s: %v is less than a byte for each of %d members", where, t.Bytes.V, t.Group.V)
		}
	case "poisson":
		c.need(&t.Section, where, "load", t.Load.Set())
		c.need(&t.Section, where, "duration", t.Duration.Set())
		if t.Sizes.V != "fixed" && t.Bytes.Set() {
			c.errs.add(t.Bytes.From, "", "%s: bytes and the distribution %q are both given", where, t.Sizes.V)
		}
	}
}

// forget drops the default of a key that does not apply.
func forget(section any, key string) {
	v := reflect.ValueOf(section).Elem()
	f := v.Field(fieldByKey(v.Type(), key))
	f.Set(reflect.Zero(f.Type()))
}

// members checks a list of indices below n.
func (c *validation) members(key string, v *Val[[]int], n int) {
	seen := map[int]bool{}
	for _, x := range v.V {
		if x < 0 || x >= n {
			c.errs.add(v.From, "", "traffic: %s holds %d, there are %d, counted from 0", key, x, n)
			return
		}
		if seen[x] {
			c.errs.add(v.From, "", "traffic: %s holds %d twice", key, x)
			return
		}
		seen[x] = true
	}
	if v.Set() && len(v.V) == 0 {
		c.errs.add(v.From, "", "traffic: %s is empty", key)
	}
}

// count is the length of a list of members, all if it is not given.
func count(v *Val[[]int], all int) int {
	if v.Set() {
		return len(v.V)
	}
	return all
}

func (c *validation) flow(i int, f *FlowSpec) {
	where := fmt.Sprintf("flows[%d]", i)
	c.need(&f.Section, where, "bytes", f.Bytes.Set())
	ok := c.need(&f.Section, where, "src", f.Src.Set())
	ok = c.need(&f.Section, where, "dst", f.Dst.Set()) && ok
	if ok && f.Src.V == f.Dst.V {
		c.errs.add(f.Dst.From, "", "%s: src and dst are the same", where)
	}
	for _, e := range []*Val[string]{&f.Src, &f.Dst} {
		if !e.Set() {
			continue
		}
		var node, nic int
		if n, err := fmt.Sscanf(e.V, "node%d/nic%d", &node, &nic); n != 2 || err != nil {
			c.errs.add(e.From, "", "%s: %q is no NIC; it is written node0/nic0", where, e.V)
		} else if node < 0 || node >= c.s.Cluster.Nodes.V || nic < 0 || nic >= c.s.Cluster.Node.NICs.V {
			c.errs.add(e.From, "", "%s: %s does not exist; there are %d nodes of %d NICs, counted from 0", where, e.V, c.s.Cluster.Nodes.V, c.s.Cluster.Node.NICs.V)
		}
	}
}
