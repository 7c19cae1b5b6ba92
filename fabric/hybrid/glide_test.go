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

// wave sends bytes from every host to one of the next leaf, all at once.
func wave(g *fabric.Graph, bytes int64, qps int) script {
	h := g.Hosts()
	return func(_ *sim.Kernel, net fabric.Network) {
		var fs []fabric.Flow
		for i := range h {
			fs = append(fs, fabric.Flow{Src: h[i], Dst: h[(i+4)%len(h)], Bytes: bytes, QPs: qps, SrcPort: 50000 + 8*uint16(i)})
		}
		net.StartGroup(fs)
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

// tally is the mean of draws and what chance leaves of doubt about it.
type tally struct{ n, sum, squares float64 }

func (t *tally) add(x float64) { t.n, t.sum, t.squares = t.n+1, t.sum+x, t.squares+x*x }

func (t *tally) mean() float64 { return t.sum / t.n }

func (t *tally) deviation() float64 {
	return math.Sqrt(max(0, t.squares/t.n-t.mean()*t.mean()) / (t.n - 1))
}

// off returns by what part the means of two tallies differ, and three standard
// errors of that.
func off(packets, hybrid *tally) (by, chance float64) {
	m := packets.mean()
	return hybrid.mean()/m - 1, 3 * math.Hypot(packets.deviation(), hybrid.deviation()) / m
}

// Under congestion an island glides: in the mean over draws of the marks it
// completes when packets do, with as many marks and cuts, in far fewer events.
// Beyond chance completion may be off by 1 %, counts by 5 %.
func TestGlideIsPacketsInTheMean(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 2, 2)
	draws := 8
	if testing.Short() { // under the race detector
		draws = 3
	}
	var across []fabric.NodeID // every hop of the ring crosses the spines
	for i := range 16 {
		across = append(across, g.Hosts()[i%4*4+i/4])
	}
	small, sr := leafSpine(t, 4, 2, 2, 2)
	long := ring(small.Hosts(), 512<<20, 4, nil)
	for i := range long {
		long[i].SrcPort = 50000 + uint16(i)*4
	}
	ringOf := func(_ *sim.Kernel, net fabric.Network) { net.StartGroup(ring(across, 64<<20, 2, nil)) }
	for _, c := range []struct {
		name  string
		g     *fabric.Graph
		r     *fabric.Routes
		flows script
		fewer float64 // events
		times int     // as many draws
	}{
		{"two into one", g, r, burst(g, 2, 128<<20, 1), 80, 8},
		{"four into one", g, r, burst(g, 4, 48<<20, 1), 25, 8},
		{"eight into one", g, r, burst(g, 8, 48<<20, 1), 1, 1}, // a crowd: packets
		{"wave", g, r, wave(g, 16<<20, 4), 4, 4},
		{"ring with collisions", g, r, ringOf, 35, 1},
		{"ring of four QPs", g, r, func(_ *sim.Kernel, net fabric.Network) { net.StartGroup(ring(across, 64<<20, 4, nil)) }, 50, 1},
		{"long ring of four", small, sr, together(long), 120, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var fct, ends, marks, cuts, events [2]tally
			for i := range draws * c.times {
				pc := packet.DefaultConfig()
				pc.Seed = uint64(i + 1)
				for k, m := range []outcome{measure(t, asPacket(c.g, c.r, pc), c.flows), measure(t, asHybrid(c.g, c.r, Config{Packet: pc}), c.flows)} {
					n := &m.rep.Counters
					if len(m.rep.Violations) > 0 || n.RetransmittedBytes != 0 || n.Drops != 0 {
						t.Fatalf("%v, %d B sent again, %d drops", m.rep.Violations, n.RetransmittedBytes, n.Drops)
					}
					sum := 0.0
					for j := range m.rep.Flows {
						f := &m.rep.Flows[j]
						if f.FCT < f.Ideal*999/1000 {
							t.Errorf("flow %d took %v, alone %v", j, f.FCT, f.Ideal)
						}
						sum += f.FCT.Seconds()
					}
					fct[k].add(sum)
					ends[k].add(lastEnd(m.rep).Seconds())
					marks[k].add(float64(n.ECNMarked))
					cuts[k].add(float64(n.RateCuts))
					events[k].add(float64(m.events))
				}
			}
			for _, x := range []struct {
				name  string
				t     *[2]tally
				slack float64
			}{{"completion", &fct, 0.01}, {"the last end", &ends, 0.01}, {"marks", &marks, 0.05}, {"cuts", &cuts, 0.05}} {
				by, chance := off(&x.t[0], &x.t[1])
				t.Logf("%s %+.3f, three standard errors are %.3f", x.name, by, chance)
				if math.Abs(by) > chance+x.slack {
					t.Errorf("%s off by %+.3f, three standard errors are %.3f", x.name, by, chance)
				}
			}
			t.Logf("%.3g times fewer events", events[0].mean()/events[1].mean())
			if events[0].mean() < c.fewer*events[1].mean() {
				t.Errorf("%g events, packets take %g", events[1].mean(), events[0].mean())
			}
		})
	}
}

// The telemetry of a glide says when bytes arrive and packets are marked: what has
// by each 100 us is what has under packets: in the sum of 96 draws within 2 % of all
// bytes and 5 % of all marks.
func TestGlideTellsWhen(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 2, 2)
	const draws, step = 96, 100 * sim.Microsecond
	var bytes, marks [2][]float64
	for i := range draws {
		pc := packet.DefaultConfig()
		pc.Seed = uint64(i + 1)
		for k, m := range []outcome{measure(t, asPacket(g, r, pc), burst(g, 2, 16<<20, 1)), measure(t, asHybrid(g, r, Config{Packet: pc}), burst(g, 2, 16<<20, 1))} {
			b := &m.rep.Bins
			for at := step; at < 2*sim.Millisecond; at += step {
				x := int(at/step) - 1
				if x == len(bytes[k]) {
					bytes[k], marks[k] = append(bytes[k], 0), append(marks[k], 0)
				}
				for j := range b.ECN {
					if b.Start+sim.Time(j)*b.Bin < at {
						bytes[k][x] += float64(b.Delivered[j])
						marks[k][x] += float64(b.ECN[j])
					}
				}
			}
		}
	}
	last := len(bytes[0]) - 1
	for x := range bytes[0] {
		if d := (bytes[1][x] - bytes[0][x]) / bytes[0][last]; math.Abs(d) > 0.02 {
			t.Errorf("by %v %+.3f of all bytes have come", sim.Time(x+1)*step, d)
		}
		p, h := marks[0][x]/marks[0][last], marks[1][x]/marks[1][last]
		if math.Abs(h-p) > 0.05 {
			t.Errorf("by %v %.3f of all marks have been drawn, %.3f under packets", sim.Time(x+1)*step, h, p)
		}
	}
}
