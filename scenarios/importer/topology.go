package importer

import (
	"fmt"
	"sort"
)

// LinkClass is how two devices of a node reach each other, in the words of
// nvidia-smi topo -m.
type LinkClass string

// Link classes, best first.
const (
	LinkSelf LinkClass = "X"
	LinkNV   LinkClass = "NV"   // NVLink; Lanes says how many
	LinkPIX  LinkClass = "PIX"  // at most one PCIe bridge
	LinkPXB  LinkClass = "PXB"  // several PCIe bridges, no host bridge
	LinkPHB  LinkClass = "PHB"  // a PCIe host bridge, i.e. the CPU
	LinkNODE LinkClass = "NODE" // between host bridges of one NUMA node
	LinkSYS  LinkClass = "SYS"  // between NUMA nodes
	LinkNone LinkClass = ""     // not said by the file
)

// linkRank orders classes from near to far; LinkNone is last.
func linkRank(c LinkClass) int {
	for i, k := range []LinkClass{LinkSelf, LinkNV, LinkPIX, LinkPXB, LinkPHB, LinkNODE, LinkSYS} {
		if c == k {
			return i
		}
	}
	return 99
}

// Link is a cell of the link matrix.
type Link struct {
	Class LinkClass
	Lanes int // NVLinks between the two, with LinkNV
}

// TopoGPU is a GPU of a node.
type TopoGPU struct {
	Name        string // "GPU0"
	Model       string // marketing or preset-like name; empty if not said
	SM          int    // compute capability times ten (90 is Hopper); 0 if not said
	BusID       string
	NUMA        string // "0", "0-1"; empty if not said
	CPUAffinity string
	GDR         bool
	PCI         *PCILink // to its parent; nil if not said
	NVSwitch    bool     // its NVLinks end at switches
}

// TopoNIC is a network port of a node.
type TopoNIC struct {
	Name    string // "NIC0", "mlx5_0"
	Device  string // from the legend, if Name is a column name
	BusID   string
	Gbps    float64 // 0 if not said
	Port    int     // 0 if not said
	GDR     bool
	NUMA    string
	Nearest []int     // GPUs at the best class
	Class   LinkClass // to Nearest
	PCI     *PCILink
}

// PCILink is the PCIe link of a device.
type PCILink struct {
	GTs   float64 // per lane
	Width int     // lanes
}

// GBs is the rate per direction after line coding: 8b/10b up to 5 GT/s, then
// 128b/130b, then 242 of 256 bytes of a flit (PCI Express Base Specification
// 6.0, sections 4.2 and 3.7). 16 lanes give 15.75 GB/s at 8 GT/s, 63 at 32.
func (p PCILink) GBs() float64 {
	code := 128.0 / 130
	switch {
	case p.GTs <= 5:
		code = 0.8
	case p.GTs >= 64:
		code = 242.0 / 256
	}
	return p.GTs * code * float64(p.Width) / 8
}

// NCCLGBs is the bandwidth that NCCL assumes for the link, GB/s: its table
// counts 60 for 8 GT/s and divides lanes times that by 80 (NCCL
// src/graph/topo.cc, kvDictPciGen), so 12 for Gen3 x16, 24 for Gen4, 48 for Gen5.
func (p PCILink) NCCLGBs() float64 { return p.GTs * 7.5 * float64(p.Width) / 80 }

// Island is a set of GPUs that all reach each other over NVLink.
type Island struct {
	GPUs     []int // ascending
	Switched bool  // through NVSwitch; otherwise direct links
	// MinLanes and MaxLanes are the least and most NVLinks of a pair.
	MinLanes, MaxLanes int
}

// maxNVLinks is the most NVLinks a GPU has (Hopper and Blackwell, 18). Pairs
// that together show more go through a switch, where each pair is shown with
// all of the GPU's links.
const maxNVLinks = 18

// NodeTopology is the inside of a node.
type NodeTopology struct {
	Format   string
	Files    []string
	GPUs     []TopoGPU
	NICs     []TopoNIC
	GPULinks [][]Link // [gpu][gpu], symmetric
	NICLinks [][]Link // [nic][gpu]
	NICPeers [][]Link // [nic][nic], LinkNone where not said
	// Islands partition the GPUs: largest sets of pairwise NVLinked GPUs first
	// cut out, so that a hybrid cube mesh gives two islands of four. A GPU
	// without NVLink is in none.
	Islands []Island
	// Components are the connected sets of the NVLink graph, of two and more.
	Components [][]int
	// Devices are PCI devices that the file does not tell apart.
	Devices []string
	// NVLinkOpen is set where the file does not say which NVLinks there are.
	NVLinkOpen bool
	Graphs     []NCCLGraph // with a graph file

	notMapped []string
	warnings  []string
}

