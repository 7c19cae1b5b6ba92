package topo

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Net is a built network and where the compute nodes are on it.
type Net struct {
	Graph *fabric.Graph
	// NICs holds the NICs by compute node, then by index on the node.
	NICs [][]fabric.NodeID
}

// Spec is a topology that can be built.
type Spec interface {
	// Validate returns what is wrong, each a *FieldError; nil if nothing is.
	Validate() []error
	// Build returns the network, its graph frozen.
	Build() (*Net, error)
}

// maxHosts keeps node indices, and the addresses made of them, within the
// 24 bits of a 10.0.0.0/8 network.
const maxHosts = 1 << 20

// Hosts describes the compute nodes.
type Hosts struct {
	Nodes   int      // compute nodes
	NICs    int      // network ports a compute node
	Class   uint8    // parameters of the NICs in the engine
	Latency sim.Time // of a NIC, see fabric.Node
	Limit   sim.Rate // of a NIC (its PCIe link); 0: none
}

// Total returns the number of NICs.
func (h *Hosts) Total() int { return h.Nodes * h.NICs }

// Cable is the rate and the one-way delay of a kind of link.
type Cable struct {
	Rate  sim.Rate
	Delay sim.Time
}

// Device is what the switches of one tier have in common.
type Device struct {
	Class   uint8    // parameters of the switch in the engine
	Latency sim.Time // pipeline latency, see fabric.Node
}

// Base is common to all specs.
type Base struct {
	Hosts Hosts
	Link  Cable // between NIC and leaf
	// Uplink is used between switches. The zero value takes Link's delay and
	// lets oversubscription choose the rate where there is one.
	Uplink            Cable
	Leaf, Spine, Core Device
}

func (b *Base) check(c *checks) {
	n := c.atLeast("nodes", b.Hosts.Nodes, 1)
	m := c.atLeast("nics", b.Hosts.NICs, 1)
	if n && m && b.Hosts.Nodes > maxHosts/b.Hosts.NICs {
		c.add("nodes", "%d nodes of %d NICs are more than the %d NICs supported", b.Hosts.Nodes, b.Hosts.NICs, maxHosts)
	}
	if b.Hosts.Latency < 0 {
		c.add("nic.latency", "is %v, must not be negative", b.Hosts.Latency)
	}
	if b.Hosts.Limit < 0 {
		c.add("nic.limit", "is %v, must not be negative", b.Hosts.Limit)
	}
	if b.Link.Rate <= 0 {
		c.add("link.rate", "is %v, must be above zero", b.Link.Rate)
	}
	if b.Link.Delay < 0 {
		c.add("link.delay", "is %v, must not be negative", b.Link.Delay)
	}
	if b.Uplink.Rate < 0 {
		c.add("uplink.rate", "is %v, must not be negative", b.Uplink.Rate)
	}
	if b.Uplink.Delay < 0 {
		c.add("uplink.delay", "is %v, must not be negative", b.Uplink.Delay)
	}
	for _, d := range []struct {
		name string
		Device
	}{{"leaf", b.Leaf}, {"spine", b.Spine}, {"core", b.Core}} {
		if d.Latency < 0 {
			c.add(d.name+".latency", "is %v, must not be negative", d.Latency)
		}
	}
}

// between returns the cable between switches where nothing derives its rate.
func (b *Base) between() Cable {
	switch {
	case b.Uplink == Cable{}:
		return b.Link
	case b.Uplink.Rate == 0:
		return Cable{b.Link.Rate, b.Uplink.Delay}
	}
	return b.Uplink
}

// builder grows a Net.
type builder struct {
	*Base
	g   *fabric.Graph
	net *Net
}

func newBuilder(b *Base) *builder {
	g := &fabric.Graph{}
	n := &Net{Graph: g, NICs: make([][]fabric.NodeID, b.Hosts.Nodes)}
	g.Nodes = make([]fabric.Node, 0, b.Hosts.Total()*9/8+16)
	for i := range n.NICs {
		n.NICs[i] = make([]fabric.NodeID, b.Hosts.NICs)
		for j := range n.NICs[i] {
			n.NICs[i][j] = g.AddNode(fabric.Node{
				Name: fmt.Sprintf("node%d/nic%d", i, j), Kind: fabric.NIC,
				Class: b.Hosts.Class, Latency: b.Hosts.Latency, Limit: b.Hosts.Limit, Group: int32(i),
			})
		}
	}
	return &builder{b, g, n}
}

// switches adds n switches of one tier and returns them. prefix is their name
// without the number; group says which pod each belongs to, -1 if none.
func (b *builder) switches(prefix string, tier uint8, n int, group func(i int) int) []fabric.NodeID {
	d := [...]Device{{}, b.Leaf, b.Spine, b.Core}[tier]
	s := make([]fabric.NodeID, n)
	for i := range s {
		s[i] = b.g.AddNode(fabric.Node{
			Name: fmt.Sprintf("%s%d", prefix, i), Kind: fabric.Switch, Tier: tier,
			Class: d.Class, Latency: d.Latency, Group: int32(group(i)),
		})
	}
	return s
}

func noGroup(int) int { return -1 }

// attach links the NICs, taken in order, to leaves of size down.
func (b *builder) attach(leaves []fabric.NodeID, down int) {
	i := 0
	for _, node := range b.net.NICs {
		for _, nic := range node {
			b.g.AddLink(nic, leaves[i/down], b.Link.Rate, b.Link.Delay)
			i++
		}
	}
}

// mesh links every lower switch to every upper one with n parallel cables.
func (b *builder) mesh(lower, upper []fabric.NodeID, n int, c Cable) {
	for _, l := range lower {
		for _, u := range upper {
			for range n {
				b.g.AddLink(l, u, c.Rate, c.Delay)
			}
		}
	}
}

func (b *builder) finish() *Net {
	b.g.Freeze()
	return b.net
}
