package fabric

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"

	"github.com/simnet/simnet/sim"
)

// Header is what a switch hashes: the 5-tuple of a RoCEv2 packet. The
// destination port is 4791 (IANA) on real networks; the source port is the
// entropy that each queue pair brings.
type Header struct {
	SrcIP, DstIP     uint32
	SrcPort, DstPort uint16
	Proto            uint8
}

// Reverse returns the header of the packets that answer h.
func (h Header) Reverse() Header {
	h.SrcIP, h.DstIP = h.DstIP, h.SrcIP
	h.SrcPort, h.DstPort = h.DstPort, h.SrcPort
	return h
}

// HostIP gives each node an address in 10.0.0.0/8 that differs in the low bits
// between neighbours, as address plans of clusters do.
func HostIP(n NodeID) uint32 { return 10<<24 | uint32(n)&0xffffff }

// RoCEPort is the UDP destination port of RoCEv2 (IANA).
const RoCEPort = 4791

// Fields selects the header fields that enter the hash.
type Fields uint8

// The fields of a 5-tuple.
const (
	FieldSrcIP Fields = 1 << iota
	FieldDstIP
	FieldSrcPort
	FieldDstPort
	FieldProto
	FiveTuple = FieldSrcIP | FieldDstIP | FieldSrcPort | FieldDstPort | FieldProto
)

// HashKind is a hash function of switches.
type HashKind uint8

// The hash functions. Which one an ASIC uses is configurable on most; CRC
// families are the common choice (SAI: sai_hash_algorithm_t).
const (
	CRC32   HashKind = iota // IEEE 802.3 polynomial
	CRC32C                  // Castagnoli polynomial
	CRC16                   // CCITT polynomial 0x1021
	XOR                     // fold of the fields to 16 bits: weak, as on old ASICs
	Murmur3                 // the HPCC-family ns-3 model: murmur3-32 of (sip, dip, ports)
)

// HashKinds maps the names of scenarios to hash functions.
var HashKinds = map[string]HashKind{"crc32": CRC32, "crc32c": CRC32C, "crc16": CRC16, "xor": XOR, "murmur3": Murmur3}

func (k HashKind) String() string {
	for n, v := range HashKinds {
		if v == k {
			return n
		}
	}
	return fmt.Sprintf("hash(%d)", k)
}

// Hasher computes the ECMP hash of one network: kind and fields are common to
// all switches, the seed is each switch's own.
type Hasher struct {
	Kind   HashKind
	Fields Fields
	// Seed is the scenario's hash seed. PerSwitch mixes the switch's index into
	// it; without it all switches hash alike and multi-tier networks polarise.
	Seed      uint32
	PerSwitch bool
}

// SwitchSeed returns the seed of the switch at index n.
func (h *Hasher) SwitchSeed(n NodeID) uint32 {
	if h.Kind == Murmur3 && h.PerSwitch && h.Seed == 0 {
		return uint32(n) // the HPCC-family model seeds with the switch id
	}
	if !h.PerSwitch {
		return h.Seed
	}
	return uint32(sim.Mix(uint64(h.Seed)<<32 | uint64(uint32(n)) + 1))
}

// crcTable holds what each value of each byte of a header adds to its CRC: a CRC
// is linear, so that the bytes need not be taken one after the other.
type crcTable struct {
	none  uint32 // CRC of zeros
	bytes [13][256]uint32
}

var ieee, castagnoli = makeCRC(crc32.IEEE), makeCRC(crc32.Castagnoli)

func makeCRC(poly uint32) (t crcTable) {
	var b [13]byte
	table := crc32.MakeTable(poly)
	t.none = crc32.Checksum(b[:], table)
	for i := range b {
		for v := range 256 {
			b[i] = byte(v)
			t.bytes[i][v] = crc32.Checksum(b[:], table) ^ t.none
		}
		b[i] = 0
	}
	return t
}

