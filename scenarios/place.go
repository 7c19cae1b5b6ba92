package scenarios

import (
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/nccl"
)

const simpleProto = nccl.Simple

// ringSlice is the granule in which a ring passes data on with the Simple
// protocol: half a chunk, a chunk being half of NCCL_BUFFSIZE (NCCL 2.27
// collectives.h: chunk 4 of 8 steps, 2 slices a chunk). 0 takes NCCL's default
// buffer of 4 MiB.
func ringSlice(buffer int64) int64 {
	if buffer == 0 {
		buffer = 4 << 20
	}
	return buffer / 4
}

// rto is the retransmission timeout that NCCL_IB_TIMEOUT n asks of the NIC.
func rto(n int) sim.Time { return packet.RTOExponent(n) }

// place chooses the GPUs of a job among the free ones and takes them.
func (c *validation) place(j *JobSpec, w *workload.Job, free []bool) bool {
	need := w.GPUs()
	gpus, ok := c.choose(j, need, free)
	if !ok {
		return false
	}
	if len(gpus) < need {
		p := j.Parallel
		at := p.At
		for _, v := range []*Val[int]{&p.DP, &p.PP, &p.TP, &p.CP} {
			if v.From.Kind >= FromFile {
				at = v.From
				break
			}
		}
		c.errs.add(at, "", "parallel: tp*pp*dp*cp = %d*%d*%d*%d needs %d GPUs, but %d are free; dp: %d would fit",
			p.TP.V, p.PP.V, p.DP.V, p.CP.V, need, len(gpus), max(1, len(gpus)/(p.TP.V*p.PP.V*p.CP.V)))
		return false
	}
	linear := true
	for i, g := range gpus {
		free[g] = false
		linear = linear && i == g
	}
	if !linear {
		w.Placement = gpus
	}
	return true
}

// take chooses the GPUs of a job that is no training step, at least one, and
// takes them. what begins the error, placed at at: "4 ranks need"; nil after an
// error.
func (c *validation) take(j *JobSpec, at Origin, what string, need int, free []bool) []int {
	gpus, ok := c.choose(j, need, free)
	if !ok {
		return nil
	}
	if len(gpus) < need {
		c.errs.add(at, "", "%s %d GPUs, but %d are free", what, need, len(gpus))
		return nil
	}
	for _, g := range gpus {
		free[g] = false
	}
	return gpus
}

// choose returns the first need of the free GPUs in the order of the job's
// placement, fewer if there are not as many; false after an error.
func (c *validation) choose(j *JobSpec, need int, free []bool) ([]int, bool) {
	order := c.nodeOrder(j)
	if order == nil {
		return nil, false
	}
	per := c.s.Cluster.Node.GPUs.V
	var gpus []int
	take := func(g int) {
		if free[g] && len(gpus) < need {
			gpus = append(gpus, g)
		}
	}
	if j.Placement.Policy.V == "rail" {
		for local := range per {
			for _, n := range order {
				take(n*per + local)
			}
		}
	} else {
		for _, n := range order {
			for local := range per {
				take(n*per + local)
			}
		}
	}
	return gpus, true
}

// nodeOrder lists the compute nodes that a job may use, in the order of its
// placement; nil after an error.
func (c *validation) nodeOrder(j *JobSpec) []int {
	n := c.s.Cluster.Nodes.V
	var order []int
	if j.Placement.Nodes.Set() {
		seen := make([]bool, n)
		for _, x := range j.Placement.Nodes.V {
			if x < 0 || x >= n {
				c.errs.add(j.Placement.Nodes.From, "", "placement: node %d does not exist, the cluster has %d, counted from 0", x, n)
				return nil
			}
			if seen[x] {
				c.errs.add(j.Placement.Nodes.From, "", "placement: node %d is listed twice", x)
				return nil
			}
			seen[x] = true
		}
		order = append(order, j.Placement.Nodes.V...)
	} else {
		for i := range n {
			order = append(order, i)
		}
	}
	switch j.Placement.Policy.V {
	case "random":
		sim.Stream(c.s.Seed.V, "placement/"+j.Name.V).Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	case "strided":
		per := c.s.Cluster.Fabric.NodesPerLeaf.V
		if per == 0 {
			c.errs.add(j.Placement.Policy.From, "", "placement: strided takes one node of each leaf in turn and needs fabric.nodes_per_leaf")
			return nil
		}
		var strided []int
		for k := range per {
			for i := k; i < len(order); i += per {
				strided = append(strided, order[i])
			}
		}
		order = strided
	}
	return order
}
