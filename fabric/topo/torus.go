package topo

import (
	"fmt"
	"strings"

	"github.com/simnet/simnet/fabric"
)

// Torus is a grid of switches with wrap-around links in every dimension and
// NICsPerSwitch NICs on each; a dimension of size 2 has one link, not two.
// Routes are minimal over all dimension orders, which on a lossless network
// can deadlock: the packet engine says so when it happens.
type Torus struct {
	Base
	Dims          []int // sizes
	NICsPerSwitch int
}

// Switches returns the number of switches.
func (s Torus) Switches() int {
	n := 1
	for _, d := range s.Dims {
		n *= d
	}
	return n
}

// Validate implements Spec.
func (s Torus) Validate() []error {
	var c checks
	s.check(&c)
	if len(s.Dims) == 0 {
		c.add("dims", "is empty, must list the size of each dimension")
	}
	for i, d := range s.Dims {
		c.atLeast(fmt.Sprintf("dims[%d]", i), d, 1)
	}
	c.atLeast("nics_per_switch", s.NICsPerSwitch, 1)
	if !c.ok() {
		return c.errs
	}
	room := 1
	for _, d := range s.Dims {
		if room *= d; room > maxHosts {
			c.add("dims", "%v are more than the %d switches supported", s.Dims, maxHosts)
			return c.errs
		}
	}
	if room *= s.NICsPerSwitch; room < s.Hosts.Total() {
		c.add("dims", "%v with %d NICs a switch hold %d NICs, but there are %d", s.Dims, s.NICsPerSwitch, room, s.Hosts.Total())
	}
	return c.errs
}

// Build implements Spec.
func (s Torus) Build() (*Net, error) {
	if err := join(s.Validate()); err != nil {
		return nil, err
	}
	b := newBuilder(&s.Base)
	n := s.Switches()
	sw := make([]fabric.NodeID, n)
	for i := range sw {
		var name strings.Builder
		name.WriteString("switch")
		for d, stride := 0, n; d < len(s.Dims); d++ {
			stride /= s.Dims[d]
			if d > 0 {
				name.WriteByte('-')
			}
			fmt.Fprint(&name, i/stride%s.Dims[d])
		}
		sw[i] = b.g.AddNode(fabric.Node{Name: name.String(), Kind: fabric.Switch, Tier: 1, Class: s.Leaf.Class, Latency: s.Leaf.Latency, Group: -1})
	}
	b.attach(sw, s.NICsPerSwitch)
	c := b.between()
	for i := range sw {
		for d, stride := 0, n; d < len(s.Dims); d++ {
			stride /= s.Dims[d]
			size, at := s.Dims[d], i/stride%s.Dims[d]
			if size > 1 && (size > 2 || at == 0) {
				j := i + ((at+1)%size-at)*stride
				b.g.AddLink(sw[i], sw[j], c.Rate, c.Delay)
			}
		}
	}
	return b.finish(), nil
}
