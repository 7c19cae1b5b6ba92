package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/simnet/simnet"

// allowed says what each package may import of ours: a prefix ending in /...
// takes the whole tree. Packages are matched by their longest entry.
var allowed = map[string][]string{
	"sim":           {},
	"sim/spell":     {},
	"fabric":        {"sim"},
	"fabric/topo":   {"sim", "fabric"},
	"fabric/packet": {"sim", "fabric"},
	"fabric/flow":   {"sim", "fabric"},
	"fabric/hybrid": {"sim", "fabric", "fabric/packet", "fabric/flow"},
	"workload":      {"sim/...", "fabric", "workload/..."},
	"scenarios":     {"sim/...", "fabric/...", "workload/...", "scenarios/..."},
	"results":       {"sim/...", "fabric/...", "workload/...", "scenarios/...", "results/..."},
	"cmd":           {"sim/...", "fabric/...", "workload/...", "scenarios/...", "results/..."},
}

// Imports go one way: sim <- fabric <- engines <- hybrid; workload sees sim and
// fabric; scenarios builds; results records; cmd joins. Only sim/proc.go and
// the kernel beside it know simgo. Tests may look further (an engine's test
// uses the topology builders).
func TestImportsGoOneWay(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata" || d.Name() == "out") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(rel))
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, im := range f.Imports {
			imp, _ := strconv.Unquote(im.Path.Value)
			if imp == "github.com/fschuetz04/simgo" && pkg != "sim" {
				t.Errorf("%s imports simgo: only sim may", rel)
			}
			if ours, ok := strings.CutPrefix(imp, module+"/"); ok && ours != pkg && !permitted(t, pkg, ours) {
				t.Errorf("%s imports %s", rel, ours)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("only %d files seen: the test looks in the wrong place", files)
	}
}

func permitted(t *testing.T, pkg, imp string) bool {
	rule := pkg
	for allowed[rule] == nil {
		if rule = path.Dir(rule); rule == "." {
			t.Errorf("package %s has no import rule", pkg)
			return false
		}
	}
	for _, a := range allowed[rule] {
		if tree, ok := strings.CutSuffix(a, "/..."); ok && (imp == tree || strings.HasPrefix(imp, tree+"/")) || imp == a {
			return true
		}
	}
	return false
}
