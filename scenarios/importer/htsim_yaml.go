package importer

import (
	"fmt"
	"strings"
)

// Htsim is a connection matrix, a topology, or both.
type Htsim struct {
	Matrix    *ConnectionMatrix
	Topology  *HtsimTopology
	files     []string
	notMapped []string
	warnings  []string
}

// Warnings implements Result.
func (h *Htsim) Warnings() []string { return h.warnings }

// parseHtsim tells the two file kinds apart by content.
func parseHtsim(files []source) (Result, error) {
	h := &Htsim{}
	for _, s := range files {
		h.files = append(h.files, s.name)
		lines, err := s.lines()
		if err != nil {
			return nil, err
		}
		if isTopo(lines) {
			if h.Topology != nil {
				return nil, place{s.name, 1, 1}.errorf("a second topology")
			}
			if h.Topology, err = parseHtsimTopo(s, lines); err != nil {
				return nil, err
			}
			continue
		}
		if h.Matrix != nil {
			return nil, place{s.name, 1, 1}.errorf("a second connection matrix")
		}
		if h.Matrix, err = parseCM(s, lines, &h.warnings); err != nil {
			return nil, err
		}
	}
	if h.Matrix != nil && h.Topology != nil && int64(h.Matrix.Nodes) != h.Topology.Nodes {
		return nil, place{file: h.files[0]}.errorf("the matrix has %d nodes, the topology %d", h.Matrix.Nodes, h.Topology.Nodes)
	}
	return h, nil
}

func isTopo(lines []textLine) bool {
	for _, l := range lines {
		if f := l.fields(isBlank); len(f) > 0 && (strings.EqualFold(f[0].text, "Tiers") || strings.EqualFold(f[0].text, "Tier") || strings.EqualFold(f[0].text, "Podsize")) {
			return true
		}
	}
	return false
}

// YAML implements Result: cluster.fabric and a job of flows.
func (h *Htsim) YAML() []byte {
	notMapped := append([]string(nil), h.notMapped...)
	body, cluster := newMap(), newMap()
	what := ""
	// The GPU matters to nothing: hosts are NICs.
	node := newMap().set("gpus", 1).set("gpu", "a100-sxm4-80gb", "any: only NICs are used").set("nics", 1)
	if t := h.Topology; t != nil {
		node.set("nic", flowMap().set("rate", gbpsText(float64(t.Tiers[0].DownGbps))))
		cluster.set("nodes", t.Nodes).set("node", node).set("fabric", t.yaml(&notMapped))
		what = fmt.Sprintf("A fat tree of %d tiers, %d hosts.", len(t.Tiers), t.Nodes)
	} else {
		cluster.set("nodes", h.Matrix.Nodes).set("node", node)
	}
	if h.Matrix != nil {
		body.set("name", "htsim")
	}
	body.set("cluster", cluster)
	if h.Matrix != nil {
		what = strings.TrimSpace(what + fmt.Sprintf(" %s between %d hosts.", plural(len(h.Matrix.Connections), "connection"), h.Matrix.Nodes))
		flows := h.Matrix.flows(&notMapped)
		traffic := newMap().set("pattern", "flows").set("flows", flows)
		body.set("jobs", []yamlMap{newMap().set("name", "connections").set("traffic", traffic)})
	}
	return document{kind: "htsim", from: h.files, what: what, notMapped: notMapped, warnings: h.warnings, body: body}.bytes()
}

// flows are the connections that start at a fixed time and end.
func (m *ConnectionMatrix) flows(notMapped *[]string) []yamlMap {
	flows := []yamlMap{}
	triggered, endless, prio := 0, 0, 0
	for _, c := range m.Connections {
		switch {
		case !c.scheduled:
			triggered++
			continue
		case c.Bytes == 0:
			endless++
			continue
		}
		if c.Priority != 0 {
			prio++
		}
		f := flowMap().set("src", fmt.Sprintf("node%d/nic0", c.Src)).set("dst", fmt.Sprintf("node%d/nic0", c.Dst)).set("bytes", bytesText(c.Bytes))
		if c.StartPs > 0 {
			f.set("start", fmt.Sprintf("%dps", c.StartPs))
		}
		if c.ID > 0 {
			f.set("label", fmt.Sprintf("id%d", c.ID))
		}
		flows = append(flows, f)
	}
	for _, n := range []struct {
		count     int
		one, rest string
	}{
		{triggered, "connection", " started by triggers"}, {endless, "connection", " without end (size 0)"},
		{prio, "connection", " with a priority of its own"}, {len(m.Triggers), "trigger", ""}, {len(m.Failures), "failed link", " (write as faults)"},
	} {
		if n.count > 0 {
			*notMapped = append(*notMapped, plural(n.count, n.one)+n.rest)
		}
	}
	return flows
}

func (t *HtsimTopology) yaml(notMapped *[]string) yamlMap {
	f := newMap()
	leaf, next := t.Tiers[0], t.Tiers[1]
	down := leaf.RadixDown * leaf.DownGbps
	up := leaf.RadixUp * next.DownGbps
	if len(t.Tiers) == 2 {
		f.set("topology", "leaf-spine")
		f.set("nodes_per_leaf", leaf.RadixDown)
		f.set("spines", max(1, leaf.RadixUp/next.Bundle))
	} else {
		f.set("topology", "fat-tree").set("tiers", len(t.Tiers)).set("radix", leaf.RadixDown+leaf.RadixUp)
		if r := next.RadixDown + next.RadixUp; r != leaf.RadixDown+leaf.RadixUp {
			*notMapped = append(*notMapped, fmt.Sprintf("radix %d of tier 1: a fat-tree has one radix", r))
		}
		if core, agg := t.Tiers[2], next; agg.RadixUp*core.DownGbps != agg.RadixDown*agg.DownGbps {
			f.set("core_oversubscription", float64(agg.RadixDown*agg.DownGbps)/float64(agg.RadixUp*core.DownGbps))
		}
	}
	if up != down {
		f.set("oversubscription", float64(down)/float64(up))
	}
	f.set("link", flowMap().set("rate", gbpsText(float64(leaf.DownGbps))).set("delay", fmt.Sprintf("%dns", leaf.DownLatencyNs)))
	f.set("uplink", flowMap().set("rate", gbpsText(float64(next.DownGbps))).set("delay", fmt.Sprintf("%dns", next.DownLatencyNs)))
	f.set("switch", flowMap().set("latency", fmt.Sprintf("%dns", leaf.SwitchLatencyNs)))
	for i, tier := range t.Tiers {
		if tier.QueueUp > 0 || tier.QueueDown > 0 {
			*notMapped = append(*notMapped, fmt.Sprintf("tier %d: Queue_Up %d, Queue_Down %d (a port's queue; simnet's switches share one buffer)", i, tier.QueueUp, tier.QueueDown))
		}
		if i > 0 && tier.SwitchLatencyNs != leaf.SwitchLatencyNs {
			*notMapped = append(*notMapped, fmt.Sprintf("tier %d: Switch_Latency_ns %d", i, tier.SwitchLatencyNs))
		}
		if i > 1 && (tier.DownGbps != next.DownGbps || tier.DownLatencyNs != next.DownLatencyNs) {
			*notMapped = append(*notMapped, fmt.Sprintf("tier %d: links of %d Gbps and %d ns", i, tier.DownGbps, tier.DownLatencyNs))
		}
	}
	return f
}
