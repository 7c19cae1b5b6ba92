package scenarios

import (
	"bytes"
	"path/filepath"
	"testing"
)

// shippedFiles lists the scenarios and the studies of the project.
func shippedFiles(t *testing.T) (scenarios, studies []string) {
	t.Helper()
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no shipped scenarios", err)
	}
	for _, f := range files {
		if IsStudy(f) {
			studies = append(studies, f)
		} else {
			scenarios = append(scenarios, f)
		}
	}
	return scenarios, studies
}

// TestEffectiveLoadsAgain: the effective configuration of every shipped
// scenario is a scenario that has itself as effective configuration.
func TestEffectiveLoadsAgain(t *testing.T) {
	files, _ := shippedFiles(t)
	for _, f := range append(files, "testdata/small.yaml") {
		v, err := Load(f, nil)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		for _, text := range [][]byte{v.Effective(), v.Canonical()} {
			w, err := Parse(f, text, nil)
			if err != nil {
				t.Errorf("%s: effective configuration:\n%v", f, err)
				continue
			}
			if a, b := v.Canonical(), w.Canonical(); !bytes.Equal(a, b) {
				t.Errorf("%s: effective configuration changed on loading:\n%s\nbecame\n%s", f, a, b)
			}
			if v.SHA256() != w.SHA256() {
				t.Errorf("%s: another content address after a round trip", f)
			}
		}
	}
}

// TestStudies: every point of every shipped study loads and its content address
// tells configurations apart.
func TestStudies(t *testing.T) {
	_, files := shippedFiles(t)
	for _, f := range files {
		s, err := LoadStudy(f, nil, "test")
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		seen := map[string]string{} // canonical configuration by content address
		for _, p := range s.Points {
			c := string(p.Valid.Canonical())
			if was, ok := seen[p.Hash]; ok && was != c {
				t.Errorf("%s: point %s has the content address of another configuration", f, p.Name)
			}
			seen[p.Hash] = c
		}
		if len(seen) < 4 {
			t.Errorf("%s: only %d different runs", f, len(seen))
		}
		if s.Curve == nil || len(s.Points) < 4 {
			t.Errorf("%s: %d points, curve %v", f, len(s.Points), s.Curve)
		}
	}
}
