package training

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/flow"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// network returns what the row's job runs over, attached to k. Without a
// pipeline one kind of flow leaves by a NIC at a time, and Ideal will do; with
// one, gradients and activations share it, which takes the flow engine.
func (r *Row) network(k *sim.Kernel, c *workload.Cluster, j *workload.Job) (fabric.Network, error) {
	if j.Parallel.PP > 1 {
		return r.Platform.star(k, c)
	}
	return NewIdeal(k, r.Platform.rate(), NetLatency), nil
}

// star returns the flow engine over a non-blocking switch with the NICs of c,
// attached to k.
func (pl *Platform) star(k *sim.Kernel, c *workload.Cluster) (fabric.Network, error) {
	var g fabric.Graph
	var nics fabric.NodeID
	for i := range c.GPUs {
		nics = max(nics, c.GPUs[i].NIC+1)
	}
	for i := range nics {
		g.AddNode(fabric.Node{Name: fmt.Sprintf("nic%d", i), Kind: fabric.NIC, Group: -1})
	}
	sw := g.AddNode(fabric.Node{Name: "switch", Kind: fabric.Switch, Tier: 1, Group: -1})
	for i := range nics {
		g.AddLink(i, sw, pl.rate(), NetLatency/2)
	}
	g.Freeze()
	e, err := flow.New(k, &g, fabric.NewRoutes(&g, fabric.RouteOptions{}), flow.Config{Framing: fabric.Framing{Payload: 4096}})
	if err != nil {
		return nil, err
	}
	k.Attach(e)
	return e, nil
}
