package importer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/scenarios/importer"
)

// TestFragmentsAreScenarios reads each fragment with the strict loader of
// scenarios: every key but trace must be known to it, every value in range.
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
			if strings.Contains(string(text), "trace:") {
				continue // the importers' own key, see doc.go
			}
			read++
			if _, err := scenarios.ParseSpec(f+".yaml", text, nil); err != nil {
				t.Errorf("%v", err)
			}
		}
	}
	if read < 15 {
		t.Errorf("only %d fragments were read", read)
	}
}
