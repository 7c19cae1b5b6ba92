package flows

// treeParent returns the parent of rank r in NCCL's binary tree of n, in which
// leaves and inner ranks alternate; -1 for the root, rank 0 (src/graph/trees.cc,
// ncclGetBtree).
func treeParent(n, r int) int {
	if r == 0 {
		return -1
	}
	bit := r & -r
	if up := r&^bit | bit<<1; up < n {
		return up
	}
	return r &^ bit
}

// Parents returns, for one of NCCL's two trees over n ranks, the parent of each
// rank and -1 for the root. The second tree mirrors the first, or shifts it
// where n is odd, so that an inner rank of one is a leaf of the other
// (src/graph/trees.cc, ncclGetDtree).
func Parents(n, tree int) []int {
	p := make([]int, n)
	for r := range n {
		switch {
		case tree == 0:
			p[r] = treeParent(n, r)
		case n%2 == 1:
			if p[r] = treeParent(n, (r-1+n)%n); p[r] >= 0 {
				p[r] = (p[r] + 1) % n
			}
		default:
			if p[r] = treeParent(n, n-1-r); p[r] >= 0 {
				p[r] = n - 1 - p[r]
			}
		}
	}
	return p
}

// Depth returns the longest way to the root in hops.
func Depth(parents []int) int {
	deepest := 0
	for r := range parents {
		d := 0
		for x := r; parents[x] >= 0; x = parents[x] {
			d++
		}
		deepest = max(deepest, d)
	}
	return deepest
}

// trees is a double binary tree of nodes: channels of the first half run the
// one, their copies the other. With so few channels that there are no copies
// each runs both, with half its bytes in each.
func (b *builder) trees(bytes int64) {
	m := b.p.shape.Nodes
	parents := [2][]int{Parents(m, 0), Parents(m, 1)}
	b.hops = 2*max(Depth(parents[0]), Depth(parents[1])) - 1
	share := ceilDiv(bytes, int64(b.ch.Channels))
	for ch := range b.ch.Channels {
		if b.ch.Channels > b.p.half {
			b.tree(parents[min(1, ch/b.p.half)], ch, share)
			continue
		}
		b.tree(parents[0], ch, ceilDiv(share, 2))
		b.tree(parents[1], ch, share/2)
	}
}

// tree adds the flows of one channel: up, each waiting for its children, and
// down from the root.
func (b *builder) tree(parents []int, ch int, share int64) {
	if share == 0 {
		return
	}
	base := len(b.flows)
	for _, f := range TreeFlows(parents) {
		up := make([]int, len(f.Upstream))
		for i, u := range f.Upstream {
			up[i] = base + u
		}
		b.add(b.nic(f.From, ch, false), b.nic(f.To, ch, false), share, up...)
	}
}

// TreeFlow is one edge of a tree in one direction.
type TreeFlow struct {
	From, To int   // ranks
	Upstream []int // indices of the flows that it waits for
}

// TreeFlows returns the edges of an all-reduce over a tree: up from every rank
// but the root as a reduction, then down to it as a broadcast.
func TreeFlows(parents []int) []TreeFlow {
	n := len(parents)
	up, down := make([]int, n), make([]int, n) // by rank: its flow to and from its parent
	k := 0
	root := 0
	for r, p := range parents {
		if p < 0 {
			root = r
			continue
		}
		up[r], down[r] = k, k+n-1
		k++
	}
	children := make([][]int, n)
	for r, p := range parents {
		if p >= 0 {
			children[p] = append(children[p], up[r])
		}
	}
	flows := make([]TreeFlow, 2*(n-1))
	for r, p := range parents {
		if p < 0 {
			continue
		}
		flows[up[r]] = TreeFlow{r, p, children[r]}
		f := TreeFlow{From: p, To: r, Upstream: children[root]}
		if p != root {
			f.Upstream = []int{down[p]}
		}
		flows[down[r]] = f
	}
	return flows
}
