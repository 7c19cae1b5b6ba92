package trace

// count books the time since the last change of a rank's state and then changes
// it by one operation.
func (g *Graph) count(i int, by int) {
	o := &g.j.Ops[i]
	r := &g.ranks[o.Rank]
	g.book(r)
	switch o.Kind {
	case Compute, Memory:
		r.computing += by
	case Send, Recv, Collective:
		r.talking += by
	}
}

func (g *Graph) book(r *rank) {
	d := g.k.Now() - r.since
	r.since = g.k.Now()
	switch {
	case r.computing > 0:
		r.now.Compute += d
		if r.talking > 0 {
			r.overlap += d
		}
	case r.talking > 0:
		r.now.Comm += d
	default:
		r.now.Idle += d
	}
}
