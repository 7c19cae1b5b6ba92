package hybrid

import (
	"fmt"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

func TestDbg(t *testing.T) {
	g, r := leafSpine(t, 4, 2, 2, 2)
	c := packet.DefaultConfig()
	for _, seed := range []uint64{1, 2} {
		mb := int64(2048)
		s := func(k *sim.Kernel, n fabric.Network) {
			h := g.Hosts()
			fs := ring(h, mb<<20, 4, nil)
			for i := range fs {
				fs[i].SrcPort = 50000 + uint16(seed)*100 + uint16(i)*4
			}
			n.StartGroup(fs)
		}
		c.Seed = seed
		p := measure(t, g, r, asPacket(g, r, c), s)
		h := measure(t, g, r, asHybrid(g, r, Config{Packet: c}), s)
		report(t, fmt.Sprint("ring collide ", mb), p, h)
		for i := range 4 {
			t.Log(p.rep.Flows[i].FCT, h.rep.Flows[i].FCT, p.rep.Flows[i].Ideal)
		}
	}
}
