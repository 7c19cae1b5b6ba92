package reference

import (
	"strings"
	"testing"
)

// All cases, what CI repeats. The two large random ones get two seeds, which
// is enough for their thousand flows; `simnet validate reference` takes ten.
func TestAllCasesWithinTolerance(t *testing.T) {
	if testing.Short() {
		t.Skip("replays half a billion packet-hops")
	}
	all, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	names := map[int][]string{}
	for _, c := range all {
		seeds := 10
		if c.Kind == Random && (strings.HasPrefix(c.Name, "e_") || strings.HasPrefix(c.Name, "f_")) {
			seeds = 2
		}
		names[seeds] = append(names[seeds], c.Name)
	}
	for seeds, cases := range names {
		tab, err := Run(Options{Cases: cases, Seeds: seeds})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range tab.Rows {
			for _, f := range r.Failed {
				t.Errorf("%s: %s", r.Case, f)
			}
		}
	}
}
