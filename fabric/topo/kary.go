package topo

// KAry is the k-ary fat-tree of Al-Fares, Loukissas and Vahdat (SIGCOMM 2008):
// k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores, k^3/4 hosts,
// all of one rate. NICs fill it in order; what is left over stays empty.
type KAry struct {
	Base
	K int // ports a switch, even
}

// Capacity returns the number of NICs that fit.
func (s KAry) Capacity() int { return s.K * s.K * s.K / 4 }

// Validate implements Spec.
func (s KAry) Validate() []error {
	var c checks
	s.check(&c)
	switch {
	case s.K < 2 || s.K%2 != 0:
		c.add("k", "is %d, must be even and at least 2", s.K)
	case c.ok() && s.Hosts.Total() > s.Capacity():
		k := s.K
		for (KAry{K: k}).Capacity() < s.Hosts.Total() {
			k += 2
		}
		c.add("k", "is %d, which holds %d NICs, but there are %d; k = %d would do", s.K, s.Capacity(), s.Hosts.Total(), k)
	}
	return c.errs
}

// Build implements Spec.
func (s KAry) Build() (*Net, error) {
	if err := join(s.Validate()); err != nil {
		return nil, err
	}
	b := newBuilder(&s.Base)
	h := s.K / 2
	pod := func(i int) int { return i / h }
	leaves := b.switches("leaf", 1, s.K*h, pod)
	aggs := b.switches("agg", 2, s.K*h, pod)
	cores := b.switches("core", 3, h*h, noGroup)
	b.attach(leaves, h)
	c := b.between()
	for p := range s.K {
		b.mesh(leaves[p*h:p*h+h], aggs[p*h:p*h+h], 1, c)
	}
	for i, a := range aggs {
		j := i % h
		for _, u := range cores[j*h : j*h+h] {
			b.g.AddLink(a, u, c.Rate, c.Delay)
		}
	}
	return b.finish(), nil
}
