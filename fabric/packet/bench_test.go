package packet

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// fatTree returns a three-tier fat-tree of radix k (Al-Fares et al., SIGCOMM
// 2008) with k^3/4 hosts.
func fatTree(k int, rate sim.Rate, delay sim.Time) (*fabric.Graph, *fabric.Routes) {
	g := &fabric.Graph{}
	half := k / 2
	hosts := make([]fabric.NodeID, k*half*half)
	for i := range hosts {
		hosts[i] = g.AddNode(fabric.Node{Name: fmt.Sprintf("h%d", i), Kind: fabric.NIC, Group: -1})
	}
	tier := func(name string, n int, tier uint8) []fabric.NodeID {
		ids := make([]fabric.NodeID, n)
		for i := range ids {
			ids[i] = g.AddNode(fabric.Node{Name: fmt.Sprintf("%s%d", name, i), Kind: fabric.Switch, Tier: tier, Group: -1})
		}
		return ids
	}
	edge, agg, core := tier("edge", k*half, 1), tier("agg", k*half, 2), tier("core", half*half, 3)
	for i, h := range hosts {
		g.AddLink(h, edge[i/half], rate, delay)
	}
	for p := range k {
		for e := range half {
			for a := range half {
				g.AddLink(edge[p*half+e], agg[p*half+a], rate, delay)
			}
		}
		for a := range half {
			for c := range half {
				g.AddLink(agg[p*half+a], core[a*half+c], rate, delay)
			}
		}
	}
	g.Freeze()
	return g, fabric.NewRoutes(g, fabric.RouteOptions{Hasher: fabric.Hasher{Fields: fabric.FiveTuple, PerSwitch: true, Seed: 1}})
}

// permutation sends n bytes from each host to another, at random.
func permutation(g *fabric.Graph, n int64) []fabric.Flow {
	hosts := g.Hosts()
	p := rand.New(rand.NewPCG(1, 2)).Perm(len(hosts))
	var fs []fabric.Flow
	for i, h := range hosts {
		if d := hosts[p[i]]; d != h {
			fs = append(fs, fabric.Flow{Src: h, Dst: d, Bytes: n})
		}
	}
	return fs
}

// cpuSeconds returns the CPU time of this process: the measure on a machine
// that others use too.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

func benchFatTree(b *testing.B, k int, bytes int64) {
	g, r := fatTree(k, 100*sim.Gbps, 500*sim.Nanosecond)
	best := 0.0
	for b.Loop() {
		b.StopTimer()
		kn := sim.NewKernel()
		e, err := New(kn, g, r, DefaultConfig())
		if err != nil {
			b.Fatal(err)
		}
		kn.Attach(e)
		e.StartGroup(permutation(g, bytes))
		var m0, m1 runtime.MemStats
		runtime.ReadMemStats(&m0)
		b.StartTimer()
		t := cpuSeconds()
		if err := kn.Run(); err != nil {
			b.Fatal(err)
		}
		d := cpuSeconds() - t
		b.StopTimer()
		runtime.ReadMemStats(&m1)
		n := e.shards[0].n
		best = max(best, float64(n.dataHops)/d/1e6)
		b.ReportMetric(best, "Mhops/cpu-s")
		b.ReportMetric(float64(e.Events())/float64(n.dataHops), "events/hop")
		b.ReportMetric(float64(m1.Mallocs-m0.Mallocs)/float64(n.sent), "allocs/packet")
		b.StartTimer()
	}
}

func BenchmarkFatTree1024(b *testing.B) { benchFatTree(b, 16, 2_000_000) }
func BenchmarkFatTree8192(b *testing.B) { benchFatTree(b, 32, 2_000_000) }
