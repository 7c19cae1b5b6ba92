package importer

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// NCCL's XML: <system> of <cpu> of nested <pci>; a <pci> holds a <gpu> with
// <nvlink>s or a <nic> with <net>s. Files given to NCCL by a cloud hold the
// <pci> tree only: NCCL fills in the rest when it runs. There the PCI class
// tells GPUs (0x03) from NICs (0x02) and bridges (0x0604).

var (
	busIDForm = regexp.MustCompile(`^[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]$`)
	speedForm = regexp.MustCompile(`^([0-9.]+) ?GT/s(?: PCIe)?$`)
	nvswitch  = "0x068000" // PCI class "bridge, other": an NVSwitch
)

// modelOf names GPUs by PCI device of vendor 10de (pci.ids).
var modelOf = map[string]string{
	"0x15f9": "p100-sxm2-16gb", "0x1db1": "v100-sxm2-16gb", "0x1db5": "v100-sxm2-32gb",
	"0x1db4": "v100-pcie-16gb", "0x1db6": "v100-pcie-32gb",
	"0x20b0": "a100-sxm4-40gb", "0x20b2": "a100-sxm4-80gb", "0x20b5": "a100-pcie-80gb", "0x20f1": "a100-pcie-40gb",
	"0x2235": "a40", "0x2236": "a10", "0x2237": "a10g", "0x26b5": "l40", "0x26b9": "l40s",
	"0x2330": "h100-sxm5-80gb", "0x2331": "h100-pcie-80gb", "0x2335": "h200-sxm-141gb", "0x2324": "h800-sxm5-80gb", "0x2329": "h20",
	"0x2901": "b200-sxm-180gb",
}

// ncclReader gathers the devices of a file.
type ncclReader struct {
	t       *NodeTopology
	gpus    []*xmlElem // <pci> of each GPU
	nics    []*xmlElem // <pci> or <cpu> of each port
	byBus   map[string]place
	netSeen map[string]int
	nvlinks []nvlinkElem
	// detected is set once a <gpu> with a compute capability is met: NCCL wrote
	// the file, so GPUs without <nvlink> have none.
	detected bool
}

type nvlinkElem struct {
	gpu    int
	target string
	class  string
	count  int
	elem   *xmlElem
}

func parseNCCL(files []source) (Result, error) {
	var t *NodeTopology
	var graphs []NCCLGraph
	for _, s := range files {
		root, err := parseXML(s, "system", "graphs")
		if err != nil {
			return nil, err
		}
		if root.name == "graphs" {
			g, err := readGraphs(root)
			if err != nil {
				return nil, err
			}
			graphs = append(graphs, g...)
			continue
		}
		if t != nil {
			return nil, root.errorf("a second <system>").hint("one topology file, and a graph file at most")
		}
		if t, err = readSystem(s, root); err != nil {
			return nil, err
		}
	}
	if t == nil {
		t = graphOnly(graphs)
	}
	t.Graphs = graphs
	t.Files = nil
	for _, s := range files {
		t.Files = append(t.Files, s.name)
	}
	if len(graphs) > 0 {
		t.notMapped = append(t.notMapped, graphNotes(graphs)...)
	}
	return t, nil
}

