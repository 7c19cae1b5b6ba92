package scenarios

import (
	"testing"

	"github.com/simnet/simnet/sim"
)

// TestStormAndCures: the shipped storm loses more than half of the uplink's
// bandwidth, and each cure gains what its description says.
func TestStormAndCures(t *testing.T) {
	study, err := LoadStudy("cnp-storm-cures.yaml", nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	// Eight rings, 2(n-1)/n S = 32 MiB of payload on each of 16 flows, eight in
	// each direction over one 200 Gb/s uplink.
	saturated := study.Points[0].Valid.Framing.WireBytes(32<<20) * 8
	floor := (200 * sim.Gbps).TxTime(saturated)
	took := map[string]sim.Time{}
	for i := range study.Points {
		p := &study.Points[i]
		m, err := p.Valid.Build(BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.Run(nil)
		if err != nil {
			t.Fatal(err)
		}
		name := p.At["cure"]
		r := o.Traffic[0].Rounds
		if len(r) != 1 || o.Traffic[0].Unfinished || len(o.Report.Violations) > 0 {
			t.Fatalf("%s: rounds %v, violations %v", name, r, o.Report.Violations)
		}
		took[name] = r[0].End - r[0].Start
		if name == "none" {
			fell := false
			for _, s := range o.Report.Storms {
				fell = fell || s.During < s.Before/2
			}
			if !fell || o.Report.Counters.CNPs < 1000 {
				t.Errorf("no storm that halves a port's bandwidth: %d CNPs, %d storms", o.Report.Counters.CNPs, len(o.Report.Storms))
			}
			if took[name] < 2*floor {
				t.Errorf("the storm ends after %v; a saturated uplink takes %v", took[name], floor)
			}
		}
		t.Logf("%-10s %v, %d CNPs, largest queue %d B", name, took[name], o.Report.Counters.CNPs, o.Report.Counters.MaxQueueBytes)
	}
	for name, gain := range map[string]float64{"dcqcn": 1.5, "thresholds": 1.3, "stagger": 1.5, "hash": 4, "hash-qps": 4} {
		if g := float64(took["none"]) / float64(took[name]); g < gain {
			t.Errorf("%s makes it %.2f times faster, want at least %.2f", name, g, gain)
		}
	}
	// A fixed path cannot be faster than the uplink.
	for _, name := range []string{"dcqcn", "thresholds", "stagger"} {
		if took[name] < floor {
			t.Errorf("%s takes %v, less than the uplink's %v", name, took[name], floor)
		}
	}
}
