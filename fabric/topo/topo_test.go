package topo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

var link = Cable{Rate: 200 * sim.Gbps, Delay: 100 * sim.Nanosecond}

func base(nodes, nics int) Base {
	return Base{
		Hosts: Hosts{Nodes: nodes, NICs: nics, Class: 1, Latency: 600 * sim.Nanosecond},
		Link:  link,
		Leaf:  Device{Class: 2, Latency: 300 * sim.Nanosecond},
		Spine: Device{Class: 3, Latency: 400 * sim.Nanosecond},
		Core:  Device{Class: 4, Latency: 500 * sim.Nanosecond},
	}
}

// pair is what is expected between two NICs, by node and index.
type pair struct {
	a, b [2]int
	hops int // 0: unreachable
	ways int // next hops at the first switch
}

var specs = []struct {
	name              string
	spec              Spec
	leaf, upper, core int // switches by tier
	links             int
	down, up          float64 // bit/s below and above tier 1, all switches
	pairs             []pair
}{
	{"star", Star{base(4, 2)}, 1, 0, 0, 8, 8 * 200e9, 0,
		[]pair{{[2]int{0, 0}, [2]int{0, 1}, 2, 1}, {[2]int{0, 0}, [2]int{3, 1}, 2, 1}}},
	{"leaf-spine 1:1", LeafSpine{Base: base(8, 2), NodesPerLeaf: 2, Spines: 4}, 4, 4, 0, 16 + 16, 16 * 200e9, 16 * 200e9,
		[]pair{{[2]int{0, 0}, [2]int{1, 1}, 2, 1}, {[2]int{0, 0}, [2]int{2, 0}, 4, 4}}},
	{"leaf-spine 2:1 parallel", LeafSpine{Base: base(16, 2), NodesPerLeaf: 8, Spines: 2, Oversubscription: 2}, 2, 2, 0, 32 + 16, 32 * 200e9, 16 * 200e9,
		[]pair{{[2]int{0, 0}, [2]int{15, 1}, 4, 8}}},
	{"k-ary 4", KAry{Base: base(16, 1), K: 4}, 8, 8, 4, 16 + 16 + 16, 16 * 200e9, 16 * 200e9,
		[]pair{{[2]int{0, 0}, [2]int{1, 0}, 2, 1}, {[2]int{0, 0}, [2]int{2, 0}, 4, 2}, {[2]int{0, 0}, [2]int{15, 0}, 6, 2}}},
	{"k-ary 8 part filled", KAry{Base: base(25, 2), K: 8}, 32, 32, 16, 50 + 128 + 128, 50 * 200e9, 128 * 200e9,
		[]pair{{[2]int{0, 0}, [2]int{24, 1}, 6, 4}}},
	{"fat-tree 2 tiers", FatTree{Base: base(16, 2), Tiers: 2, Radix: 8}, 8, 4, 0, 32 + 32, 32 * 200e9, 32 * 200e9,
		[]pair{{[2]int{0, 0}, [2]int{15, 0}, 4, 4}}},
	{"fat-tree 2 tiers 3:1", FatTree{Base: base(12, 2), Tiers: 2, Radix: 8, Oversubscription: 3}, 4, 1, 0, 24 + 8, 24 * 200e9, 8 * 200e9,
		[]pair{{[2]int{0, 0}, [2]int{11, 0}, 4, 2}}},
	{"fat-tree 3 tiers", FatTree{Base: base(32, 2), Tiers: 3, Radix: 8}, 16, 16, 8, 64 + 64 + 64, 64 * 200e9, 64 * 200e9,
		[]pair{{[2]int{0, 0}, [2]int{7, 0}, 4, 4}, {[2]int{0, 0}, [2]int{8, 0}, 6, 4}}},
	{"rail-optimized, breakout", RailOptimized{Base: base(32, 8), NodesPerLeaf: 4, Spines: 4, Oversubscription: 2}, 64, 4, 0, 256 + 256, 256 * 200e9, 128 * 200e9,
		[]pair{{[2]int{0, 5}, [2]int{3, 5}, 2, 1}, {[2]int{0, 5}, [2]int{3, 4}, 4, 4}, {[2]int{0, 5}, [2]int{4, 5}, 4, 4}}},
	{"rail-optimized 3 tiers", RailOptimized{Base: base(16, 4), NodesPerLeaf: 4, Spines: 2, NodesPerPod: 8, Cores: 4, Oversubscription: 1, CoreOversubscription: 2}, 16, 4, 4, 64 + 64 + 4*2*4, 64 * 200e9, 64 * 200e9,
		[]pair{{[2]int{0, 0}, [2]int{3, 0}, 2, 1}, {[2]int{0, 0}, [2]int{4, 1}, 4, 4}, {[2]int{0, 0}, [2]int{8, 0}, 6, 4}}},
	{"rail-only, one leaf a rail", RailOnly{Base: base(8, 4)}, 4, 0, 0, 32, 32 * 200e9, 0,
		[]pair{{[2]int{0, 2}, [2]int{7, 2}, 2, 1}, {[2]int{0, 2}, [2]int{0, 3}, 0, 0}}},
	{"rail-only, spines", RailOnly{Base: base(8, 2), NodesPerLeaf: 4, Spines: 2, Oversubscription: 1}, 4, 4, 0, 16 + 16, 16 * 200e9, 16 * 200e9,
		[]pair{{[2]int{0, 1}, [2]int{7, 1}, 4, 4}, {[2]int{0, 1}, [2]int{7, 0}, 0, 0}}},
	{"dragonfly full", Dragonfly{Base: base(36, 2), A: 4, P: 2, H: 2, Groups: 9}, 36, 0, 0, 72 + 9*6 + 36, 72 * 200e9, 0,
		[]pair{{[2]int{0, 0}, [2]int{0, 1}, 2, 1}, {[2]int{0, 0}, [2]int{1, 0}, 3, 1}}},
	{"dragonfly, two links a pair of groups", Dragonfly{Base: base(10, 4), A: 4, P: 2, H: 2, Groups: 5}, 20, 0, 0, 40 + 5*6 + 20, 40 * 200e9, 0, nil},
	{"torus 4x4x2", Torus{Base: base(32, 2), Dims: []int{4, 4, 2}, NICsPerSwitch: 2}, 32, 0, 0, 64 + 32 + 32 + 16, 64 * 200e9, 0,
		[]pair{{[2]int{0, 0}, [2]int{0, 1}, 2, 1}, {[2]int{0, 0}, [2]int{1, 0}, 3, 1}, {[2]int{0, 0}, [2]int{21, 0}, 7, 5}}},
}

