package reference

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "measure anew and write docs/fidelity-packet.md and DEVIATIONS.md")

const (
	fidelityDoc   = "../../../docs/fidelity-packet.md"
	deviationsDoc = "../../../DEVIATIONS.md"
)

// The committed documents speak of every case and every deviation, and miss no
// tolerance. Their figures are made by -update.
func TestDocs(t *testing.T) {
	if *update {
		writeDocs(t)
	}
	fidelity, err := os.ReadFile(fidelityDoc)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if n := strings.Count(string(fidelity), "| "+c.Name+" |"); n < 3 {
			t.Errorf("%s: %d rows for %s", fidelityDoc, n, c.Name)
		}
	}
	if !strings.Contains(string(fidelity), "37 of 37 cases within tolerance") {
		t.Errorf("%s: not all cases are within tolerance", fidelityDoc)
	}
	dev, err := os.ReadFile(deviationsDoc)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deviations {
		if !strings.Contains(string(dev), "## "+d.id+". "+d.title+"\n") {
			t.Errorf("%s: no section %s", deviationsDoc, d.id)
		}
	}
}

func writeDocs(t *testing.T) {
	t.Helper()
	compat, err := Run(Options{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := Run(Options{Own: true})
	if err != nil {
		t.Fatal(err)
	}
	var f, d bytes.Buffer
	if err := WriteMarkdown(&f, compat, own); err != nil {
		t.Fatal(err)
	}
	if err := WriteDeviations(&d, 10); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*bytes.Buffer{fidelityDoc: &f, deviationsDoc: &d} {
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
