package importer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/scenarios/importer"
)

// runs completes a fragment by text and sets, builds it and runs it to its end.
func runs(t *testing.T, name, text string, sets []string) *scenarios.Outcome {
	t.Helper()
	v, err := scenarios.Parse(name+".yaml", []byte(text), sets)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	m, err := v.Build(scenarios.BuildOptions{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	o, err := m.Run(nil)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	return o
}

// TestSampleNodesRun: two nodes of every sample with GPUs run a ring over their
// NICs once it is said what the sample cannot know: GPU, NIC and rates.
func TestSampleNodesRun(t *testing.T) {
	files, err := filepath.Glob("../../../shared/baselines/topo/raw/*")
	if err != nil || len(files) == 0 {
		t.Skip("the samples of real machines are not beside the checkout")
	}
	ran := 0
	for _, f := range files {
		kind := "nvidia-topo"
		if strings.HasSuffix(f, ".xml") {
			kind = "nccl-topo"
		}
		r, err := importer.Import(kind, []string{f})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		top := r.(*importer.NodeTopology)
		if len(top.GPUs) == 0 || strings.Contains(f, "graph") {
			continue // names no node of its own
		}
		text := string(r.YAML())
		sets := []string{"cluster.nodes=2", "cluster.node.gpu=a100-sxm4-80gb", "cluster.node.nic={rate: 100Gbps}", "run.fidelity=flow",
			"cluster.fabric={topology: star, link: {rate: 100Gbps, length: 2m}, switch: tomahawk5}"}
		if len(top.NICs) == 0 {
			sets = append(sets, "cluster.node.nics=1")
		}
		for _, k := range []string{"bandwidth: 300GB/s", "alpha: 3us", "bus_bandwidth: 230GB/s", "p2p: 250GB/s"} {
			sets = append(sets, "cluster.node.nvlink."+strings.Replace(k, ": ", "=", 1))
		}
		if !strings.Contains(text, "island:") {
			sets = append(sets, "cluster.node.nvlink.island=1")
		}
		o := runs(t, filepath.Base(f), text+"\njobs:\n  - {name: t, traffic: {pattern: ring, bytes: 1MB}}\n", sets)
		if o == nil {
			continue
		}
		if o.Partial || len(o.Traffic) != 1 {
			t.Errorf("%s: did not end", f)
		}
		ran++
	}
	if ran < 15 {
		t.Errorf("only %d samples ran", ran)
	}
}

// TestSampleTracesRun: the traces and matrices of testdata run as imported.
func TestSampleTracesRun(t *testing.T) {
	const cluster = `
cluster:
  nodes: 16
  node: {preset: dgx-a100-80gb, gpus: 1, nics: 1, nvlink: {island: 1}}
  fabric: {topology: star, link: {rate: 100Gbps, length: 2m}, switch: tomahawk5}
`
	for _, c := range []struct{ kind, file, cluster string }{
		{"goal", "goal/ring.goal", cluster}, {"simai", "simai/workload.txt", cluster},
		{"htsim", "htsim/incast.cm htsim/two_tier.topo", ""},
	} {
		var files []string
		for _, f := range strings.Fields(c.file) {
			files = append(files, filepath.Join("testdata", "good", f))
		}
		r, err := importer.Import(c.kind, files)
		if err != nil {
			t.Fatal(err)
		}
		text := c.cluster + string(r.YAML())
		if o := runs(t, c.kind, text, []string{"run.fidelity=flow"}); o != nil && o.Partial {
			t.Errorf("%s: did not end", c.kind)
		}
	}
}
