package hybrid

import (
	"math"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// burst sends bytes from each of n hosts of other leaves to the first host.
func burst(g *fabric.Graph, n int, bytes int64, qps int) script {
	h := g.Hosts()
	return func(_ *sim.Kernel, net fabric.Network) {
		var fs []fabric.Flow
		for i := range n {
			fs = append(fs, fabric.Flow{Src: h[len(h)-1-i], Dst: h[0], Bytes: bytes, QPs: qps, SrcPort: 50000 + uint16(i)})
		}
		net.StartGroup(fs)
	}
}

// Under congestion an island glides: in the mean over draws of the marks it
// completes when packets do, with as many marks and cuts, in far fewer events.
// The bounds are three standard errors of what the draws differ by, and what a
// glide may be off by in counts.
func TestGlideIsPacketsInTheMean(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 2, 2)
	const draws = 24
	ringOf := func(_ *sim.Kernel, net fabric.Network) { net.StartGroup(ring(g.Hosts(), 96<<20, 2, nil)) }
	for _, c := range []struct {
		name   string
		flows  script
		fewer  float64 // events
		fct    float64
		counts float64
	}{
		{"two into one", burst(g, 2, 128<<20, 1), 10, 0.02, 0.2},
		{"eight into one", burst(g, 8, 48<<20, 1), 5, 0.05, 0.15},
		{"ring with collisions", ringOf, 2, 0.04, 0.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var fct, marks, cuts, events [2]float64
			for i := range draws {
				pc := packet.DefaultConfig()
				pc.Seed = uint64(i + 1)
				for k, m := range []outcome{measure(t, asPacket(g, r, pc), c.flows), measure(t, asHybrid(g, r, Config{Packet: pc}), c.flows)} {
					n := &m.rep.Counters
					if len(m.rep.Violations) > 0 || n.RetransmittedBytes != 0 || n.Drops != 0 {
						t.Fatalf("%v, %d B sent again, %d drops", m.rep.Violations, n.RetransmittedBytes, n.Drops)
					}
					for j := range m.rep.Flows {
						f := &m.rep.Flows[j]
						if f.FCT < f.Ideal*999/1000 {
							t.Errorf("flow %d took %v, alone %v", j, f.FCT, f.Ideal)
						}
						fct[k] += f.FCT.Seconds()
					}
					marks[k] += float64(n.ECNMarked)
					cuts[k] += float64(n.RateCuts)
					events[k] += float64(m.events)
				}
			}
			off := func(x [2]float64) float64 { return x[1]/x[0] - 1 }
			t.Logf("completion %+.4f, marks %+.3f, cuts %+.3f, events 1/%.1f", off(fct), off(marks), off(cuts), events[0]/events[1])
			if math.Abs(off(fct)) > c.fct || math.Abs(off(marks)) > c.counts || math.Abs(off(cuts)) > c.counts {
				t.Errorf("completion %+.4f, marks %+.3f, cuts %+.3f", off(fct), off(marks), off(cuts))
			}
			if events[0] < c.fewer*events[1] {
				t.Errorf("%g events, packets take %g", events[1], events[0])
			}
		})
	}
}
