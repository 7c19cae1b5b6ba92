package fabric

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"
)

// The check values of the "123456789" message: CRC catalogue of Greg Cook
// (reveng.sourceforge.io): CRC-32/ISO-HDLC, CRC-32/ISCSI, CRC-16/IBM-3740.
func TestCRCCheckValues(t *testing.T) {
	msg := []byte("123456789")
	if got := crc32.ChecksumIEEE(msg); got != 0xcbf43926 {
		t.Errorf("CRC-32 %#x", got)
	}
	if got := crc32.Checksum(msg, crc32.MakeTable(crc32.Castagnoli)); got != 0xe3069283 {
		t.Errorf("CRC-32C %#x", got)
	}
	if got := crc16(msg); got != 0x29b1 {
		t.Errorf("CRC-16 %#x", got)
	}
}

// Vectors of MurmurHash3_x86_32 over 12 bytes, made with an independent
// implementation that gives the well-known values of longer strings (for one,
// "Hello, world!" with seed 0x9747b28c: 0x24884cba).
func TestMurmur3Vectors(t *testing.T) {
	words := func(s string) (w [3]uint32) {
		for i := range w {
			w[i] = binary.LittleEndian.Uint32([]byte(s[4*i:]))
		}
		return w
	}
	for _, c := range []struct {
		msg  string
		seed uint32
		want uint32
	}{
		{"abcdefghijkl", 0x0, 0xa36f3d27},
		{"abcdefghijkl", 0x9747b28c, 0xca38ed3},
		{"AAAABBBBCCCC", 0x1, 0x6b903e64},
		{"Hello, world", 0x9747b28c, 0xe583994d},
	} {
		if got := murmur3(words(c.msg), c.seed); got != c.want {
			t.Errorf("murmur3(%q, %#x) = %#x, want %#x", c.msg, c.seed, got, c.want)
		}
	}
	if finalise(0) != 0 || finalise(1) != 0x514e28b7 {
		t.Errorf("finaliser: %#x %#x", finalise(0), finalise(1))
	}
}

func TestHashUsesOnlyItsFields(t *testing.T) {
	base := Header{SrcIP: 0x0a000001, DstIP: 0x0a000002, SrcPort: 50000, DstPort: RoCEPort, Proto: 17}
	change := map[Fields]func(*Header){
		FieldSrcIP:   func(h *Header) { h.SrcIP++ },
		FieldDstIP:   func(h *Header) { h.DstIP++ },
		FieldSrcPort: func(h *Header) { h.SrcPort++ },
		FieldDstPort: func(h *Header) { h.DstPort++ },
		FieldProto:   func(h *Header) { h.Proto++ },
	}
	for _, kind := range []HashKind{CRC32, CRC32C, CRC16, XOR} {
		for field, f := range change {
			other := base
			f(&other)
			with, without := Hasher{Kind: kind, Fields: field}, Hasher{Kind: kind, Fields: FiveTuple &^ field}
			if with.Hash(base, 7) == with.Hash(other, 7) {
				t.Errorf("%v: field %b does not change the hash", kind, field)
			}
			if without.Hash(base, 7) != without.Hash(other, 7) {
				t.Errorf("%v: field %b changes the hash without being selected", kind, field)
			}
		}
	}
}

// Hashing many QPs into n buckets must look like throwing balls: the sum of
// (observed-expected)^2/expected is chi-squared with n-1 degrees of freedom,
// whose mean is n-1 and whose standard deviation is sqrt(2(n-1)). A CRC over
// neighbouring ports spreads more evenly than chance, so only the upper side
// is bounded, at six standard deviations.
func TestHashSpread(t *testing.T) {
	const flows = 1 << 14
	for _, kind := range []HashKind{CRC32, CRC32C, CRC16, Murmur3} {
		for _, n := range []uint32{2, 3, 4, 8, 16, 24, 32} {
			h := Hasher{Kind: kind, Fields: FiveTuple}
			count := make([]int, n)
			for i := range flows {
				f := Flow{Src: NodeID(i % 512), Dst: NodeID(i/512*7 + 1000)}
				count[h.Hash(QPHeader(&f, uint32(i/512), i%4), 12345)%n]++
			}
			want, chi := float64(flows)/float64(n), 0.0
			for _, c := range count {
				chi += (float64(c) - want) * (float64(c) - want) / want
			}
			df := float64(n - 1)
			if chi > df+6*math.Sqrt(2*df) {
				t.Errorf("%v over %d: chi-squared %.1f, expected about %.0f", kind, n, chi, df)
			}
		}
	}
}

// With equal seeds, flows that one tier has sent the same way all go the same
// way again at the next; with a seed a switch they spread.
func TestPolarisation(t *testing.T) {
	for _, kind := range []HashKind{CRC32, CRC32C, CRC16} {
		for _, perSwitch := range []bool{false, true} {
			h := Hasher{Kind: kind, Fields: FiveTuple, Seed: 1, PerSwitch: perSwitch}
			var second [4]int
			total := 0
			for i := range 4096 {
				f := Flow{Src: NodeID(i), Dst: 5000}
				hd := QPHeader(&f, 0, 0)
				if h.Hash(hd, h.SwitchSeed(101))%4 == 0 {
					second[h.Hash(hd, h.SwitchSeed(202))%4]++
					total++
				}
			}
			for k, c := range second {
				switch {
				case !perSwitch && (c == total) != (k == 0):
					t.Errorf("%v with equal seeds: %d of %d flows on link %d", kind, c, total, k)
				case perSwitch && math.Abs(float64(c)-float64(total)/4) > 0.2*float64(total)/4:
					t.Errorf("%v with a seed a switch: %d of %d flows on link %d", kind, c, total, k)
				}
			}
		}
	}
}

func TestReferenceSeedIsTheSwitchID(t *testing.T) {
	h := Hasher{Kind: Murmur3, PerSwitch: true}
	if h.SwitchSeed(9) != 9 {
		t.Errorf("seed %d", h.SwitchSeed(9))
	}
}
