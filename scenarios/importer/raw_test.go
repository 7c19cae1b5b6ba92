package importer

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// rawDir holds topology samples of real machines; it lies beside the checkout
// and is not part of the project.
const rawDir = "../../../shared/baselines/topo/raw"

// rawWant is what a sample must give. Classes lists some cells of the matrix.
type rawWant struct {
	gpus     int
	islands  [][]int
	switched bool
	open     bool // NVLinks not said
	nics     []string
	near     [][]int
	class    []LinkClass
	cells    map[[2]int]string
	devices  int
	graphs   int
}

var (
	eight  = [][]int{{0, 1, 2, 3, 4, 5, 6, 7}}
	quads  = [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}
	pairs  = [][]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}}
	byPair = [][]int{{0, 1}, {0, 1}, {2, 3}, {2, 3}, {4, 5}, {4, 5}, {6, 7}, {6, 7}}
)

func nicNames(n int) []string {
	return []string{"NIC0", "NIC1", "NIC2", "NIC3", "NIC4", "NIC5", "NIC6", "NIC7"}[:n]
}

func classesOf(c LinkClass, n int) []LinkClass {
	out := make([]LinkClass, n)
	for i := range out {
		out[i] = c
	}
	return out
}

var rawSamples = map[string]rawWant{
	"smi_topo_8gpu_pcie_pix_phb_1439.txt": {gpus: 8, cells: map[[2]int]string{{0, 1}: "PIX", {0, 2}: "PHB", {0, 4}: "SYS", {6, 7}: "PIX"}},
	"smi_topo_a100_8gpu_8nic_100g_deepep13.txt": {gpus: 8, islands: eight, switched: true, nics: nicNames(8), near: byPair, class: classesOf(LinkPXB, 8),
		cells: map[[2]int]string{{0, 7}: "NV12"}},
	"smi_topo_a100_8gpu_stas.txt":      {gpus: 8, islands: eight, switched: true, cells: map[[2]int]string{{0, 7}: "NV12", {3, 4}: "NV12"}},
	"smi_topo_a40_8gpu_nv4_pairs.txt":  {gpus: 8, islands: pairs, cells: map[[2]int]string{{0, 1}: "NV4", {0, 2}: "NODE", {0, 4}: "SYS", {6, 7}: "NV4"}},
	"smi_topo_aks_gb300_4gpu_4nic.txt": {gpus: 4, islands: [][]int{{0, 1, 2, 3}}, switched: true, nics: nicNames(4), near: [][]int{{0, 1}, {0, 1}, {2, 3}, {2, 3}}, class: classesOf(LinkNODE, 4), cells: map[[2]int]string{{0, 3}: "NV18"}},
	"smi_topo_aws_g5.48xlarge.txt":     {gpus: 8, cells: map[[2]int]string{{0, 1}: "PHB", {0, 7}: "PHB"}},
	"smi_topo_aws_p3.16xlarge.txt":     {gpus: 8, islands: quads, cells: map[[2]int]string{{0, 3}: "NV2", {0, 1}: "NV1", {0, 4}: "NV2", {2, 6}: "NV1", {0, 5}: "PHB"}},
	"smi_topo_aws_p4d.24xlarge.txt":    {gpus: 8, islands: eight, switched: true, cells: map[[2]int]string{{0, 1}: "NV12"}},
	"smi_topo_aws_p4de.24xlarge.txt":   {gpus: 8, islands: eight, switched: true, cells: map[[2]int]string{{0, 1}: "NV12"}},
	"smi_topo_aws_p5.48xlarge.txt":     {gpus: 8, islands: eight, switched: true, cells: map[[2]int]string{{0, 1}: "NV18"}},
	"smi_topo_h100_8gpu_stas.txt":      {gpus: 8, islands: eight, switched: true, cells: map[[2]int]string{{2, 5}: "NV18"}},
	"smi_topo_h200_8gpu_8nic_google_mlperf50.txt": {gpus: 8, islands: eight, switched: true, nics: nicNames(8), near: byPair, class: classesOf(LinkPIX, 8),
		cells: map[[2]int]string{{0, 1}: "NV18"}},
	"smi_topo_rtx4090_8gpu_pcie_switch_307.txt": {gpus: 8, nics: nicNames(1), near: [][]int{{0, 1, 2, 3}}, class: classesOf(LinkPIX, 1), cells: map[[2]int]string{{0, 3}: "PIX", {3, 4}: "SYS"}},
	"smi_topo_v100_hybridcube_1nic_dlperf.txt": {gpus: 8, islands: quads, nics: []string{"mlx5_0"}, near: [][]int{{2, 3}}, class: classesOf(LinkPIX, 1),
		cells: map[[2]int]string{{0, 3}: "NV2", {0, 1}: "NV1", {1, 5}: "NV2", {3, 7}: "NV1", {0, 7}: "SYS"}},
	"smi_topo_v100_hybridcube_2port_nccltests29.txt": {gpus: 8, islands: quads, nics: []string{"mlx5_0", "mlx5_1"}, near: [][]int{{2, 3}, {2, 3}}, class: classesOf(LinkPIX, 2),
		cells: map[[2]int]string{{0, 1}: "NV2", {0, 4}: "NV1", {2, 6}: "NV2", {4, 3}: "SYS"}},
	"aws_g5.48xl-topo.xml": {open: true, devices: 9},
	"aws_p4d-24xl-topo.xml": {gpus: 8, open: true, nics: nicNames(4), near: pairs, class: classesOf(LinkPIX, 4),
		cells: map[[2]int]string{{0, 1}: "PIX", {0, 2}: "PHB", {0, 4}: "SYS"}},
	"aws_p4de-24xl-topo.xml": {gpus: 8, open: true, nics: nicNames(4), near: pairs, class: classesOf(LinkPIX, 4),
		cells: map[[2]int]string{{0, 1}: "PIX", {1, 3}: "PHB", {3, 4}: "SYS"}},
	"azure_ncv4-graph.xml": {gpus: 4, open: true, graphs: 3},
	"azure_ncv4-topo.xml":  {gpus: 4, nics: []string{"eth0"}, near: [][]int{{0}}, class: classesOf(LinkPHB, 1), cells: map[[2]int]string{{0, 1}: "SYS", {2, 3}: "SYS"}},
	"azure_ndv2-topo.xml":  {gpus: 8, open: true, nics: nicNames(1), near: [][]int{{0, 1, 2, 3}}, class: classesOf(LinkPHB, 1), cells: map[[2]int]string{{0, 1}: "PHB", {0, 4}: "SYS"}},
	"azure_ndv5-topo.xml": {gpus: 8, open: true, nics: nicNames(8), near: [][]int{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, class: classesOf(LinkPIX, 8),
		cells: map[[2]int]string{{0, 1}: "PHB", {0, 4}: "SYS"}},
}

// TestRawSamples imports every sample of real machines.
func TestRawSamples(t *testing.T) {
	entries, err := os.ReadDir(rawDir)
	if err != nil {
		t.Skip("the samples of real machines are not beside the checkout; testdata has smaller ones of the same shapes")
	}
	seen := 0
	for _, e := range entries {
		kind := "nvidia-topo"
		if strings.HasSuffix(e.Name(), ".xml") {
			kind = "nccl-topo"
		}
		r, err := Import(kind, []string{filepath.Join(rawDir, e.Name())})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		want, known := rawSamples[e.Name()]
		if !known {
			t.Errorf("%s: a sample without expectation", e.Name())
			continue
		}
		seen++
		want.check(t, e.Name(), r.(*NodeTopology))
	}
	if seen != len(rawSamples) {
		t.Errorf("%d samples of %d were there", seen, len(rawSamples))
	}
}

func (w rawWant) check(t *testing.T, name string, got *NodeTopology) {
	t.Helper()
	same := func(what string, want, got any) {
		t.Helper()
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %s: want %v, got %v", name, what, want, got)
		}
	}
	var islands [][]int
	for _, is := range got.Islands {
		islands = append(islands, is.GPUs)
		same("switched", w.switched, is.Switched)
	}
	var nics []string
	var near [][]int
	var class []LinkClass
	for _, n := range got.NICs {
		nics, near, class = append(nics, n.Name), append(near, n.Nearest), append(class, n.Class)
	}
	same("GPUs", w.gpus, len(got.GPUs))
	same("islands", w.islands, islands)
	same("NVLinks open", w.open, got.NVLinkOpen)
	same("NICs", w.nics, nics)
	same("nearest GPUs", w.near, near)
	same("NIC classes", w.class, class)
	same("devices", w.devices, len(got.Devices))
	same("graphs", w.graphs, len(got.Graphs))
	for at, class := range w.cells {
		same("link", class, got.GPULinks[at[0]][at[1]].String())
		same("link back", class, got.GPULinks[at[1]][at[0]].String())
	}
}

