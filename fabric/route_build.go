package fabric

import "slices"

// routeBuilder computes the tables of one Rebuild. It sees the switches alone:
// hosts do not forward, and there are an order of magnitude more of them.
type routeBuilder struct {
	r     *Routes
	nodes []NodeID // by index among the switches
	first []int32  // CSR: usable ports of switch s towards switches are ports[first[s]:first[s+1]]
	ports []PortID
	peer  []int32 // switch at the far end of ports[i]

	queue  []int32
	sets   []hopSet
	all    []hop            // of the sets
	single []int32          // by port: the set that holds it alone, 0 if not made yet
	last   []int32          // by switch: the set of several ports used last
	index  map[string]int32 // sets of several ports, by their bytes
	hops   []PortID
	key    []byte
}

func newRouteBuilder(r *Routes) *routeBuilder {
	g := r.g
	b := &routeBuilder{r: r, sets: []hopSet{{}}, single: make([]int32, len(g.Ports)), index: map[string]int32{}}
	r.sw = make([]int32, len(g.Nodes))
	for i := range g.Nodes {
		r.sw[i] = -1
		if !g.Nodes[i].Kind.Host() {
			r.sw[i] = int32(len(b.nodes))
			b.nodes = append(b.nodes, NodeID(i))
		}
	}
	b.last = make([]int32, len(b.nodes))
	b.first = make([]int32, 0, len(b.nodes)+1)
	for _, n := range b.nodes {
		b.first = append(b.first, int32(len(b.ports)))
		for _, p := range g.PortsOf(n) {
			q := &g.Ports[p]
			if s := r.sw[q.Peer]; s >= 0 && !r.down[q.Link] {
				b.ports = append(b.ports, p)
				b.peer = append(b.peer, s)
			}
		}
	}
	b.first = append(b.first, int32(len(b.ports)))
	return b
}

// table computes the next hops of every switch towards hosts attached to the
// switches at: one breadth-first search from all of these.
func (b *routeBuilder) table(at []int32) destTable {
	t := destTable{next: make([]int32, len(b.nodes)), dist: make([]int16, len(b.nodes))}
	b.queue = append(b.queue[:0], at...)
	for _, s := range at {
		t.dist[s] = 1
	}
	for i := 0; i < len(b.queue); i++ {
		u := b.queue[i]
		d := t.dist[u]
		b.hops = b.hops[:0]
		for k := b.first[u]; k < b.first[u+1]; k++ {
			v := b.peer[k]
			switch {
			case t.dist[v] == 0:
				t.dist[v] = d + 1
				b.queue = append(b.queue, v)
			case t.dist[v] == d-1:
				b.hops = append(b.hops, b.ports[k])
			}
		}
		t.next[u] = b.intern(u)
	}
	return t
}

// intern returns the index of the set b.hops of switch s.
func (b *routeBuilder) intern(s int32) int32 {
	if len(b.hops) == 0 {
		return 0
	}
	if len(b.hops) == 1 {
		id := &b.single[b.hops[0]]
		if *id == 0 {
			*id = b.add()
		}
		return *id
	}
	if b.r.descending {
		b.r.sortDescending(b.hops)
	}
	if id := b.last[s]; id != 0 && b.equal(b.sets[id]) {
		return id
	}
	b.key = b.key[:0]
	for _, p := range b.hops {
		b.key = append(b.key, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
	}
	id, ok := b.index[string(b.key)]
	if !ok {
		id = b.add()
		b.index[string(b.key)] = id
	}
	b.last[s] = id
	return id
}

// equal reports whether set is b.hops.
func (b *routeBuilder) equal(set hopSet) bool {
	return slices.EqualFunc(b.all[set.first:set.first+set.n], b.hops, func(h hop, p PortID) bool { return h.port == p })
}

func (b *routeBuilder) add() int32 {
	b.sets = append(b.sets, hopSet{int32(len(b.all)), int32(len(b.hops))})
	for _, p := range b.hops {
		b.all = append(b.all, hop{p, b.r.sw[b.r.g.Ports[p].Peer]})
	}
	return int32(len(b.sets) - 1)
}
