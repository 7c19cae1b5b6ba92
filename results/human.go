package results

import (
	"fmt"
	"math"
	"strconv"

	"github.com/simnet/simnet/sim"
)

// humanSeconds prints s with three significant digits: 31.2 s, 480 ms, 12.5 us.
func humanSeconds(s float64) string {
	if s == 0 {
		return "0 s"
	}
	for _, u := range []struct {
		unit float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}} {
		if math.Abs(s) >= u.unit*0.9995 {
			return digits(s/u.unit) + " " + u.name
		}
	}
	return digits(s/1e-12) + " ps"
}

func humanTime(t sim.Time) string { return humanSeconds(t.Seconds()) }

// digits prints three significant digits without an exponent.
func digits(x float64) string {
	a := math.Abs(x)
	switch {
	case math.Abs(a-math.Round(a)) < 1e-9*a && a < 1000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case a < 0.1:
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

var decimal = []struct {
	unit float64
	name string
}{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}

func scaled(x float64, kilo string) string {
	for _, u := range decimal {
		if math.Abs(x) >= u.unit*0.9995 {
			name := u.name
			if name == "k" {
				name = kilo
			}
			return digits(x/u.unit) + " " + name
		}
	}
	return digits(x) + " "
}

// humanBytes prints decimal units, as scenarios write them: 1.50 MB.
func humanBytes(n int64) string { return scaled(float64(n), "K") + "B" }

// humanRate prints bit/s: 198 Gbit/s.
func humanRate(x float64) string { return scaled(x, "k") + "bit/s" }

// humanCount prints a count with thousands separated, in millions from 10
// million on: 12,345.
func humanCount(n int64) string {
	if n >= 10_000_000 {
		for _, u := range []struct {
			unit float64
			name string
		}{{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}} {
			if float64(n) >= u.unit {
				return digits(float64(n)/u.unit) + " " + u.name
			}
		}
	}
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// humanPercent prints a fraction: 12.5 %.
func humanPercent(x float64) string {
	p := x * 100
	switch {
	case p != 0 && math.Abs(p) < 0.095:
		return fmt.Sprintf("%.2g %%", p)
	case math.Abs(p) < 9.95:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// humanRatio prints a slowdown or a speed-up: 1.03.
func humanRatio(x float64) string {
	if math.Abs(x) >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	if math.Abs(x) >= 10 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
