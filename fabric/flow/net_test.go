package flow

import (
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
)

// The test networks: 100 Gbps links of 100 ns, NICs of 500 ns, switches of 400.
func base(nodes int) topo.Base {
	return topo.Base{
		Hosts: topo.Hosts{Nodes: nodes, NICs: 1, Latency: 500 * sim.Nanosecond},
		Link:  topo.Cable{Rate: 100 * sim.Gbps, Delay: 100 * sim.Nanosecond},
		Leaf:  topo.Device{Latency: 400 * sim.Nanosecond}, Spine: topo.Device{Latency: 400 * sim.Nanosecond}, Core: topo.Device{Latency: 400 * sim.Nanosecond},
	}
}

type rig struct {
	k     *sim.Kernel
	g     *fabric.Graph
	r     *fabric.Routes
	e     *Engine
	hosts []fabric.NodeID
}

var framing = fabric.RoCEv2(4096)

func build(t testing.TB, s topo.Spec) (*fabric.Graph, *fabric.Routes) {
	n, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	h := fabric.Hasher{Kind: fabric.CRC32, Fields: fabric.FiveTuple, Seed: 1, PerSwitch: true}
	return n.Graph, fabric.NewRoutes(n.Graph, fabric.RouteOptions{Hasher: h})
}

func newRig(t testing.TB, g *fabric.Graph, r *fabric.Routes) *rig {
	k := sim.NewKernel()
	e, err := New(k, g, r, Config{Framing: framing})
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	return &rig{k, g, r, e, g.Hosts()}
}

func star(t testing.TB, n int) *rig {
	g, r := build(t, topo.Star{Base: base(n)})
	return newRig(t, g, r)
}

// run starts the flows at once, runs to the end and returns the report.
func (r *rig) run(t testing.TB, fs ...fabric.Flow) *fabric.Report {
	r.e.StartGroup(fs)
	if err := r.k.Run(); err != nil {
		t.Fatal(err)
	}
	return r.e.Report()
}

// ring returns the relay flows of a ring all-reduce of s bytes over hosts.
func ring(hosts []fabric.NodeID, s int64) []fabric.Flow {
	n := int64(len(hosts))
	fs := make([]fabric.Flow, n)
	for i := range fs {
		fs[i] = fabric.Flow{
			Src: hosts[i], Dst: hosts[(i+1)%len(hosts)], Bytes: 2 * (n - 1) * s / n, Lag: s / n,
			Upstream: []int{(i + len(hosts) - 1) % len(hosts)},
		}
	}
	return fs
}
