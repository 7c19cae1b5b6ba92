package flow

import (
	"math"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
	"pgregory.net/rapid"
)

// A flow alone takes exactly its ideal time, at any size, limit and distance.
func TestAloneIsIdeal(t *testing.T) {
	g, r := build(t, topo.FatTree{Base: base(128), Tiers: 3, Radix: 8})
	rapid.Check(t, func(rt *rapid.T) {
		x := newRig(t, g, r)
		n := len(x.hosts)
		a := rapid.IntRange(0, n-1).Draw(rt, "src")
		b := (a + rapid.IntRange(1, n-1).Draw(rt, "dst")) % n
		f := fabric.Flow{Src: x.hosts[a], Dst: x.hosts[b], Bytes: rapid.Int64Range(1, 1<<33).Draw(rt, "bytes")}
		if rapid.Bool().Draw(rt, "capped") {
			f.MaxRate = sim.Rate(rapid.Int64Range(1e9, 2e11).Draw(rt, "rate"))
		}
		f.Delay = sim.Time(rapid.Int64Range(0, 1e9).Draw(rt, "delay"))
		rec := x.run(t, f).Flows[0]
		path, err := r.Path(nil, f.Src, f.Dst, fabric.QPHeader(&f, 0, 0))
		if err != nil {
			rt.Fatal(err)
		}
		want := fabric.Ideal(g, path, f.Bytes, framing, f.MaxRate)
		if rec.Ideal != want || rec.FCT != want || rec.Start != f.Delay {
			rt.Fatalf("start %v, took %d ps, ideal %d, want %d", rec.Start, rec.FCT, rec.Ideal, want)
		}
	})
}

// n flows into one port each get the n-th part, and the port carries them all.
func TestIncastShares(t *testing.T) {
	for _, n := range []int{2, 3, 8, 31} {
		x := star(t, n+1)
		const size = 1 << 20
		var fs []fabric.Flow
		for i := range n {
			fs = append(fs, fabric.Flow{Src: x.hosts[i], Dst: x.hosts[n], Bytes: size})
		}
		rep := x.run(t, fs...)
		wire := framing.WireBytes(size)
		for i, rec := range rep.Flows {
			tx := (100 * sim.Gbps).TxTime(wire)
			want := rec.Ideal + sim.Time(n-1)*tx
			if d := rec.FCT - want; d < -1 || d > 1 {
				t.Errorf("%d:1, flow %d: %v, want %v", n, i, rec.FCT, want)
			}
		}
		last, _ := x.r.Path(nil, x.hosts[0], x.hosts[n], fabric.QPHeader(&fs[0], 0, 0))
		if got := rep.Ports[last[1]].TxBytes; got != int64(n)*wire {
			t.Errorf("%d:1: the port carried %d B, want %d", n, got, int64(n)*wire)
		}
	}
}

// A ring all-reduce of S bytes over n ranks takes 2(n-1)/n S/B and its latency
// once, if a step is longer than its latency.
func TestRingAllReduce(t *testing.T) {
	for _, n := range []int{2, 4, 16, 64} {
		x := star(t, n)
		const s = 64 << 20
		fs := ring(x.hosts, s)
		for i, rec := range x.run(t, fs...).Flows {
			if rec.FCT != rec.Ideal {
				t.Errorf("%d ranks, flow %d: %v, alone %v", n, i, rec.FCT, rec.Ideal)
			}
			exact := (100 * sim.Gbps).TxTime(framing.WireBytes(fs[i].Bytes))
			if rec.FCT < exact || rec.FCT > exact+3*sim.Microsecond {
				t.Errorf("%d ranks: %v, want %v and latency", n, rec.FCT, exact)
			}
		}
	}
}

// With steps shorter than the latency, each of the 2(n-1) steps takes a latency.
func TestRingAllReduceBoundByLatency(t *testing.T) {
	const n, lag = 16, 2 * 4096
	for _, slice := range []int64{0, lag / 2, lag} {
		x := star(t, n)
		fs := ring(x.hosts, n*lag)
		for i := range fs {
			fs[i].Slice = slice
		}
		path, _ := x.r.Path(nil, fs[0].Src, fs[0].Dst, fabric.QPHeader(&fs[0], 0, 0))
		pipe := fabric.Pipe(x.g, path, lag, framing)
		step := pipe
		if slice == lag {
			step += (100 * sim.Gbps).TxTime(framing.WireBytes(lag / 2))
		}
		for i, rec := range x.run(t, fs...).Flows {
			want := 500*sim.Nanosecond + (2*(n-1)-1)*step + pipe
			if d := math.Abs(float64(rec.FCT - want)); d > 0.01*float64(want) {
				t.Errorf("slice %d, flow %d: %v, want %v", slice, i, rec.FCT, want)
			}
		}
	}
}

