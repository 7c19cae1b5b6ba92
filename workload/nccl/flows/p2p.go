package flows

// allToAll is one message from every rank to every rank of other nodes. With
// PXN a message first goes inside the node to the GPU on the receiver's rail:
// the g messages from a node to one GPU leave by one NIC, as one flow.
func (b *builder) allToAll(bytes int64) {
	s := b.p.shape
	m, g := s.Nodes, s.GPUsPerNode
	part := bytes / int64(s.Ranks())
	if part == 0 {
		return
	}
	// Each sender begins with the node after its own, as NCCL's rounds do.
	for d := 1; d < m; d++ {
		for a := range m {
			to := (a + d) % m
			if b.ch.PXN {
				b.byRail(a, to, part)
				continue
			}
			for i := range g {
				for x := range g {
					j := (i + x) % g
					b.add(b.p.nics[a][b.p.rail[a][i]], b.p.nics[to][b.p.rail[to][j]], part)
				}
			}
		}
	}
}

// byRail adds one flow a rail for the messages of all GPUs of node a to all of
// another.
func (b *builder) byRail(a, to int, part int64) {
	gpus := make([]int64, len(b.p.nics[to]))
	for _, r := range b.p.rail[to] {
		gpus[r]++
	}
	for r, n := range gpus {
		if n > 0 {
			b.add(b.p.nics[a][r], b.p.nics[to][r], part*n*int64(b.p.shape.GPUsPerNode))
		}
	}
}

// sendRecv is nccl-tests' ring of messages, rank r to r+1: one a node leaves
// it, from its last GPU to the first of the next, with PXN by the rail of the
// receiver.
func (b *builder) sendRecv(bytes int64) {
	m, g := b.p.shape.Nodes, b.p.shape.GPUsPerNode
	for a := range m {
		to := (a + 1) % m
		in := b.p.rail[to][0]
		out := b.p.rail[a][g-1]
		if b.ch.PXN {
			out = in
		}
		b.add(b.p.nics[a][out], b.p.nics[to][in], bytes)
	}
}
