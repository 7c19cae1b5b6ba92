package scenarios

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/simnet/simnet/sim"
)

// The quantities of a scenario. Each is written with its unit; decimal and
// binary multiples are kept apart (1 KB = 1000 B, 1 KiB = 1024 B), rates are
// bits (1 Gbps = 1e9 bit/s) and decimal.
type (
	// Bytes is a size in bytes.
	Bytes int64
	// AutoBytes is a size, or "auto": the program computes it.
	AutoBytes int64
	// Ratio is a number without a unit: 0.2, 20% or 1/8.
	Ratio float64
	// ByteRate is a rate of memory or NVLink, which vendors give in bytes: as
	// sim.Rate, bit/s, but printed in GB/s.
	ByteRate sim.Rate
	// Metres is a cable length.
	Metres float64
	// FLOPS is arithmetic throughput in FLOP/s.
	FLOPS float64
)

// Auto is the value of an AutoBytes written as "auto".
const Auto AutoBytes = -1

type unit struct {
	name string
	mul  float64
}

var byteUnits = []unit{
	{"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
}

var rateUnits = []unit{{"bps", 1}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}, {"Tbps", 1e12}}

// byteRateUnits are accepted for memory and NVLink, which vendors give in
// bytes a second.
var byteRateUnits = []unit{{"MB/s", 8e6}, {"GB/s", 8e9}, {"TB/s", 8e12}}

var timeUnits = []unit{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}

var lengthUnits = []unit{{"m", 1}, {"cm", 0.01}, {"km", 1000}}

var flopsUnits = []unit{{"GFLOPS", 1e9}, {"TFLOPS", 1e12}, {"PFLOPS", 1e15}}

// quantityError says what is wrong with a quantity and what was meant.
type quantityError struct{ msg, hint string }

func (e *quantityError) Error() string { return e.msg }

func wrong(hint, format string, args ...any) error {
	return &quantityError{fmt.Sprintf(format, args...), hint}
}

// parseUnit splits "400KB" into 400 and the multiple of KB. what names the
// quantity ("size", "rate", ...), example is a valid one.
func parseUnit(text, what, example string, units []unit) (float64, error) {
	s := strings.TrimSpace(text)
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || strings.IndexByte(".+-_", s[i]) >= 0 ||
		(s[i] == 'e' || s[i] == 'E') && i+1 < len(s) && (s[i+1] >= '0' && s[i+1] <= '9' || s[i+1] == '-')) {
		i++
	}
	num, name := s[:i], strings.TrimSpace(s[i:])
	r, ok := new(big.Rat).SetString(strings.ReplaceAll(num, "_", ""))
	if num == "" || !ok {
		return 0, wrong("", "%q is not a %s; write a number with a unit, such as %s", text, what, example)
	}
	if name == "" {
		return 0, wrong(num+units[0].name, "%q has no unit; a %s is written such as %s", text, what, example)
	}
	for _, u := range units {
		if u.name == name {
			x, _ := r.Mul(r, new(big.Rat).SetFloat64(u.mul)).Float64()
			return x, nil
		}
	}
	hint := ""
	if n := nearestUnit(name, units); n != "" {
		hint = num + n
	}
	return 0, wrong(hint, "unknown unit %q for a %s", name, what)
}

// unitSlips are ways in which units are written elsewhere.
var unitSlips = map[string][]string{
	"k": {"KB", "Kbps"}, "K": {"KB", "Kbps"}, "M": {"MB", "Mbps"}, "G": {"GB", "Gbps"}, "T": {"TB", "Tbps"}, "bytes": {"B"},
	"Kb": {"KB"}, "Mb": {"MB", "Mbps"}, "Gb": {"GB", "Gbps"}, "Gbit": {"Gbps"}, "gbit": {"Gbps"}, "Gb/s": {"Gbps"}, "Gbit/s": {"Gbps"}, "GBps": {"GB/s"},
	"Mb/s": {"Mbps"}, "Mbit/s": {"Mbps"}, "µs": {"us"}, "μs": {"us"}, "usec": {"us"}, "msec": {"ms"}, "sec": {"s"}, "meter": {"m"}, "metre": {"m"},
	"TFLOP/s": {"TFLOPS"}, "TF": {"TFLOPS"},
}

func nearestUnit(name string, units []unit) string {
	for _, u := range units {
		if strings.EqualFold(u.name, name) {
			return u.name
		}
	}
	for _, a := range unitSlips[name] {
		for _, u := range units {
			if u.name == a {
				return a
			}
		}
	}
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
	}
	return nearest(name, names)
}

