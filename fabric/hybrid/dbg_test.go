package hybrid

import (
	"fmt"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

func TestDbg(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 4, 1)
	c := packet.DefaultConfig()
	for _, slice := range []int64{0, 1 << 20} {
		s := func(k *sim.Kernel, n fabric.Network) {
			fs := ring(g.Hosts(), 64<<20, 1, nil)
			for i := range fs {
				fs[i].Slice = slice
			}
			n.StartGroup(fs)
		}
		p := measure(t, g, r, asPacket(g, r, c), s)
		h := measure(t, g, r, asHybrid(g, r, Config{Packet: c}), s)
		report(t, fmt.Sprint("slice ", slice), p, h)
		for i := range 4 {
			t.Log(p.rep.Flows[i].FCT, h.rep.Flows[i].FCT, p.rep.Flows[i].Ideal)
		}
	}
}
