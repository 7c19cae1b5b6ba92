package results

import (
	"testing"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/sim"
)

// TestNodeFindings: the sentence on links inside a node, across and inside
// islands.
func TestNodeFindings(t *testing.T) {
	const gb = 8 * sim.Gbps
	load := func(class string, across bool, links, used int, bytes int64) scenarios.LinkLoad {
		return scenarios.LinkLoad{Class: class, Across: across, Links: links, Used: used, Bytes: bytes, Time: (20 * gb).TxTime(bytes)}
	}
	r := &Run{NodeLinks: []scenarios.NodeLinks{
		{Job: "a", TP: 8, Island: 4, Groups: [][]int{{0, 1, 2, 3, 4, 5, 6, 7}}, Rings: 6, BusBW: 120 * gb, InOrder: 6 * gb, Bytes: 9.6e9,
			Tensor: []scenarios.LinkLoad{load("NV1", false, 6, 6, 2.8e9), load("NV2", true, 4, 4, 2.8e9), load("PCIe", false, 16, 0, 0), load("socket", false, 1, 0, 0)}},
		{Job: "b", TP: 2, Island: 4, Groups: [][]int{{0, 1}, {2, 3}}, Rings: 1, BusBW: 20 * gb, InOrder: 20 * gb, Bytes: 1e9,
			Tensor: []scenarios.LinkLoad{load("NV1", false, 6, 2, 1e9)}, Data: []scenarios.LinkLoad{load("NV2", true, 4, 2, 4e8)}},
	}}
	want := []Finding{
		{Kind: "node_links", Where: "a", Knob: "parallel.tp 4, groups of neighbours in an island, data parallelism across islands",
			Text: "Links inside a node: tensor-parallel groups of 8 (GPUs 0,1,2,3,4,5,6,7) cross the NVLink islands of 4. A step all-reduces 9.60 GB in each, over 6 rings of NVLinks at 120 GB/s: " +
				"up to 2.80 GB over 6 of 6 NV1 links, 2.80 GB over 4 of 4 NV2 links between islands, none over PCIe links, links between sockets; the busiest link is taken for 140 ms. " +
				"One ring in order of rank would reach 6 GB/s"},
		{Kind: "node_links", Where: "b",
			Text: "Links inside a node: tensor-parallel groups of 2 (GPUs 0,1 and 2,3) stay inside the NVLink islands of 4. A step all-reduces 1 GB in each, over one ring of NVLinks at 20 GB/s: " +
				"up to 1 GB over 2 of 6 NV1 links; the busiest link is taken for 50 ms; the gradients of replicas in the node: up to 400 MB over 2 of 4 NV2 links between islands; the busiest link is taken for 20 ms"},
	}
	got := nodeFindings(r)
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("got  %+v\nwant %+v", got, want[i])
		}
	}
}
