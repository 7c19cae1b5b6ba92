package scenarios

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/simnet/simnet/sim"
)

func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		text string
		got  func(string) (float64, error)
		want float64
	}{
		{"1KB", of(parseBytes), 1000}, {"1KiB", of(parseBytes), 1024}, {"1.5GiB", of(parseBytes), 1610612736}, {"1 MB", of(parseBytes), 1e6},
		{"200Gbps", of(parseRate), 200e9}, {"0.1Tbps", of(parseRate), 100e9}, {"300GB/s", of(parseRate), 2400e9},
		{"1us", of(parseTime), 1e6}, {"2.5ms", of(parseTime), 2.5e9}, {"0", of(parseTime), 0}, {"5ns", of(parseTime), 5000},
		{"1/8", of(parseRatio), 0.125}, {"20%", of(parseRatio), 0.2}, {"0.5", of(parseRatio), 0.5}, {"1e-3", of(parseRatio), 1e-3},
		{"20m", of(parseMetres), 20}, {"50cm", of(parseMetres), 0.5}, {"312TFLOPS", of(parseFLOPS), 312e12}, {"2.25PFLOPS", of(parseFLOPS), 2250e12},
	} {
		got, err := c.got(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.text, got, err, c.want)
		}
	}
	for _, c := range []struct {
		text string
		got  func(string) (float64, error)
		hint string
	}{
		{"64kb", of(parseBytes), "64KB"}, {"64kib", of(parseBytes), "64KiB"}, {"64Mb", of(parseBytes), "64MB"}, {"64", of(parseBytes), "64B"},
		{"100G", of(parseRate), "100Gbps"}, {"100Gbit/s", of(parseRate), "100Gbps"}, {"100gbps", of(parseRate), "100Gbps"}, {"100", of(parseRate), "100Gbps"},
		{"5µs", of(parseTime), "5us"}, {"5sec", of(parseTime), "5s"}, {"5", of(parseTime), "5us"}, {"312TFLOP/s", of(parseFLOPS), "312TFLOPS"},
		{"0.5B", of(parseBytes), ""}, {"fast", of(parseRate), ""}, {"1/0", of(parseRatio), ""}, {"", of(parseBytes), ""},
	} {
		_, err := c.got(c.text)
		q, ok := err.(*quantityError)
		if !ok || q.hint != c.hint {
			t.Errorf("%q: %v, hint %q; want hint %q", c.text, err, hintOf(err), c.hint)
		}
	}
}

func hintOf(err error) string {
	if q, ok := err.(*quantityError); ok {
		return q.hint
	}
	return "none"
}

// of makes the parsers alike.
func of[T Bytes | sim.Rate | sim.Time | Ratio | Metres | FLOPS](f func(string) (T, error)) func(string) (float64, error) {
	return func(s string) (float64, error) {
		x, err := f(s)
		return float64(x), err
	}
}

// TestQuantityRoundTrip: what is printed reads back as the same value.
func TestQuantityRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<50).Draw(t, "n")
		if b, err := parseBytes(Bytes(n).String()); err != nil || int64(b) != n {
			t.Fatalf("%d B printed as %v reads as %d (%v)", n, Bytes(n), b, err)
		}
		if r, err := parseRate(rateText(sim.Rate(n))); err != nil || int64(r) != n {
			t.Fatalf("%d bit/s printed as %s reads as %d (%v)", n, rateText(sim.Rate(n)), r, err)
		}
		if x, err := parseTime(timeText(sim.Time(n))); err != nil || int64(x) != n {
			t.Fatalf("%d ps printed as %s reads as %d (%v)", n, timeText(sim.Time(n)), x, err)
		}
		q := Ratio(rapid.Float64Range(0, 1).Draw(t, "q"))
		if x, err := parseRatio(q.String()); err != nil || x != q {
			t.Fatalf("%v reads as %v (%v)", q, x, err)
		}
	})
}

func TestNearest(t *testing.T) {
	words := []string{"nodes", "nodes_per_leaf", "spines", "oversubscription", "leaf-spine", "rail-optimized", "congestion_control", "batch", "grad_precision"}
	for in, want := range map[string]string{
		"node_per_leaf": "nodes_per_leaf", "spine": "spines", "oversubscribtion": "oversubscription", "spine-leaf": "leaf-spine",
		"rail_optimized": "rail-optimized", "congestion": "congestion_control", "bacth": "batch", "colour": "", "x": "", "gradPrecision": "grad_precision",
	} {
		if got := nearest(in, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
