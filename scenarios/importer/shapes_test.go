package importer

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestParams counts weights of published models: the numbers of their
// safetensors files (gpt2, Meta-Llama-3-8B, Mixtral-8x7B, DeepSeek-V3 without
// its multi-token prediction layer).
func TestParams(t *testing.T) {
	for _, c := range []struct {
		file string
		want int64
		tol  float64
	}{
		{"gpt2", 124_439_808, 0}, {"llama3-8b", 8_030_261_248, 0}, {"mixtral-8x7b", 46_702_792_704, 0},
		{"deepseek-v3", 671_026_419_200, 1e-4}, {"qwen2-moe", 57_409_000_000, 1e-3},
	} {
		r, err := Import("hf", []string{"testdata/good/hf/" + c.file + ".json"})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := r.(*HFModel).Shape.Params()
		if d := float64(got)/float64(c.want) - 1; d > c.tol || d < -c.tol {
			t.Errorf("%s: %d parameters, want %d", c.file, got, c.want)
		}
	}
}

// matrix prints a table of n GPUs whose classes f gives.
func matrix(n int, f func(a, b int) string) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tGPU%d", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "\nGPU%d", i)
		for j := range n {
			if i == j {
				b.WriteString("\tX")
			} else {
				b.WriteString("\t" + f(i, j))
			}
		}
	}
	return []byte(b.String())
}

// TestLargeIslands reads a rack of 72 GPUs, a DGX-2, and rings that are no
// cliques.
func TestLargeIslands(t *testing.T) {
	ring := func(n int) func(a, b int) string {
		return func(a, b int) string {
			if (a+1)%n == b || (b+1)%n == a {
				return "NV4"
			}
			return "SYS"
		}
	}
	for _, c := range []struct {
		name     string
		n        int
		class    func(a, b int) string
		islands  int
		size     int
		switched bool
	}{
		{"NVL72", 72, func(a, b int) string { return "NV18" }, 1, 72, true},
		{"DGX-2", 16, func(a, b int) string { return "NV6" }, 1, 16, true},
		{"four A100 fully joined", 4, func(a, b int) string { return "NV4" }, 1, 4, false},
		{"ring of eight", 8, ring(8), 4, 2, false},
		{"ring of forty", 40, ring(40), 20, 2, false},
	} {
		topo, err := parseNvidiaTopo(source{"m.txt", matrix(c.n, c.class)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(topo.Islands) != c.islands || len(topo.Islands[0].GPUs) != c.size || topo.Islands[0].Switched != c.switched {
			t.Errorf("%s: %s of %d GPUs, switched %v", c.name, plural(len(topo.Islands), "island"), len(topo.Islands[0].GPUs), topo.Islands[0].Switched)
		}
	}
}

// TestAffinity spreads GPUs over NICs at the same distance.
func TestAffinity(t *testing.T) {
	nv := func(a, b int) Link { return Link{LinkNV, 18} }
	topo := &NodeTopology{}
	for g := range 4 {
		topo.GPUs = append(topo.GPUs, TopoGPU{})
		row := make([]Link, 4)
		for h := range row {
			row[h] = nv(g, h)
		}
		topo.GPULinks = append(topo.GPULinks, row)
	}
	for n := range 4 {
		topo.NICs = append(topo.NICs, TopoNIC{})
		row := make([]Link, 4)
		for g := range row {
			row[g] = Link{Class: LinkSYS}
			if g/2 == n/2 {
				row[g] = Link{Class: LinkPXB}
			}
		}
		topo.NICLinks = append(topo.NICLinks, row)
	}
	if got := topo.Affinity(); !reflect.DeepEqual(got, []int{0, 1, 2, 3}) {
		t.Errorf("affinity %v, want each GPU a NIC of its own", got)
	}
}

// TestTwoFiles imports what comes in two files: a topology with a graph, a
// matrix with a topology, a workload with a topology.
func TestTwoFiles(t *testing.T) {
	const d = "testdata/good/"
	for _, c := range []struct {
		kind  string
		files []string
		want  []string // in the fragment
	}{
		{"nccl-topo", []string{d + "nccl-topo/dump_nvswitch.xml", d + "nccl-topo/graph.xml"}, []string{"gpus: 4", "graph 0: ring"}},
		{"htsim", []string{d + "htsim/incast.cm", d + "htsim/two_tier.topo"}, []string{"topology: leaf-spine", "src: node8/nic0"}},
	} {
		r, err := Import(c.kind, c.files)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(string(r.YAML()), w) {
				t.Errorf("%s: no %q in\n%s", c.kind, w, r.YAML())
			}
		}
	}
	for _, c := range []struct {
		kind  string
		files []string
		want  string
	}{
		{"simai", []string{d + "simai/workload.txt", d + "simai/rail.topo"}, "testdata/good/simai/workload.txt:1:1: the workload wants 16 GPUs, the topology has 8"},
		{"htsim", []string{d + "htsim/incast.cm", d + "htsim/three_tier.topo"}, "testdata/good/htsim/incast.cm: the matrix has 16 nodes, the topology 128"},
		{"nccl-topo", []string{d + "nccl-topo/static.xml", d + "nccl-topo/static.xml"}, "testdata/good/nccl-topo/static.xml:2:1: a second <system> (one topology file, and a graph file at most)"},
	} {
		if _, err := Import(c.kind, c.files); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.kind, err, c.want)
		}
	}
}

// TestSlurmScript takes sizes from #SBATCH lines where variables hide them.
func TestSlurmScript(t *testing.T) {
	script := "#!/bin/bash\n#SBATCH -N 4\n#SBATCH --gres=gpu:a100:8\n" +
		"srun torchrun --nnodes $SLURM_NNODES --nproc_per_node=$SLURM_GPUS_ON_NODE --rdzv_id $RANDOM pretrain_gpt.py \\\n" +
		"  --num-layers 8 --hidden-size 512 --num-attention-heads 8 --tensor-model-parallel-size 2\n"
	m, err := parseMegatron(source{"job.sh", []byte(script)})
	if err != nil {
		t.Fatal(err)
	}
	if m.Nodes != 4 || m.GPUsPerNode != 8 || m.DP != 16 {
		t.Errorf("%d nodes of %d GPUs, dp %d; want 4 of 8, dp 16", m.Nodes, m.GPUsPerNode, m.DP)
	}
}
