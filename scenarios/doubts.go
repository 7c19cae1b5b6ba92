package scenarios

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// doubts warns of what only the built network shows.
func (m *Machine) doubts() {
	m.overfull()
	m.pathless()
}

// overfull warns once a tier of switches that have more bandwidth plugged in
// than their model has.
func (m *Machine) overfull() {
	f := &m.Valid.Spec.Cluster.Fabric
	for class, s := range []*SwitchSpec{classLeaf: &f.Switch, classSpine: &f.Spine, classCore: &f.Core} {
		if !s.Ports.Set() || !s.Rate.Set() {
			continue
		}
		have := int64(s.Ports.V) * int64(s.Rate.V)
		for n := range m.Graph.Nodes {
			node := &m.Graph.Nodes[n]
			if node.Kind.Host() || int(node.Class) != class {
				continue
			}
			var used int64
			ports := m.Graph.PortsOf(fabric.NodeID(n))
			for _, p := range ports {
				used += int64(m.Graph.Ports[p].Rate)
			}
			if used > have {
				m.Warnings = append(m.Warnings, fmt.Sprintf("%s has %d ports of %v in all, more than the %v of its model (%s)",
					node.Name, len(ports), sim.Rate(used), sim.Rate(have), s.name()))
				break
			}
		}
	}
}

// name is the switch's preset, or what it is without one.
func (s *SwitchSpec) name() string {
	if s.Preset.Set() {
		return s.Preset.V
	}
	return fmt.Sprintf("%d x %s", s.Ports.V, rateText(s.Rate.V))
}

// pathless warns where routing keys were written and no switch has a choice.
func (m *Machine) pathless() {
	r := &m.Valid.Spec.Cluster.Routing
	if !r.Written || m.choice() {
		return
	}
	m.Warnings = append(m.Warnings, r.At.Position()+": routing has no effect: no switch has more than one next hop to choose from")
}

// choice reports whether any switch has several next hops to some NIC.
func (m *Machine) choice() bool {
	hosts := m.Graph.Hosts()
	if len(hosts) == 0 {
		return false
	}
	var buf []fabric.PortID
	for _, dst := range []fabric.NodeID{hosts[0], hosts[len(hosts)-1]} {
		for n := range m.Graph.Nodes {
			if !m.Graph.Nodes[n].Kind.Host() {
				if buf = m.Routes.NextHops(buf[:0], fabric.NodeID(n), dst); len(buf) > 1 {
					return true
				}
			}
		}
	}
	return false
}
