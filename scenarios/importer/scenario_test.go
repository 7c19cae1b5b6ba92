package importer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/scenarios/importer"
)

// TestFragmentsAreScenarios reads each fragment with the strict loader of
// scenarios: every key must be known to it, every value in range.
func TestFragmentsAreScenarios(t *testing.T) {
	read := 0
	for _, k := range importer.Kinds() {
		files, err := filepath.Glob(filepath.Join("testdata", "good", k.Name, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, ".yaml") {
				continue
			}
			r, err := importer.Import(k.Name, []string{f})
			if err != nil {
				t.Fatal(err)
			}
			text := r.YAML()
			read++
			if _, err := scenarios.ParseSpec(f+".yaml", text, nil); err != nil {
				t.Errorf("%v", err)
			}
		}
	}
	if read < 18 {
		t.Errorf("only %d fragments were read", read)
	}
}

// TestHtsimRuns completes a matrix and its topology: together they are a whole
// scenario.
func TestHtsimRuns(t *testing.T) {
	r, err := importer.Import("htsim", []string{"testdata/good/htsim/incast.cm", "testdata/good/htsim/two_tier.topo"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := scenarios.Parse("htsim.yaml", r.YAML(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Spec.Cluster.Nodes.V; got != 16 {
		t.Errorf("%d nodes, want 16", got)
	}
}

// TestPresetsExist looks up the GPU presets that importers name.
func TestPresetsExist(t *testing.T) {
	entries, err := scenarios.Catalog("gpus")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, e := range entries {
		known[e.Name] = true
	}
	for _, p := range importer.GPUPresets() {
		if !known[p] {
			t.Errorf("preset %s is not in the catalog", p)
		}
	}
}
