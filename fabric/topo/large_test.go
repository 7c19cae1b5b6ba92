package topo

import (
	"runtime"
	"testing"
	"time"

	"github.com/simnet/simnet/fabric"
)

// large are networks of 10,240 GPUs.
var large = []struct {
	name string
	spec Spec
}{
	{"rail-optimized-3-tiers", RailOptimized{Base: base(1280, 8), NodesPerLeaf: 32, Spines: 32, Oversubscription: 1, NodesPerPod: 256, Cores: 1024}},
	{"rail-optimized-small-groups", RailOptimized{Base: base(1280, 8), NodesPerLeaf: 4, Spines: 8, Oversubscription: 2}},
	{"k-ary-36", KAry{Base: base(1280, 8), K: 36}},
	{"fat-tree-radix-64", FatTree{Base: base(1280, 8), Tiers: 3, Radix: 64}},
}

// The budget from start to first event is 1 s at 10,240 GPUs, routes included;
// memory is bounded so that tables cannot go back to one entry a host pair.
func TestLargeNetworks(t *testing.T) {
	for _, c := range large {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		net, err := c.spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := fabric.NewRoutes(net.Graph, fabric.RouteOptions{})
		took := time.Since(start)
		runtime.GC()
		runtime.ReadMemStats(&after)
		mem := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		t.Logf("%s: %d nodes, %d links, %v, %d MB", c.name, len(net.Graph.Nodes), len(net.Graph.Links), took, mem>>20)
		if mem > 128<<20 {
			t.Errorf("%s: %d MB", c.name, mem>>20)
		}
		if took > 5*time.Second { // five times the budget: the test machine is shared
			t.Errorf("%s: %v", c.name, took)
		}
		if hops := r.Hops(net.NICs[0][0], net.NICs[1279][7]); hops < 4 || hops > 6 {
			t.Errorf("%s: %d hops", c.name, hops)
		}
	}
}

func BenchmarkBuildAndRoute(b *testing.B) {
	for _, c := range large {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				net, err := c.spec.Build()
				if err != nil {
					b.Fatal(err)
				}
				fabric.NewRoutes(net.Graph, fabric.RouteOptions{})
			}
		})
	}
}