// Warnings implements Result.
func (t *NodeTopology) Warnings() []string { return t.warnings }

// derive fills islands, components and the nearest GPUs of NICs from the
// link matrices.
func (t *NodeTopology) derive() {
	n := len(t.GPUs)
	lanes := make([][]int, n)
	for i := range lanes {
		lanes[i] = make([]int, n)
		for j := range lanes[i] {
			if t.GPULinks[i][j].Class == LinkNV {
				lanes[i][j] = max(1, t.GPULinks[i][j].Lanes)
			}
		}
	}
	t.Components = components(lanes)
	for _, c := range t.Components {
		for _, gpus := range cliqueCover(c, lanes) {
			t.Islands = append(t.Islands, t.island(gpus, lanes))
		}
	}
	sort.Slice(t.Islands, func(a, b int) bool { return t.Islands[a].GPUs[0] < t.Islands[b].GPUs[0] })
	for i := range t.NICs {
		t.nearest(i)
	}
	t.irregular()
	for _, n := range t.NICs {
		if n.Gbps != t.NICs[0].Gbps {
			t.warnings = append(t.warnings, fmt.Sprintf("%s has %s, %s %s: a node has NICs of one rate; set nic.rate", t.NICs[0].Name, gbpsText(t.NICs[0].Gbps), n.Name, gbpsText(n.Gbps)))
			break
		}
	}
}

// irregular warns where the GPUs do not fall into islands of one size, one
// after the other, which is all that a scenario's node can say.
func (t *NodeTopology) irregular() {
	if len(t.Islands) == 0 {
		return
	}
	next, size := 0, len(t.Islands[0].GPUs)
	for _, is := range t.Islands {
		for _, g := range is.GPUs {
			if g != next || len(is.GPUs) != size {
				t.warnings = append(t.warnings, "the NVLink islands are not of one size and in GPU order; nvlink.island is the smallest")
				return
			}
			next++
		}
	}
	if next != len(t.GPUs) {
		t.warnings = append(t.warnings, fmt.Sprintf("%s without NVLink beside islands of %d; nvlink.island is the islands' size", plural(len(t.GPUs)-next, "GPU"), size))
	}
}

func (t *NodeTopology) island(gpus []int, lanes [][]int) Island {
	is := Island{GPUs: gpus, MinLanes: maxNVLinks * len(lanes)}
	for _, a := range gpus {
		sum := 0
		for _, b := range gpus {
			if a == b {
				continue
			}
			l := lanes[a][b]
			sum += l
			is.MinLanes, is.MaxLanes = min(is.MinLanes, l), max(is.MaxLanes, l)
		}
		if sum > maxNVLinks || t.GPUs[a].NVSwitch {
			is.Switched = true
		}
	}
	return is
}

func (t *NodeTopology) nearest(i int) {
	best := LinkNone
	for _, l := range t.NICLinks[i] {
		if linkRank(l.Class) < linkRank(best) {
			best = l.Class
		}
	}
	nic := &t.NICs[i]
	nic.Class = best
	if best == LinkNone {
		return
	}
	for g, l := range t.NICLinks[i] {
		if l.Class == best {
			nic.Nearest = append(nic.Nearest, g)
		}
	}
}

// NVLinkOutside lists the NVLinks between islands as pairs a < b (the cross
// links of a hybrid cube mesh).
func (t *NodeTopology) NVLinkOutside() [][2]int {
	of := make([]int, len(t.GPUs))
	for i := range of {
		of[i] = -1
	}
	for k, is := range t.Islands {
		for _, g := range is.GPUs {
			of[g] = k
		}
	}
	var out [][2]int
	for a := range t.GPUs {
		for b := a + 1; b < len(t.GPUs); b++ {
			if t.GPULinks[a][b].Class == LinkNV && of[a] != of[b] {
				out = append(out, [2]int{a, b})
			}
		}
	}
	return out
}
