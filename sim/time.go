package sim

import (
	"fmt"
	"math"
	"strconv"
)

// Time is a point or a span of simulated time in picoseconds. The range is
// about 106 days, far beyond any training step.
type Time int64

// The usual units.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
	// Never is later than every event.
	Never Time = math.MaxInt64
)

// Seconds returns t in seconds. Only results and messages may use it: below
// them time stays an integer.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// FromSeconds rounds s seconds to the nearest picosecond. It panics if s is
// not a number or does not fit.
func FromSeconds(s float64) Time {
	ps := math.Round(s * float64(Second))
	if math.IsNaN(ps) || ps > float64(math.MaxInt64/2) || ps < -float64(math.MaxInt64/2) {
		panic(fmt.Sprintf("sim: %g s does not fit the clock", s))
	}
	return Time(ps)
}

// String prints t with the unit that keeps it short: 12.5us, 3ms, 42ps.
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	a := t
	if a < 0 {
		a = -a
	}
	for _, u := range []struct {
		unit Time
		name string
	}{{Second, "s"}, {Millisecond, "ms"}, {Microsecond, "us"}, {Nanosecond, "ns"}} {
		if a >= u.unit {
			return strconv.FormatFloat(float64(t)/float64(u.unit), 'g', 6, 64) + u.name
		}
	}
	return strconv.FormatInt(int64(t), 10) + "ps"
}

// NanosExact prints t in nanoseconds with exactly three decimals, which is
// picosecond precision: the form of every time in the run directory.
func (t Time) NanosExact() string {
	return string(t.AppendNanos(nil))
}

// AppendNanos appends NanosExact to b.
func (t Time) AppendNanos(b []byte) []byte {
	if t < 0 {
		b = append(b, '-')
		t = -t
	}
	b = strconv.AppendInt(b, int64(t/1000), 10)
	f := t % 1000
	return append(b, '.', byte('0'+f/100), byte('0'+f/10%10), byte('0'+f%10))
}