// Hash returns the hash of hd at a switch with the given seed.
//
// A CRC is linear: as its initial value a seed only flips the same bits of
// every result, so that switches with different seeds would still split alike
// (Zhang et al., "Hashing Linearity Enables Relative Path Control in Data
// Centers", USENIX ATC 2021). Switches that undo polarisation select or fold
// the bits differently each; here the seed enters with a nonlinear finaliser.
func (h *Hasher) Hash(hd Header, seed uint32) uint32 {
	if h.Kind == Murmur3 {
		return murmur3([3]uint32{hd.SrcIP, hd.DstIP, uint32(hd.SrcPort) | uint32(hd.DstPort)<<16}, seed)
	}
	return finalise(h.digest(hd) ^ seed)
}

// digest is the part of the hash that no seed enters, for all kinds but
// Murmur3.
func (h *Hasher) digest(hd Header) uint32 {
	var b [13]byte
	if h.Fields&FieldSrcIP != 0 {
		binary.BigEndian.PutUint32(b[0:], hd.SrcIP)
	}
	if h.Fields&FieldDstIP != 0 {
		binary.BigEndian.PutUint32(b[4:], hd.DstIP)
	}
	if h.Fields&FieldSrcPort != 0 {
		binary.BigEndian.PutUint16(b[8:], hd.SrcPort)
	}
	if h.Fields&FieldDstPort != 0 {
		binary.BigEndian.PutUint16(b[10:], hd.DstPort)
	}
	if h.Fields&FieldProto != 0 {
		b[12] = hd.Proto
	}
	var x uint32
	switch h.Kind {
	case CRC32:
		x = crcOf(&ieee, &b)
	case CRC32C:
		x = crcOf(&castagnoli, &b)
	case CRC16:
		x = uint32(crc16(b[:]))
	default:
		x = binary.BigEndian.Uint32(b[0:]) ^ binary.BigEndian.Uint32(b[4:]) ^ binary.BigEndian.Uint32(b[8:]) ^ uint32(b[12])
		x = (x ^ x>>16) & 0xffff
	}
	return x
}

// crcOf is crc32.Checksum of a header.
func crcOf(t *crcTable, b *[13]byte) uint32 {
	c := t.none
	for i, x := range b {
		c ^= t.bytes[i][x]
	}
	return c
}

func crc16(b []byte) uint16 {
	c := uint16(0xffff)
	for _, x := range b {
		c ^= uint16(x) << 8
		for range 8 {
			if c&0x8000 != 0 {
				c = c<<1 ^ 0x1021
			} else {
				c <<= 1
			}
		}
	}
	return c
}

// murmur3 is MurmurHash3 x86 32-bit (Appleby, public domain) of twelve bytes.
func murmur3(k [3]uint32, seed uint32) uint32 {
	h := seed
	for _, x := range k {
		x *= 0xcc9e2d51
		x = bits.RotateLeft32(x, 15)
		x *= 0x1b873593
		h ^= x
		h = bits.RotateLeft32(h, 13)
		h = h*5 + 0xe6546b64
	}
	return finalise(h ^ 12)
}

// finalise is the finaliser of MurmurHash3 x86 32-bit: a bijection in which
// every bit reaches every bit.
func finalise(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// QPHeader returns the header of queue pair q of flow f from src to dst. The
// source port starts at f.SrcPort if set, else at a value that follows from the
// flow's end points and its number n among them, in the dynamic range that
// RoCE NICs use (49152 to 65535).
func QPHeader(f *Flow, n uint32, q int) Header {
	port := f.SrcPort + uint16(q)
	if f.SrcPort == 0 {
		port = 0xc000 | uint16(sim.Mix(uint64(uint32(f.Src))<<40|uint64(uint32(f.Dst))<<16|uint64(n)<<8+uint64(q)+1))
	}
	dst := f.DstPort
	if dst == 0 {
		dst = RoCEPort
	}
	return Header{SrcIP: HostIP(f.Src), DstIP: HostIP(f.Dst), SrcPort: port, DstPort: dst, Proto: 17}
}