func readSystem(s source, root *xmlElem) (*NodeTopology, error) {
	r := &ncclReader{t: &NodeTopology{Format: "nccl-topo"}, byBus: map[string]place{}, netSeen: map[string]int{}}
	if len(root.children) == 0 {
		return nil, root.errorf("<system> is empty").hint("a <cpu> with <pci> devices is expected")
	}
	for _, c := range root.children {
		var err error
		if c.name == "cpu" {
			err = r.cpu(c)
		} else {
			err = c.strange(&r.t.notMapped, "cpu")
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.links(); err != nil {
		return nil, err
	}
	r.t.derive()
	r.notes()
	return r.t, nil
}

func (r *ncclReader) cpu(c *xmlElem) error {
	if c.attr("numaid") == "" {
		return c.errorf("<cpu> without numaid").hint(`numaid="0" for a machine of one NUMA node`)
	}
	for _, e := range c.children {
		var err error
		switch e.name {
		case "pci":
			err = r.pci(e)
		case "nic":
			err = r.nic(e, c)
		case "gpu": // a GPU joined to the CPU over C2C has no <pci>
			err = r.gpu(e, c)
		default:
			err = e.strange(&r.t.notMapped, "pci", "nic", "gpu")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *ncclReader) pci(p *xmlElem) error {
	bus := strings.ToLower(p.attr("busid"))
	if bus == "" {
		return p.errorf("<pci> without busid")
	}
	if !busIDForm.MatchString(bus) {
		return p.errorf("busid %s is not a PCI address", short(bus)).hint("domain:bus:device.function, for instance 0000:17:00.0")
	}
	if first, dup := r.byBus[bus]; dup {
		return p.errorf("busid %s appears twice", bus).hint("first on line %d", first.line)
	}
	r.byBus[bus] = p.at
	if _, err := pciLink(p); err != nil {
		return err
	}
	class := strings.ToLower(p.attr("class"))
	before := len(r.gpus) + len(r.nics)
	for _, e := range p.children {
		var err error
		switch e.name {
		case "pci":
			err = r.pci(e)
		case "gpu":
			err = r.gpu(e, p)
		case "nic":
			err = r.nic(e, p)
		case "pcilink": // between switches; NCCL joins switches of one board by it
		default:
			err = e.strange(&r.t.notMapped, "pci", "gpu", "nic", "pcilink")
		}
		if err != nil {
			return err
		}
	}
	if len(p.children) > 0 || before != len(r.gpus)+len(r.nics) {
		return nil
	}
	switch {
	case strings.HasPrefix(class, "0x03"):
		return r.gpu(&xmlElem{name: "gpu", at: p.at}, p)
	case strings.HasPrefix(class, "0x02"):
		r.port(TopoNIC{Name: fmt.Sprintf("NIC%d", len(r.nics)), BusID: bus}, p)
	case class == "":
		r.t.Devices = append(r.t.Devices, bus)
	}
	return nil
}

func (r *ncclReader) gpu(e, holder *xmlElem) error {
	dev, err := e.integer("dev", int64(len(r.gpus)), 0, 4095)
	if err != nil {
		return err
	}
	sm, err := e.integer("sm", 0, 30, 999)
	if err != nil {
		return err
	}
	r.detected = r.detected || sm > 0
	g := TopoGPU{Name: fmt.Sprintf("GPU%d", dev), SM: int(sm), BusID: strings.ToLower(holder.attr("busid")), NUMA: numaOf(holder), GDR: e.attr("gdr") == "1"}
	if strings.EqualFold(holder.attr("vendor"), "0x10de") {
		g.Model = modelOf[strings.ToLower(holder.attr("device"))]
	}
	if g.PCI, err = pciLink(holder); err != nil {
		return err
	}
	for _, n := range e.children {
		if n.name != "nvlink" {
			if n.name != "c2c" {
				if err := n.strange(&r.t.notMapped, "nvlink", "c2c"); err != nil {
					return err
				}
			}
			continue
		}
		count, err := n.integer("count", 1, 1, maxNVLinks*2)
		if err != nil {
			return err
		}
		target := strings.ToLower(n.attr("target"))
		if target == "" {
			return n.errorf("<nvlink> without target").hint("the bus id of a GPU or NVSwitch")
		}
		r.nvlinks = append(r.nvlinks, nvlinkElem{len(r.gpus), target, strings.ToLower(n.attr("tclass")), int(count), n})
	}
	r.gpus = append(r.gpus, holder)
	r.t.GPUs = append(r.t.GPUs, g)
	return nil
}

func (r *ncclReader) nic(e, holder *xmlElem) error {
	for _, n := range e.children {
		if n.name != "net" {
			if err := n.strange(&r.t.notMapped, "net"); err != nil {
				return err
			}
			continue
		}
		mbps, err := n.integer("speed", 0, 0, 10_000_000)
		if err != nil {
			return err
		}
		port, err := n.integer("port", 0, 0, 255)
		if err != nil {
			return err
		}
		nic := TopoNIC{Name: n.attr("name"), Gbps: float64(mbps) / 1000, Port: int(port), GDR: n.attr("gdr") == "1"}
		if nic.Name == "" {
			return n.errorf("<net> without name").hint(`for instance name="mlx5_0"`)
		}
		if holder.name == "pci" {
			nic.BusID = strings.ToLower(holder.attr("busid"))
		}
		// NCCL lists a socket NIC that it cannot place under every <cpu>.
		id := fmt.Sprintf("%s/%d", nic.Name, port)
		if i, dup := r.netSeen[id]; dup && r.t.NICs[i].BusID == nic.BusID {
			r.t.warnings = append(r.t.warnings, fmt.Sprintf("%s: port %d of %s is listed twice; counted once", n.at, port, nic.Name))
			continue
		}
		r.netSeen[id] = len(r.nics)
		if nic.PCI, err = pciLink(holder); err != nil {
			return err
		}
		r.port(nic, holder)
	}
	if len(e.children) == 0 && holder.name == "pci" {
		r.port(TopoNIC{Name: fmt.Sprintf("NIC%d", len(r.nics)), BusID: strings.ToLower(holder.attr("busid"))}, holder)
	}
	return nil
}

func (r *ncclReader) port(nic TopoNIC, holder *xmlElem) {
	nic.NUMA = numaOf(holder)
	if nic.PCI == nil {
		nic.PCI, _ = pciLink(holder) // checked when its <pci> was read
	}
	r.nics = append(r.nics, holder)
	r.t.NICs = append(r.t.NICs, nic)
}

func numaOf(e *xmlElem) string {
	for ; e != nil; e = e.parent {
		if e.name == "cpu" {
			return e.attr("numaid")
		}
	}
	return ""
}

// pciLink reads link_speed and link_width; nil if the file leaves them open
// (virtual machines do), where NCCL assumes 8 GT/s x16.
func pciLink(p *xmlElem) (*PCILink, error) {
	speed, width := p.attr("link_speed"), p.attr("link_width")
	if speed == "" || speed == "Unknown speed" || width == "" || width == "0" {
		return nil, nil
	}
	m := speedForm.FindStringSubmatch(speed)
	if m == nil {
		return nil, p.errorf("link_speed is %s, not a PCIe speed", short(speed)).hint(`for instance "16.0 GT/s PCIe"`)
	}
	gts, err := strconv.ParseFloat(m[1], 64)
	if err != nil || gts <= 0 || gts > 256 || math.IsNaN(gts) {
		return nil, p.errorf("link_speed is %s, not a PCIe speed", short(speed)).hint("2.5, 5, 8, 16, 32 or 64 GT/s")
	}
	w, err := p.integer("link_width", 0, 1, 32)
	if err != nil {
		return nil, err
	}
	return &PCILink{gts, int(w)}, nil
}
