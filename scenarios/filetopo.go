package scenarios

import (
	"fmt"
	"os"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/scenarios/hpcc"
)

// fileTopology is a network read from a topology file of the HPCC family: a
// line "nodes switches links", the switches' ids, and a line a link. Hosts in
// the order of their ids are the NICs, compute node by compute node; rates and
// delays are the file's.
type fileTopology struct {
	base topo.Base
	file string
}

func (t fileTopology) read() (*hpcc.Topology, error) {
	data, err := os.ReadFile(t.file)
	if err != nil {
		return nil, readError(t.file, err)
	}
	return hpcc.ParseTopology(hpcc.Input{Name: t.file, Data: data})
}

// Validate implements topo.Spec.
func (t fileTopology) Validate() []error {
	f, err := t.read()
	if err != nil {
		return []error{&topo.FieldError{Field: "file", Reason: err.Error()}}
	}
	hosts := 0
	for _, sw := range f.Switch {
		if !sw {
			hosts++
		}
	}
	if want := t.base.Hosts.Total(); hosts != want {
		return []error{&topo.FieldError{Field: "file", Reason: fmt.Sprintf("has %d hosts, but %d nodes of %d NICs are %d", hosts, t.base.Hosts.Nodes, t.base.Hosts.NICs, want)}}
	}
	return nil
}

// Build implements topo.Spec.
func (t fileTopology) Build() (*topo.Net, error) {
	f, err := t.read()
	if err != nil {
		return nil, err
	}
	g := &fabric.Graph{}
	n := &topo.Net{Graph: g, NICs: make([][]fabric.NodeID, t.base.Hosts.Nodes)}
	hosts, switches := 0, 0
	for id, sw := range f.Switch {
		if sw {
			g.AddNode(fabric.Node{Name: fmt.Sprintf("switch%d", switches), Kind: fabric.Switch, Tier: 1, Class: classLeaf, Latency: t.base.Leaf.Latency, Group: -1})
			switches++
			continue
		}
		node := hosts / t.base.Hosts.NICs
		g.AddNode(fabric.Node{Name: fmt.Sprintf("node%d/nic%d", node, hosts%t.base.Hosts.NICs), Kind: fabric.NIC,
			Latency: t.base.Hosts.Latency, Limit: t.base.Hosts.Limit, Group: int32(node)})
		n.NICs[node] = append(n.NICs[node], fabric.NodeID(id))
		hosts++
	}
	for i := range f.Links {
		l := &f.Links[i]
		g.AddLink(fabric.NodeID(l.A), fabric.NodeID(l.B), l.Rate, l.Delay)
	}
	g.Freeze()
	return n, nil
}
