package hybrid

import (
	"math"
	"testing"
	"time"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
)

// leafSpine returns hosts on leaves of per hosts, with as many spines.
func leafSpine(t testing.TB, hosts, per, spines int, over float64) (*fabric.Graph, *fabric.Routes) {
	t.Helper()
	s := topo.LeafSpine{Base: topo.Base{
		Hosts: topo.Hosts{Nodes: hosts, NICs: 1}, Link: topo.Cable{Rate: 200 * sim.Gbps, Delay: 100 * sim.Nanosecond},
		Leaf: topo.Device{Latency: 500 * sim.Nanosecond}, Spine: topo.Device{Latency: 500 * sim.Nanosecond},
	}, NodesPerLeaf: per, Spines: spines, Oversubscription: over}
	n, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	r := fabric.NewRoutes(n.Graph, fabric.RouteOptions{Hasher: fabric.Hasher{Fields: fabric.FiveTuple, PerSwitch: true, Seed: 1}})
	return n.Graph, r
}

// outcome is what a run gave and cost.
type outcome struct {
	rep    *fabric.Report
	events uint64
	wall   time.Duration
	end    sim.Time
}

type script func(k *sim.Kernel, n fabric.Network)

func measure(t testing.TB, mk func(k *sim.Kernel) (fabric.Simulator, error), s script) outcome {
	t.Helper()
	k := sim.NewKernel()
	e, err := mk(k)
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	s(k, e)
	began := time.Now()
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	o := outcome{wall: time.Since(began), events: e.Events(), end: k.Now()}
	o.rep = e.Report()
	for _, v := range append(o.rep.Violations, o.rep.Notes...) {
		t.Errorf("%s: %s", o.rep.Fidelity, v)
	}
	return o
}

func asPacket(g *fabric.Graph, r *fabric.Routes, c packet.Config) func(k *sim.Kernel) (fabric.Simulator, error) {
	return func(k *sim.Kernel) (fabric.Simulator, error) { return packet.New(k, g, r, c) }
}

func asHybrid(g *fabric.Graph, r *fabric.Routes, c Config) func(k *sim.Kernel) (fabric.Simulator, error) {
	return func(k *sim.Kernel) (fabric.Simulator, error) { return New(k, g, r, c) }
}

// fctError is the mean and the largest relative error of completion times.
func fctError(a, b *fabric.Report) (mean, most float64) {
	for i := range a.Flows {
		x, y := float64(a.Flows[i].FCT), float64(b.Flows[i].FCT)
		d := math.Abs(x-y) / y
		mean += d
		most = max(most, d)
	}
	return mean / float64(len(a.Flows)), most
}

// ring returns the relay flows of an all-reduce over hosts.
func ring(hosts []fabric.NodeID, bytes int64, qps int, done *sim.Event) []fabric.Flow {
	n := int64(len(hosts))
	fs := make([]fabric.Flow, n)
	for i := range fs {
		fs[i] = fabric.Flow{
			Src: hosts[i], Dst: hosts[(i+1)%len(hosts)], Bytes: 2 * (n - 1) * bytes / n, QPs: qps, Lag: bytes / n, Slice: min(1<<20, bytes/n),
			Upstream: []int{(i + len(hosts) - 1) % len(hosts)}, Done: done,
		}
	}
	return fs
}
