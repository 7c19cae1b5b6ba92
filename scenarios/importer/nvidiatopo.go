package importer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The table that nvidia-smi topo -m prints: a heading of device names, then a
// row a device with one class a column, then affinity columns. Columns are
// separated by tabs, or blanks where a page has reformatted them, or bars in a
// Markdown table. Headings may be underlined by ANSI escapes.

var (
	ansiEscape = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")
	// deviceName is a row or column name: GPU3, NIC0, mlx5_0, mlx5_bond_0,
	// rocep1s0, ibp12s0, bnxt_re0, rdmap16s27, efa0, irdma0, hns_0.
	deviceName = regexp.MustCompile(`^(GPU\d+|NIC\d+|(?:mlx[45]|mthca|qib|hfi1|bnxt_re|efa|irdma|hns|cxgb4|qedr|roce|rocep|ib|ibp|ibs|rdmap|bond|erdma|rxe|siw)[A-Za-z0-9_]*\d)$`)
	// anyNIC is what a column between the GPUs and the affinities may be called.
	anyNIC  = regexp.MustCompile(`^[a-z][a-z0-9_]*[0-9][a-z0-9_]*$`)
	nvClass = regexp.MustCompile(`^NV(\d+)$`)
	// gpuListing is a line of nvidia-smi -L.
	gpuListing = regexp.MustCompile(`^GPU (\d+): (.+?)(?: \(UUID: .*)?$`)
	legendRow  = regexp.MustCompile(`^\s*(NIC\d+):\s*(\S+)\s*$`)
)

var linkWords = []string{"X", "SYS", "NODE", "PHB", "PXB", "PIX", "NV1", "NV2", "NV4", "NV12", "NV18"}

// maxTopoDevices bounds the matrix of one operating system; eight to sixteen GPUs
// and as many NICs are usual.
const maxTopoDevices = 128

// topoTable is the table as read.
type topoTable struct {
	cols   []token
	rows   map[string]int // by name
	names  []token
	cells  [][]cell
	after  [][]token // affinity columns of each row
	legend map[string]string
	models map[int]string
}

type cell struct {
	link Link
	at   place
}

// parseNvidiaTopo reads the output of nvidia-smi topo -m. Lines of nvidia-smi
// -L in the same file give the GPU's model.
func parseNvidiaTopo(s source) (*NodeTopology, error) {
	tab, err := readTopoTable(s)
	if err != nil {
		return nil, err
	}
	return tab.topology(s)
}

func readTopoTable(s source) (*topoTable, error) {
	lines, err := s.lines()
	if err != nil {
		return nil, err
	}
	tab := &topoTable{rows: map[string]int{}, legend: map[string]string{}, models: map[int]string{}}
	for _, l := range lines {
		l.text = ansiEscape.ReplaceAllStringFunc(l.text, func(e string) string { return strings.Repeat("\x00", len(e)) })
		if err := tab.line(l); err != nil {
			return nil, err
		}
	}
	if tab.cols == nil {
		return nil, place{s.name, 1, 1}.errorf("no heading with GPU0, GPU1, ... found").
			hint("the file should hold the output of nvidia-smi topo -m")
	}
	return tab, nil
}

func (tab *topoTable) line(l textLine) error {
	plain := strings.ReplaceAll(l.text, "\x00", "")
	trimmed := strings.TrimSpace(plain)
	if trimmed == "" || trimmed[0] == '#' {
		return nil
	}
	if m := gpuListing.FindStringSubmatch(trimmed); m != nil {
		i, err := strconv.Atoi(m[1])
		if err == nil && i < maxTopoDevices {
			tab.models[i] = m[2]
		}
		return nil
	}
	if m := legendRow.FindStringSubmatch(plain); m != nil {
		tab.legend[m[1]] = m[2]
		return nil
	}
	f := l.fields(func(c byte) bool { return isBlank(c) || c == '|' || c == 0 })
	if len(f) == 0 || !deviceName.MatchString(f[0].text) && !tab.has(f[0].text) {
		return nil // prompts, legends, rules of Markdown tables
	}
	if len(f) == 1 || deviceName.MatchString(f[1].text) || f[1].text == "CPU" || f[1].text == "NUMA" {
		return tab.heading(f)
	}
	if tab.cols == nil {
		return f[0].errorf("row %s stands before the heading", f[0].text).hint("the heading line with GPU0, GPU1, ... is missing")
	}
	return tab.row(l, f)
}

