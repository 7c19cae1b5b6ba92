package importer

import (
	"fmt"
	"sort"
	"strings"
)

// YAML implements Result: cluster.node. What a scenario has no key for (single
// links, NUMA nodes) stands in comments.
func (t *NodeTopology) YAML() []byte {
	node := newMap()
	node.setInt("gpus", int64(len(t.GPUs)))
	if len(t.GPUs) > 0 {
		t.gpuYAML(node)
		if !t.NVLinkOpen {
			node.set("nvlink", t.nvlinkYAML())
		}
	}
	if n := len(t.NICs); n > 0 {
		node.set("nics", n)
		node.setMap("nic", t.nicYAML())
		if len(t.GPUs) > 0 {
			node.set("affinity", t.Affinity(), "NIC of each GPU")
		}
	}
	body := newMap().set("cluster", newMap().set("node", node))
	return document{
		kind: t.Format, from: t.Files, what: t.summary() + t.details(),
		notMapped: t.notMapped, warnings: t.warnings, body: body,
	}.bytes()
}

func (t *NodeTopology) summary() string {
	nv := "no NVLink"
	if t.NVLinkOpen {
		nv = "NVLinks not said"
	}
	if len(t.Islands) > 0 {
		sizes := make([]string, len(t.Islands))
		for i, is := range t.Islands {
			sizes[i] = fmt.Sprint(len(is.GPUs))
		}
		nv = fmt.Sprintf("%s of %s GPUs", plural(len(t.Islands), "NVLink island"), strings.Join(sizes, "+"))
	}
	return fmt.Sprintf("%s, %s, %s.", plural(len(t.GPUs), "GPU"), nv, plural(len(t.NICs), "NIC port"))
}

func (t *NodeTopology) gpuModel() string {
	if len(t.GPUs) == 0 {
		return ""
	}
	for _, g := range t.GPUs {
		if g.Model != t.GPUs[0].Model {
			return ""
		}
	}
	return t.GPUs[0].Model
}

// sm is the compute capability of all GPUs, 0 if not known or mixed.
func (t *NodeTopology) sm() int {
	sm := -1
	for _, g := range t.GPUs {
		s := g.SM
		if s == 0 {
			_, s = presetOf(g.Model)
		}
		if sm >= 0 && s != sm {
			return 0
		}
		sm = s
	}
	return max(0, sm)
}

func (t *NodeTopology) gpuYAML(node yamlMap) {
	preset, _ := presetOf(t.gpuModel())
	switch {
	case preset != "":
		node.set("gpu", preset)
	case t.sm() > 0:
		what := t.gpuModel() + " is not in the catalog"
		if t.gpuModel() == "" {
			what = "the product is not said"
		}
		node.set("gpu", flowMap().set("arch", t.sm()), what+": set a preset, or bf16, memory, ...")
	}
}

func (t *NodeTopology) nvlinkYAML() yamlMap {
	m := flowMap()
	if len(t.Islands) == 0 {
		return m.set("kind", "pcie")
	}
	kind, size := "mesh", len(t.GPUs)
	for _, is := range t.Islands {
		if is.Switched {
			kind = "nvswitch"
		}
		size = min(size, len(is.GPUs))
	}
	m.set("kind", kind)
	if rate := nvlinkGbps[t.sm()]; rate > 0 {
		m.set("bandwidth", gbpsText(rate*float64(t.lanesOf(t.Islands[0]))))
	}
	return m.set("island", size)
}

// lanesOf is the number of NVLinks of an island's first GPU: into the switch,
// or to all neighbours.
func (t *NodeTopology) lanesOf(is Island) int {
	if is.Switched {
		return is.MaxLanes
	}
	sum := 0
	for _, l := range t.GPULinks[is.GPUs[0]] {
		sum += l.Lanes
	}
	return sum
}

func (t *NodeTopology) nicYAML() yamlMap {
	m := flowMap()
	rate := t.NICs[0].Gbps
	pcie := t.NICs[0].PCI
	for _, n := range t.NICs {
		if n.Gbps != rate {
			rate = 0
		}
		if n.PCI == nil || pcie == nil || *n.PCI != *pcie {
			pcie = nil
		}
	}
	if rate > 0 {
		m.set("rate", gbpsText(rate))
	}
	if pcie != nil {
		m.set("pcie", gbpsText(round3(pcie.GBs()*8)))
	}
	return m
}

func round3(v float64) float64 { return float64(int64(v*1000+0.5)) / 1000 }

