package results

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page needs nothing from elsewhere, carries uPlot's licence, and escapes
// what it shows.
func TestReportIsSelfContained(t *testing.T) {
	base := t.TempDir()
	if d := os.Getenv("SIMNET_FIGURES"); d != "" {
		base = d
	}
	for _, fidelity := range []string{"packet", "flow"} {
		r := synthetic(fidelity)
		r.Scenario = "a </script><b>bold</b> name"
		for i := range r.Report.Flows {
			r.Report.Flows[i].Label += "</script>"
		}
		dir := filepath.Join(base, "report-"+fidelity)
		if _, err := Write(r, dir, WriteOptions{NoPlots: true}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		page := string(data)
		if m := regexp.MustCompile(`(?:src|href)="[^#]`).FindString(page); m != "" {
			t.Errorf("%s: the page refers to %s...", fidelity, m)
		}
		if !strings.Contains(page, "Permission is hereby granted") {
			t.Errorf("%s: the licence of uPlot is missing", fidelity)
		}
		if strings.Contains(page, "<b>bold") || strings.Count(page, "</script>") != 3 {
			t.Errorf("%s: a name got into the page unescaped", fidelity)
		}
		for id, want := range map[string]bool{`id="queues"`: fidelity == "packet", `id="cnps"`: fidelity == "packet", `id="cdf"`: true, `id="timeline"`: true, "Slowest flows": true} {
			if strings.Contains(page, id) != want {
				t.Errorf("%s: %s in the page: %v", fidelity, id, !want)
			}
		}
	}
}

func TestFoldKeepsPeaksAndSums(t *testing.T) {
	v := make([]int64, 3*reportPoints)
	v[7], v[3*reportPoints-1] = 9, 4
	m, k := fold(v, larger)
	if k != 3 || len(m) != reportPoints || m[2] != 9 || m[len(m)-1] != 4 {
		t.Errorf("largest: k %d, %d points, %d and %d", k, len(m), m[2], m[len(m)-1])
	}
	v[6] = 1
	if s, _ := fold(v, sum); s[2] != 10 {
		t.Errorf("sum %d", s[2])
	}
}
