package importer

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "write the golden files")

// cases are the inputs under testdata/good, each with its golden next to it.
func cases(t *testing.T) (kinds, files []string) {
	t.Helper()
	for _, k := range Kinds() {
		fs, err := filepath.Glob(filepath.Join("testdata", "good", k.Name, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fs {
			if !strings.HasSuffix(f, ".yaml") {
				kinds, files = append(kinds, k.Name), append(files, f)
			}
		}
	}
	if len(files) < 20 {
		t.Fatalf("only %d samples under testdata/good", len(files))
	}
	return kinds, files
}

// TestGolden compares each fragment with its golden: go test -update writes
// them.
func TestGolden(t *testing.T) {
	kinds, files := cases(t)
	for i, f := range files {
		r, err := Import(kinds[i], []string{f})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		golden(t, f+".yaml", r.YAML())
		var any map[string]any
		if err := yaml.Unmarshal(r.YAML(), &any); err != nil || len(any) == 0 {
			t.Errorf("%s: the fragment is not a YAML mapping: %v", f, err)
		}
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

// TestBytesStable imports each sample twice: maps must not show in the bytes.
func TestBytesStable(t *testing.T) {
	kinds, files := cases(t)
	for i, f := range files {
		a, err := Import(kinds[i], []string{f})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			b, err := Import(kinds[i], []string{f})
			if err != nil {
				t.Fatal(err)
			}
			if string(a.YAML()) != string(b.YAML()) {
				t.Errorf("%s: two imports differ", f)
			}
		}
	}
}
