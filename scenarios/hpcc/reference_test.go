package hpcc

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// referenceCases returns the folders of the reference runs beside the
// repository, and skips the test where they are absent.
func referenceCases(t *testing.T) []string {
	t.Helper()
	dirs, _ := filepath.Glob("../../../shared/reference/ns3/*/config.txt")
	if len(dirs) == 0 {
		t.Skip("../shared is absent: the project carries the figures, not these raw files")
	}
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

func loadReference(t *testing.T, dir string, withPaths bool) *Case {
	t.Helper()
	paths := ""
	if withPaths {
		paths = filepath.Join(dir, "paths.txt")
	}
	c, err := Load(filepath.Join(dir, "topology.txt"), filepath.Join(dir, "flow.txt"), filepath.Join(dir, "config.txt"), paths)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustRead(t *testing.T, file string) Input {
	t.Helper()
	in, err := readInput(file)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// fctByFlow reads the reference's completion times in the order of the flow
// file.
func fctByFlow(t *testing.T, dir string, c *Case) []FCT {
	t.Helper()
	all, err := ParseFCT(mustRead(t, filepath.Join(dir, "fct.csv")))
	if err != nil {
		t.Fatal(err)
	}
	by := map[pathKey]FCT{}
	for _, f := range all {
		by[pathKey{f.Src, f.Dst, f.SrcPort}] = f
	}
	if len(by) != len(c.Flows) {
		t.Fatalf("%d completion times for %d flows", len(by), len(c.Flows))
	}
	out := make([]FCT, len(c.Flows))
	for i := range c.Flows {
		f := &c.Flows[i]
		out[i] = by[pathKey{f.Src, f.Dst, f.SrcPort}]
		if out[i].Bytes != f.Bytes {
			t.Fatalf("flow %d: %d bytes in the flow file, %d in the completion times", i, f.Bytes, out[i].Bytes)
		}
	}
	return out
}

// What the loader derives equals what the reference wrote: the paths that its
// hash took, starts, and standalone times.
func TestReferencePathsAndTimes(t *testing.T) {
	for _, dir := range referenceCases(t) {
		given, hashed := loadReference(t, dir, true), loadReference(t, dir, false)
		ref := fctByFlow(t, dir, given)
		for i := range given.Flows {
			f := &given.Flows[i]
			if !slices.Equal(given.Path[i], hashed.Path[i]) {
				t.Errorf("%s: flow %d: path by hash %v, by the file %v", filepath.Base(dir), i, hashed.Path[i], given.Path[i])
			}
			if f.compatStart() != ref[i].Start {
				t.Errorf("%s: flow %d starts at %v, in the reference at %v", filepath.Base(dir), i, f.compatStart(), ref[i].Start)
			}
			if got := given.standalone(i); got != ref[i].Standalone {
				t.Errorf("%s: flow %d: standalone %v, in the reference %v", filepath.Base(dir), i, got, ref[i].Standalone)
			}
		}
		for _, w := range given.Warnings {
			if strings.Contains(w, "unknown key") || strings.Contains(w, "left out") {
				t.Errorf("%s: %s", filepath.Base(dir), w)
			}
		}
	}
}

func TestReadPFC(t *testing.T) {
	for _, dir := range referenceCases(t) {
		file := filepath.Join(dir, "pfc.txt")
		if _, err := os.Stat(file); err != nil {
			continue // a run without pauses
		}
		ev, err := ParsePFC(mustRead(t, file))
		if err != nil {
			t.Fatal(err)
		}
		pauses := 0
		for _, e := range ev {
			if e.Pause {
				pauses++
			}
		}
		if truncated := len(ev) == 2000; pauses == 0 || len(ev)-pauses != pauses && !truncated {
			t.Errorf("%s: %d pauses, %d resumes", dir, pauses, len(ev)-pauses)
		}
	}
}

func TestReadFCTWithAddresses(t *testing.T) {
	got, err := ParseFCT(Input{"fct.txt", []byte("0b000101 0b012001 10000 100 1000 2000000000 4257 4257\n")})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Src != 1 || got[0].Dst != 256+32 || got[0].FCT != 4257000 {
		t.Errorf("%+v", got)
	}
}
