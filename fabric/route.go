package fabric

import (
	"fmt"
	"slices"
)

// Routes holds the shortest-path next hops of a graph. Tables are compressed
// by symmetry: destinations attached to the same set of switches share one
// table over the switches, and equal sets of next hops are stored once.
//
// A Routes is safe for concurrent use as long as nobody calls Rebuild.
type Routes struct {
	g      *Graph
	hasher Hasher
	seeds  []uint32 // by node

	sw     []int32     // by node: index among the switches, -1 for a host
	group  []int32     // by node: destination group, -1 if not a host
	tables []destTable // by group
	sets   []hopSet
	hops   []hop    // of all sets
	single []single // by node
	salt   []uint32 // seeds, by switch
	down   []bool   // by link

	descending bool
}

// hopSet is a set of next hops: n of Routes.hops from first on.
type hopSet struct{ first, n int32 }

// hop is a port towards a switch.
type hop struct {
	port PortID
	sw   int32 // index of its peer among the switches
}

// single is a host's only link, if that leads to a switch and is up.
type single struct {
	out   PortID // -1: the host has another number of links
	sw    int32  // index of the switch
	group int32  // destination group of the host
}

// destTable leads to the hosts of one group. It is indexed by switch.
type destTable struct {
	next []int32 // index into sets; 0 = unreachable, or attached to the host
	dist []int16 // hops to the host; 0 = unreachable
}

// RouteOptions are the choices that NewRoutes leaves to the caller.
type RouteOptions struct {
	Hasher     Hasher
	Descending bool // next hops in descending order of peer index
}

// NewRoutes computes the routes of a frozen graph.
func NewRoutes(g *Graph, o RouteOptions) *Routes {
	r := &Routes{g: g, hasher: o.Hasher, descending: o.Descending, down: make([]bool, len(g.Links))}
	r.seeds = make([]uint32, len(g.Nodes))
	for i := range g.Nodes {
		r.seeds[i] = r.hasher.SwitchSeed(NodeID(i))
	}
	r.Rebuild()
	return r
}

// SetDown marks a link as unusable or usable again; Rebuild makes it count.
func (r *Routes) SetDown(l LinkID, down bool) {
	r.down[l] = down
	r.single[r.g.Links[l].A].out, r.single[r.g.Links[l].B].out = -1, -1
}

// Rebuild recomputes all tables from the links that are up.
func (r *Routes) Rebuild() {
	g := r.g
	b := newRouteBuilder(r)
	r.tables = nil
	r.group = make([]int32, len(g.Nodes))
	byAttach := map[string]int32{}
	var key []byte
	var at []int32
	for i := range g.Nodes {
		r.group[i] = -1
		if !g.Nodes[i].Kind.Host() {
			continue
		}
		at = r.attachment(at[:0], NodeID(i))
		key = key[:0]
		for _, s := range at {
			key = append(key, byte(s), byte(s>>8), byte(s>>16), byte(s>>24))
		}
		id, ok := byAttach[string(key)]
		if !ok {
			id = int32(len(r.tables))
			byAttach[string(key)] = id
			r.tables = append(r.tables, b.table(at))
		}
		r.group[i] = id
	}
	r.sets, r.hops = b.sets, b.all
	r.attach()
}

// attach finds the hosts with a single link.
func (r *Routes) attach() {
	r.single = make([]single, len(r.g.Nodes))
	for i := range r.single {
		s := &r.single[i]
		s.out = -1
		if ports := r.g.PortsOf(NodeID(i)); len(ports) == 1 && r.group[i] >= 0 {
			q := &r.g.Ports[ports[0]]
			if at := r.sw[q.Peer]; at >= 0 && !r.down[q.Link] {
				*s = single{ports[0], at, r.group[i]}
			}
		}
	}
	r.salt = r.salt[:0]
	for i, s := range r.sw {
		if s >= 0 {
			r.salt = append(r.salt, r.seeds[i])
		}
	}
}

