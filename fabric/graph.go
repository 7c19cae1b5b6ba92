package fabric

import (
	"fmt"

	"github.com/simnet/simnet/sim"
)

// Indices into the flat arrays of a Graph.
type (
	NodeID int32
	PortID int32
	LinkID int32
)

// NodeKind says what a node is.
type NodeKind uint8

// The kinds of node. Hosts (NIC, GPU) are endpoints and never forward between
// network links; the others forward.
const (
	NIC NodeKind = iota
	GPU
	Switch
	NVSwitch
	PCIeSwitch
	RootComplex
)

var kindNames = [...]string{"nic", "gpu", "switch", "nvswitch", "pcie-switch", "root-complex"}

func (k NodeKind) String() string { return kindNames[k] }

// Host reports whether flows start and end at nodes of kind k.
func (k NodeKind) Host() bool { return k == NIC || k == GPU }

// Node is one device.
type Node struct {
	Name string // unique, as printed in results: "leaf3", "node12/nic5"
	Kind NodeKind
	Tier uint8 // 0 host, 1 leaf, 2 spine or aggregation, 3 core
	// Class selects the engine's parameters for this node (buffer size and
	// thresholds of a switch model, timers of a NIC model).
	Class uint8
	// Latency is the unloaded time from last bit in to first bit out of a
	// store-and-forward switch, beyond serialization; for a host the time from
	// the work request to the first bit on the wire, and again at the receiver.
	Latency sim.Time
	// Limit caps what the host sends, and what it receives, over all its ports
	// (its PCIe link). Zero: no limit.
	Limit sim.Rate
	Group int32 // the compute node, pod or rack it belongs to; -1 if none
}

// Port is the sending end of one direction of a link. The other direction of
// port p is p^1.
type Port struct {
	Node, Peer NodeID
	Link       LinkID
	Rate       sim.Rate
	Delay      sim.Time // propagation, plus FEC latency where the link has any
	Index      int16    // number of the port on its node
}

// Link is a full-duplex cable. Its ports are 2*LinkID (from A) and 2*LinkID+1
// (from B). Parallel links between two nodes stay apart.
type Link struct {
	A, B  NodeID
	Rate  sim.Rate
	Delay sim.Time
	// BER is the bit-error rate of the link, 0 to 1.
	BER float64
}

// Graph is the network. Build it with AddNode and AddLink, then Freeze it:
// afterwards it is read-only and safe for concurrent use.
type Graph struct {
	Nodes []Node
	Links []Link
	Ports []Port

	first []int32  // CSR: ports of node n are adj[first[n]:first[n+1]]
	adj   []PortID // in the order in which the links were added
	hosts []NodeID
}

// AddNode appends a node and returns its index.
func (g *Graph) AddNode(n Node) NodeID {
	g.mutable()
	g.Nodes = append(g.Nodes, n)
	return NodeID(len(g.Nodes) - 1)
}

// AddLink connects a and b and returns the link's index. It panics if the
// rate is not positive, the delay negative, or a node unknown: builders check
// the user's input before.
func (g *Graph) AddLink(a, b NodeID, rate sim.Rate, delay sim.Time) LinkID {
	g.mutable()
	if rate <= 0 || delay < 0 || int(a) >= len(g.Nodes) || int(b) >= len(g.Nodes) || a == b {
		panic(fmt.Sprintf("fabric: link %d-%d at %v with delay %v", a, b, rate, delay))
	}
	id := LinkID(len(g.Links))
	g.Links = append(g.Links, Link{A: a, B: b, Rate: rate, Delay: delay})
	g.Ports = append(g.Ports,
		Port{Node: a, Peer: b, Link: id, Rate: rate, Delay: delay},
		Port{Node: b, Peer: a, Link: id, Rate: rate, Delay: delay})
	return id
}

func (g *Graph) mutable() {
	if g.first != nil {
		panic("fabric: graph is frozen")
	}
}

// Freeze builds the adjacency and numbers the ports of each node.
func (g *Graph) Freeze() {
	g.mutable()
	g.first = make([]int32, len(g.Nodes)+1)
	for _, p := range g.Ports {
		g.first[p.Node+1]++
	}
	for i := range g.Nodes {
		g.first[i+1] += g.first[i]
		if g.Nodes[i].Kind.Host() {
			g.hosts = append(g.hosts, NodeID(i))
		}
	}
	g.adj = make([]PortID, len(g.Ports))
	fill := make([]int32, len(g.Nodes))
	for i := range g.Ports {
		p := &g.Ports[i]
		p.Index = int16(fill[p.Node])
		g.adj[g.first[p.Node]+fill[p.Node]] = PortID(i)
		fill[p.Node]++
	}
}

// PortsOf returns the ports of node n in the order of their Index. The slice
// belongs to the graph.
func (g *Graph) PortsOf(n NodeID) []PortID { return g.adj[g.first[n]:g.first[n+1]] }

// Hosts returns the endpoints in index order. The slice belongs to the graph.
func (g *Graph) Hosts() []NodeID { return g.hosts }

// PortName returns the name of p as results print it: "leaf3:p12->spine1".
func (g *Graph) PortName(p PortID) string {
	q := &g.Ports[p]
	return fmt.Sprintf("%s:p%d->%s", g.Nodes[q.Node].Name, q.Index, g.Nodes[q.Peer].Name)
}

// NodeByName returns the node of that name; false if there is none. It is a
// linear search, for set-up and messages.
func (g *Graph) NodeByName(name string) (NodeID, bool) {
	for i := range g.Nodes {
		if g.Nodes[i].Name == name {
			return NodeID(i), true
		}
	}
	return 0, false
}
