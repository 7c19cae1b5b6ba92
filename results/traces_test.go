package results

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/trace"
)

// TestTraces: what a trace measured, in the summary, on the terminal, as a
// finding and on the page.
func TestTraces(t *testing.T) {
	const ms = sim.Millisecond
	r := trace.Result{Job: "t", Format: "goal", Ranks: 4, Ops: 1200, Makespans: []sim.Time{10 * ms, 12 * ms}, Messages: 30, Bytes: 2e6,
		Breakdown: trace.Breakdown{Compute: 5 * ms, Comm: 4 * ms, Idle: 2 * ms}, Overlapped: ms}
	s := &Summary{Traces: summarizeTraces([]trace.Result{r, {Job: "u", Format: "simai", Unfinished: true}})}
	x := s.Traces[0]
	if fmt.Sprint(x.MakespanS) != "[0.01 0.012]" || x.BreakdownS.Comm != 0.004 || x.OverlappedS != 0.001 || x.Unfinished || !s.Traces[1].Unfinished {
		t.Errorf("summary %+v", s.Traces)
	}
	tab := &table{}
	tab.traces(s)
	for _, want := range []string{"makespan           11 ms mean of 2", "1,200 on 4 ranks (goal), 30 messages, 2 MB", "comm                    4 ms    36 %", "1 ms of communication under computation", "no run of it finished"} {
		if !strings.Contains(tab.b.String(), want) {
			t.Errorf("no %q in\n%s", want, tab.b.String())
		}
	}
	f := traceFindings(s)
	if len(f) != 1 || f[0].Text != "Trace t: the largest part besides compute is waiting for messages and collectives, 36 % of the makespan's 11 ms" || *f[0].CostS != 0.004 {
		t.Errorf("findings %+v", f)
	}
	page := traceTables(s)
	if len(page) != 1 || len(page[0].Rows) != 2 || len(page[0].Rows[0]) != len(page[0].Head) || page[0].Rows[1][6] != "unfinished" {
		t.Errorf("tables %+v", page)
	}
	if tiles := traceTiles(s); len(tiles) != 1 || tiles[0] != (tile{"makespan of t", "11 ms"}) {
		t.Errorf("tiles %+v", tiles)
	}
}