func TestShape(t *testing.T) {
	for _, c := range specs {
		t.Run(c.name, func(t *testing.T) {
			net, err := c.spec.Build()
			if err != nil {
				t.Fatal(err)
			}
			g := net.Graph
			var tiers [4]int
			names := map[string]bool{}
			for _, n := range g.Nodes {
				tiers[n.Tier]++
				if names[n.Name] {
					t.Errorf("two nodes are called %s", n.Name)
				}
				names[n.Name] = true
				if n.Class != n.Tier+1 || n.Latency == 0 {
					t.Errorf("%s: tier %d, class %d, latency %v", n.Name, n.Tier, n.Class, n.Latency)
				}
			}
			if got := [3]int(tiers[1:]); got != [3]int{c.leaf, c.upper, c.core} {
				t.Errorf("switches by tier %v, want %d %d %d", got, c.leaf, c.upper, c.core)
			}
			if len(g.Links) != c.links {
				t.Errorf("%d links, want %d", len(g.Links), c.links)
			}
			var down, up float64
			for _, l := range g.Links {
				switch a, b := g.Nodes[l.A].Tier, g.Nodes[l.B].Tier; {
				case min(a, b) == 0:
					down += float64(l.Rate)
				case min(a, b) == 1 && a != b:
					up += float64(l.Rate)
				}
			}
			if down != c.down || up != c.up {
				t.Errorf("leaves: %.4g bit/s below, %.4g above, want %.4g, %.4g", down, up, c.down, c.up)
			}
			for node, nics := range net.NICs {
				for i, n := range nics {
					if want := fmt.Sprintf("node%d/nic%d", node, i); g.Nodes[n].Name != want || g.Nodes[n].Group != int32(node) || len(g.PortsOf(n)) != 1 {
						t.Errorf("%+v, want %s", g.Nodes[n], want)
					}
				}
			}
			checkPairs(t, net, c.pairs)
		})
	}
}

