package topo

import "github.com/simnet/simnet/fabric"

// RailOptimized puts NIC r of each compute node on a leaf of rail r: a group of
// NodesPerLeaf nodes has one leaf a rail, so that NICs of one rail in one group
// are one switch apart. Spines join the leaves of all rails and groups.
//
// With NodesPerPod the groups form pods, each with Spines of its own, and
// cores join the pods: spine j of every pod has its own Cores/Spines cores.
type RailOptimized struct {
	Base
	NodesPerLeaf int // compute nodes a group
	Spines       int // of the network; of a pod if there are pods
	// Oversubscription of the leaves; 0 leaves one uplink a spine.
	Oversubscription float64

	NodesPerPod int // 0: two tiers
	Cores       int // of the network, a multiple of Spines
	// CoreOversubscription of the spines; 0 leaves one link a core.
	CoreOversubscription float64
}

type railPlan struct{ leaf, spine uplinks }

func (s *RailOptimized) plan(c *checks) (p railPlan) {
	s.check(c)
	c.atLeast("nodes_per_leaf", s.NodesPerLeaf, 1)
	c.atLeast("spines", s.Spines, 1)
	if s.NodesPerPod == 0 {
		if s.Cores != 0 {
			c.add("cores", "is %d, but without nodes_per_pod there is no core", s.Cores)
		}
		if s.CoreOversubscription != 0 {
			c.add("core_oversubscription", "is set, but without nodes_per_pod there is no core")
		}
	} else {
		if c.atLeast("nodes_per_pod", s.NodesPerPod, 1) && s.NodesPerLeaf > 0 && s.NodesPerPod%s.NodesPerLeaf != 0 {
			c.add("nodes_per_pod", "is %d, must be a multiple of nodes_per_leaf (%d)", s.NodesPerPod, s.NodesPerLeaf)
		}
		if c.atLeast("cores", s.Cores, 1) && s.Spines > 0 && s.Cores%s.Spines != 0 {
			c.add("cores", "is %d, must be a multiple of the spines of a pod (%d)", s.Cores, s.Spines)
		}
	}
	if !c.ok() {
		return p
	}
	down := float64(s.NodesPerLeaf) * float64(s.Link.Rate)
	p.leaf = planUplinks(c, "oversubscription", &s.Base, down, s.Oversubscription, s.Spines)
	if s.NodesPerPod > 0 {
		leaves := s.NodesPerPod / s.NodesPerLeaf * s.Hosts.NICs
		in := float64(leaves*p.leaf.parallel) * float64(p.leaf.cable.Rate)
		p.spine = planUplinks(c, "core_oversubscription", &s.Base, in, s.CoreOversubscription, s.Cores/s.Spines)
	}
	return p
}

// Validate implements Spec.
func (s RailOptimized) Validate() []error {
	var c checks
	s.plan(&c)
	return c.errs
}

// Build implements Spec.
func (s RailOptimized) Build() (*Net, error) {
	var c checks
	p := s.plan(&c)
	if err := join(c.errs); err != nil {
		return nil, err
	}
	b := newBuilder(&s.Base)
	rails, groups := s.Hosts.NICs, ceilDiv(s.Hosts.Nodes, s.NodesPerLeaf)
	if s.NodesPerPod == 0 {
		leaves := b.railLeaves(groups, s.NodesPerLeaf, func(i int) int { return i / rails })
		b.mesh(leaves, b.switches("spine", 2, s.Spines, noGroup), p.leaf.parallel, p.leaf.cable)
		return b.finish(), nil
	}
	perPod := s.NodesPerPod / s.NodesPerLeaf * rails
	pods := ceilDiv(s.Hosts.Nodes, s.NodesPerPod)
	leaves := b.railLeaves(groups, s.NodesPerLeaf, func(i int) int { return i / perPod })
	spines := b.switches("spine", 2, pods*s.Spines, func(i int) int { return i / s.Spines })
	cores := b.switches("core", 3, s.Cores, noGroup)
	for pod := range pods {
		in := leaves[pod*perPod : min((pod+1)*perPod, len(leaves))]
		b.mesh(in, spines[pod*s.Spines:(pod+1)*s.Spines], p.leaf.parallel, p.leaf.cable)
	}
	a := s.Cores / s.Spines
	for i := range spines {
		plane := i % s.Spines
		b.mesh(spines[i:i+1], cores[plane*a:(plane+1)*a], p.spine.parallel, p.spine.cable)
	}
	return b.finish(), nil
}

// railLeaves adds the leaves, group by group and in each rail by rail, and
// plugs the NICs in.
func (b *builder) railLeaves(groups, nodesPerLeaf int, group func(i int) int) []fabric.NodeID {
	rails := b.Hosts.NICs
	leaves := b.switches("leaf", 1, groups*rails, group)
	for n, nics := range b.net.NICs {
		for r, nic := range nics {
			b.g.AddLink(nic, leaves[n/nodesPerLeaf*rails+r], b.Link.Rate, b.Link.Delay)
		}
	}
	return leaves
}
