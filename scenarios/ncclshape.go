package scenarios

import (
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl"
)

// NCCLShape describes the cluster of the scenario as NCCL's tuner sees it.
// sim.Rate is bit/s, the tuner's bandwidths GB/s of one direction.
func (v *Valid) NCCLShape() nccl.Shape {
	n := &v.Spec.Cluster.Node
	s := nccl.Shape{
		Nodes: v.Spec.Cluster.Nodes.V, GPUsPerNode: n.GPUs.V, Arch: nccl.Arch(n.GPU.Arch.V),
		LinkGBs: gbs(sim.Rate(n.NVLink.Rate.V)), NVLS: n.NVLink.NVLS.V,
		NICsPerNode: n.NICs.V, NICGBs: gbs(min(n.NIC.Rate.V, v.Spec.Cluster.Fabric.Link.Rate.V)),
		NICLatency: 2*n.NIC.Latency.V + n.HostOverhead.V,
	}
	s.RendezvousBytes = int64(n.NIC.Rendezvous.V)
	s.UnorderedNIC = s.RendezvousBytes > 0
	switch n.NVLink.Kind.V {
	case "mesh":
		s.Link = nccl.Mesh
	case "pcie":
		s.Link = nccl.PCIe
	}
	if d := n.NVLink.Island.V / n.GPUs.V; d > 1 {
		s.DomainNodes = d
	}
	return s
}

func gbs(r sim.Rate) float64 { return float64(r) / 8e9 }

// NCCLEnv returns NCCL's environment of the first training job, the default one
// if there is none.
func (v *Valid) NCCLEnv() nccl.Env {
	for i := range v.Jobs {
		if v.Jobs[i].Training != nil {
			var errs Errors // checked by Validate before
			e, _ := v.Jobs[i].Spec.NCCL.env(&errs)
			return e
		}
	}
	return nccl.DefaultEnv()
}
