package hybrid

import (
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// Where marks are drawn at random, another seed moves the packet engine's own
// completion times; a skip may not move them by much more.
func TestSkipsStayWithinTheNoiseOfSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("some ten million packet events")
	}
	g, r := leafSpine(t, 4, 2, 2, 2)
	var noise, skipped, ends float64
	var all, moved uint64
	for seed := range uint64(3) {
		c := packet.DefaultConfig()
		fs := ring(g.Hosts(), 512<<20, 4, nil)
		for i := range fs {
			fs[i].SrcPort = 50000 + uint16(seed)*100 + uint16(i)*4
		}
		c.Seed = seed + 1
		p := measure(t, asPacket(g, r, c), together(fs))
		h := measure(t, asHybrid(g, r, Config{Packet: c}), together(fs))
		c.Seed = seed + 100
		q := measure(t, asPacket(g, r, c), together(fs))
		mean, _ := fctError(h.rep, p.rep)
		other, _ := fctError(q.rep, p.rep)
		noise, skipped = noise+other/3, skipped+mean/3
		ends += float64(lastEnd(h.rep)-lastEnd(p.rep)) / float64(lastEnd(p.rep)) / 3
		all, moved = all+p.events, moved+h.events
	}
	if skipped > 2*noise+0.01 {
		t.Errorf("completion times move by %.2f %%, by %.2f %% with another seed", 100*skipped, 100*noise)
	}
	if ends > 0.05 || ends < -0.05 {
		t.Errorf("the last flow ends %.2f %% later", 100*ends)
	}
	if moved >= all {
		t.Errorf("%d events, packet %d: nothing was skipped", moved, all)
	}
}

// lastEnd is when the last flow arrives.
func lastEnd(r *fabric.Report) sim.Time {
	var t sim.Time
	for i := range r.Flows {
		t = max(t, r.Flows[i].Start+r.Flows[i].FCT)
	}
	return t
}
