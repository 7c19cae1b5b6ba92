package packet

import "github.com/simnet/simnet/sim"

// timely is TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for
// the Datacenter", SIGCOMM 2015, algorithm 1), updated once a round trip.
type timely struct {
	base
	p  TIMELYParams
	st []timelyState
}

type timelyState struct {
	prev  sim.Time
	diff  float64 // smoothed RTT difference, ps
	seen  int64
	calm  int32 // updates in a row with a gradient that is not positive
	begun bool
}

func (c *timely) grow(n int) { c.st = resize(c.st, n) }

func (c *timely) start(_ *shard, qi int32) { c.st[qi] = timelyState{} }

func (c *timely) ack(s *shard, qi int32, a *ackInfo) {
	f, st := &s.snd[qi], &c.st[qi]
	if a.seq <= st.seen {
		return
	}
	st.seen = f.next
	if !st.begun {
		st.begun, st.prev = true, a.rtt
		return
	}
	least := c.p.MinRTT
	if least == 0 {
		least = f.rtt
	}
	st.diff = float64((1-c.p.Alpha)*st.diff) + float64(c.p.Alpha*float64(a.rtt-st.prev))
	st.prev = a.rtt
	gradient := st.diff / float64(least)
	rate := float64(f.rate)
	switch {
	case a.rtt < c.p.TLow:
		rate += float64(c.p.AI)
		st.calm = 0
	case a.rtt > c.p.THigh:
		rate *= 1 - float64(c.p.Beta*(1-float64(c.p.THigh)/float64(a.rtt)))
		st.calm = 0
	case gradient <= 0:
		n := 1.0
		if st.calm++; int(st.calm) >= c.p.HAIAfter {
			n = 5
		}
		rate += float64(n * float64(c.p.AI))
	default:
		st.calm = 0
		rate *= 1 - min(1, float64(c.p.Beta*gradient))
	}
	r := min(f.line, max(c.p.MinRate, sim.Rate(rate)))
	if r < f.rate {
		s.n.cuts++
	}
	s.setRate(qi, r)
}
