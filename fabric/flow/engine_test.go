package flow

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
)

// storm runs a mixture of everything: plain flows of several queue pairs, rings,
// a process that starts more, a link that degrades and one that goes and comes.
func storm(t testing.TB, seed uint64) *rig {
	g, r := build(t, topo.FatTree{Base: base(64), Tiers: 3, Radix: 8})
	x := newRig(t, g, r)
	rng := sim.Stream(seed, "storm")
	h := x.hosts
	group := func(n int) []fabric.Flow {
		var fs []fabric.Flow
		for range n {
			a := rng.IntN(len(h))
			fs = append(fs, fabric.Flow{
				Src: h[a], Dst: h[(a+1+rng.IntN(len(h)-1))%len(h)], Bytes: 1 + rng.Int64N(4<<20),
				QPs: rng.IntN(4), Delay: sim.Time(rng.Int64N(int64(300 * sim.Microsecond))),
			})
		}
		return fs
	}
	x.e.StartGroup(group(200))
	for i := range 4 {
		x.e.StartGroup(ring(h[16*i:16*i+16:16*i+16], 32<<20))
	}
	strided := make([]fabric.NodeID, 16)
	for i := range strided {
		strided[i] = h[4*i]
	}
	x.e.StartGroup(ring(strided, 16<<20))
	x.k.Go("more", func(p *sim.Proc) {
		for range 20 {
			done := sim.NewEvent(5)
			fs := group(5)
			for i := range fs {
				fs[i].Done = done
			}
			x.e.StartGroup(fs)
			p.Wait(done)
		}
	})
	link := g.Ports[g.PortsOf(h[0])[0]].Link
	x.k.After(100*sim.Microsecond, func() { x.e.SetLink(link, fabric.LinkState{Rate: 10 * sim.Gbps}) })
	x.k.After(900*sim.Microsecond, func() { x.e.SetLink(link, fabric.LinkState{}) })
	var up fabric.LinkID
	for i := range g.Links {
		if g.Nodes[g.Links[i].B].Tier == 2 {
			up = fabric.LinkID(i)
			break
		}
	}
	x.k.After(200*sim.Microsecond, func() { x.e.SetLink(up, fabric.LinkState{Down: true}) })
	x.k.After(700*sim.Microsecond, func() { x.e.SetLink(up, fabric.LinkState{}) })
	return x
}

func TestDeterministic(t *testing.T) {
	run := func(procs int) *fabric.Report {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		x := storm(t, 5)
		defer x.k.Close()
		if err := x.k.Run(); err != nil {
			t.Fatal(err)
		}
		return x.e.Report()
	}
	a, b, c := run(1), run(2), run(2)
	if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(b, c) {
		t.Error("two runs differ")
	}
}

// Whatever happens: all flows end, none before its ideal time, bytes on the
// ports add up, and the books are empty at the end.
func TestInvariants(t *testing.T) {
	for seed := range uint64(8) {
		x := storm(t, seed)
		if err := x.k.Run(); err != nil {
			t.Fatal(err)
		}
		rep := x.e.Report()
		var bytes, wire, sent, got int64
		for i, rec := range rep.Flows {
			if rec.FCT < rec.Ideal-1 {
				t.Errorf("seed %d: flow %d took %v, ideal %v", seed, i, rec.FCT, rec.Ideal)
			}
			bytes += rec.Bytes
			n := int(x.e.recs.at(fabric.FlowID(i)).qps)
			f := fabric.Flow{Bytes: rec.Bytes, QPs: n}
			for q := range n {
				wire += framing.WireBytes(f.QPBytes(q, n))
			}
		}
		for p := range x.g.Ports {
			if x.g.Nodes[x.g.Ports[p].Node].Kind.Host() {
				sent += rep.Ports[p].TxBytes
			}
			if x.g.Nodes[x.g.Ports[p].Peer].Kind.Host() {
				got += rep.Ports[p].TxBytes
			}
		}
		slack := int64(4 * len(rep.Flows)) // a byte for each path a flow had
		if wire-sent > slack || sent-wire > slack || wire-got > slack || got-wire > slack {
			t.Errorf("seed %d: %d B to send, %d left the hosts, %d reached them", seed, wire, sent, got)
		}
		if c := rep.Counters; c.FlowsFinished != c.Flows || c.BytesDelivered != bytes {
			t.Errorf("seed %d: %d of %d flows, %d of %d B", seed, c.FlowsFinished, c.Flows, c.BytesDelivered, bytes)
		}
		var binned int64
		for _, n := range rep.Bins.Delivered {
			binned += n
		}
		if d := binned - bytes; d < -2 || d > 2 {
			t.Errorf("seed %d: %d B over time, %d in all", seed, binned, bytes)
		}
		for l := range x.e.sys.links {
			if k := &x.e.sys.links[l]; k.n != 0 || k.qps != 0 || k.load != 0 || k.full {
				t.Fatalf("seed %d: link %d is not empty: %+v", seed, l, k)
			}
		}
		if n := len(x.e.sys.freeEdge); n != len(x.e.sys.edges) {
			t.Errorf("seed %d: %d of %d edges given back", seed, n, len(x.e.sys.edges))
		}
		if n := len(x.e.free); n != len(x.e.slots) {
			t.Errorf("seed %d: %d of %d slots given back", seed, n, len(x.e.slots))
		}
		x.k.Close()
	}
}

