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
	lowest := map[string]float64{} // bandwidth in or after the first storm over that before
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
		if len(o.Report.Storms) > 0 { // later ones may end with the flows
			s := o.Report.Storms[0]
			deepest = min(1, min(s.During, s.After)/s.Before)
		}
		lowest[name] += deepest
	}
	for name := range mean {
		mean[name] /= seeds
		lowest[name] /= seeds
		t.Logf("%-16s %.2f of the time of a saturated uplink (%v); its bandwidth falls to %.2f in the first storm or after it", name, mean[name], floor, lowest[name])
	}
	if mean["none"] < 2 || lowest["none"] > 0.5 {
		t.Errorf("no storm that halves the effective bandwidth: %.2f, %.2f", mean["none"], lowest["none"])
	}
	for name, gain := range map[string]float64{"dcqcn": 1.5, "dcqcn-thresholds": 1.4, "stagger": 2, "hash": 2.5, "hash-qps": 5} {
		if g := mean["none"] / mean[name]; g < gain {
			t.Errorf("%s makes it %.2f times faster, want at least %.2f", name, g, gain)
		}
	}
	for _, name := range []string{"none", "thresholds", "dcqcn", "dcqcn-thresholds", "stagger"} {
		if mean[name] < 1 {
			t.Errorf("%s is faster than its one uplink: %.2f", name, mean[name])
		}
	}
}
