package engines

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write docs/fidelity-engines.md from the embedded table")

// The page in docs is that of the table that results quote.
func TestPageIsOfTheStoredTable(t *testing.T) {
	tab, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tab.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "..", filepath.FromSlash(Page))
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is not of the embedded table: run make docs, or this test with -update", Page)
	}
}
