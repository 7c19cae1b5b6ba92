package packet

import (
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// star returns n hosts at one switch.
func star(n int, rate sim.Rate, delay sim.Time) (*fabric.Graph, *fabric.Routes) {
	g := &fabric.Graph{}
	sw := g.AddNode(fabric.Node{Name: "sw", Kind: fabric.Switch, Tier: 1, Group: -1})
	for i := range n {
		h := g.AddNode(fabric.Node{Name: "h" + string(rune('a'+i)), Kind: fabric.NIC, Group: -1})
		g.AddLink(h, sw, rate, delay)
	}
	g.Freeze()
	return g, fabric.NewRoutes(g, fabric.RouteOptions{Hasher: fabric.Hasher{Fields: fabric.FiveTuple, PerSwitch: true, Seed: 1}})
}

func run(t testing.TB, g *fabric.Graph, r *fabric.Routes, c Config, fs []fabric.Flow) (*Engine, *fabric.Report) {
	t.Helper()
	k := sim.NewKernel()
	e, err := New(k, g, r, c)
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	e.StartGroup(fs)
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	rep := e.Report()
	for _, v := range append(rep.Violations, rep.Notes...) {
		t.Error(v)
	}
	return e, rep
}

func TestSingleFlowIsIdeal(t *testing.T) {
	g, r := star(2, 100*sim.Gbps, sim.Microsecond)
	for _, n := range []int64{1, 4096, 4097, 12287, 1 << 20, 12345678} {
		_, rep := run(t, g, r, DefaultConfig(), []fabric.Flow{{Src: 1, Dst: 2, Bytes: n}})
		if f := rep.Flows[0]; f.FCT != f.Ideal {
			t.Errorf("%d bytes: %v, ideal %v", n, f.FCT, f.Ideal)
		}
	}
}

// The last of n equal flows into one port arrives after the wire has carried
// all bytes: one packet into the switch, everything out of it.
func TestIncastClosedForm(t *testing.T) {
	for _, n := range []int{2, 8} {
		g, r := star(n+1, 100*sim.Gbps, sim.Microsecond)
		c := DefaultConfig()
		c.CC.Algorithm = None
		var fs []fabric.Flow
		for i := range n {
			fs = append(fs, fabric.Flow{Src: fabric.NodeID(i + 2), Dst: 1, Bytes: 1 << 20})
		}
		_, rep := run(t, g, r, c, fs)
		var last sim.Time
		for _, f := range rep.Flows {
			last = max(last, f.FCT)
		}
		rate := 100 * sim.Gbps
		want := rate.TxTime(4096+82) + 2*sim.Microsecond + rate.TxTime(int64(n)*c.Framing.WireBytes(1<<20))
		if last != want {
			t.Errorf("%d to 1: last after %d ps, closed form %d", n, last, want)
		}
		if rep.Counters.Drops != 0 {
			t.Errorf("%d drops", rep.Counters.Drops)
		}
	}
}