func whole(x float64, text, what string) (int64, error) {
	if x != math.Trunc(x) || math.Abs(x) > math.MaxInt64/2 {
		return 0, wrong("", "%q is not a whole number of %s", text, what)
	}
	return int64(x), nil
}

func parseBytes(s string) (Bytes, error) {
	x, err := parseUnit(s, "size", "4096B, 400KB or 64MiB", byteUnits)
	if err != nil {
		return 0, err
	}
	n, err := whole(x, s, "bytes")
	return Bytes(n), err
}

func parseAutoBytes(s string) (AutoBytes, error) {
	if s == "auto" {
		return Auto, nil
	}
	b, err := parseBytes(s)
	return AutoBytes(b), err
}

func parseRate(s string) (sim.Rate, error) {
	x, err := parseUnit(s, "rate", "200Gbps", append(rateUnits[3:4:4], append(append([]unit{}, rateUnits...), byteRateUnits...)...))
	if err != nil {
		return 0, err
	}
	n, err := whole(math.Round(x), s, "bit/s")
	return sim.Rate(n), err
}

func parseByteRate(s string) (ByteRate, error) {
	r, err := parseRate(s)
	return ByteRate(r), err
}

func parseTime(s string) (sim.Time, error) {
	if strings.TrimSpace(s) == "0" {
		return 0, nil
	}
	x, err := parseUnit(s, "time", "1us", append(timeUnits[2:3:3], timeUnits...))
	if err != nil {
		return 0, err
	}
	n, err := whole(math.Round(x), s, "picoseconds")
	return sim.Time(n), err
}

func parseMetres(s string) (Metres, error) {
	x, err := parseUnit(s, "length", "20m", lengthUnits)
	return Metres(x), err
}

func parseFLOPS(s string) (FLOPS, error) {
	x, err := parseUnit(s, "arithmetic throughput", "312TFLOPS", append(flopsUnits[1:2:2], flopsUnits...))
	return FLOPS(x), err
}

func parseRatio(s string) (Ratio, error) {
	t := strings.TrimSpace(s)
	if a, b, ok := strings.Cut(t, "/"); ok {
		x, err1 := strconv.ParseFloat(strings.TrimSpace(a), 64)
		y, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
		if err1 != nil || err2 != nil || y == 0 {
			return 0, wrong("", "%q is not a ratio; write 0.125, 12.5%% or 1/8", s)
		}
		return Ratio(x / y), nil
	}
	if p, ok := strings.CutSuffix(t, "%"); ok {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return 0, wrong("", "%q is not a percentage", s)
		}
		return Ratio(x / 100), nil
	}
	x, err := strconv.ParseFloat(t, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, wrong("", "%q is not a ratio; write 0.125, 12.5%% or 1/8", s)
	}
	return Ratio(x), nil
}

// format prints n exactly, in the unit of the list that makes it shortest.
func format(n float64, units []unit) string {
	best := strconv.FormatFloat(n/units[0].mul, 'f', -1, 64) + units[0].name
	for _, u := range units[1:] {
		q := n / u.mul
		if q < 1 || q*u.mul != n {
			continue
		}
		if s := strconv.FormatFloat(q, 'f', -1, 64) + u.name; len(s) <= len(best) {
			best = s
		}
	}
	return best
}

func (b Bytes) String() string {
	d, e := format(float64(b), byteUnits[:5]), format(float64(b), append(byteUnits[:1:1], byteUnits[5:]...))
	if len(e) <= len(d) && strings.HasSuffix(e, "iB") {
		return e
	}
	return d
}

func (b AutoBytes) String() string {
	if b == Auto {
		return "auto"
	}
	return Bytes(b).String()
}

// String prints whole bytes a second in bytes, other rates in bits.
func (r ByteRate) String() string {
	if r%8e6 == 0 && r != 0 {
		return format(float64(r), byteRateUnits)
	}
	return rateText(sim.Rate(r))
}

func (r Ratio) String() string  { return strconv.FormatFloat(float64(r), 'g', -1, 64) }
func (m Metres) String() string { return strconv.FormatFloat(float64(m), 'g', -1, 64) + "m" }
func (f FLOPS) String() string  { return format(float64(f), flopsUnits[1:]) }

func rateText(r sim.Rate) string { return format(float64(r), rateUnits) }
func timeText(t sim.Time) string { return format(float64(t), timeUnits) }
