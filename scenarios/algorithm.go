package scenarios

import (
	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/nccl"
)

// algorithm lets NCCL's tuner choose between ring and tree for the gradients of
// a job, within what NCCL_ALGO allows, and says where that cannot be. t is the
// job tried out on the cluster.
func (c *validation) algorithm(j *JobSpec, w *workload.Job, t *workload.Training, env nccl.Env) {
	forced := j.NCCL.get("NCCL_ALGO")
	g := t.GradientGroup()
	warn := func(format string, args ...any) {
		if forced != nil {
			c.warn(forced.From, "NCCL_ALGO: %s "+format, append([]any{forced.Value}, args...)...)
		}
	}
	switch {
	case g.Domains < 2:
		warn("has no effect on the step: gradients are reduced inside NVLink domains, whose cost has no algorithm here")
		return
	case g.Sharded:
		warn("has no effect on the step: with ZeRO gradients are reduced and scattered, which NCCL does in rings")
		return
	case w.Parallel.Hierarchical && forced == nil:
		return
	}
	s := c.v.NCCLShape()
	s.Nodes, s.GPUsPerNode, s.DomainNodes = g.Domains, g.PerDomain, 0
	s.NVLS = s.NVLS && g.PerDomain > 1
	type place struct {
		node int32
		nic  int
	}
	nics := map[place]bool{}
	for _, x := range g.GPUs {
		gpu := &c.v.Cluster.GPUs[x]
		nics[place{gpu.Node, c.s.Cluster.Node.Affinity.V[gpu.Local]}] = true
	}
	s.NICsPerNode = max(1, len(nics)/g.Domains)
	tuner, err := nccl.NewTuner(s, nccl.DefaultVersion, env.For(nccl.AllReduce))
	if err != nil {
		warn("leaves NCCL no way to all-reduce over %d nodes with %d of the group's GPUs each: the step takes rings", g.Domains, g.PerDomain)
		return
	}
	if a := tuner.Choose(nccl.AllReduce, g.Bytes).Algo; a == nccl.Tree || a == nccl.NVLSTree {
		w.Transport.Algorithm = "tree"
	}
}
