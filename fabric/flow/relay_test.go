package flow

import (
	"math"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
	"pgregory.net/rapid"
)

// Whatever rings, chains and trees share a network, with whatever limits and
// delays: all end, none before its ideal time, no relay of whole messages
// before what it relays, and no rank of a ring far ahead of the next but one
// lag a hop.
func TestRelaysEndInOrder(t *testing.T) {
	g, r := build(t, topo.LeafSpine{Base: base(16), NodesPerLeaf: 4, Spines: 2})
	rapid.Check(t, func(rt *rapid.T) {
		x := newRig(t, g, r)
		type group struct {
			fs []fabric.Flow
			at fabric.FlowID
		}
		var groups []group
		for range rapid.IntRange(1, 5).Draw(rt, "groups") {
			perm := rapid.Permutation(x.hosts).Draw(rt, "hosts")
			n := rapid.IntRange(2, 9).Draw(rt, "ranks")
			size := rapid.Int64Range(1, 16<<20).Draw(rt, "bytes")
			var fs []fabric.Flow
			switch rapid.IntRange(0, 2).Draw(rt, "kind") {
			case 0:
				fs = ring(perm[:n], max(size, int64(n)))
			case 1: // a chain
				for i := range n - 1 {
					f := fabric.Flow{Src: perm[i], Dst: perm[i+1], Bytes: size}
					if i > 0 {
						f.Upstream = []int{i - 1}
					}
					fs = append(fs, f)
				}
			default: // a binary tree, leaves first
				for i := n - 1; i > 0; i-- {
					fs = append(fs, fabric.Flow{Src: perm[i], Dst: perm[(i-1)/2], Bytes: size})
				}
				for i := range fs {
					for j := range i {
						if fs[j].Dst == fs[i].Src {
							fs[i].Upstream = append(fs[i].Upstream, j)
						}
					}
				}
			}
			qps := rapid.IntRange(1, 3).Draw(rt, "qps")
			slice := rapid.SampledFrom([]int64{0, 4096, 1 << 17}).Draw(rt, "slice")
			for i := range fs {
				fs[i].QPs, fs[i].Slice = qps, slice
				if rapid.IntRange(0, 3).Draw(rt, "limited") == 0 {
					fs[i].MaxRate = sim.Rate(rapid.IntRange(1, 100).Draw(rt, "limit")) * sim.Gbps
				}
				if rapid.IntRange(0, 3).Draw(rt, "late") == 0 {
					fs[i].Delay = sim.Time(rapid.IntRange(0, 500).Draw(rt, "delay")) * sim.Microsecond
				}
			}
			groups = append(groups, group{fs, x.e.StartGroup(fs)[0]})
		}
		if err := x.k.Run(); err != nil {
			rt.Fatal(err)
		}
		rep := x.e.Report()
		if c := rep.Counters; c.FlowsFinished != c.Flows {
			rt.Fatalf("%d of %d flows ended", c.FlowsFinished, c.Flows)
		}
		for _, gr := range groups {
			for i := range gr.fs {
				rec := &rep.Flows[int(gr.at)+i]
				if rec.FCT < rec.Ideal-1 {
					rt.Fatalf("flow %+v took %v, ideal %v", gr.fs[i], rec.FCT, rec.Ideal)
				}
				for _, u := range gr.fs[i].Upstream {
					up := &rep.Flows[int(gr.at)+u]
					if gr.fs[i].Lag == 0 && rec.Start+rec.FCT < up.Start+up.FCT-500*sim.Nanosecond {
						rt.Fatalf("relay %+v ends at %v, its upstream at %v", gr.fs[i], rec.Start+rec.FCT, up.Start+up.FCT)
					}
				}
			}
		}
	})
}

// The time of a ring on a network of its own is its slowest flow's, wherever
// that is and whatever the others could do.
func TestRingPaceIsTheSlowest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(rt, "ranks")
		x := star(t, n)
		fs := ring(x.hosts, int64(n)*rapid.Int64Range(1<<20, 4<<20).Draw(rt, "lag"))
		slowest := 100 * sim.Gbps
		for i := range fs {
			fs[i].MaxRate = sim.Rate(rapid.IntRange(5, 120).Draw(rt, "limit")) * sim.Gbps
			slowest = min(slowest, fs[i].MaxRate)
		}
		var last sim.Time
		for _, rec := range x.run(t, fs...).Flows {
			last = max(last, rec.FCT)
		}
		want := slowest.TxTime(framing.WireBytes(fs[0].Bytes))
		if d := math.Abs(float64(last - want)); d > 0.002*float64(want)+1e7 {
			rt.Fatalf("took %v, the slowest rank alone %v", last, want)
		}
	})
}