// TestCubeMesh looks at what a hybrid cube mesh has besides its islands.
func TestCubeMesh(t *testing.T) {
	r, err := Import("nvidia-topo", []string{"testdata/good/nvidia-topo/cube_mesh.txt"})
	if err != nil {
		t.Fatal(err)
	}
	m := r.(*NodeTopology)
	want := rawWant{gpus: 8, islands: quads, nics: []string{"mlx5_bond_0"}, near: [][]int{{0, 1}}, class: []LinkClass{LinkPHB}, cells: map[[2]int]string{{0, 1}: "NV2", {0, 4}: "NV2", {0, 7}: "SYS"}}
	want.check(t, "cube_mesh.txt", m)
	if got := m.NVLinkOutside(); !reflect.DeepEqual(got, [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}) {
		t.Errorf("links between the islands: %v", got)
	}
	if !reflect.DeepEqual(m.Components, eight) {
		t.Errorf("components: %v, want one of eight", m.Components)
	}
	for _, is := range m.Islands {
		if is.MinLanes != 1 || is.MaxLanes != 2 {
			t.Errorf("island %v has %d to %d lanes, want 1 to 2", is.GPUs, is.MinLanes, is.MaxLanes)
		}
	}
}

// TestPCILink checks rates against the table of intra-node links: 16 lanes.
func TestPCILink(t *testing.T) {
	for _, c := range []struct{ gts, gbs, nccl float64 }{{8, 15.75, 12}, {16, 31.5, 24}, {32, 63, 48}, {64, 121, 96}} {
		p := PCILink{c.gts, 16}
		if d := p.GBs()/c.gbs - 1; d > 0.001 || d < -0.001 {
			t.Errorf("%g GT/s: %g GB/s, want %g", c.gts, p.GBs(), c.gbs)
		}
		if p.NCCLGBs() != c.nccl {
			t.Errorf("%g GT/s: NCCL counts %g GB/s, want %g", c.gts, p.NCCLGBs(), c.nccl)
		}
	}
}
