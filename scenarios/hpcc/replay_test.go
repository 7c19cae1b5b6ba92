package hpcc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// counters are those of a reference run's summary.json.
type counters struct {
	Pauses int64 `json:"pfc_pause"`
	Stats  struct {
		DataHops int64 `json:"data_pkt_hops"`
		AckHops  int64 `json:"ack_pkt_hops"`
		Marks    int64 `json:"ecn_marks_on_data"`
		CNPs     int64 `json:"acks_with_cnp_flag_received"`
		Cuts     int64 `json:"dcqcn_rate_cuts"`
		MaxQueue int64 `json:"max_egress_queue_bytes"`
		Drops    int64 `json:"drops"`
	} `json:"stats"`
}

func readCounters(t *testing.T, dir string) (c counters) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// deterministic reports whether nothing in a case is random: HPCC is apart, as
// its algorithm is the paper's.
func deterministic(name string) bool {
	return strings.HasPrefix(name, "a") || strings.HasPrefix(name, "x_a") || strings.Contains(name, "_none") ||
		strings.HasSuffix(name, "_dctcp") || strings.HasSuffix(name, "_step")
}

// In compat mode every completion time of the deterministic cases equals the
// reference's to the nanosecond, the pauses and hops are as many, and the
// largest queue is within 1 %.
func TestCompatIsExact(t *testing.T) {
	for _, dir := range referenceCases(t) {
		name := filepath.Base(dir)
		if !deterministic(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := loadReference(t, dir, false)
			if testing.Short() && len(c.Flows) > 16 {
				t.Skip("long case")
			}
			res, err := c.Run(Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			ref, want, got := fctByFlow(t, dir, c), readCounters(t, dir), res.Report.Counters
			off := 0
			for i := range ref {
				f := &res.Report.Flows[i]
				if f.FCT != ref[i].FCT || f.Start != ref[i].Start || f.Ideal != ref[i].Standalone {
					if off++; off <= 3 {
						t.Errorf("flow %d (%d to %d): start %v, fct %v; in the reference %v, %v", i, c.Flows[i].Src, c.Flows[i].Dst, f.Start, f.FCT, ref[i].Start, ref[i].FCT)
					}
				}
			}
			if off > 0 {
				t.Errorf("%d of %d flows differ", off, len(ref))
			}
			for _, x := range []struct {
				what      string
				got, want int64
			}{
				{"pauses", got.PFCPauses, want.Pauses}, {"data hops", got.DataHops, want.Stats.DataHops}, {"ACK hops", got.AckHops, want.Stats.AckHops},
				{"ECN marks", got.ECNMarked, want.Stats.Marks}, {"rate cuts", got.RateCuts, want.Stats.Cuts}, {"drops", got.Drops, want.Stats.Drops},
			} {
				if x.what == "rate cuts" && c.Config.CCMode == ccDCTCP {
					continue // the reference counts those of DCQCN alone
				}
				if x.got != x.want {
					t.Errorf("%s: %d, in the reference %d", x.what, x.got, x.want)
				}
			}
			if d := got.MaxQueueBytes - want.Stats.MaxQueue; d*100 > want.Stats.MaxQueue || -d*100 > want.Stats.MaxQueue {
				t.Errorf("largest queue %d B, in the reference %d B", got.MaxQueueBytes, want.Stats.MaxQueue)
			}
			for _, v := range res.Report.Violations {
				t.Error(v)
			}
		})
	}
}
