package results

import (
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Two of three flows are put on one of two uplinks, by the same hash as the
// engines use: the finding names the port, both pairs and what an even spread
// would give.
func TestCollisionIsNamed(t *testing.T) {
	g := &fabric.Graph{}
	var leaf, spine, host []fabric.NodeID
	for i := range 2 {
		leaf = append(leaf, g.AddNode(fabric.Node{Name: []string{"leaf0", "leaf1"}[i], Kind: fabric.Switch, Tier: 1}))
	}
	for i := range 2 {
		spine = append(spine, g.AddNode(fabric.Node{Name: []string{"spine0", "spine1"}[i], Kind: fabric.Switch, Tier: 2}))
	}
	for i := range 8 {
		h := g.AddNode(fabric.Node{Name: "h" + string(rune('0'+i)), Kind: fabric.NIC})
		host = append(host, h)
		g.AddLink(h, leaf[i/4], 100*sim.Gbps, 0)
	}
	for _, l := range leaf {
		for _, s := range spine {
			g.AddLink(l, s, 100*sim.Gbps, 0)
		}
	}
	g.Freeze()
	routes := fabric.NewRoutes(g, fabric.RouteOptions{Hasher: fabric.Hasher{Fields: fabric.FiveTuple}})
	// Pairs h0..h3 -> h4..h7 whose paths meet: two on one uplink, one on the other.
	const size = 100_000_000
	alone := (100 * sim.Gbps).TxTime(size)
	pick := func(up fabric.PortID, n int) (out []fabric.FlowRecord) {
		for i := range 16 {
			f := fabric.FlowRecord{Src: host[i/4], Dst: host[4+i%4], Bytes: size, FCT: 2 * alone, Ideal: alone, Job: "train", Label: "dp_all_reduce"}
			if cross := CrossingsOf(routes, []fabric.FlowRecord{f})(up); len(cross) == 1 && len(out) < n {
				out = append(out, f)
			}
		}
		return out
	}
	ups := uplinksOf(g, leaf[0])
	flows := append(pick(ups[0], 2), pick(ups[1], 1)...)
	if len(ups) != 2 || len(flows) != 3 {
		t.Fatalf("%d uplinks, %d flows", len(ups), len(flows))
	}
	flows[2].FCT = alone
	r := &Run{Fidelity: "flow", Graph: g, SimTime: 2 * alone, Report: &fabric.Report{Flows: flows, Ports: make([]fabric.PortStats, len(g.Ports))}}
	r.Crossings = CrossingsOf(routes, flows)
	for i := range r.Report.Ports {
		for _, c := range r.Crossings(fabric.PortID(i)) {
			r.Report.Ports[i].TxBytes += c.Bytes + c.Bytes/50
		}
	}
	f := uplinkFindings(r, r.SimTime)
	if len(f) != 1 || f[0].Kind != "collision" || f[0].Where != g.PortName(ups[0]) {
		t.Fatalf("%+v", f)
	}
	for _, want := range []string{
		"carried 2 dp_all_reduce flows", g.Nodes[flows[0].Src].Name + "->" + g.Nodes[flows[0].Dst].Name,
		"67 % of what went over the 2 uplinks", "It was 100 % utilised while they ran, the other uplink of its switch 50 %",
		"They took 2.00 times their ideal time, the others of dp_all_reduce 1.00",
	} {
		if !strings.Contains(f[0].Text, want) {
			t.Errorf("%q lacks %q", f[0].Text, want)
		}
	}
	// Names that do not fit what the ports counted are not used.
	r.Report.Ports[ups[0]].TxBytes /= 4
	if f := uplinkFindings(r, r.SimTime); len(f) > 0 && f[0].Kind == "collision" {
		t.Errorf("a port that sent less than the flows said to cross it: %+v", f)
	}
}
