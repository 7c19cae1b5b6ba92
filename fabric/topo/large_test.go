package topo

import (
	"runtime"
	"testing"

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

// Memory is bounded so that tables cannot go back to one entry a host pair. The
// time, 1 s from start to first event at 10,240 GPUs, is BenchmarkBuildAndRoute's.
func TestLargeNetworks(t *testing.T) {
	for _, c := range large {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		net, err := c.spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := fabric.NewRoutes(net.Graph, fabric.RouteOptions{})
		runtime.GC()
		runtime.ReadMemStats(&after)
		mem := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		t.Logf("%s: %d nodes, %d links, %d MB", c.name, len(net.Graph.Nodes), len(net.Graph.Links), mem>>20)
		if mem > 128<<20 {
			t.Errorf("%s: %d MB", c.name, mem>>20)
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
