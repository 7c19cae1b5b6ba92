package scenarios

import (
	"fmt"
	"slices"
	"sync"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// inside returns the links of a node whose GPUs are joined one to another, nil
// for other nodes: eight GPUs in a mesh are the hybrid cube mesh of the DGX-1.
func (n *NodeSpec) inside() *topo.Inside {
	if n.NVLink.Kind.V != "mesh" || n.GPUs.V != 8 {
		return nil
	}
	return topo.HybridCubeMesh()
}

// meshBusBW returns the bus bandwidth of groups of GPUs on a mesh: as many rings
// as their links carry, each at the rate of one channel, which follows from
// what an island reaches (bus_bandwidth); without a ring, the slowest PCIe or
// socket link on the way.
func meshBusBW(n *NodeSpec, in *topo.Inside) func([]int) sim.Rate {
	island := make([]int, min(n.NVLink.Island.V, n.GPUs.V))
	for i := range island {
		island[i] = i
	}
	channels := len(in.Rings(island))
	if channels == 0 {
		return nil
	}
	channel := sim.Rate(n.NVLink.BusBW.V) / sim.Rate(channels)
	var known sync.Map // members: rate
	return func(members []int) sim.Rate {
		key := fmt.Sprint(members)
		if r, ok := known.Load(key); ok {
			return r.(sim.Rate)
		}
		rate := in.PCIe.Rate
		if k := len(in.Rings(members)); k > 0 {
			rate = channel * sim.Rate(k)
		} else if in.Socketed(members) {
			rate = min(rate, in.Socket.Rate)
		}
		known.Store(key, rate)
		return rate
	}
}

// NodeLinks is what a training job's collectives put on the links of its first
// node in a step.
type NodeLinks struct {
	Job    string
	TP     int
	Island int      // GPUs of an NVLink island
	Groups [][]int  // tensor-parallel groups in the node, by local index
	Rings  int      // channels of NVLinks of one group
	BusBW  sim.Rate // that they reach together
	Bytes  int64    // all-reduced by one tensor-parallel group
	Tensor []LinkLoad
	Data   []LinkLoad // of the gradients, where replicas share the node
	// InOrder is the bus bandwidth of one ring in order of rank, which hops over
	// PCIe where no NVLink is.
	InOrder sim.Rate
}

// LinkLoad is the load of one class of links.
type LinkLoad struct {
	Class  string // NV1, NV2, PCIe, socket
	Across bool   // an NVLink between islands
	Links  int    // of the class, whole node
	Used   int    // that carry something
	Bytes  int64  // over the fullest, one direction
	Time   sim.Time
}

// NodeLinks returns the link loads inside nodes of the training jobs that share
// tensors, on nodes whose links are known.
func (m *Machine) NodeLinks() []NodeLinks {
	in := m.Valid.Spec.Cluster.Node.inside()
	if in == nil || m.Cluster.GroupBusBW == nil {
		return nil
	}
	var out []NodeLinks
	for i := range m.Valid.Jobs {
		if j := m.Valid.Jobs[i].Training; j != nil && j.Parallel.TP > 1 {
			if l, ok := m.nodeLinks(in, *j); ok {
				out = append(out, l)
			}
		}
	}
	return out
}

func (m *Machine) nodeLinks(in *topo.Inside, j workload.Job) (NodeLinks, bool) {
	node := &m.Valid.Spec.Cluster.Node
	l := NodeLinks{Job: j.Name, TP: j.Parallel.TP, Island: node.NVLink.Island.V, Bytes: j.TensorBytes()}
	groups, err := j.Parallel.Groups()
	if err != nil {
		return l, false // refused before
	}
	first := int32(-1)
	local := func(all []workload.Group) [][]int {
		var out [][]int
		for _, g := range all {
			var x []int
			for _, r := range g {
				gpu := r
				if j.Placement != nil {
					gpu = j.Placement[r]
				}
				if first < 0 {
					first = m.Cluster.GPUs[gpu].Node
				}
				if m.Cluster.GPUs[gpu].Node == first {
					x = append(x, int(m.Cluster.GPUs[gpu].Local))
				}
			}
			if len(x) == len(g) && len(x) > 1 {
				out = append(out, x)
			}
		}
		return out
	}
	if l.Groups = local(groups.TP); len(l.Groups) == 0 {
		return l, false
	}
	l.Rings = len(in.Rings(l.Groups[0]))
	l.BusBW = m.Cluster.GroupBusBW(l.Groups[0])
	if l.Tensor, err = loads(in, l.Groups, l.Bytes, l.Island); err != nil {
		return l, false
	}
	if l.Data, err = loads(in, local(groups.DP), j.GradientBytes(), l.Island); err != nil {
		return l, false
	}
	l.InOrder = in.NVLink.Rate
	order := slices.Clone(l.Groups[0])
	for i, a := range order {
		b := order[(i+1)%len(order)]
		switch {
		case in.NVLinks[a][b] > 0:
		case in.Socketed([]int{a, b}):
			l.InOrder = min(l.InOrder, in.Socket.Rate)
		default:
			l.InOrder = min(l.InOrder, in.PCIe.Rate)
		}
	}
	return l, true
}

// loads adds up the ring all-reduces of bytes in each group, by class of link.
func loads(in *topo.Inside, groups [][]int, bytes int64, island int) ([]LinkLoad, error) {
	n, err := in.Build()
	if err != nil {
		return nil, err
	}
	r := fabric.NewRoutes(n.Graph, fabric.RouteOptions{})
	load := make([]int64, len(n.Graph.Ports))
	for _, g := range groups {
		rings := in.Rings(g)
		if rings == nil {
			rings = [][]int{g}
		}
		flows, err := n.AllReduce(rings, bytes, r, fabric.Flow{})
		if err != nil {
			return nil, err
		}
		for p, b := range n.Load(flows) {
			load[p] += b
		}
	}
	var out []LinkLoad
	index := map[string]int{}
	for l := range n.Graph.Links {
		x := &n.Graph.Links[l]
		p := fabric.PortID(2 * l)
		class := n.Class(p)
		across := n.Graph.Nodes[x.A].Kind == fabric.GPU && n.Graph.Nodes[x.B].Kind == fabric.GPU && int(x.A)/island != int(x.B)/island
		key := fmt.Sprint(class, across)
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, LinkLoad{Class: class, Across: across})
		}
		o := &out[i]
		o.Links++
		if b := max(load[p], load[p^1]); b > 0 {
			o.Used++
			o.Bytes = max(o.Bytes, b)
			o.Time = max(o.Time, x.Rate.TxTime(b))
		}
	}
	return out, nil
}
