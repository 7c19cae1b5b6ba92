package topo

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Inside describes what joins the GPUs of one compute node: NVLinks between
// pairs, and a tree of PCIe switches under the root complex of each socket.
type Inside struct {
	GPUs int
	// NVLinks is the number of links between each pair of GPUs, symmetric.
	NVLinks [][]int
	NVLink  Cable // one link; rate of one direction
	// Switches is the number of PCIe switches and Sockets that of root
	// complexes; GPUs and switches are spread evenly in order.
	Switches, Sockets int
	PCIe              Cable // GPU to switch, switch to root complex, NIC to switch
	Socket            Cable // between root complexes
	NICs              []int // the PCIe switch of each NIC
}

// HybridCubeMesh is a node of eight V100s as in a DGX-1: two quads of NVLink,
// joined by one or two links a GPU (`nvidia-smi topo -m`: NV1, NV2). Rates are
// those that NCCL counts with (src/graph/topo.h): 20 GB/s an NVLink2 and
// direction, of 25 nominal; 12 GB/s PCIe 3.0 x16; 6 GB/s between the Broadwell
// sockets of a DGX-1.
func HybridCubeMesh() *Inside {
	const gbs = 8 * sim.Gbps
	return &Inside{
		GPUs: 8,
		NVLinks: [][]int{
			{0, 1, 1, 2, 2, 0, 0, 0},
			{1, 0, 2, 1, 0, 2, 0, 0},
			{1, 2, 0, 2, 0, 0, 1, 0},
			{2, 1, 2, 0, 0, 0, 0, 1},
			{2, 0, 0, 0, 0, 1, 1, 2},
			{0, 2, 0, 0, 1, 0, 2, 1},
			{0, 0, 1, 0, 1, 2, 0, 2},
			{0, 0, 0, 1, 2, 1, 2, 0},
		},
		NVLink: Cable{Rate: 20 * gbs}, Switches: 4, Sockets: 2, PCIe: Cable{Rate: 12 * gbs}, Socket: Cable{Rate: 6 * gbs}, NICs: []int{0, 1, 2, 3},
	}
}

// InsideNet is a node as a graph: hosts gpu0, gpu1, ... and nic0, ..., which
// never forward, pcie0, ... and root0, ..., which do.
type InsideNet struct {
	*Inside
	Graph *fabric.Graph
	GPU   []fabric.NodeID
	NIC   []fabric.NodeID
	links [][][]fabric.LinkID // NVLinks by pair
}

// Build returns the graph, frozen. The error says what does not fit together.
func (s *Inside) Build() (*InsideNet, error) {
	if s.GPUs < 1 || s.Switches < 1 || s.Sockets < 1 || s.GPUs%s.Switches != 0 || s.Switches%s.Sockets != 0 {
		return nil, fmt.Errorf("node: %d GPUs, %d PCIe switches and %d sockets do not divide one another", s.GPUs, s.Switches, s.Sockets)
	}
	if len(s.NVLinks) != s.GPUs {
		return nil, fmt.Errorf("node: NVLinks of %d GPUs for %d", len(s.NVLinks), s.GPUs)
	}
	for a, row := range s.NVLinks {
		if len(row) != s.GPUs {
			return nil, fmt.Errorf("node: GPU %d has NVLinks to %d GPUs, there are %d", a, len(row), s.GPUs)
		}
		for b, k := range row {
			if k < 0 || a == b && k != 0 || k != s.NVLinks[b][a] {
				return nil, fmt.Errorf("node: %d NVLinks from GPU %d to %d, %d back", k, a, b, s.NVLinks[b][a])
			}
		}
	}
	n := &InsideNet{Inside: s, Graph: &fabric.Graph{}, links: make([][][]fabric.LinkID, s.GPUs)}
	add := func(name string, i int, kind fabric.NodeKind) fabric.NodeID {
		return n.Graph.AddNode(fabric.Node{Name: fmt.Sprintf("%s%d", name, i), Kind: kind, Group: -1})
	}
	var pcie, root []fabric.NodeID
	for i := range s.GPUs {
		n.GPU = append(n.GPU, add("gpu", i, fabric.GPU))
	}
	for i := range s.NICs {
		n.NIC = append(n.NIC, add("nic", i, fabric.NIC))
	}
	for i := range s.Switches {
		pcie = append(pcie, add("pcie", i, fabric.PCIeSwitch))
	}
	for i := range s.Sockets {
		root = append(root, add("root", i, fabric.RootComplex))
	}
	for a := range s.GPUs {
		n.links[a] = make([][]fabric.LinkID, s.GPUs)
	}
	for a := range s.GPUs {
		for b := a + 1; b < s.GPUs; b++ {
			for range s.NVLinks[a][b] {
				l := n.Graph.AddLink(n.GPU[a], n.GPU[b], s.NVLink.Rate, s.NVLink.Delay)
				n.links[a][b], n.links[b][a] = append(n.links[a][b], l), append(n.links[b][a], l)
			}
		}
	}
	for i, g := range n.GPU {
		n.Graph.AddLink(g, pcie[i*s.Switches/s.GPUs], s.PCIe.Rate, s.PCIe.Delay)
	}
	for i, p := range s.NICs {
		if p < 0 || p >= s.Switches {
			return nil, fmt.Errorf("node: NIC %d on PCIe switch %d, there are %d", i, p, s.Switches)
		}
		n.Graph.AddLink(n.NIC[i], pcie[p], s.PCIe.Rate, s.PCIe.Delay)
	}
	for i, p := range pcie {
		n.Graph.AddLink(p, root[i*s.Sockets/s.Switches], s.PCIe.Rate, s.PCIe.Delay)
	}
	for i := range root {
		for j := i + 1; j < len(root); j++ {
			n.Graph.AddLink(root[i], root[j], s.Socket.Rate, s.Socket.Delay)
		}
	}
	n.Graph.Freeze()
	return n, nil
}

// Class names the kind of link that a port belongs to: NV1, NV2, ... by the
// number of parallel NVLinks of the pair, PCIe, or socket.
func (n *InsideNet) Class(p fabric.PortID) string {
	q := &n.Graph.Ports[p]
	a, b := &n.Graph.Nodes[q.Node], &n.Graph.Nodes[q.Peer]
	switch {
	case a.Kind == fabric.GPU && b.Kind == fabric.GPU:
		return fmt.Sprintf("NV%d", n.NVLinks[q.Node][q.Peer])
	case a.Kind == fabric.RootComplex && b.Kind == fabric.RootComplex:
		return "socket"
	}
	return "PCIe"
}

// Socketed reports whether GPUs hang on more than one socket.
func (s *Inside) Socketed(members []int) bool {
	for _, a := range members {
		if a*s.Sockets/s.GPUs != members[0]*s.Sockets/s.GPUs {
			return true
		}
	}
	return false
}
