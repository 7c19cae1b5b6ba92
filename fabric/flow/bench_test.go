package flow

import (
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
)

// bench runs the same group of flows again and again on one network, each time
// when the last has ended, and reports flows a second. Later rounds have other
// source ports, and so other collisions.
func bench(b *testing.B, s topo.Spec, flows func(h []fabric.NodeID) []fabric.Flow) {
	g, r := build(b, s)
	fs := flows(g.Hosts())
	x := newRig(b, g, r)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		x.e.StartGroup(fs)
		if err := x.k.Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	for _, rec := range x.e.Report().Flows {
		if rec.FCT < rec.Ideal-1 {
			b.Fatalf("%d of ideal %d", rec.FCT, rec.Ideal)
		}
	}
	b.ReportMetric(float64(len(fs)*b.N)/b.Elapsed().Seconds(), "flows/s")
	b.ReportMetric(float64(x.e.events)/float64(b.N), "events/op")
	b.ReportMetric(float64(x.e.sys.solves)/float64(b.N), "solves/op")
}

func neighbours(h []fabric.NodeID) []fabric.Flow {
	var fs []fabric.Flow
	for i := range h {
		for _, d := range []int{1, 2, len(h) - 1, len(h) - 2} {
			fs = append(fs, fabric.Flow{Src: h[i], Dst: h[(i+d)%len(h)], Bytes: 256 << 10})
		}
	}
	return fs
}

// groups returns an all-to-all within groups of n hosts that lie stride apart.
func groups(h []fabric.NodeID, n, stride int, bytes int64) []fabric.Flow {
	var fs []fabric.Flow
	for first := range h {
		if first/stride%n != 0 {
			continue
		}
		for i := range n {
			for j := range n {
				if i != j {
					fs = append(fs, fabric.Flow{Src: h[first+i*stride], Dst: h[first+j*stride], Bytes: bytes})
				}
			}
		}
	}
	return fs
}

func fatTree(hosts, radix int) topo.FatTree {
	return topo.FatTree{Base: base(hosts), Tiers: 3, Radix: radix}
}

func BenchmarkRing1024(b *testing.B) { bench(b, fatTree(1024, 16), neighbours) }

func BenchmarkAllToAll1024x32(b *testing.B) {
	bench(b, fatTree(1024, 16), func(h []fabric.NodeID) []fabric.Flow { return groups(h, 32, 1, 1<<20) })
}

func BenchmarkAllToAll1024x32Strided(b *testing.B) {
	bench(b, fatTree(1024, 16), func(h []fabric.NodeID) []fabric.Flow { return groups(h, 32, 32, 1<<20) })
}

func BenchmarkAllToAll8192(b *testing.B) {
	bench(b, fatTree(8192, 32), func(h []fabric.NodeID) []fabric.Flow { return groups(h, 8, 1, 64<<20) })
}

func BenchmarkAllToAll8192Strided(b *testing.B) {
	bench(b, fatTree(8192, 32), func(h []fabric.NodeID) []fabric.Flow { return groups(h, 8, 1024, 64<<20) })
}

// rings10k is the gradient reduction of GPT-3 175B on 10,240 GPUs (TP 8, PP 8,
// DP 160): on each of eight rails eight rings of 160 NICs, 5.5 GB a rank, the
// ranks of a ring stride nodes apart.
func rings10k(h []fabric.NodeID, stride int) []fabric.Flow {
	var fs []fabric.Flow
	for rail := range 8 {
		for stage := range 8 {
			hosts := make([]fabric.NodeID, 160)
			for i := range hosts {
				node := stage*160 + i
				if stride > 1 {
					node = stage + i*8
				}
				hosts[i] = h[node*8+rail]
			}
			r := ring(hosts, 2_750_000_000)
			for i := range r {
				r[i].Upstream[0] += len(fs)
			}
			fs = append(fs, r...)
		}
	}
	return fs
}

func rails(over float64) topo.RailOptimized {
	s := topo.RailOptimized{Base: base(1280), NodesPerLeaf: 16, Spines: 32, NodesPerPod: 160, Cores: 256, Oversubscription: over, CoreOversubscription: over}
	s.Hosts.NICs = 8
	return s
}

func BenchmarkRings10240(b *testing.B) {
	bench(b, rails(1), func(h []fabric.NodeID) []fabric.Flow { return rings10k(h, 1) })
}

func BenchmarkRings10240Strided(b *testing.B) {
	bench(b, rails(1), func(h []fabric.NodeID) []fabric.Flow { return rings10k(h, 8) })
}
