package sim

import (
	"fmt"
	"math/bits"
	"strconv"
)

// Rate is a data rate in bit/s. Zero means no rate (a link that is down, or a
// limit that is absent: the field that holds it says which).
type Rate int64

// The usual units. Decimal: 1 Gbps = 1e9 bit/s.
const (
	BitPerSecond Rate = 1
	Kbps              = 1000 * BitPerSecond
	Mbps              = 1000 * Kbps
	Gbps              = 1000 * Mbps
)

// psBits is picoseconds a second times bits a byte.
const psBits = 8 * uint64(Second)

// TxTime returns the time that bytes take at r, rounded down to a picosecond.
// It panics if r <= 0 or bytes < 0.
func (r Rate) TxTime(bytes int64) Time {
	t, _ := r.txTime(bytes, 0)
	return t
}

func (r Rate) txTime(bytes int64, rem uint64) (Time, uint64) {
	if r <= 0 || bytes < 0 {
		panic(fmt.Sprintf("sim: %d bytes at %d bit/s", bytes, r))
	}
	hi, lo := bits.Mul64(uint64(bytes), psBits)
	lo, c := bits.Add64(lo, rem, 0)
	q, m := bits.Div64(hi+c, lo, uint64(r))
	return Time(q), m
}

// Bytes returns how many whole bytes r carries in d. It panics if d < 0.
func (r Rate) Bytes(d Time) int64 {
	if d < 0 {
		panic("sim: negative span")
	}
	hi, lo := bits.Mul64(uint64(r), uint64(d))
	q, _ := bits.Div64(hi, lo, psBits)
	return int64(q)
}

// String prints r in the largest unit that keeps it short: 100Gbps.
func (r Rate) String() string {
	for _, u := range []struct {
		unit Rate
		name string
	}{{1000 * Gbps, "Tbps"}, {Gbps, "Gbps"}, {Mbps, "Mbps"}, {Kbps, "Kbps"}} {
		if r >= u.unit {
			return strconv.FormatFloat(float64(r)/float64(u.unit), 'g', 6, 64) + u.name
		}
	}
	return strconv.FormatInt(int64(r), 10) + "bps"
}

// Serializer turns bytes into transmission times at one rate and carries the
// remainder, so that a long run of packets takes exactly the time of their sum:
// no drift. The rates of real links (25, 100, 200, 400, 800 Gbps) are a whole
// number of picoseconds a byte and cost one multiplication.
type Serializer struct {
	psPerByte int64 // 0 when the rate does not divide 8e12
	rate      Rate
	rem       uint64
}

// NewSerializer returns a Serializer for r > 0.
func NewSerializer(r Rate) Serializer {
	if r <= 0 {
		panic(fmt.Sprintf("sim: serializer at %d bit/s", r))
	}
	s := Serializer{rate: r}
	if psBits%uint64(r) == 0 {
		s.psPerByte = int64(psBits / uint64(r))
	}
	return s
}

// Take returns the time that the next bytes occupy the wire.
func (s *Serializer) Take(bytes int64) Time {
	if s.psPerByte != 0 {
		return Time(bytes * s.psPerByte)
	}
	var t Time
	t, s.rem = s.rate.txTime(bytes, s.rem)
	return t
}

// Rate returns the rate that s was made for.
func (s *Serializer) Rate() Rate { return s.rate }