// attachment appends the switches, by their index among the switches, at the
// far ends of the usable links of host n.
func (r *Routes) attachment(at []int32, n NodeID) []int32 {
	for _, p := range r.g.PortsOf(n) {
		q := &r.g.Ports[p]
		if s := r.sw[q.Peer]; s >= 0 && !r.down[q.Link] {
			at = append(at, s)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// NextHops appends to buf the ports of node at that lie on a shortest path to
// host dst, in a fixed order, and returns it; nothing if dst is unreachable.
// Hosts do not forward, but two hosts may share a link.
func (r *Routes) NextHops(buf []PortID, at, dst NodeID) []PortID {
	t := &r.tables[r.group[dst]]
	s := r.sw[at]
	if s >= 0 && t.next[s] != 0 {
		set := r.sets[t.next[s]]
		for _, h := range r.hops[set.first : set.first+set.n] {
			buf = append(buf, h.port)
		}
		return buf
	}
	n := len(buf)
	ports := r.g.PortsOf(at)
	if s < 0 || t.dist[s] == 1 { // the last hop, or a link between hosts
		for _, p := range ports {
			if q := &r.g.Ports[p]; q.Peer == dst && !r.down[q.Link] {
				buf = append(buf, p)
			}
		}
	}
	if s < 0 && len(buf) == n { // from a host: the switches that are nearest
		best := int16(0)
		for _, p := range ports {
			q := &r.g.Ports[p]
			x := r.sw[q.Peer]
			if x < 0 || r.down[q.Link] || t.dist[x] == 0 || best != 0 && t.dist[x] > best {
				continue
			}
			if t.dist[x] < best {
				buf = buf[:n]
			}
			best = t.dist[x]
			buf = append(buf, p)
		}
	}
	if r.descending {
		r.sortDescending(buf[n:])
	}
	return buf
}

func (r *Routes) sortDescending(p []PortID) {
	if len(p) > 1 {
		slices.SortStableFunc(p, func(a, b PortID) int { return int(r.g.Ports[b].Peer) - int(r.g.Ports[a].Peer) })
	}
}

// Pick returns which of n next hops the switch at chooses for a header.
func (r *Routes) Pick(at NodeID, h Header, n int) int {
	if n == 1 {
		return 0
	}
	return int(r.hasher.Hash(h, r.seeds[at]) % uint32(n))
}

// Path appends to buf the ports that packets with header h take from src to
// dst under ECMP, and returns it. It returns an error if dst cannot be reached.
func (r *Routes) Path(buf []PortID, src, dst NodeID, h Header) ([]PortID, error) {
	if r.group[dst] < 0 {
		return buf, fmt.Errorf("%s is not a host", r.g.Nodes[dst].Name)
	}
	var hops [64]PortID
	for at := src; at != dst; {
		next := r.NextHops(hops[:0], at, dst)
		if len(next) == 0 {
			return buf, fmt.Errorf("no path from %s to %s (stuck at %s)", r.g.Nodes[src].Name, r.g.Nodes[dst].Name, r.g.Nodes[at].Name)
		}
		p := next[r.Pick(at, h, len(next))]
		buf = append(buf, p)
		at = r.g.Ports[p].Peer
	}
	return buf, nil
}

// Hops returns the number of links on a shortest path from src to host dst; 0
// if there is none or src is dst.
func (r *Routes) Hops(src, dst NodeID) int {
	if src == dst {
		return 0
	}
	var hops [64]PortID
	next := r.NextHops(hops[:0], src, dst)
	if len(next) == 0 {
		return 0
	}
	if peer := r.g.Ports[next[0]].Peer; peer != dst {
		return 1 + int(r.tables[r.group[dst]].dist[r.sw[peer]])
	}
	return 1
}

// Graph returns the graph that r routes over.
func (r *Routes) Graph() *Graph { return r.g }
