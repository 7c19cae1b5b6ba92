package topo

// LeafSpine is a two-tier Clos network: all NICs of a compute node on one leaf,
// every leaf to every spine.
type LeafSpine struct {
	Base
	NodesPerLeaf int // compute nodes a leaf
	Spines       int
	// Oversubscription of the leaves; 0 leaves one uplink a spine.
	Oversubscription float64
}

func (s *LeafSpine) plan(c *checks) uplinks {
	s.check(c)
	a := c.atLeast("nodes_per_leaf", s.NodesPerLeaf, 1)
	if !c.atLeast("spines", s.Spines, 1) || !a || !c.ok() {
		return uplinks{}
	}
	return planUplinks(c, "oversubscription", &s.Base, float64(s.NodesPerLeaf*s.Hosts.NICs)*float64(s.Link.Rate), s.Oversubscription, s.Spines)
}

// Validate implements Spec.
func (s LeafSpine) Validate() []error {
	var c checks
	s.plan(&c)
	return c.errs
}

// Build implements Spec.
func (s LeafSpine) Build() (*Net, error) {
	var c checks
	up := s.plan(&c)
	if err := join(c.errs); err != nil {
		return nil, err
	}
	b := newBuilder(&s.Base)
	leaves := b.switches("leaf", 1, ceilDiv(s.Hosts.Nodes, s.NodesPerLeaf), noGroup)
	spines := b.switches("spine", 2, s.Spines, noGroup)
	b.attach(leaves, s.NodesPerLeaf*s.Hosts.NICs)
	b.mesh(leaves, spines, up.parallel, up.cable)
	return b.finish(), nil
}
