package topo

import "github.com/simnet/simnet/fabric"

// RailOnly is the network of Wang et al., "Rail-only: A Low-Cost
// High-Performance Network for Training LLMs with Trillion Parameters" (Hot
// Interconnects 2024): the rails are separate networks. NICs of different
// rails cannot reach each other; such traffic goes over NVLink first.
//
// A rail of more than one leaf has Spines of its own.
type RailOnly struct {
	Base
	NodesPerLeaf int // compute nodes a leaf; 0 puts the whole rail on one
	Spines       int // of each rail; needed with more than one leaf a rail
	// Oversubscription of the leaves; 0 leaves one uplink a spine.
	Oversubscription float64
}

func (s *RailOnly) groups() int {
	if s.NodesPerLeaf == 0 {
		return 1
	}
	return ceilDiv(s.Hosts.Nodes, s.NodesPerLeaf)
}

func (s *RailOnly) plan(c *checks) (up uplinks) {
	s.check(c)
	if !c.atLeast("nodes_per_leaf", s.NodesPerLeaf, 0) || !c.ok() {
		return up
	}
	if s.groups() == 1 {
		if s.Spines != 0 {
			c.add("spines", "is %d, but each rail is a single leaf", s.Spines)
		}
		if s.Oversubscription != 0 {
			c.add("oversubscription", "is set, but each rail is a single leaf")
		}
		return up
	}
	if !c.atLeast("spines", s.Spines, 1) {
		return up
	}
	return planUplinks(c, "oversubscription", &s.Base, float64(s.NodesPerLeaf)*float64(s.Link.Rate), s.Oversubscription, s.Spines)
}

// Validate implements Spec.
func (s RailOnly) Validate() []error {
	var c checks
	s.plan(&c)
	return c.errs
}

// Build implements Spec.
func (s RailOnly) Build() (*Net, error) {
	var c checks
	up := s.plan(&c)
	if err := join(c.errs); err != nil {
		return nil, err
	}
	b := newBuilder(&s.Base)
	rails, groups := s.Hosts.NICs, s.groups()
	per := s.NodesPerLeaf
	if per == 0 {
		per = s.Hosts.Nodes
	}
	leaves := b.railLeaves(groups, per, func(i int) int { return i / rails })
	if groups > 1 {
		spines := b.switches("spine", 2, rails*s.Spines, noGroup) // rail by rail
		for r := range rails {
			var mine []fabric.NodeID
			for g := range groups {
				mine = append(mine, leaves[g*rails+r])
			}
			b.mesh(mine, spines[r*s.Spines:(r+1)*s.Spines], up.parallel, up.cable)
		}
	}
	return b.finish(), nil
}
