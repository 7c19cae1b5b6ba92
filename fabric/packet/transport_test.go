package packet

import (
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// A relay sends nothing before its upstream has delivered it: with slices of
// one packet the second of two equal hops runs one packet behind the first.
func TestRelay(t *testing.T) {
	g, r := star(3, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	c.CC.Algorithm = None
	const n = 100 * 4096
	_, rep := run(t, g, r, c, []fabric.Flow{
		{Src: 1, Dst: 2, Bytes: n},
		{Src: 2, Dst: 3, Bytes: n, Upstream: []int{0}, Slice: 4096},
	})
	rate := 100 * sim.Gbps
	hop := 2*rate.TxTime(4096+82) + 2*sim.Microsecond
	first, second := rep.Flows[0].FCT, rep.Flows[1].FCT
	// Each slice ends a message and is acknowledged; these ACKs share the link
	// with the first flow's data.
	acks := 100 * rate.TxTime(86)
	if ideal := rep.Flows[0].Ideal; first < ideal || first > ideal+acks {
		t.Errorf("first hop took %v, by hand %v to %v", first, ideal, ideal+acks)
	}
	if second < first+hop || second > first+hop+rate.TxTime(86) {
		t.Errorf("second hop %v after the first, by hand %v", second-first, hop)
	}
}

// A ring of relays in a cycle with Lag = one chunk is the pipelined ring
// all-reduce: 2(n-1) steps of a chunk each, every link always busy.
func TestRingOfRelays(t *testing.T) {
	const n, chunk = 4, 64 * 4096
	g, r := star(n, 100*sim.Gbps, 0)
	c := DefaultConfig()
	c.CC.Algorithm = None
	c.NICs[0].AckEvery = 1 << 10
	var fs []fabric.Flow
	for i := range n {
		fs = append(fs, fabric.Flow{
			Src: fabric.NodeID(i + 1), Dst: fabric.NodeID((i+1)%n + 1), Bytes: 2 * (n - 1) * chunk,
			Upstream: []int{(i + n - 1) % n}, Lag: chunk, Slice: 4096,
		})
	}
	_, rep := run(t, g, r, c, fs)
	for i, f := range rep.Flows {
		// The wire is never idle for want of data: only ACKs share it.
		if over := float64(f.FCT)/float64(f.Ideal) - 1; over > 0.01 {
			t.Errorf("rank %d: %v, ideal %v", i, f.FCT, f.Ideal)
		}
	}
}

// QPs share a flow's bytes, each with a source port and so a path of its own.
func TestQPsSpread(t *testing.T) {
	g, r := fatTree(4, 100*sim.Gbps, 500*sim.Nanosecond)
	c := DefaultConfig()
	h := g.Hosts()
	e, rep := run(t, g, r, c, []fabric.Flow{{Src: h[0], Dst: h[15], Bytes: 1<<20 + 3, QPs: 8}})
	paths := map[int32]bool{}
	var sum int64
	for qi := range e.snd {
		paths[e.paths[e.snd[qi].path+2]] = true
		sum += e.snd[qi].size
	}
	if len(e.snd) != 8 || sum != 1<<20+3 || len(paths) < 2 {
		t.Errorf("%d QPs of %d bytes over %d core links", len(e.snd), sum, len(paths))
	}
	if f := rep.Flows[0]; f.FCT < f.Ideal || float64(f.FCT) > 1.05*float64(f.Ideal) {
		t.Errorf("took %v, ideal %v", f.FCT, f.Ideal)
	}
}

// MaxRate paces the sender; Delay and the latencies of both hosts and of the
// switch add to the time.
func TestMaxRateDelayLatency(t *testing.T) {
	g := &fabric.Graph{}
	a := g.AddNode(fabric.Node{Name: "a", Kind: fabric.NIC, Latency: 700 * sim.Nanosecond, Group: -1})
	sw := g.AddNode(fabric.Node{Name: "sw", Kind: fabric.Switch, Latency: 300 * sim.Nanosecond, Group: -1})
	b := g.AddNode(fabric.Node{Name: "b", Kind: fabric.NIC, Latency: 500 * sim.Nanosecond, Group: -1})
	g.AddLink(a, sw, 100*sim.Gbps, sim.Microsecond)
	g.AddLink(sw, b, 100*sim.Gbps, sim.Microsecond)
	g.Freeze()
	done := sim.NewEvent(1)
	_, rep := run(t, g, fabric.NewRoutes(g, fabric.RouteOptions{}), DefaultConfig(), []fabric.Flow{
		{Src: a, Dst: b, Bytes: 10 * 4096, MaxRate: 25 * sim.Gbps, Delay: 5 * sim.Microsecond, Done: done},
	})
	slow, fast := (25 * sim.Gbps).TxTime(4178), (100 * sim.Gbps).TxTime(4178)
	want := 9*slow + 2*fast + 2*sim.Microsecond + 1500*sim.Nanosecond
	if f := rep.Flows[0]; f.FCT != want || f.Ideal != want || f.Start != 5*sim.Microsecond || done.At() != f.Start+f.FCT {
		t.Errorf("start %v, took %v (ideal %v), done at %v; by hand %v", f.Start, f.FCT, f.Ideal, done.At(), want)
	}
}

// A host's PCIe limit holds over all its ports, on both sides; the receiver
// pauses its switch rather than lose anything.
func TestHostLimit(t *testing.T) {
	for _, receiver := range []bool{false, true} {
		g := &fabric.Graph{}
		node := func(name string, kind fabric.NodeKind, limit sim.Rate) fabric.NodeID {
			return g.AddNode(fabric.Node{Name: name, Kind: kind, Limit: limit, Group: -1})
		}
		limits := [2]sim.Rate{120 * sim.Gbps, 0}
		if receiver {
			limits[0], limits[1] = limits[1], limits[0]
		}
		a, b := node("a", fabric.NIC, limits[0]), node("b", fabric.NIC, limits[1])
		s0, s1 := node("s0", fabric.Switch, 0), node("s1", fabric.Switch, 0)
		for _, s := range []fabric.NodeID{s0, s1} {
			g.AddLink(a, s, 100*sim.Gbps, 0)
			g.AddLink(s, b, 100*sim.Gbps, 0)
		}
		g.Freeze()
		c := DefaultConfig()
		c.CC.Algorithm = None
		path := func(link fabric.PortID) []fabric.PortID { return []fabric.PortID{2 * link, 2*link + 2} }
		const size = 2000 * 4096
		e, rep := run(t, g, fabric.NewRoutes(g, fabric.RouteOptions{}), c, []fabric.Flow{
			{Src: a, Dst: b, Bytes: size, Path: path(0)}, {Src: a, Dst: b, Bytes: size, Path: path(2)},
		})
		want := (120 * sim.Gbps).TxTime(2 * c.Framing.WireBytes(size))
		last := max(rep.Flows[0].FCT, rep.Flows[1].FCT)
		if last < want || last > want+want/100 {
			t.Errorf("receiver %v: took %v, the limit alone %v", receiver, last, want)
		}
		if n := rep.Counters; n.Drops != 0 || receiver != (n.PFCPauses > 0) {
			t.Errorf("receiver %v: drops %d, pauses %d", receiver, n.Drops, n.PFCPauses)
		}
		_ = e
	}
}

// A link fails in mid-flow: what is on it is lost, the QPs take the other
// path, and everything arrives. Without another path they wait for the repair.
func TestLinkFault(t *testing.T) {
	for _, spines := range []int{1, 2} {
		g := &fabric.Graph{}
		sw := func(name string) fabric.NodeID {
			return g.AddNode(fabric.Node{Name: name, Kind: fabric.Switch, Group: -1})
		}
		l0, l1 := sw("l0"), sw("l1")
		for i := range spines {
			s := sw("s" + string(rune('0'+i)))
			g.AddLink(l0, s, 100*sim.Gbps, sim.Microsecond)
			g.AddLink(s, l1, 100*sim.Gbps, sim.Microsecond)
		}
		a := g.AddNode(fabric.Node{Name: "a", Kind: fabric.NIC, Group: -1})
		b := g.AddNode(fabric.Node{Name: "b", Kind: fabric.NIC, Group: -1})
		g.AddLink(a, l0, 100*sim.Gbps, sim.Microsecond)
		g.AddLink(l1, b, 100*sim.Gbps, sim.Microsecond)
		g.Freeze()
		c := DefaultConfig()
		c.Recovery.RTO = 500 * sim.Microsecond
		k := sim.NewKernel()
		e, err := New(k, g, fabric.NewRoutes(g, fabric.RouteOptions{}), c)
		if err != nil {
			t.Fatal(err)
		}
		k.Attach(e)
		const size = 10 << 20
		e.StartGroup([]fabric.Flow{{Src: a, Dst: b, Bytes: size}})
		link := g.Ports[e.paths[e.snd[0].path+1]].Link
		k.After(200*sim.Microsecond, func() { e.SetLink(link, fabric.LinkState{Down: true}) })
		k.After(sim.Millisecond, func() { e.SetLink(link, fabric.LinkState{}) })
		if err := k.Run(); err != nil {
			t.Fatal(err)
		}
		rep := e.Report()
		n := rep.Counters
		if n.FlowsFinished != 1 || n.Drops == 0 || n.BytesDelivered != size {
			t.Errorf("%d spines: finished %d, drops %d, delivered %d", spines, n.FlowsFinished, n.Drops, n.BytesDelivered)
		}
		// With a second spine the NACK or timeout repairs it within the millisecond
		// of the fault; without, not before its end.
		extra := rep.Flows[0].FCT - rep.Flows[0].Ideal
		if spines == 1 && extra < 800*sim.Microsecond || spines == 2 && extra > 600*sim.Microsecond {
			t.Errorf("%d spines: %v later than ideal", spines, extra)
		}
		for _, v := range append(rep.Violations, rep.Notes...) {
			t.Error(v)
		}
	}
}

// A degraded link carries its lower rate.
func TestDegradedLink(t *testing.T) {
	g, r := star(2, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	c.CC.Algorithm = None
	k := sim.NewKernel()
	e, err := New(k, g, r, c)
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	e.SetLink(1, fabric.LinkState{Rate: 40 * sim.Gbps})
	e.StartGroup([]fabric.Flow{{Src: 1, Dst: 2, Bytes: 1000 * 4096}})
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	want := (100 * sim.Gbps).TxTime(4178) + 2*sim.Microsecond + (40 * sim.Gbps).TxTime(1000*4178)
	if got := e.Report().Flows[0].FCT; got != want {
		t.Errorf("took %d ps, by hand %d", got, want)
	}
}

// Cut-through saves a serialization a hop, but not into a faster link.
func TestCutThrough(t *testing.T) {
	for _, out := range []sim.Rate{100 * sim.Gbps, 200 * sim.Gbps} {
		g := &fabric.Graph{}
		a := g.AddNode(fabric.Node{Name: "a", Kind: fabric.NIC, Group: -1})
		sw := g.AddNode(fabric.Node{Name: "sw", Kind: fabric.Switch, Latency: 300 * sim.Nanosecond, Group: -1})
		b := g.AddNode(fabric.Node{Name: "b", Kind: fabric.NIC, Group: -1})
		g.AddLink(a, sw, 100*sim.Gbps, sim.Microsecond)
		g.AddLink(sw, b, out, sim.Microsecond)
		g.Freeze()
		c := DefaultConfig()
		c.Switches[0].CutThrough = true
		_, rep := run(t, g, fabric.NewRoutes(g, fabric.RouteOptions{}), c, []fabric.Flow{{Src: a, Dst: b, Bytes: 4096}})
		in := 100 * sim.Gbps
		want := in.TxTime(64) + out.TxTime(4178) + 2300*sim.Nanosecond
		if out > in {
			want += in.TxTime(4178) - in.TxTime(64)
		}
		if got := rep.Flows[0].FCT; got != want {
			t.Errorf("out at %v: %d ps, by hand %d", out, got, want)
		}
		if rep.Counters.DataHops != 2 {
			t.Errorf("%d hops", rep.Counters.DataHops)
		}
	}
}

// Two weighted classes share a port by their weights, and a strict one goes
// before both.
func TestScheduler(t *testing.T) {
	g, r := star(4, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	c.CC.Algorithm = None
	c.Classes[0].Weight = 1
	c.Classes[1] = Class{Enabled: true, Lossless: true, Weight: 3}
	c.Classes[2] = Class{Enabled: true, Lossless: true, Strict: true}
	const size = 4 << 20
	_, rep := run(t, g, r, c, []fabric.Flow{
		{Src: 2, Dst: 1, Bytes: size, Class: 0}, {Src: 3, Dst: 1, Bytes: 3 * size, Class: 1}, {Src: 4, Dst: 1, Bytes: size, Class: 2},
	})
	rate := 100 * sim.Gbps
	strict := rate.TxTime(c.Framing.WireBytes(size))
	if f := rep.Flows[2]; f.FCT > f.Ideal+rate.TxTime(2*4178) {
		t.Errorf("strict class took %v, alone %v", f.FCT, f.Ideal)
	}
	all := strict + rate.TxTime(c.Framing.WireBytes(4*size))
	for i := range 2 {
		if f := rep.Flows[i]; f.FCT < all*97/100 || f.FCT > all*103/100 {
			t.Errorf("class %d took %v: weights 1 and 3 with bytes 1 and 3 should end together at %v", i, f.FCT, all)
		}
	}
}
