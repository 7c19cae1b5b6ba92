package topo

// Dragonfly is the topology of Kim, Dally, Scott and Abts (ISCA 2008) with its
// parameters: groups of A routers, all linked to each other, P NICs and H
// global links a router. With fewer than A*H+1 groups each pair of groups has
// several global links. NICs fill it in order. Routes are minimal.
type Dragonfly struct {
	Base
	A      int // routers a group
	P      int // NICs a router
	H      int // global links a router
	Groups int
	// Global is the cable between groups; zero takes the one between routers.
	Global Cable
}

// Capacity returns the number of NICs that fit.
func (s Dragonfly) Capacity() int { return s.Groups * s.A * s.P }

// Validate implements Spec.
func (s Dragonfly) Validate() []error {
	var c checks
	s.check(&c)
	c.atLeast("a", s.A, 1)
	c.atLeast("p", s.P, 1)
	c.atLeast("h", s.H, 0)
	c.atLeast("groups", s.Groups, 1)
	if s.Global.Rate < 0 || s.Global.Delay < 0 {
		c.add("global", "rate %v and delay %v must not be negative", s.Global.Rate, s.Global.Delay)
	}
	if !c.ok() {
		return c.errs
	}
	switch g := s.Groups - 1; {
	case g > s.A*s.H:
		c.add("groups", "is %d, but %d routers with %d global links reach only %d groups", s.Groups, s.A, s.H, s.A*s.H+1)
	case g > 0 && s.A*s.H%g != 0:
		c.add("groups", "is %d: the %d global links of a group cannot be spread evenly over %d others", s.Groups, s.A*s.H, g)
	case s.Hosts.Total() > s.Capacity():
		c.add("groups", "is %d, which holds %d NICs, but there are %d", s.Groups, s.Capacity(), s.Hosts.Total())
	}
	return c.errs
}

// Build implements Spec.
func (s Dragonfly) Build() (*Net, error) {
	if err := join(s.Validate()); err != nil {
		return nil, err
	}
	b := newBuilder(&s.Base)
	routers := b.switches("router", 1, s.Groups*s.A, func(i int) int { return i / s.A })
	b.attach(routers, s.P)
	local, global := b.between(), s.Global
	if global.Rate == 0 {
		global.Rate = local.Rate
	}
	if global.Delay == 0 {
		global.Delay = local.Delay
	}
	for g := range s.Groups {
		for i := range s.A {
			for j := i + 1; j < s.A; j++ {
				b.g.AddLink(routers[g*s.A+i], routers[g*s.A+j], local.Rate, local.Delay)
			}
		}
	}
	// Global link number n of a group leads to the group 1 + n mod (groups-1)
	// further on, and belongs to router n / H.
	others := s.Groups - 1
	for g := range s.Groups {
		for t := g + 1; t < s.Groups; t++ {
			for c := range s.A * s.H / others {
				from := c*others + t - g - 1
				to := c*others + g - t - 1 + s.Groups
				b.g.AddLink(routers[g*s.A+from/s.H], routers[t*s.A+to/s.H], global.Rate, global.Delay)
			}
		}
	}
	return b.finish(), nil
}
