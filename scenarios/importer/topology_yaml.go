package importer

import (
	"fmt"
	"sort"
	"strings"
)

// nvlinkGbps is the rate of one NVLink per direction by compute capability
// times ten, in Gb/s (NVIDIA architecture white papers: 20, 25, 25, 25, 50
// GB/s; GA102 and its data-centre kin 14.0625 GB/s).
var nvlinkGbps = map[int]float64{60: 160, 70: 200, 80: 200, 86: 112.5, 90: 200, 100: 400, 103: 400}

// smOf guesses the compute capability from a product name, 0 if unknown.
func smOf(model string) int {
	m := strings.ToUpper(model)
	for _, f := range []struct {
		part string
		sm   int
	}{
		{"GB300", 103}, {"B300", 103}, {"GB200", 100}, {"B200", 100}, {"B100", 100},
		{"H100", 90}, {"H200", 90}, {"H800", 90}, {"H20", 90}, {"GH200", 90},
		{"A100", 80}, {"A800", 80}, {"A30", 80},
		{"A40", 86}, {"A6000", 86}, {"A5000", 86}, {"3090", 86},
		{"V100", 70}, {"P100", 60},
	} {
		if strings.Contains(m, f.part) {
			return f.sm
		}
	}
	return 0
}

// YAML implements Result: cluster.node with gpus, nvlink, pcie, numa and nics.
func (t *NodeTopology) YAML() []byte {
	node := newMap()
	node.setInt("gpus", int64(len(t.GPUs)))
	if m := t.gpuModel(); m != "" {
		node.set("gpu", m)
	}
	if len(t.GPUs) > 0 {
		if !t.NVLinkOpen {
			node.set("nvlink", t.nvlinkYAML())
		}
		node.setMap("pcie", t.pcieYAML())
		node.setMap("numa", t.numaYAML())
	}
	if len(t.NICs) > 0 {
		var nics []yamlMap
		for i := range t.NICs {
			nics = append(nics, t.nicYAML(i))
		}
		node.set("nics", nics)
	}
	if len(t.Devices) > 0 {
		node.set("unidentified_pci_devices", t.Devices)
	}
	body := newMap().set("cluster", newMap().set("node", node))
	return document{
		kind: t.Format, from: t.Files, what: t.summary(),
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
	for _, g := range t.GPUs {
		if g.Model != t.GPUs[0].Model {
			return ""
		}
	}
	if len(t.GPUs) == 0 {
		return ""
	}
	return t.GPUs[0].Model
}

func (t *NodeTopology) nvlinkYAML() yamlMap {
	m := newMap()
	if len(t.Islands) == 0 {
		return m.set("wiring", "none")
	}
	switched, direct := false, false
	maxLanes := 0
	var islands [][]int
	for _, is := range t.Islands {
		switched = switched || is.Switched
		direct = direct || !is.Switched
		maxLanes = max(maxLanes, is.MaxLanes)
		islands = append(islands, is.GPUs)
	}
	switch {
	case switched && direct:
		m.set("wiring", "mixed")
	case switched:
		m.set("wiring", "nvswitch")
		m.set("lanes", maxLanes, "of each GPU into the switches")
	default:
		m.set("wiring", "direct")
	}
	if rate := t.laneRate(); rate > 0 {
		m.set("lane_rate", gbpsText(rate), "one NVLink, per direction")
	}
	m.set("islands", islands)
	if len(t.Components) == 1 && len(t.Islands) > 1 {
		m.set("connected", true, "NVLinks join the islands, but not every pair")
	}
	if direct {
		var links []yamlMap
		for a := range t.GPUs {
			for b := a + 1; b < len(t.GPUs); b++ {
				if l := t.GPULinks[a][b]; l.Class == LinkNV {
					links = append(links, flowMap().set("gpus", []int{a, b}).set("lanes", l.Lanes))
				}
			}
		}
		m.set("links", links)
	}
	return m
}

func (t *NodeTopology) laneRate() float64 {
	rate := 0.0
	for _, g := range t.GPUs {
		r := nvlinkGbps[g.SM]
		if g.SM == 0 {
			r = nvlinkGbps[smOf(g.Model)]
		}
		if rate != 0 && r != rate {
			return 0
		}
		rate = r
	}
	return rate
}

// pcieYAML lists the link and, by class, the pairs that do not use NVLink.
func (t *NodeTopology) pcieYAML() yamlMap {
	m := newMap()
	var link *PCILink
	for _, g := range t.GPUs {
		if g.PCI == nil || link != nil && *g.PCI != *link {
			link = nil
			break
		}
		link = g.PCI
	}
	if link != nil {
		m.set("link", fmt.Sprintf("%s GT/s x%d", formatFloat(link.GTs), link.Width))
		m.set("rate", gbpsText(round3(link.GBs()*8)), fmt.Sprintf("per direction after coding, %.4g GB/s; NCCL counts %.4g GB/s", link.GBs(), link.NCCLGBs()))
	}
	for _, c := range []LinkClass{LinkPIX, LinkPXB, LinkPHB, LinkNODE, LinkSYS} {
		var pairs [][]int
		for a := range t.GPUs {
			for b := a + 1; b < len(t.GPUs); b++ {
				if t.GPULinks[a][b].Class == c {
					pairs = append(pairs, []int{a, b})
				}
			}
		}
		if len(pairs) > 0 {
			m.set(strings.ToLower(string(c)), pairs)
		}
	}
	return m
}

func round3(v float64) float64 { return float64(int64(v*1000+0.5)) / 1000 }

// numaYAML groups GPUs by NUMA affinity.
func (t *NodeTopology) numaYAML() yamlMap {
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
	m := newMap()
	for _, n := range names {
		m.set(n, by[n])
	}
	return m
}

func (t *NodeTopology) nicYAML(i int) yamlMap {
	nic := t.NICs[i]
	m := flowMap().set("name", nic.Name)
	if nic.Device != "" {
		m.set("device", nic.Device)
	}
	if nic.Gbps > 0 {
		m.set("rate", gbpsText(nic.Gbps))
	}
	m.setInt("port", int64(nic.Port))
	if len(nic.Nearest) > 0 {
		m.set("near", nic.Nearest)
		m.set("path", strings.ToLower(string(nic.Class)))
	}
	if nic.GDR {
		m.set("gpudirect_rdma", true)
	}
	if nic.NUMA != "" {
		m.set("numa", nic.NUMA)
	}
	return m
}
