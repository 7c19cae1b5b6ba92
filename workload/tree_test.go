package workload

import (
	"fmt"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/flow"
	"github.com/simnet/simnet/sim"
)

// reduceOnce runs the step of a data-parallel job of n ranks, one a node, over
// the flow engine on a star and returns the exposed reduction and what each
// rank sent.
func reduceOnce(t *testing.T, n int, algorithm string) (sim.Time, int64) {
	t.Helper()
	var g fabric.Graph
	for i := range n {
		g.AddNode(fabric.Node{Name: fmt.Sprintf("nic%d", i), Kind: fabric.NIC, Group: -1})
	}
	sw := g.AddNode(fabric.Node{Name: "switch", Kind: fabric.Switch, Tier: 1, Group: -1})
	for i := range n {
		g.AddLink(fabric.NodeID(i), sw, 100*sim.Gbps, 500*sim.Nanosecond)
	}
	g.Freeze()
	c := dgx(1)
	c.GPUs = nil
	for i := range n {
		c.GPUs = append(c.GPUs, GPU{Node: int32(i), NIC: fabric.NodeID(i), Island: int32(i)})
	}
	k := sim.NewKernel()
	e, err := flow.New(k, &g, fabric.NewRoutes(&g, fabric.RouteOptions{}), flow.Config{Framing: fabric.Framing{Payload: 4096}})
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	j := Job{
		Name: "t", Model: gpt("m", 2, 1024, 16, 4096, 512, ""), Parallel: Parallel{DP: n}, Batch: Batch{Global: n, Micro: 1},
		Transport: Transport{Algorithm: algorithm},
	}
	tr, err := New(k, e, c, j)
	if err != nil {
		t.Fatal(err)
	}
	tr.Start()
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	res := tr.Result()
	if res.Unfinished {
		t.Fatalf("unfinished: %v", k.Waiting())
	}
	if f, b := int64(len(e.Report().Flows)), tr.Traffic(); f != b.Flows {
		t.Errorf("%d ranks, %s: %d flows, predicted %d", n, algorithm, f, b.Flows)
	}
	return res.Breakdown.DPCommExposed, tr.j.gradBytes(tr.stages[0].common)
}

// A tree moves what a ring moves, 2S out of each inner member's NIC, and pays
// its latency once a level instead of once a rank.
func TestTreeAllReduceTakesTheTimeOfItsBytes(t *testing.T) {
	for _, n := range []int{2, 4, 7, 16, 33} {
		d, s := reduceOnce(t, n, "tree")
		bytes := 2 * s
		if n == 2 { // one child a tree: half up, half down
			bytes = s
		}
		least := (100 * sim.Gbps).TxTime(bytes)
		if d < least*95/100 || d > least*115/100+60*sim.Microsecond {
			t.Errorf("%d ranks: %v for %d bytes, whose wire time is %v", n, d, s, least)
		}
	}
}
