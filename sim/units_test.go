package sim

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestTimeText(t *testing.T) {
	for _, c := range []struct {
		t         Time
		short, ns string
	}{
		{0, "0ps", "0.000"},
		{42, "42ps", "0.042"},
		{83_840, "83.84ns", "83.840"},
		{12_500_000, "12.5us", "12500.000"},
		{3 * Second, "3s", "3000000000.000"},
		{-1500, "-1.5ns", "-1.500"},
	} {
		if c.t.String() != c.short || c.t.NanosExact() != c.ns {
			t.Errorf("%d: %s %s, want %s %s", int64(c.t), c.t, c.t.NanosExact(), c.short, c.ns)
		}
	}
	if FromSeconds(1.5) != 1500*Millisecond {
		t.Error("FromSeconds")
	}
}

// A packet of 1,048 B at 100 Gbps takes 83.84 ns: exact, not cut to 83.
func TestKnownTxTimes(t *testing.T) {
	for _, c := range []struct {
		r    Rate
		b    int64
		want Time
	}{{100 * Gbps, 1048, 83_840}, {400 * Gbps, 4178, 83_560}, {25 * Gbps, 64, 20_480}, {Gbps, 1_000_000_000_000, 8000 * Second}} {
		if got := c.r.TxTime(c.b); got != c.want {
			t.Errorf("%d B at %v: %v, want %v", c.b, c.r, got, c.want)
		}
	}
}

// The sum of a Serializer's times is the exact time of the sum, rounded down:
// the carried remainder leaves no drift at any rate.
func TestSerializerHasNoDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := Rate(rapid.Int64Range(1_000, 2_000_000_000_000).Draw(t, "rate"))
		s := NewSerializer(rate)
		var sum Time
		var total int64
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			b := rapid.Int64Range(0, 9000).Draw(t, "bytes")
			sum += s.Take(b)
			total += b
		}
		want := new(big.Int).Mul(big.NewInt(total), big.NewInt(8*int64(Second)))
		want.Div(want, big.NewInt(int64(rate)))
		if want.Int64() != int64(sum) {
			t.Fatalf("%d B at %d bit/s took %d ps, want %v", total, rate, sum, want)
		}
	})
}

func TestRateBytesInvertsTxTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate(rapid.Int64Range(1_000_000, 1_600_000_000_000).Draw(t, "rate"))
		b := rapid.Int64Range(0, 1<<34).Draw(t, "bytes")
		if got := r.Bytes(r.TxTime(b) + 1); got != b {
			t.Fatalf("%d bytes became %d", b, got)
		}
	})
}

func TestStreamsAreIndependentAndRepeat(t *testing.T) {
	a, b, c := Stream(1, "switch/leaf0"), Stream(1, "switch/leaf0"), Stream(1, "switch/leaf1")
	same := 0
	for range 1000 {
		x := a.Uint64()
		if x != b.Uint64() {
			t.Fatal("same name and seed, different numbers")
		}
		if x == c.Uint64() {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d of 1000 numbers equal between two names", same)
	}
	if Stream(1, "x").Uint64() == Stream(2, "x").Uint64() {
		t.Error("seed has no effect")
	}
}

func BenchmarkSerializerExact(b *testing.B) {
	s := NewSerializer(100 * Gbps)
	b.ReportAllocs()
	var t Time
	for range b.N {
		t += s.Take(4178)
	}
	_ = t
}

func BenchmarkSerializerCarried(b *testing.B) {
	s := NewSerializer(99_999_999_977)
	b.ReportAllocs()
	var t Time
	for range b.N {
		t += s.Take(4178)
	}
	_ = t
}