func (tab *topoTable) heading(f []token) error {
	if tab.cols != nil {
		return f[0].errorf("a second heading").hint("one node a file: split the file")
	}
	seen := map[string]bool{}
	for _, c := range f {
		if !deviceName.MatchString(c.text) && !anyNIC.MatchString(c.text) {
			if c.text != "CPU" && c.text != "NUMA" && c.text != "GPU" {
				return c.errorf("column %s is neither a GPU, a NIC nor an affinity", short(c.text)).meant(c.text, []string{"GPU0", "NIC0", "mlx5_0", "CPU", "NUMA"})
			}
			break
		}
		if seen[c.text] {
			return c.errorf("column %s appears twice", c.text)
		}
		seen[c.text] = true
		tab.cols = append(tab.cols, c)
	}
	if len(tab.cols) > maxTopoDevices {
		return f[0].errorf("%d columns, more than %d", len(tab.cols), maxTopoDevices)
	}
	if !strings.HasPrefix(tab.cols[0].text, "GPU") {
		return tab.cols[0].errorf("the first column is %s, not a GPU", tab.cols[0].text)
	}
	return nil
}

func (tab *topoTable) row(l textLine, f []token) error {
	name := f[0]
	if _, dup := tab.rows[name.text]; dup {
		return name.errorf("row %s appears twice", name.text)
	}
	if !tab.has(name.text) {
		return name.errorf("row %s has no column", name.text).meant(name.text, tab.colNames())
	}
	cells := make([]cell, 0, len(tab.cols))
	for i, c := range tab.cols {
		if i+1 >= len(f) {
			return l.end().errorf("row %s ends after %s of %d", name.text, plural(i, "class"), len(tab.cols)).
				hint("column %s is the first without one; a cut line?", c.text)
		}
		link, err := parseLink(f[i+1])
		if err != nil {
			return err
		}
		if self := c.text == name.text; self != (link.Class == LinkSelf) {
			if self {
				return f[i+1].errorf("%s to itself is %s, not X", name.text, f[i+1].text).hint("a column or row is missing or shifted")
			}
			return f[i+1].errorf("%s to %s is X, which stands for the device itself", name.text, c.text).hint("a column or row is missing or shifted")
		}
		cells = append(cells, cell{link, f[i+1].at})
	}
	tab.rows[name.text] = len(tab.names)
	tab.names = append(tab.names, name)
	tab.cells = append(tab.cells, cells)
	tab.after = append(tab.after, f[len(tab.cols)+1:])
	return nil
}

func (tab *topoTable) has(name string) bool {
	for _, c := range tab.cols {
		if c.text == name {
			return true
		}
	}
	return false
}

func (tab *topoTable) colNames() []string {
	var out []string
	for _, c := range tab.cols {
		out = append(out, c.text)
	}
	return out
}

func parseLink(t token) (Link, error) {
	if m := nvClass.FindStringSubmatch(t.text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > maxNVLinks*2 {
			return Link{}, t.errorf("%s counts no possible number of NVLinks", short(t.text)).hint("1 to %d", maxNVLinks)
		}
		return Link{LinkNV, n}, nil
	}
	switch c := LinkClass(t.text); c {
	case LinkSelf, LinkPIX, LinkPXB, LinkPHB, LinkNODE, LinkSYS:
		return Link{Class: c}, nil
	case "SOC": // SYS in drivers before 390
		return Link{Class: LinkSYS}, nil
	}
	return Link{}, t.errorf("%s is not a link class", short(t.text)).meant(t.text, linkWords)
}

