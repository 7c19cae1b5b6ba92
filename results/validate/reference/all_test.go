package reference

import "testing"

// All cases, of the random ones three seeds: what CI repeats. `simnet validate
// reference` takes ten.
func TestAllCasesWithinTolerance(t *testing.T) {
	if testing.Short() {
		t.Skip("replays half a billion packet-hops")
	}
	tab, err := Run(Options{Seeds: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tab.Rows {
		for _, f := range r.Failed {
			t.Errorf("%s: %s", r.Case, f)
		}
	}
}
