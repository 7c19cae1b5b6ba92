package importer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"
)

// fuzz feeds a parser the good and damaged samples of its kind, and what the
// fuzzer makes of them. Whatever comes in, the parser returns a fragment that
// is YAML or an *Error with a place inside the file.
func fuzz(f *testing.F, kind string) {
	k, err := lookup(kind)
	if err != nil {
		f.Fatal(err)
	}
	good, err := filepath.Glob(filepath.Join("testdata", "good", kind, "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, g := range good {
		if strings.HasSuffix(g, ".yaml") {
			continue
		}
		data, err := os.ReadFile(g)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	if ar, err := txtar.ParseFile(filepath.Join("testdata", "bad", kind+".txtar")); err == nil {
		for _, x := range ar.Files {
			f.Add(x.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := k.run([]source{{"in.0.et", data}})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%v is a %T", err, err)
			}
			lines := 1 + strings.Count(string(data), "\n")
			if e.Line > lines || e.Column < 0 || e.Binary && (e.Offset < 0 || e.Offset > int64(len(data))) {
				t.Fatalf("%v points outside the file of %d lines and %d bytes", err, lines, len(data))
			}
			return
		}
		var any map[string]any
		if err := yaml.Unmarshal(r.YAML(), &any); err != nil {
			t.Fatalf("%v in\n%s", err, r.YAML())
		}
	})
}

func FuzzNvidiaTopo(f *testing.F) { fuzz(f, "nvidia-topo") }
func FuzzNCCL(f *testing.F)       { fuzz(f, "nccl-topo") }
func FuzzMegatron(f *testing.F)   { fuzz(f, "megatron") }
func FuzzHF(f *testing.F)         { fuzz(f, "hf") }
func FuzzSonic(f *testing.F)      { fuzz(f, "sonic") }
func FuzzSimAI(f *testing.F)      { fuzz(f, "simai") }
func FuzzHtsim(f *testing.F)      { fuzz(f, "htsim") }
func FuzzGOAL(f *testing.F)       { fuzz(f, "goal") }

func FuzzChakra(f *testing.F) {
	for _, s := range twoRanks() {
		f.Add(s.data)
	}
	fuzz(f, "chakra")
}