// Affinity gives each GPU one of its nearest NICs, those least used first.
func (t *NodeTopology) Affinity() []int {
	used := make([]int, len(t.NICs))
	out := make([]int, len(t.GPUs))
	for g := range t.GPUs {
		best := 0
		for n := range t.NICs {
			d := linkRank(t.NICLinks[n][g].Class) - linkRank(t.NICLinks[best][g].Class)
			if d < 0 || d == 0 && used[n] < used[best] {
				best = n
			}
		}
		used[best]++
		out[g] = best
	}
	return out
}

// details lists links and places for the reader.
func (t *NodeTopology) details() string {
	var b strings.Builder
	line := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s: %s", title, text)
		}
	}
	for _, is := range t.Islands {
		how := "direct links"
		if is.Switched {
			how = fmt.Sprintf("NVSwitch, %d lanes a GPU", is.MaxLanes)
		}
		line("NVLink island", fmt.Sprintf("GPU %s, %s", joinInts(is.GPUs), how))
	}
	line("NVLinks", t.directLinks())
	if out := t.NVLinkOutside(); len(out) > 0 {
		line("NVLinks between islands", pairsText(out))
	}
	for _, c := range []LinkClass{LinkPIX, LinkPXB, LinkPHB, LinkNODE, LinkSYS} {
		var pairs [][2]int
		for a := range t.GPUs {
			for c2 := a + 1; c2 < len(t.GPUs); c2++ {
				if t.GPULinks[a][c2].Class == c {
					pairs = append(pairs, [2]int{a, c2})
				}
			}
		}
		line(string(c), pairsText(pairs))
	}
	if p := t.gpuPCI(); p != nil {
		line("PCIe of the GPUs", fmt.Sprintf("%s GT/s x%d, %.4g GB/s per direction after coding (NCCL counts %.4g)", formatFloat(p.GTs), p.Width, p.GBs(), p.NCCLGBs()))
	}
	line("NUMA", t.numaText())
	for _, n := range t.NICs {
		line(n.Name, n.text())
	}
	if len(t.Devices) > 0 {
		line("PCI devices", strings.Join(t.Devices, " "))
	}
	return b.String()
}

func (t *NodeTopology) gpuPCI() *PCILink {
	for _, g := range t.GPUs {
		if g.PCI == nil || *g.PCI != *t.GPUs[0].PCI {
			return nil
		}
	}
	if len(t.GPUs) == 0 {
		return nil
	}
	return t.GPUs[0].PCI
}

func (t *NodeTopology) directLinks() string {
	var out []string
	for _, is := range t.Islands {
		if is.Switched {
			return ""
		}
	}
	for a := range t.GPUs {
		for b := a + 1; b < len(t.GPUs); b++ {
			if l := t.GPULinks[a][b]; l.Class == LinkNV {
				out = append(out, fmt.Sprintf("%d-%d x%d", a, b, l.Lanes))
			}
		}
	}
	return strings.Join(out, ", ")
}

func pairsText(pairs [][2]int) string {
	var out []string
	for _, p := range pairs {
		out = append(out, fmt.Sprintf("%d-%d", p[0], p[1]))
	}
	return strings.Join(out, " ")
}

func joinInts(v []int) string { return strings.Trim(fmt.Sprint(v), "[]") }

func (t *NodeTopology) numaText() string {
	by := map[string][]int{}
	var names []string
	for i, g := range t.GPUs {
		if g.NUMA == "" {
			continue
		}
		if by[g.NUMA] == nil {
			names = append(names, g.NUMA)
		}
		by[g.NUMA] = append(by[g.NUMA], i)
	}
	sort.Strings(names)
	for i, n := range names {
		names[i] = fmt.Sprintf("node %s has GPU %s", n, joinInts(by[n]))
	}
	return strings.Join(names, "; ")
}

func (n TopoNIC) text() string {
	var out []string
	if n.Device != "" {
		out = append(out, n.Device)
	}
	if n.Gbps > 0 {
		out = append(out, gbpsText(n.Gbps))
	}
	if n.Port > 0 {
		out = append(out, fmt.Sprintf("port %d", n.Port))
	}
	if n.Class != LinkNone {
		out = append(out, fmt.Sprintf("%s to GPU %s", n.Class, joinInts(n.Nearest)))
	}
	if n.GDR {
		out = append(out, "GPUDirect RDMA")
	}
	if n.NUMA != "" {
		out = append(out, "NUMA "+n.NUMA)
	}
	return strings.Join(out, ", ")
}