// Stopped half-way, the report counts what has arrived and nothing that has not.
func TestReportHalfWay(t *testing.T) {
	x := star(t, 3)
	const size = 100_000_000 // 8 ms of payload at 100 Gbps
	x.e.StartGroup([]fabric.Flow{{Src: x.hosts[0], Dst: x.hosts[1], Bytes: size}, {Src: x.hosts[1], Dst: x.hosts[2], Bytes: 1000}})
	if err := x.k.RunUntil(4 * sim.Millisecond); err != nil {
		t.Fatal(err)
	}
	rep := x.e.Report()
	if rep.Flows[0].FCT != -1 || rep.Flows[1].FCT != rep.Flows[1].Ideal || rep.Counters.FlowsFinished != 1 {
		t.Errorf("flows %+v, %+v", rep.Flows[0], rep.Flows[1])
	}
	want := (100 * sim.Gbps).Bytes(4 * sim.Millisecond)
	p := x.g.PortsOf(x.hosts[0])[0]
	if got := rep.Ports[p].TxBytes; got < want-2 || got > want+2 {
		t.Errorf("the port has sent %d B, want %d", got, want)
	}
}

// A link that goes down moves the flow to the other spine; with both gone it
// waits, and goes on when one is back.
func TestLinkDownAndBack(t *testing.T) {
	g, r := build(t, topo.LeafSpine{Base: base(4), NodesPerLeaf: 2, Spines: 2})
	x := newRig(t, g, r)
	f := fabric.Flow{Src: x.hosts[0], Dst: x.hosts[3], Bytes: 100_000_000, Job: "probe", Label: "steady"}
	path, _ := r.Path(nil, f.Src, f.Dst, fabric.QPHeader(&f, 0, 0))
	var other fabric.LinkID
	for _, p := range g.PortsOf(g.Ports[path[1]].Node) {
		if q := &g.Ports[p]; g.Nodes[q.Peer].Tier == 2 && p != path[1] {
			other = q.Link
		}
	}
	first := g.Ports[path[1]].Link
	ms := sim.Millisecond
	x.k.After(1*ms, func() { x.e.SetLink(first, fabric.LinkState{Down: true}) })
	x.k.After(2*ms, func() { x.e.SetLink(other, fabric.LinkState{Down: true}) })
	x.k.After(3*ms, func() {
		want := fmt.Sprintf("flows without a way to their destination, since links are down: 1, the first steady of job probe from %s to %s", g.Nodes[f.Src].Name, g.Nodes[f.Dst].Name)
		if n := x.e.Report().Notes; len(n) != 1 || n[0] != want {
			t.Errorf("notes: %q", n)
		}
	})
	x.k.After(5*ms, func() { x.e.SetLink(other, fabric.LinkState{}) })
	rec := x.run(t, f).Flows[0]
	if d := rec.FCT - rec.Ideal - 3*ms; d < -10 || d > 10 {
		t.Errorf("took %v, ideal %v and 3 ms without a way", rec.FCT, rec.Ideal)
	}
}