// checkPairs routes all pairs and compares the listed ones.
func checkPairs(t *testing.T, net *Net, pairs []pair) {
	t.Helper()
	g := net.Graph
	r := fabric.NewRoutes(g, fabric.RouteOptions{Hasher: fabric.Hasher{Kind: fabric.CRC32, Fields: fabric.FiveTuple, PerSwitch: true}})
	var buf []fabric.PortID
	for _, a := range g.Hosts() {
		for _, b := range g.Hosts() {
			if a == b {
				continue
			}
			hops := r.Hops(a, b)
			path, err := r.Path(buf[:0], a, b, fabric.Header{SrcIP: fabric.HostIP(a), DstIP: fabric.HostIP(b), SrcPort: 50000})
			buf = path
			if (err != nil) != (hops == 0) || err == nil && len(path) != hops {
				t.Fatalf("%s to %s: path of %d, %d hops, %v", g.Nodes[a].Name, g.Nodes[b].Name, len(path), hops, err)
			}
		}
	}
	for _, p := range pairs {
		a, b := net.NICs[p.a[0]][p.a[1]], net.NICs[p.b[0]][p.b[1]]
		if got := r.Hops(a, b); got != p.hops {
			t.Errorf("%v to %v: %d hops, want %d", p.a, p.b, got, p.hops)
			continue
		}
		if p.hops > 0 {
			leaf := g.Ports[g.PortsOf(a)[0]].Peer
			if got := len(r.NextHops(nil, leaf, b)); got != p.ways {
				t.Errorf("%v to %v: %d next hops at %s, want %d", p.a, p.b, got, g.Nodes[leaf].Name, p.ways)
			}
		}
	}
}

func TestDegrees(t *testing.T) {
	for _, c := range []struct {
		spec   Spec
		prefix string
		want   int
	}{
		{KAry{Base: base(128, 1), K: 8}, "leaf", 8},
		{KAry{Base: base(128, 1), K: 8}, "agg", 8},
		{KAry{Base: base(128, 1), K: 8}, "core", 8},
		{FatTree{Base: base(32, 2), Tiers: 3, Radix: 8}, "agg", 8},
		{FatTree{Base: base(32, 2), Tiers: 3, Radix: 8}, "core", 8},
		{Dragonfly{Base: base(36, 2), A: 4, P: 2, H: 2, Groups: 9}, "router", 7},
		{Torus{Base: base(27, 1), Dims: []int{3, 3, 3}, NICsPerSwitch: 1}, "switch", 7},
	} {
		net, err := c.spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range net.Graph.Nodes {
			if strings.HasPrefix(n.Name, c.prefix) {
				if got := len(net.Graph.PortsOf(fabric.NodeID(i))); got != c.want {
					t.Errorf("%T: %s has %d ports, want %d", c.spec, n.Name, got, c.want)
				}
			}
		}
	}
}

// In a dragonfly every pair of groups has the same number of global links, and
// no router more than H of them.
func TestDragonflyGlobalLinks(t *testing.T) {
	s := Dragonfly{Base: base(10, 4), A: 4, P: 2, H: 2, Groups: 5}
	net, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	g := net.Graph
	pairs, router := map[[2]int32]int{}, map[fabric.NodeID]int{}
	for _, l := range g.Links {
		a, b := g.Nodes[l.A], g.Nodes[l.B]
		if a.Kind == fabric.Switch && b.Kind == fabric.Switch && a.Group != b.Group {
			pairs[[2]int32{min(a.Group, b.Group), max(a.Group, b.Group)}]++
			router[l.A]++
			router[l.B]++
		}
	}
	if len(pairs) != 10 {
		t.Errorf("%d pairs of groups, want 10", len(pairs))
	}
	for p, n := range pairs {
		if n != 2 {
			t.Errorf("groups %v: %d links, want 2", p, n)
		}
	}
	for r, n := range router {
		if n != 2 {
			t.Errorf("%s: %d global links, want 2", g.Nodes[r].Name, n)
		}
	}
}
