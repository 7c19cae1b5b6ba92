package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// swift is Swift (Kumar et al., "Swift: Delay is Simple and Effective for
// Congestion Control in the Datacenter", SIGCOMM 2020, algorithm 1 and section
// 3.5), on fabric delay: additive increase below a target delay that scales
// with hops and flows, decrease in proportion to the excess above it, at most
// once a round trip. Below one packet the window becomes a pacing rate.
type swift struct {
	base
	p  SwiftParams
	st []swiftState
}

type swiftState struct {
	cwnd  float64 // packets
	cutAt sim.Time
	tries int32
}

func (c *swift) grow(n int) { c.st = resize(c.st, n) }

func (c *swift) start(s *shard, qi int32) {
	f := &s.snd[qi]
	w := c.p.InitWindow
	if w == 0 {
		w = max(1, float64(f.bdp)/float64(s.e.payload))
	}
	c.st[qi] = swiftState{cwnd: w}
	c.apply(s, qi, f, &c.st[qi], f.rtt)
}

// target returns the delay that the window aims at.
func (c *swift) target(f *sender, cwnd float64) sim.Time {
	t := c.p.BaseTarget
	if t == 0 {
		t = f.rtt
	}
	t += c.p.HopScale * sim.Time(f.hops)
	if c.p.FSRange > 0 {
		alpha := float64(c.p.FSRange) / (1/math.Sqrt(c.p.FSMin) - 1/math.Sqrt(c.p.FSMax))
		fs := alpha/math.Sqrt(cwnd) - alpha/math.Sqrt(c.p.FSMax)
		t += sim.Time(max(0, min(fs, float64(c.p.FSRange))))
	}
	return t
}

func (c *swift) ack(s *shard, qi int32, a *ackInfo) {
	f, st := &s.snd[qi], &c.st[qi]
	if a.acked == 0 {
		return
	}
	st.tries = 0
	n := float64(a.acked) / float64(s.e.payload)
	switch t := c.target(f, st.cwnd); {
	case a.rtt < t && st.cwnd >= 1:
		st.cwnd += float64(c.p.AI*n) / st.cwnd
	case a.rtt < t:
		st.cwnd += float64(c.p.AI * n)
	case s.now >= st.cutAt:
		over := float64(a.rtt-t) / float64(a.rtt)
		st.cwnd *= max(1-float64(c.p.Beta*over), 1-c.p.MaxMDF)
		st.cutAt = s.now + a.rtt
		s.n.cuts++
	}
	c.apply(s, qi, f, st, a.rtt)
}

func (c *swift) timeout(s *shard, qi int32) {
	f, st := &s.snd[qi], &c.st[qi]
	if st.tries++; int(st.tries) >= c.p.RetxReset {
		st.cwnd = c.p.MinWindow
	} else {
		st.cwnd *= 1 - c.p.MaxMDF
	}
	c.apply(s, qi, f, st, f.rtt)
}

// apply turns the window in packets into the sender's window and rate.
func (c *swift) apply(s *shard, qi int32, f *sender, st *swiftState, rtt sim.Time) {
	top := c.p.MaxWindow
	if top == 0 {
		top = 1 << 20
	}
	st.cwnd = min(top, max(c.p.MinWindow, st.cwnd))
	frame := float64(s.e.payload + s.e.header)
	rate := float64(f.line)
	if st.cwnd < 1 {
		rate = st.cwnd * frame * 8e12 / float64(rtt)
	}
	f.win = int64(max(1, st.cwnd) * float64(s.e.payload))
	f.maxWin = f.win
	s.setRate(qi, max(1, min(f.line, sim.Rate(rate))))
}
