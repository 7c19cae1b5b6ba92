package sim

import (
	"hash/fnv"
	"math/rand/v2"
)

// Stream returns the random stream of one component: a PCG seeded by the
// scenario's seed and the component's name, so that adding a component moves
// no other stream.
func Stream(seed uint64, name string) *rand.Rand {
	return rand.New(StreamSource(seed, name))
}

// StreamSource is Stream without the wrapper, for hot paths that draw raw bits.
func StreamSource(seed uint64, name string) *rand.PCG {
	h := fnv.New64a()
	h.Write([]byte(name))
	n := h.Sum64()
	return rand.NewPCG(Mix(seed^0x9e3779b97f4a7c15), Mix(n+seed))
}

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a
// cheap bijection in which every input bit reaches every output bit.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
