package topo

import "math"

// FatTree is a folded Clos network of two or three tiers built of switches of
// one radix, as small as the hosts allow. All links run at the link rate.
//
// Two tiers: leaves and spines. Three tiers: pods of leaves and aggregation
// switches, in which each leaf has one link to each aggregation switch; the
// aggregation switches of the same position in every pod share a plane of
// cores.
type FatTree struct {
	Base
	Tiers int // 2 or 3
	Radix int // ports a switch
	// Oversubscription of the leaves and, with three tiers, of the aggregation
	// switches; 0 means 1.
	Oversubscription     float64
	CoreOversubscription float64
}

// fatTreePlan is how many of everything.
type fatTreePlan struct {
	down, up    int // ports of a leaf
	leaves      int // of the network (two tiers) or of a pod
	spines      int // of the network (two tiers)
	links       int // cables from a leaf to each spine, or an aggregation switch to each core
	pods        int
	aggs, aggUp int // a pod; ports upwards of each
	coresAPlane int
}

// split divides the ports of a switch by oversubscription: down/up = over as
// nearly as whole ports allow, rounding in favour of the uplinks.
func split(radix int, over float64) (down, up int) {
	if over == 0 {
		over = 1
	}
	down = int(math.Floor(float64(radix)*over/(1+over) + 1e-9))
	return down, radix - down
}

// above returns how few upper switches take lower switches with up links each,
// evenly, and with how many parallel cables; 0 if the radix does not suffice.
func above(lower, up, radix int) (n, links int) {
	for n := ceilDiv(lower*up, radix); n <= up; n++ {
		if up%n == 0 && lower*(up/n) <= radix {
			return n, up / n
		}
	}
	return 0, 0
}

func (s *FatTree) plan(c *checks) (p fatTreePlan) {
	s.check(c)
	if s.Tiers != 2 && s.Tiers != 3 {
		c.add("tiers", "is %d, must be 2 or 3", s.Tiers)
	}
	c.atLeast("radix", s.Radix, 2)
	for _, o := range []struct {
		name string
		v    float64
	}{{"oversubscription", s.Oversubscription}, {"core_oversubscription", s.CoreOversubscription}} {
		if !(o.v >= 0) || math.IsInf(o.v, 0) {
			c.add(o.name, "is %v, must be above zero", o.v)
		}
	}
	if s.Tiers == 2 && s.CoreOversubscription != 0 {
		c.add("core_oversubscription", "is set, but a network of two tiers has no core")
	}
	if s.Uplink.Rate != 0 && s.Uplink.Rate != s.Link.Rate {
		c.add("uplink.rate", "is %v, but a fat-tree of one radix has one link rate (%v); use leaf-spine for faster uplinks", s.Uplink.Rate, s.Link.Rate)
	}
	if !c.ok() {
		return p
	}
	p.down, p.up = split(s.Radix, s.Oversubscription)
	if p.down < 1 || p.up < 1 {
		c.add("oversubscription", "%g leaves a switch of %d ports without links %s", s.Oversubscription, s.Radix, map[bool]string{true: "down", false: "up"}[p.down < 1])
		return p
	}
	n := s.Hosts.Total()
	if s.Tiers == 2 {
		p.leaves = ceilDiv(n, p.down)
		p.spines, p.links = above(p.leaves, p.up, s.Radix)
		if p.spines == 0 {
			c.add("radix", "is %d: two tiers hold at most %d NICs at this oversubscription, but there are %d; use three tiers or a larger radix", s.Radix, p.down*s.Radix, n)
		}
		return p
	}
	p.leaves, p.aggUp = split(s.Radix, s.CoreOversubscription)
	if p.leaves < 1 || p.aggUp < 1 {
		c.add("core_oversubscription", "%g leaves a switch of %d ports without links", s.CoreOversubscription, s.Radix)
		return p
	}
	p.aggs = p.up
	p.pods = ceilDiv(n, p.down*p.leaves)
	p.coresAPlane, p.links = above(p.pods, p.aggUp, s.Radix)
	if p.coresAPlane == 0 {
		c.add("radix", "is %d: three tiers hold at most %d NICs at this oversubscription, but there are %d", s.Radix, p.down*p.leaves*s.Radix, n)
	}
	return p
}

// Validate implements Spec.
func (s FatTree) Validate() []error {
	var c checks
	s.plan(&c)
	return c.errs
}

// Build implements Spec.
func (s FatTree) Build() (*Net, error) {
	var c checks
	p := s.plan(&c)
	if err := join(c.errs); err != nil {
		return nil, err
	}
	b := newBuilder(&s.Base)
	cable := b.between()
	if s.Tiers == 2 {
		leaves := b.switches("leaf", 1, p.leaves, noGroup)
		spines := b.switches("spine", 2, p.spines, noGroup)
		b.attach(leaves, p.down)
		b.mesh(leaves, spines, p.links, cable)
		return b.finish(), nil
	}
	leaves := b.switches("leaf", 1, p.pods*p.leaves, func(i int) int { return i / p.leaves })
	aggs := b.switches("agg", 2, p.pods*p.aggs, func(i int) int { return i / p.aggs })
	cores := b.switches("core", 3, p.aggs*p.coresAPlane, noGroup)
	b.attach(leaves, p.down)
	for pod := range p.pods {
		b.mesh(leaves[pod*p.leaves:(pod+1)*p.leaves], aggs[pod*p.aggs:(pod+1)*p.aggs], 1, cable)
	}
	for i := range aggs {
		plane := i % p.aggs
		b.mesh(aggs[i:i+1], cores[plane*p.coresAPlane:(plane+1)*p.coresAPlane], p.links, cable)
	}
	return b.finish(), nil
}
