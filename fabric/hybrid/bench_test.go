package hybrid

import (
	"fmt"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// BenchmarkThreads moves every packet of four islands.
func BenchmarkThreads(b *testing.B) {
	g, r := leafSpine(b, 64, 16, 4, 1)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			for b.Loop() {
				measure(b, asHybrid(g, r, Config{Packet: packet.DefaultConfig(), Exact: true, Threads: threads}), func(_ *sim.Kernel, n fabric.Network) {
					for leaf := range 4 {
						n.StartGroup(ring(g.Hosts()[16*leaf:16*leaf+16], 16<<20, 1, nil))
					}
				})
			}
		})
	}
}
