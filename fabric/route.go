package fabric

import (
	"fmt"
	"slices"
)

// Routes holds the shortest-path next hops of a graph. Tables are compressed
// by symmetry: destinations attached to the same set of switches share one
// table, and equal sets of next hops are stored once.
//
// A Routes is safe for concurrent use as long as nobody calls Rebuild.
type Routes struct {
	g      *Graph
	hasher Hasher
	seeds  []uint32 // by node

	group  []int32   // by node: destination group, -1 if not a host
	tables [][]int32 // by group, then node: index into sets, 0 = unreachable
	sets   [][]PortID
	index  map[string]int32 // by the ports' bytes; used while building only
	down   []bool           // by link

	descending bool
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
func (r *Routes) SetDown(l LinkID, down bool) { r.down[l] = down }

// Rebuild recomputes all tables from the links that are up.
func (r *Routes) Rebuild() {
	g := r.g
	r.sets = [][]PortID{nil}
	r.index = map[string]int32{}
	r.tables = nil
	r.group = make([]int32, len(g.Nodes))
	byAttach := map[string]int32{}
	var members [][]NodeID
	var key []byte
	for i := range g.Nodes {
		r.group[i] = -1
		if !g.Nodes[i].Kind.Host() {
			continue
		}
		key = r.attachment(key[:0], NodeID(i))
		id, ok := byAttach[string(key)]
		if !ok {
			id = int32(len(members))
			byAttach[string(key)] = id
			members = append(members, nil)
		}
		members[id] = append(members[id], NodeID(i))
		r.group[i] = id
	}
	var b bfs
	for _, m := range members {
		r.tables = append(r.tables, r.table(m, &b))
	}
	r.index = nil
}

// attachment describes where host n is plugged in: the switches at the far
// ends of its usable links. Hosts that relay (GPUs on NVLink) or that are wired
// to another host get a key of their own.
func (r *Routes) attachment(key []byte, n NodeID) []byte {
	var sw []int32
	for _, p := range r.g.PortsOf(n) {
		if r.down[r.g.Ports[p].Link] {
			continue
		}
		peer := r.g.Ports[p].Peer
		if r.g.Nodes[peer].Kind.Host() {
			return fmt.Appendf(key, "host%d", n)
		}
		sw = append(sw, int32(peer))
	}
	slices.Sort(sw)
	return fmt.Append(key, sw)
}

type bfs struct {
	dist  []int32
	queue []NodeID
}

// table computes the next hops of every node towards the hosts of one group.
// The hosts stand at the same distance from everything, so one search from all
// of their switches serves them all; the last hop, from switch to host, is
// looked up by hostPort.
func (r *Routes) table(members []NodeID, b *bfs) []int32 {
	g := r.g
	if b.dist == nil {
		b.dist = make([]int32, len(g.Nodes))
	}
	for i := range b.dist {
		b.dist[i] = -1
	}
	b.queue = b.queue[:0]
	for _, m := range members {
		b.dist[m] = 0
		b.queue = append(b.queue, m)
	}
	for i := 0; i < len(b.queue); i++ {
		u := b.queue[i]
		if i >= len(members) && g.Nodes[u].Kind.Host() {
			continue // hosts do not forward
		}
		for _, p := range g.PortsOf(u) {
			q := &g.Ports[p]
			if b.dist[q.Peer] < 0 && !r.down[q.Link] {
				b.dist[q.Peer] = b.dist[u] + 1
				b.queue = append(b.queue, q.Peer)
			}
		}
	}
	t := make([]int32, len(g.Nodes))
	var hops []PortID
	for n := range g.Nodes {
		if b.dist[n] < 0 {
			continue
		}
		hops = hops[:0]
		if b.dist[n] == 0 { // a neighbour of the destination: any switch they share
			for _, p := range g.PortsOf(NodeID(n)) {
				if q := &g.Ports[p]; !r.down[q.Link] && !g.Nodes[q.Peer].Kind.Host() {
					hops = append(hops, p)
				}
			}
			t[n] = r.intern(hops)
			continue
		}
		for _, p := range g.PortsOf(NodeID(n)) {
			q := &g.Ports[p]
			if !r.down[q.Link] && b.dist[q.Peer] == b.dist[n]-1 && (b.dist[q.Peer] == 0 || !g.Nodes[q.Peer].Kind.Host()) {
				hops = append(hops, p)
			}
		}
		if b.dist[n] == 1 {
			continue // attached switch (or wired host): resolved per destination
		}
		t[n] = r.intern(hops)
	}
	return t
}

func (r *Routes) intern(hops []PortID) int32 {
	if len(hops) == 0 {
		return 0
	}
	if r.descending {
		slices.SortStableFunc(hops, func(a, b PortID) int { return int(r.g.Ports[b].Peer) - int(r.g.Ports[a].Peer) })
	}
	key := make([]byte, 0, 4*len(hops))
	for _, p := range hops {
		key = append(key, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
	}
	id, ok := r.index[string(key)]
	if !ok {
		id = int32(len(r.sets))
		r.sets = append(r.sets, slices.Clone(hops))
		r.index[string(key)] = id
	}
	return id
}

// NextHops appends to buf the ports of node at that lie on a shortest path to
// host dst, in a fixed order, and returns it; nothing if dst is unreachable.
func (r *Routes) NextHops(buf []PortID, at, dst NodeID) []PortID {
	if s := r.tables[r.group[dst]][at]; s != 0 {
		return append(buf, r.sets[s]...)
	}
	n := len(buf)
	for _, p := range r.g.PortsOf(at) {
		if q := &r.g.Ports[p]; q.Peer == dst && !r.down[q.Link] {
			buf = append(buf, p)
		}
	}
	if r.descending && len(buf) > n+1 {
		slices.SortStableFunc(buf[n:], func(a, b PortID) int { return int(r.g.Ports[b].Peer) - int(r.g.Ports[a].Peer) })
	}
	return buf
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
	for at, n := src, 0; at != dst; n++ {
		next := r.NextHops(hops[:0], at, dst)
		if len(next) == 0 || n > len(r.g.Nodes) {
			return buf, fmt.Errorf("no path from %s to %s (stuck at %s)", r.g.Nodes[src].Name, r.g.Nodes[dst].Name, r.g.Nodes[at].Name)
		}
		p := next[r.Pick(at, h, len(next))]
		buf = append(buf, p)
		at = r.g.Ports[p].Peer
	}
	return buf, nil
}

// Graph returns the graph that r routes over.
func (r *Routes) Graph() *Graph { return r.g }