func TestDegradedLink(t *testing.T) {
	x := star(t, 2)
	x.k.After(1*sim.Millisecond, func() { x.e.SetLink(0, fabric.LinkState{Rate: 25 * sim.Gbps}) })
	x.k.After(3*sim.Millisecond, func() { x.e.SetLink(0, fabric.LinkState{}) })
	rec := x.run(t, fabric.Flow{Src: x.hosts[0], Dst: x.hosts[1], Bytes: 100_000_000}).Flows[0]
	if d := rec.FCT - rec.Ideal - 1500*sim.Microsecond; d < -10 || d > 10 {
		t.Errorf("took %v, ideal %v and three quarters of 2 ms", rec.FCT, rec.Ideal)
	}
}

// The PCIe limit of a host holds for all it sends together.
func TestHostLimit(t *testing.T) {
	b := base(3)
	b.Hosts.Limit = 50 * sim.Gbps
	g, r := build(t, topo.Star{Base: b})
	x := newRig(t, g, r)
	const size = 10_000_000
	rep := x.run(t, fabric.Flow{Src: x.hosts[0], Dst: x.hosts[1], Bytes: size}, fabric.Flow{Src: x.hosts[0], Dst: x.hosts[2], Bytes: size})
	want := (50 * sim.Gbps).TxTime(2 * framing.WireBytes(size))
	for i, rec := range rep.Flows {
		if rec.FCT < want || rec.FCT > want+5*sim.Microsecond {
			t.Errorf("flow %d took %v, want %v and latency", i, rec.FCT, want)
		}
	}
}

// Two queue pairs on different uplinks give a flow both; the ideal time knows.
func TestQueuePairsAddUp(t *testing.T) {
	b := base(4)
	b.Link.Rate = 400 * sim.Gbps
	b.Uplink = topo.Cable{Rate: 100 * sim.Gbps, Delay: 100 * sim.Nanosecond}
	g, r := build(t, topo.LeafSpine{Base: b, NodesPerLeaf: 1, Spines: 4})
	const size = 64 << 20
	best := sim.Never
	for port := uint16(50_000); port < 50_200; port += 8 {
		x := newRig(t, g, r)
		rec := x.run(t, fabric.Flow{Src: x.hosts[0], Dst: x.hosts[1], Bytes: size, QPs: 4, SrcPort: port}).Flows[0]
		if rec.FCT != rec.Ideal {
			t.Fatalf("port %d: took %v, ideal %v", port, rec.FCT, rec.Ideal)
		}
		best = min(best, rec.FCT)
	}
	if want := (400 * sim.Gbps).TxTime(size); best < want || best > want+want/10 {
		t.Errorf("with a spine for each of four queue pairs: %v, want about %v", best, want)
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	g, r := build(t, fatTree(128, 8))
	x := newRig(t, g, r)
	fs := neighbours(x.hosts)
	round := func() {
		x.e.StartGroup(fs)
		if err := x.k.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		round()
	}
	// One slice of IDs a group and a chunk of records now and then.
	if n := testing.AllocsPerRun(50, round); n > 4 {
		t.Errorf("%.1f allocations for %d flows", n, len(fs))
	}
}

func TestRefusals(t *testing.T) {
	g, r := build(t, topo.Star{Base: base(2)})
	for _, c := range []Config{{}, {Framing: framing, Batch: -1}, {Framing: fabric.Framing{Payload: 4096, Header: -1}}} {
		if _, err := New(sim.NewKernel(), g, r, c); err == nil || !strings.HasPrefix(err.Error(), "flow: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A flow at a constant rate shows as that rate in every bin that it fills.
func TestBinsShowTheRate(t *testing.T) {
	b := bins([]fabric.FlowRecord{
		{Bytes: 12_500_000, Start: 1500 * sim.Nanosecond, FCT: sim.Millisecond},
		{Bytes: 7, Start: 300 * sim.Microsecond, FCT: 0},
		{Bytes: 99, FCT: -1},
	})
	if b.Bin != sim.Microsecond || len(b.Delivered) != 1002 {
		t.Fatalf("%d bins of %v", len(b.Delivered), b.Bin)
	}
	for i, n := range b.Delivered {
		want := int64(12_500)
		switch i {
		case 0:
			want = 0
		case 1, 1001:
			want /= 2
		case 300:
			want += 7
		}
		if d := n - want; d < -1 || d > 1 {
			t.Errorf("bin %d: %d B, want %d", i, n, want)
		}
	}
}
