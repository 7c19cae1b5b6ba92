package packet

import (
	"math"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// With every congestion control two long flows share a port fairly, fill it,
// keep the queue below what PFC would need, and lose nothing.
func TestFairShares(t *testing.T) {
	// TIMELY oscillates by design; HPCC takes its time to become fair.
	slack := map[Algorithm]float64{TIMELY: 1.6}
	unfair := map[Algorithm]float64{HPCC: 0.3}
	for a := DCQCN; a <= Swift; a++ {
		t.Run(a.String(), func(t *testing.T) {
			g, r := star(3, 100*sim.Gbps, sim.Microsecond)
			c := DefaultConfig()
			c.CC = DefaultCC(a)
			c.CC.DCQCN.AI, c.CC.DCQCN.RateTimer = 400*sim.Mbps, 55*sim.Microsecond
			c.CC.TIMELY.TLow, c.CC.TIMELY.THigh, c.CC.TIMELY.AI = 10*sim.Microsecond, 50*sim.Microsecond, 100*sim.Mbps
			c.CC.HPCC.AI = 200 * sim.Mbps
			const size = 100 << 20
			_, rep := run(t, g, r, c, incast(2, size))
			n := rep.Counters
			if n.Drops != 0 || n.PFCPauses != 0 || n.RateCuts == 0 {
				t.Errorf("drops %d, pauses %d, cuts %d", n.Drops, n.PFCPauses, n.RateCuts)
			}
			f0, f1 := rep.Flows[0].FCT.Seconds(), rep.Flows[1].FCT.Seconds()
			rate := 100 * sim.Gbps
			if ideal := rate.TxTime(2 * c.Framing.WireBytes(size)).Seconds(); max(f0, f1) > max(1.25, slack[a])*ideal {
				t.Errorf("took %g s, the port alone %g", max(f0, f1), ideal)
			}
			// Who is cut first is drawn at random, so fairness is a matter of the mean.
			lead := (f0 - f1) / max(f0, f1)
			const seeds = 12
			for c.Seed = 2; c.Seed <= seeds; c.Seed++ {
				_, rep := run(t, g, r, c, incast(2, size))
				f0, f1 := rep.Flows[0].FCT.Seconds(), rep.Flows[1].FCT.Seconds()
				lead += (f0 - f1) / max(f0, f1)
			}
			if lead = math.Abs(lead) / seeds; lead > max(0.1, unfair[a]) {
				t.Errorf("one flow is ahead by %.0f %% in the mean", 100*lead)
			}
		})
	}
}

// QPs that share a NIC send at their own rates as long as these fit the port,
// whatever they wait for one another: 40 + 23 + 17 + 11 of 100 Gb/s, wire bytes.
func TestRateLimitersKeepTheirRates(t *testing.T) {
	g, r := star(5, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	var fs []fabric.Flow
	rates := []int64{40, 23, 17, 11}
	for i, n := range rates {
		fs = append(fs, fabric.Flow{Src: 1, Dst: fabric.NodeID(2 + i), Bytes: n << 20, MaxRate: sim.Rate(n) * sim.Gbps})
	}
	_, rep := run(t, g, r, c, fs)
	for i, n := range rates {
		rate := sim.Rate(n) * sim.Gbps
		want := rate.TxTime(c.Framing.WireBytes(n << 20)).Seconds()
		if got := rep.Flows[i].FCT.Seconds(); math.Abs(got/want-1) > 0.005 {
			t.Errorf("the QP of %d Gb/s takes %g s, at its rate %g", n, got, want)
		}
	}
}

// One CNP at full rate: alpha is 1, so the rate halves, then fast recovery
// brings half of the difference back at each expiry of the rate timer; after F
// of them the target rises.
func TestDCQCNByHand(t *testing.T) {
	g, r := star(3, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	p := &c.CC.DCQCN
	p.ByteCounter, p.FastRecovery = 0, 2
	k := sim.NewKernel()
	e, err := New(k, g, r, c)
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	e.StartGroup([]fabric.Flow{{Src: 2, Dst: 1, Bytes: 1 << 30}})
	s := e.shards[0]
	run := func(to sim.Time) {
		t.Helper()
		if err := k.RunUntil(to); err != nil {
			t.Fatal(err)
		}
		s.now = to
	}
	want := func(what string, rate sim.Rate) {
		t.Helper()
		if got := s.snd[0].rate; got != rate {
			t.Errorf("%s: %v, by hand %v", what, got, rate)
		}
	}
	run(10 * sim.Microsecond)
	e.cc.cnp(s, 0)
	want("first cut", 50*sim.Gbps)
	e.cc.cnp(s, 0)
	want("second CNP within the cut interval", 50*sim.Gbps)
	run(sim.Time(10)*sim.Microsecond + p.RateTimer)
	want("fast recovery, first step", 75*sim.Gbps)
	at := 20*sim.Microsecond + p.RateTimer
	run(at)
	e.cc.cnp(s, 0) // alpha: five expiries of 55 us in 310 us
	alpha := 1.0
	for range 5 {
		alpha *= 1 - p.G
	}
	rate := sim.Rate(75e9 * (1 - alpha/2))
	want("second cut", rate)
	target := 75 * sim.Gbps
	run(at + p.RateTimer)
	rate = (rate + target + 1) / 2
	want("fast recovery", rate)
	run(at + 2*p.RateTimer)
	target += p.AI
	rate = (rate + target + 1) / 2
	want("additive increase", rate)
}

// The byte counter counts like the timer, and with both beyond F the increase
// is hyper.
func TestDCQCNHyperIncrease(t *testing.T) {
	c := &dcqcn{p: DefaultCC(DCQCN).DCQCN}
	g, r := star(3, 100*sim.Gbps, sim.Microsecond)
	e, err := New(sim.NewKernel(), g, r, DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	e.StartGroup([]fabric.Flow{{Src: 2, Dst: 1, Bytes: 1 << 30}})
	s := e.shards[0]
	c.grow(1)
	c.start(s, 0)
	c.p.ClampTarget = true
	c.cnp(s, 0)
	st := &c.st[0]
	st.target = 50 * sim.Gbps
	for range c.p.FastRecovery + 2 {
		c.timer(s, 0, uint32(st.gen))
		c.bytes(s, 0)
	}
	// The target stays at 50 Gbps for the first F-1 of each; then it rises by
	// AI until both exceed F, at the 6th byte round by HAI, at the 7th timer
	// tick by HAI again, at the 7th round by 2 HAI.
	f := sim.Rate(c.p.FastRecovery)
	want := 50*sim.Gbps + 3*c.p.AI + 1*c.p.HAI + 1*c.p.HAI + 2*c.p.HAI
	if f != 5 || st.target != want {
		t.Errorf("target %v, by hand %v", st.target, want)
	}
}
