package fabric

import (
	"fmt"
	"slices"
	"testing"

	"github.com/simnet/simnet/sim"
	"pgregory.net/rapid"
)

// diamond: two hosts, two leaves, three spines; parallel links to spine 0.
func diamond() (g *Graph, h [2]NodeID, leaf [2]NodeID, spine [3]NodeID) {
	g = &Graph{}
	for i := range h {
		h[i] = g.AddNode(Node{Name: fmt.Sprint("h", i)})
	}
	for i := range leaf {
		leaf[i] = g.AddNode(Node{Name: fmt.Sprint("leaf", i), Kind: Switch})
	}
	for i := range spine {
		spine[i] = g.AddNode(Node{Name: fmt.Sprint("spine", i), Kind: Switch})
	}
	for i := range h {
		g.AddLink(h[i], leaf[i], 100*sim.Gbps, 0)
	}
	for _, l := range leaf {
		for i, s := range spine {
			g.AddLink(l, s, 100*sim.Gbps, 0)
			if i == 0 {
				g.AddLink(l, s, 100*sim.Gbps, 0)
			}
		}
	}
	g.Freeze()
	return
}

func peers(g *Graph, ports []PortID) (n []NodeID) {
	for _, p := range ports {
		n = append(n, g.Ports[p].Peer)
	}
	return n
}

func TestNextHopsKeepParallelLinksApart(t *testing.T) {
	g, h, leaf, s := diamond()
	for _, c := range []struct {
		descending bool
		want       []NodeID
	}{{false, []NodeID{s[0], s[0], s[1], s[2]}}, {true, []NodeID{s[2], s[1], s[0], s[0]}}} {
		r := NewRoutes(g, RouteOptions{Descending: c.descending})
		if got := peers(g, r.NextHops(nil, leaf[0], h[1])); !slices.Equal(got, c.want) {
			t.Errorf("descending %v: next hops %v, want %v", c.descending, got, c.want)
		}
		if got := r.NextHops(nil, s[0], h[1]); len(got) != 2 || got[0] == got[1] {
			t.Errorf("spine 0 has two links to leaf 1: %v", got)
		}
		if got := r.Hops(h[0], h[1]); got != 4 {
			t.Errorf("%d hops, want 4", got)
		}
	}
}

func TestLinksDown(t *testing.T) {
	g, h, leaf, s := diamond()
	r := NewRoutes(g, RouteOptions{})
	for i, l := range g.Links {
		if l.B == s[0] || l.B == s[1] && l.A == leaf[1] {
			r.SetDown(LinkID(i), true)
		}
	}
	r.Rebuild()
	if got := peers(g, r.NextHops(nil, leaf[0], h[1])); !slices.Equal(got, []NodeID{s[2]}) {
		t.Errorf("next hops %v, want spine 2 alone", got)
	}
	r.SetDown(1, true) // the cable of host 1
	r.Rebuild()
	if _, err := r.Path(nil, h[0], h[1], Header{}); err == nil || err.Error() != "no path from h0 to h1 (stuck at h0)" {
		t.Errorf("error %v", err)
	}
	for i := range g.Links {
		r.SetDown(LinkID(i), false)
	}
	r.Rebuild()
	if got := r.NextHops(nil, leaf[0], h[1]); len(got) != 4 {
		t.Errorf("after repair: %d next hops, want 4", len(got))
	}
}

// Hosts never forward, but may be wired to each other, and may have several
// links: they take those that lead the shortest way.
func TestHostsOfSeveralLinks(t *testing.T) {
	g := &Graph{}
	a, b, c := g.AddNode(Node{Name: "a"}), g.AddNode(Node{Name: "b"}), g.AddNode(Node{Name: "c"})
	s, u := g.AddNode(Node{Name: "s", Kind: Switch}), g.AddNode(Node{Name: "u", Kind: Switch})
	g.AddLink(a, b, sim.Gbps, 0)
	as := g.AddLink(a, s, sim.Gbps, 0)
	au := g.AddLink(a, u, sim.Gbps, 0)
	g.AddLink(s, u, sim.Gbps, 0)
	uc := g.AddLink(u, c, sim.Gbps, 0)
	g.Freeze()
	r := NewRoutes(g, RouteOptions{})
	for _, x := range []struct {
		at, dst NodeID
		want    []PortID
	}{
		{a, b, []PortID{0}},
		{a, c, []PortID{PortID(2 * au)}},
		{c, a, []PortID{PortID(2*uc + 1)}},
		{u, a, []PortID{PortID(2*au + 1)}},
		{s, a, []PortID{PortID(2*as + 1)}},
		{c, b, nil},
	} {
		if got := r.NextHops(nil, x.at, x.dst); !slices.Equal(got, x.want) {
			t.Errorf("%s to %s: ports %v, want %v", g.Nodes[x.at].Name, g.Nodes[x.dst].Name, got, x.want)
		}
	}
	if _, err := r.Path(nil, a, s, Header{}); err == nil {
		t.Error("a switch was taken for a destination")
	}
}

// Property: the tables agree with a search per destination over the graph.
func TestRoutesAgainstSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Graph{}
		hosts, switches := rapid.IntRange(2, 6).Draw(t, "hosts"), rapid.IntRange(1, 7).Draw(t, "switches")
		for i := range hosts {
			g.AddNode(Node{Name: fmt.Sprint("h", i)})
		}
		for i := range switches {
			g.AddNode(Node{Name: fmt.Sprint("s", i), Kind: Switch})
		}
		links := rapid.IntRange(1, 20).Draw(t, "links")
		var down []bool
		for range links {
			a := rapid.IntRange(0, hosts+switches-1).Draw(t, "a")
			b := rapid.IntRange(0, hosts+switches-2).Draw(t, "b")
			if b >= a {
				b++
			}
			g.AddLink(NodeID(a), NodeID(b), sim.Gbps, 0)
			down = append(down, rapid.IntRange(0, 4).Draw(t, "down") == 0)
		}
		g.Freeze()
		r := NewRoutes(g, RouteOptions{})
		for i, d := range down {
			r.SetDown(LinkID(i), d)
		}
		r.Rebuild()
		for dst := range hosts {
			dist := search(g, NodeID(dst), down)
			for at := range g.Nodes {
				if at == dst {
					continue
				}
				var want []PortID
				for _, p := range g.PortsOf(NodeID(at)) {
					q := g.Ports[p]
					if !down[q.Link] && dist[at] > 0 && dist[q.Peer] == dist[at]-1 && (dist[q.Peer] == 0 || g.Nodes[q.Peer].Kind == Switch) {
						want = append(want, p)
					}
				}
				if got := r.NextHops(nil, NodeID(at), NodeID(dst)); !slices.Equal(got, want) {
					t.Fatalf("from %d to %d: ports %v, want %v", at, dst, got, want)
				}
			}
		}
	})
}

// search is the obvious breadth-first search from dst; -1 is out of reach.
func search(g *Graph, dst NodeID, down []bool) []int {
	dist := make([]int, len(g.Nodes))
	for i := range dist {
		dist[i] = -1
	}
	dist[dst] = 0
	for queue := []NodeID{dst}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		if u != dst && g.Nodes[u].Kind.Host() {
			continue
		}
		for _, p := range g.PortsOf(u) {
			if q := g.Ports[p]; !down[q.Link] && dist[q.Peer] < 0 {
				dist[q.Peer] = dist[u] + 1
				queue = append(queue, q.Peer)
			}
		}
	}
	return dist
}
