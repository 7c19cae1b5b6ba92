package topo

// Star is one switch with every NIC on it.
type Star struct{ Base }

// Validate implements Spec.
func (s Star) Validate() []error {
	var c checks
	s.check(&c)
	return c.errs
}

// Build implements Spec.
func (s Star) Build() (*Net, error) {
	if err := join(s.Validate()); err != nil {
		return nil, err
	}
	b := newBuilder(&s.Base)
	b.attach(b.switches("leaf", 1, 1, noGroup), s.Hosts.Total())
	return b.finish(), nil
}
