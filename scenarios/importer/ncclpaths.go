package importer

import (
	"fmt"
	"strings"
)

// links fills the link matrices from the PCI tree and the <nvlink>s.
func (r *ncclReader) links() error {
	n := len(r.gpus)
	t := r.t
	t.GPULinks = make([][]Link, n)
	for i, a := range r.gpus {
		t.GPULinks[i] = make([]Link, n)
		for j, b := range r.gpus {
			t.GPULinks[i][j] = Link{Class: pciClass(a, b)}
			if i == j {
				t.GPULinks[i][j] = Link{Class: LinkSelf}
			}
		}
	}
	for i, a := range r.nics {
		toGPU, toNIC := make([]Link, n), make([]Link, len(r.nics))
		for j, b := range r.gpus {
			toGPU[j] = Link{Class: pciClass(a, b)}
		}
		for j, b := range r.nics {
			toNIC[j] = Link{Class: pciClass(a, b)}
			if i == j {
				toNIC[j] = Link{Class: LinkSelf}
			}
		}
		t.NICLinks = append(t.NICLinks, toGPU)
		t.NICPeers = append(t.NICPeers, toNIC)
	}
	return r.nvlink()
}

// nvlink applies direct links pair by pair, and links into switches to all
// GPUs that have such.
func (r *ncclReader) nvlink() error {
	t := r.t
	index := map[string]int{}
	for i, g := range r.gpus {
		index[strings.ToLower(g.attr("busid"))] = i
	}
	direct := make([]map[int]int, len(r.gpus))
	intoSwitch := make([]int, len(r.gpus))
	for _, l := range r.nvlinks {
		switch {
		case l.class == nvswitch || strings.HasPrefix(l.target, "fffffff:"):
			intoSwitch[l.gpu] += l.count
			t.GPUs[l.gpu].NVSwitch = true
		default:
			to, known := index[l.target]
			if !known {
				if strings.HasPrefix(l.class, "0x03") {
					return l.elem.errorf("<nvlink> to %s, which is no GPU of the file", short(l.target)).meant(l.target, r.busIDs())
				}
				t.notMapped = append(t.notMapped, fmt.Sprintf("%s: <nvlink> to %s of class %s (not a GPU)", l.elem.at, l.target, short(l.class)))
				continue
			}
			if to == l.gpu {
				t.warnings = append(t.warnings, fmt.Sprintf("%s: <nvlink> of GPU%d ends at itself; ignored, as NCCL gains nothing by it", l.elem.at, l.gpu))
				continue
			}
			if direct[l.gpu] == nil {
				direct[l.gpu] = map[int]int{}
			}
			direct[l.gpu][to] += l.count
		}
	}
	for a := range r.gpus {
		for b := range a {
			lanes := max(direct[a][b], direct[b][a])
			if direct[a][b] != direct[b][a] && direct[a][b]*direct[b][a] != 0 {
				t.warnings = append(t.warnings, fmt.Sprintf("%s: GPU%d and GPU%d disagree on their NVLinks (%d and %d); the larger is used", r.gpus[a].at, a, b, direct[a][b], direct[b][a]))
			}
			if intoSwitch[a] > 0 && intoSwitch[b] > 0 {
				lanes = min(intoSwitch[a], intoSwitch[b])
			}
			if lanes > 0 {
				t.GPULinks[a][b] = Link{LinkNV, lanes}
				t.GPULinks[b][a] = Link{LinkNV, lanes}
			}
		}
	}
	return nil
}

func (r *ncclReader) busIDs() []string {
	var out []string
	for _, g := range r.gpus {
		out = append(out, strings.ToLower(g.attr("busid")))
	}
	return out
}

// pciClass is the class of the path between two devices of the tree, as NCCL
// names it: PIX below one bridge, PXB below several, PHB within a <cpu>, SYS
// beyond.
func pciClass(a, b *xmlElem) LinkClass {
	depth := map[*xmlElem]int{}
	d := 0
	for e := a; e != nil; e = e.parent {
		depth[e] = d
		d++
	}
	steps := 0
	for e := b; e != nil; e = e.parent {
		up, common := depth[e]
		if !common {
			steps++
			continue
		}
		switch {
		case e.name == "cpu":
			return LinkPHB
		case e.name != "pci":
			return LinkSYS
		case up <= 1 && steps <= 1:
			return LinkPIX
		}
		return LinkPXB
	}
	return LinkSYS
}

// notes says what the file leaves open.
func (r *ncclReader) notes() {
	t := r.t
	t.notMapped = append(t.notMapped, "CPU affinity, vendor and model; PCI ids of bridges and boards")
	if len(r.nvlinks) == 0 {
		t.NVLinkOpen = !r.detected
	}
	if t.NVLinkOpen && len(r.gpus) > 0 {
		t.warnings = append(t.warnings, "no <nvlink>: NCCL finds NVLinks when it runs; if the GPUs have any, import a dump (NCCL_TOPO_DUMP_FILE) or nvidia-smi topo -m")
	}
	if len(t.Devices) > 0 {
		t.warnings = append(t.warnings, plural(len(t.Devices), "PCI device")+" without class, <gpu> or <nic>: GPUs and NICs cannot be told apart; import a dump (NCCL_TOPO_DUMP_FILE)")
	}
	open := 0
	for _, g := range t.GPUs {
		if g.PCI == nil && g.BusID != "" { // without bus id it hangs on the CPU's own link
			open++
		}
	}
	if open > 0 {
		t.warnings = append(t.warnings, plural(open, "GPU")+" without PCIe link speed; NCCL assumes 8 GT/s x16 there")
	}
	for _, n := range t.NICs {
		if n.Gbps == 0 {
			t.warnings = append(t.warnings, "NICs without <net>: their rate is not known; set nic.rate")
			break
		}
	}
}