// topology checks symmetry and completeness and builds the node.
func (tab *topoTable) topology(s source) (*NodeTopology, error) {
	t := &NodeTopology{Format: "nvidia-topo", Files: []string{s.name}}
	var gpus, nics []int // columns
	for i, c := range tab.cols {
		if strings.HasPrefix(c.text, "GPU") {
			gpus = append(gpus, i)
		} else {
			nics = append(nics, i)
		}
	}
	for _, g := range gpus {
		if _, ok := tab.rows[tab.cols[g].text]; !ok {
			return nil, tab.cols[g].errorf("column %s has no row", tab.cols[g].text).hint("the table is cut; %s of %d devices are there", plural(len(tab.names), "row"), len(tab.cols))
		}
	}
	if err := tab.symmetric(); err != nil {
		return nil, err
	}
	for _, g := range gpus {
		t.addTableGPU(tab, g)
		t.GPULinks = append(t.GPULinks, tab.pick(g, gpus))
	}
	for _, n := range nics {
		name := tab.cols[n].text
		t.NICs = append(t.NICs, TopoNIC{Name: name, Device: tab.legend[name]})
		t.NICLinks = append(t.NICLinks, tab.pick(n, gpus))
		t.NICPeers = append(t.NICPeers, tab.pick(n, nics))
	}
	t.notMapped = append(t.notMapped, "CPU affinity (no CPU cores are modelled)")
	if t.gpuModel() == "" {
		t.notMapped = append(t.notMapped, "rates: topo -m names neither the GPU nor the NIC; set node.gpu, nvlink.bandwidth and nic.rate (or put the output of nvidia-smi -L into the same file)")
	}
	t.derive()
	return t, nil
}

func (t *NodeTopology) addTableGPU(tab *topoTable, col int) {
	name := tab.cols[col].text
	g := TopoGPU{Name: name}
	if i, err := strconv.Atoi(strings.TrimPrefix(name, "GPU")); err == nil {
		g.Model = tab.models[i]
	}
	after := tab.after[tab.rows[name]]
	if len(after) > 0 {
		g.CPUAffinity = after[0].text
	}
	if len(after) > 1 && after[1].text != "N/A" {
		g.NUMA = after[1].text
	}
	t.GPUs = append(t.GPUs, g)
}

// pick returns the links of one column's device to others; where its row is
// missing the other side's row is read.
func (tab *topoTable) pick(col int, to []int) []Link {
	out := make([]Link, len(to))
	row, ok := tab.rows[tab.cols[col].text]
	for i, c := range to {
		if ok {
			out[i] = tab.cells[row][c].link
		} else if other, ok := tab.rows[tab.cols[c].text]; ok {
			out[i] = tab.cells[other][col].link
		} else if c == col {
			out[i] = Link{Class: LinkSelf}
		}
	}
	return out
}

func (tab *topoTable) symmetric() error {
	for a, ca := range tab.cols {
		for b := 0; b < a; b++ {
			ra, oka := tab.rows[ca.text]
			rb, okb := tab.rows[tab.cols[b].text]
			if !oka || !okb {
				continue
			}
			x, y := tab.cells[ra][b], tab.cells[rb][a]
			if x.link != y.link {
				return x.at.errorf("%s to %s is %s, but %s to %s is %s", ca.text, tab.cols[b].text, x.link, tab.cols[b].text, ca.text, y.link).
					hint("line %d, column %d has the other one; the matrix must be symmetric", y.at.line, y.at.col)
			}
		}
	}
	return nil
}

// String writes a class as nvidia-smi does.
func (l Link) String() string {
	if l.Class == LinkNV {
		return fmt.Sprintf("NV%d", l.Lanes)
	}
	return string(l.Class)
}
