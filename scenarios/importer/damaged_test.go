package importer

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestDamaged imports the damaged files of testdata/bad, an archive a kind, and
// compares the messages with testdata/bad/errors.golden.
func TestDamaged(t *testing.T) {
	var out bytes.Buffer
	n := 0
	for _, k := range Kinds() {
		archives, err := filepath.Glob(filepath.Join("testdata", "bad", k.Name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range archives {
			ar, err := txtar.ParseFile(a)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				n++
				_, err := k.run([]source{{f.Name, f.Data}})
				var e *Error
				if !errors.As(err, &e) {
					t.Errorf("%s: %s: want an *Error, got %v", a, f.Name, err)
					continue
				}
				if e.Line == 0 && len(f.Data) > 0 {
					t.Errorf("%s: no line in %v", a, err)
				}
				fmt.Fprintf(&out, "%s: %v\n", k.Name, err)
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d damaged inputs", n)
	}
	golden(t, "testdata/bad/errors.golden", out.Bytes())
}

// TestImportErrors are those before a file is read.
func TestImportErrors(t *testing.T) {
	for _, c := range []struct {
		kind  string
		files []string
		want  string
	}{
		{"nvidia-top", []string{"x"}, `importer: unknown kind "nvidia-top" (did you mean nvidia-topo?)`},
		{"spreadsheet", []string{"x"}, `importer: unknown kind "spreadsheet" (known: nvidia-topo, nccl-topo, megatron, hf, sonic, simai, chakra, htsim, goal)`},
		{"hf", nil, "importer: hf takes config.json, not 0 files"},
		{"hf", []string{"testdata/good/hf/gpt2.json", "testdata/good/hf/gpt2.json"}, "importer: hf takes config.json, not 2 files"},
		{"hf", []string{"testdata/none.json"}, "open testdata/none.json: no such file or directory"},
	} {
		if _, err := Import(c.kind, c.files); err == nil || err.Error() != c.want {
			t.Errorf("Import(%q, %q): got %v, want %s", c.kind, c.files, err, c.want)
		}
	}
}
