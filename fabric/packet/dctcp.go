package packet

import "github.com/simnet/simnet/sim"

// dctcp is DCTCP (Alizadeh et al., "Data Center TCP", SIGCOMM 2010, section 3)
// with a rate in place of the window: once a window of data alpha follows the
// fraction of marked packets; the first mark of a window cuts the rate by
// alpha/2, a window without marks adds a constant.
type dctcp struct {
	base
	p  DCTCPParams
	st []dctcpState
}

type dctcpState struct {
	alpha  float64
	window int64 // end of the window that alpha is measured over
	cutEnd int64 // no second cut before this is acknowledged
	marked int32 // packets marked in this window
	sent   int64 // packets of this window
	cut    bool
}

func (c *dctcp) grow(n int) { c.st = resize(c.st, n) }

func (c *dctcp) start(_ *shard, qi int32) { c.st[qi] = dctcpState{alpha: 1} }

func (c *dctcp) ack(s *shard, qi int32, a *ackInfo) {
	f, st := &s.snd[qi], &c.st[qi]
	st.marked += a.marked
	round := a.seq > st.window
	if round {
		if st.window == 0 {
			st.sent = f.next/s.e.payload + 1
		} else {
			frac := min(1, float64(st.marked)/float64(st.sent))
			st.alpha = float64((1-c.p.G)*st.alpha) + float64(c.p.G*frac)
			st.marked = 0
			st.sent = (f.next-a.seq)/s.e.payload + 1
		}
		st.window = f.next
	}
	if st.cut && a.seq > st.cutEnd {
		st.cut = false
	}
	if a.marked > 0 && !st.cut {
		s.setRate(qi, max(c.p.MinRate, sim.Rate(float64(f.rate)*(1-st.alpha/2))))
		s.n.cuts++
		st.cut, st.cutEnd = true, f.next
	}
	if round && !st.cut {
		s.setRate(qi, min(f.line, f.rate+c.p.AI))
	}
}