// One slow rank holds the whole ring to its pace, and ranks run ahead of it by
// one lag a hop.
func TestRingFollowsItsSlowestRank(t *testing.T) {
	const n, s = 8, 80 << 20
	x := star(t, n)
	fs := ring(x.hosts, s)
	fs[3].MaxRate = 25 * sim.Gbps
	rep := x.run(t, fs...)
	slow := rep.Flows[3].FCT
	if slow != rep.Flows[3].Ideal {
		t.Errorf("the slow rank took %v, alone %v", slow, rep.Flows[3].Ideal)
	}
	lag := (25 * sim.Gbps).TxTime(framing.WireBytes(s / n))
	for hop := 1; hop < n; hop++ {
		got := rep.Flows[(3+hop)%n].FCT
		want := slow - sim.Time(hop)*lag
		if d := math.Abs(float64(got - want)); d > 0.01*float64(lag)*float64(hop)+3e6 {
			t.Errorf("%d hops behind: %v, want %v", hop, got, want)
		}
	}
}

// A chain of relays without lag is a pipeline: the last one ends a latency a
// hop later than the first.
func TestChainIsPipelined(t *testing.T) {
	const n, s = 6, 8 << 20
	x := star(t, n+1)
	var fs []fabric.Flow
	for i := range n {
		f := fabric.Flow{Src: x.hosts[i], Dst: x.hosts[i+1], Bytes: s}
		if i > 0 {
			f.Upstream = []int{i - 1}
		}
		fs = append(fs, f)
	}
	rep := x.run(t, fs...)
	path, _ := x.r.Path(nil, fs[0].Src, fs[0].Dst, fabric.QPHeader(&fs[0], 0, 0))
	pipe := fabric.Pipe(x.g, path, s, framing)
	for i, rec := range rep.Flows {
		want := rep.Flows[0].Ideal + sim.Time(i)*pipe
		if d := rec.FCT - want; d < -1000 || d > 1000 {
			t.Errorf("hop %d: %v, want %v", i, rec.FCT, want)
		}
	}
}

// The upward flow of a tree goes at the pace of its slower child.
func TestTreeTakesTheSlowerChild(t *testing.T) {
	const s = 32 << 20
	x := star(t, 4)
	h := x.hosts
	rep := x.run(t,
		fabric.Flow{Src: h[0], Dst: h[2], Bytes: s, MaxRate: 40 * sim.Gbps},
		fabric.Flow{Src: h[1], Dst: h[2], Bytes: s, MaxRate: 10 * sim.Gbps},
		fabric.Flow{Src: h[2], Dst: h[3], Bytes: s, Upstream: []int{0, 1}})
	up, slow := rep.Flows[2].FCT, rep.Flows[1].FCT
	if up < slow || up > slow+3*sim.Microsecond {
		t.Errorf("upward flow ends at %v, its slower child at %v", up, slow)
	}
}

// With data both ways ACKs take their share of every port: a ring is slower by
// it, a flow alone is not.
func TestAcksTakeTheirShare(t *testing.T) {
	g, r := build(t, topo.Star{Base: base(8)})
	run := func(every int, fs ...fabric.Flow) sim.Time {
		k := sim.NewKernel()
		e, err := New(k, g, r, Config{Framing: framing, AckEvery: every})
		if err != nil {
			t.Fatal(err)
		}
		k.Attach(e)
		x := &rig{k: k, g: g, r: r, e: e}
		return x.run(t, fs...).Flows[0].FCT
	}
	h := g.Hosts()
	lone := fabric.Flow{Src: h[0], Dst: h[1], Bytes: 64 << 20}
	if a, b := run(4, lone), run(0, lone); a != b {
		t.Errorf("alone: %v with ACKs, %v without", a, b)
	}
	a, b := run(4, ring(h, 64<<20)...), run(0, ring(h, 64<<20)...)
	want := 1 / (1 - 86.0/4/4178)
	if got := float64(a) / float64(b); math.Abs(got-want) > 1e-4 {
		t.Errorf("ring: %v with ACKs, %v without: %.5f times, want %.5f", a, b, got, want)
	}
}
