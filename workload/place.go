package workload

import (
	"fmt"
	"slices"

	"github.com/simnet/simnet/sim"
)

// Place returns the GPUs of n ranks under a policy:
//
//	linear   in physical order
//	rail     all GPUs of local index 0, then of 1, ...: neighbours share a rail
//	island   island by island, whichever nodes those lie on
//	random   a permutation drawn from seed
//
// Ranks then get their GPUs in Megatron-LM's order. An explicit list needs no
// policy.
func Place(c *Cluster, policy string, n int, seed uint64) ([]int, error) {
	if n > len(c.GPUs) {
		return nil, fmt.Errorf("placement: %d ranks on %d GPUs", n, len(c.GPUs))
	}
	g := make([]int, len(c.GPUs))
	for i := range g {
		g[i] = i
	}
	switch policy {
	case "", "linear":
	case "rail":
		// The job takes the first nodes only; rails run over those.
		g = g[:n]
		slices.SortStableFunc(g, func(a, b int) int { return int(c.GPUs[a].Local) - int(c.GPUs[b].Local) })
	case "island":
		slices.SortStableFunc(g, func(a, b int) int { return int(c.GPUs[a].Island) - int(c.GPUs[b].Island) })
	case "random":
		sim.Stream(seed, "placement").Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
	default:
		return nil, fmt.Errorf("placement: %q is none of linear, rail, island, random, nor a list of GPUs", policy)
	}
	return g[:n], nil
}
