package reference

import (
	"bytes"
	"strings"
	"testing"
)

// quick are cases of every kind that take well under a second together.
var quick = []string{
	"a2_single_2link_25G", "a7_single_6link_fat_100G_400G", "b2_two_flows_stagger_1ms_none", "c_incast_8to1_1MB_dcqcn",
	"c_incast_8to1_1MB_dcqcn_paper", "c_incast_8to1_1MB_dctcp", "c_incast_8to1_1MB_hpcc", "g_pfc_victim_ls16_none",
	"x_a3_single_2link_400G", "x_c_incast_8to1_1MB_none", "x_p_incast_8to1_1MB_none_buf1MB", "x_s_incast_8to1_1MB_dcqcn_step",
}

// The data in the program are complete: every case has as many figures as
// flows, and a topology.
func TestCases(t *testing.T) {
	all, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[Kind]int{}
	for _, c := range all {
		kinds[c.Kind]++
		if len(c.FCT) == 0 || len(c.Inputs.Topology.Data) == 0 || c.Want.DataHops == 0 {
			t.Errorf("%s: %d completion times, topology of %d B, %g data hops", c.Name, len(c.FCT), len(c.Inputs.Topology.Data), c.Want.DataHops)
		}
		for _, f := range c.FCT {
			if f <= 0 {
				t.Errorf("%s: completion time %v", c.Name, f)
			}
		}
	}
	if kinds[Exact] != 25 || kinds[Random] != 9 || kinds[HPCC] != 3 {
		t.Errorf("cases by kind: %v", kinds)
	}
}

func TestQuickCasesWithinTolerance(t *testing.T) {
	tab, err := Run(Options{Cases: quick, Seeds: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tab.Rows {
		for _, f := range r.Failed {
			t.Errorf("%s: %s", r.Case, f)
		}
		if r.Kind != Random && r.Equal != r.Flows {
			t.Errorf("%s: %d of %d completion times are equal", r.Case, r.Equal, r.Flows)
		}
	}
}

// Two runs of the suite give the same bytes, however many cases run at a time.
func TestTablesAreRepeatable(t *testing.T) {
	var docs [2]string
	for i := range docs {
		compat, err := Run(Options{Cases: quick[3:8], Seeds: 2})
		if err != nil {
			t.Fatal(err)
		}
		own, err := Run(Options{Cases: quick[3:8], Seeds: 2, Own: true})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := compat.Text(&b); err != nil {
			t.Fatal(err)
		}
		if err := WriteMarkdown(&b, compat, own); err != nil {
			t.Fatal(err)
		}
		docs[i] = b.String()
	}
	if docs[0] != docs[1] {
		t.Error("two runs differ")
	}
	for _, want := range []string{"c_incast_8to1_1MB_dctcp", "5 of 5 cases within tolerance", "own mode"} {
		if !strings.Contains(docs[0], want) {
			t.Errorf("no %q in\n%s", want, docs[0])
		}
	}
}

func TestUnknownCase(t *testing.T) {
	if _, err := Run(Options{Cases: []string{"z"}}); err == nil || err.Error() != `reference: there is no case "z"` {
		t.Errorf("error %v", err)
	}
}
