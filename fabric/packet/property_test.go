package packet

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// network draws a small leaf-spine or star with mixed rates.
func network(t *rapid.T) (*fabric.Graph, *fabric.Routes, []fabric.NodeID) {
	g := &fabric.Graph{}
	rates := []sim.Rate{10 * sim.Gbps, 25 * sim.Gbps, 100 * sim.Gbps, 70 * sim.Gbps}
	rate := func(name string) sim.Rate { return rapid.SampledFrom(rates).Draw(t, name) }
	delay := func() sim.Time { return sim.Time(rapid.IntRange(0, 3000).Draw(t, "delay")) * sim.Nanosecond }
	leaves, spines := rapid.IntRange(1, 3).Draw(t, "leaves"), rapid.IntRange(1, 2).Draw(t, "spines")
	var leaf, hosts []fabric.NodeID
	latency := delay()
	for i := range leaves {
		leaf = append(leaf, g.AddNode(fabric.Node{Name: fmt.Sprint("leaf", i), Kind: fabric.Switch, Latency: latency, Group: -1}))
	}
	if leaves > 1 {
		for i := range spines {
			s := g.AddNode(fabric.Node{Name: fmt.Sprint("spine", i), Kind: fabric.Switch, Latency: latency, Group: -1})
			r := rate("spine rate")
			for _, l := range leaf {
				for range rapid.IntRange(1, 2).Draw(t, "parallel") {
					g.AddLink(l, s, r, delay())
				}
			}
		}
	}
	var limit sim.Rate
	if rapid.Bool().Draw(t, "pcie") {
		limit = 50 * sim.Gbps
	}
	for i, l := range leaf {
		for j := range rapid.IntRange(1, 4).Draw(t, "hosts") {
			h := g.AddNode(fabric.Node{Name: fmt.Sprint("host", i, ".", j), Kind: fabric.NIC, Limit: limit, Group: -1})
			g.AddLink(h, l, rate("host rate"), delay())
			hosts = append(hosts, h)
		}
	}
	g.Freeze()
	return g, fabric.NewRoutes(g, fabric.RouteOptions{Hasher: fabric.Hasher{Fields: fabric.FiveTuple, PerSwitch: true, Seed: 7}}), hosts
}

func configuration(t *rapid.T) Config {
	c := DefaultConfig()
	c.Seed = rapid.Uint64().Draw(t, "seed")
	c.Framing = fabric.RoCEv2(int64(rapid.SampledFrom([]int{256, 1024, 4096}).Draw(t, "mtu")))
	c.CC = DefaultCC(Algorithm(rapid.IntRange(0, len(algorithms)-1).Draw(t, "cc")))
	c.NICs[0].AckEvery = rapid.IntRange(1, 8).Draw(t, "ack every")
	c.NICs[0].AckInData = rapid.Bool().Draw(t, "ack in data")
	c.NICs[0].RxBuffer = 64 << 10
	s := &c.Switches[0]
	s.NoPFC = rapid.Bool().Draw(t, "no pfc")
	s.Buffer = int64(rapid.IntRange(400, 4000).Draw(t, "buffer")) << 10
	s.CutThrough = rapid.Bool().Draw(t, "cut")
	s.MarkOnEnqueue = rapid.Bool().Draw(t, "mark on enqueue")
	c.Classes[3] = Class{Enabled: true, ECN: true, Weight: 2}
	c.Classes[5] = Class{Enabled: true, Lossless: true, Strict: true}
	c.Recovery.Mode = RecoveryMode(rapid.IntRange(0, 1).Draw(t, "recovery"))
	c.Recovery.RTO, c.Recovery.RetryLimit = 300*sim.Microsecond, 1000
	c.Routing.Mode = RoutingMode(rapid.IntRange(0, 3).Draw(t, "routing"))
	c.Routing.FlowletGap = 5 * sim.Microsecond
	if rapid.Bool().Draw(t, "window") {
		c.Window = Window{BDP: true, Variable: true}
	}
	if rapid.Bool().Draw(t, "short quanta") {
		c.PFC.Quanta = 100
	}
	c.Telemetry.MaxBins = 16
	c.Telemetry.MaxQueues = 2
	c.Telemetry.BurstBytes = 20000
	c.Telemetry.MaxBursts = 5
	return c
}

// On random small networks every flow completes, no invariant breaks, and
// nothing is lost where PFC is on.
func TestRandomNetworks(t *testing.T) {
	lookAlways(t)
	rapid.Check(t, func(t *rapid.T) {
		g, r, hosts := network(t)
		if len(hosts) < 2 {
			t.Skip("one host has nobody to send to")
		}
		c := configuration(t)
		k := sim.NewKernel()
		e, err := New(k, g, r, c)
		if err != nil {
			t.Skip(err.Error()) // a buffer too small for so many ports is refused
		}
		k.Attach(e)
		var fs []fabric.Flow
		var bytes int64
		lossy := c.Switches[0].NoPFC
		for range rapid.IntRange(1, 12).Draw(t, "flows") {
			f := fabric.Flow{
				Src: rapid.SampledFrom(hosts).Draw(t, "src"), Dst: rapid.SampledFrom(hosts).Draw(t, "dst"),
				Bytes: int64(rapid.IntRange(1, 300_000).Draw(t, "bytes")), QPs: rapid.IntRange(0, 3).Draw(t, "qps"),
				Class: rapid.SampledFrom([]fabric.Class{0, 3, 5}).Draw(t, "class"),
				Delay: sim.Time(rapid.IntRange(0, 50_000).Draw(t, "start")) * sim.Nanosecond,
			}
			if f.Src == f.Dst {
				continue
			}
			if len(fs) > 0 && rapid.Bool().Draw(t, "relay") {
				f.Upstream = []int{rapid.IntRange(0, len(fs)-1).Draw(t, "upstream")}
				f.Lag = int64(rapid.IntRange(0, 10_000).Draw(t, "lag"))
				f.Slice = int64(rapid.IntRange(0, 20_000).Draw(t, "slice"))
				f.Bytes = min(f.Bytes, fs[f.Upstream[0]].Bytes+f.Lag)
				if f.Bytes == 0 {
					continue
				}
			}
			lossy = lossy || f.Class == 3
			bytes += f.Bytes
			fs = append(fs, f)
		}
		e.StartGroup(fs)
		if err := k.RunUntil(20 * sim.Second); err != nil {
			t.Fatal(err)
		}
		rep := e.Report()
		for _, v := range append(rep.Violations, rep.Notes...) {
			t.Error(v)
		}
		n := rep.Counters
		if n.FlowsFinished != int64(len(fs)) || n.BytesDelivered != bytes {
			t.Errorf("%d of %d flows finished, %d of %d bytes arrived", n.FlowsFinished, len(fs), n.BytesDelivered, bytes)
		}
		if !lossy && n.Drops != 0 {
			t.Errorf("%d drops with nothing lossy", n.Drops)
		}
		if s := e.shards[0]; s.live != 0 {
			t.Errorf("%d packets left in the arena", s.live)
		}
	})
}
