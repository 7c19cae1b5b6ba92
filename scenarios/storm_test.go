package scenarios

import (
	"testing"

	"github.com/simnet/simnet/sim"
)

// TestStormAndCures: the shipped storm loses more than half of the uplink's
// bandwidth, and each cure gains what its description says, in the mean over
// the study's seeds.
func TestStormAndCures(t *testing.T) {
	study, err := LoadStudy("cnp-storm-cures.yaml", nil, "test")
	if err != nil {
		t.Fatal(err)
	}
	// Eight rings of two: 2(n-1)/n S = 32 MiB of payload on each of 16 flows,
	// eight in each direction over one 200 Gb/s uplink.
	floor := (200 * sim.Gbps).TxTime(8 * study.Points[0].Valid.Framing.WireBytes(32<<20))
	mean := map[string]float64{}   // completion over the floor
	lowest := map[string]float64{} // mean of the deepest fall of a port's bandwidth
	seeds := 0.0
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
		if name == "none" {
			seeds++
		}
		r := o.Traffic[0].Rounds
		if len(r) != 1 || o.Traffic[0].Unfinished || len(o.Report.Violations) > 0 || o.Report.Counters.Drops > 0 {
			t.Fatalf("%s: rounds %v, violations %v, %d drops", p.Name, r, o.Report.Violations, o.Report.Counters.Drops)
		}
		mean[name] += float64(r[0].End-r[0].Start) / float64(floor)
		deepest := 1.0
		for _, s := range o.Report.Storms {
			if s.Before > 0 {
				deepest = min(deepest, s.During/s.Before)
			}
		}
		lowest[name] += deepest
	}
	for name := range mean {
		mean[name] /= seeds
		lowest[name] /= seeds
		t.Logf("%-16s %.2f of the time of a saturated uplink (%v); bandwidth falls to %.2f in a storm", name, mean[name], floor, lowest[name])
	}
	if mean["none"] < 2 || lowest["none"] > 0.5 {
		t.Errorf("no storm that halves the effective bandwidth: %.2f, %.2f", mean["none"], lowest["none"])
	}
	for name, gain := range map[string]float64{"dcqcn": 1.5, "dcqcn-thresholds": 1.4, "stagger": 2, "hash": 4, "hash-qps": 4} {
		if g := mean["none"] / mean[name]; g < gain {
			t.Errorf("%s makes it %.2f times faster, want at least %.2f", name, g, gain)
		}
	}
	if lowest["dcqcn-thresholds"] < 0.55 {
		t.Errorf("with parameters and thresholds bandwidth still falls to %.2f", lowest["dcqcn-thresholds"])
	}
	for _, name := range []string{"none", "thresholds", "dcqcn", "dcqcn-thresholds", "stagger"} {
		if mean[name] < 1 {
			t.Errorf("%s is faster than its one uplink: %.2f", name, mean[name])
		}
	}
}
