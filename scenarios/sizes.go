package scenarios

import (
	"math/rand/v2"
	"sort"
)

// sizeCDF is a distribution of flow sizes: bytes against cumulative
// probability in percent, linear between the points.
type sizeCDF []struct{ bytes, percent float64 }

// The distributions that the field's simulations use, as in the generator of
// the HPCC simulator (alibaba-edu/High-Precision-Congestion-Control,
// traffic_gen): web search is from Alizadeh et al., SIGCOMM 2010; Hadoop from
// Roy et al., SIGCOMM 2015.
var sizeCDFs = map[string]sizeCDF{
	"websearch": {{0, 0}, {10e3, 15}, {20e3, 20}, {30e3, 30}, {50e3, 40}, {80e3, 53}, {200e3, 60}, {1e6, 70}, {2e6, 80}, {5e6, 90}, {10e6, 97}, {30e6, 100}},
	"hadoop": {{0, 0}, {100, 1}, {200, 2}, {300, 5}, {350, 15}, {400, 20}, {500, 30}, {600, 40}, {700, 50}, {1e3, 60}, {2e3, 67}, {7e3, 70},
		{30e3, 72}, {50e3, 82}, {80e3, 87}, {120e3, 90}, {300e3, 95}, {1e6, 97.5}, {2e6, 99}, {10e6, 100}},
}

// mean returns the mean size in bytes.
func (c sizeCDF) mean() float64 {
	var m float64
	for i := 1; i < len(c); i++ {
		m += (c[i].bytes + c[i-1].bytes) / 2 * (c[i].percent - c[i-1].percent) / 100
	}
	return m
}

// draw returns a size, at least 1 byte.
func (c sizeCDF) draw(r *rand.Rand) int64 {
	p := r.Float64() * 100
	i := max(1, sort.Search(len(c), func(i int) bool { return c[i].percent >= p }))
	a, b := c[i-1], c[i]
	return max(1, int64(a.bytes+(b.bytes-a.bytes)*(p-a.percent)/(b.percent-a.percent)))
}
