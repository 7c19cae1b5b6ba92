package packet

import "github.com/simnet/simnet/sim"

// dcqcnCompat is DCQCN as the HPCC-family models have it: alpha and cuts are
// looked at by periodic timers that the first CNP starts, there is no byte
// counter, and hyper increase follows the additive step that comes with the
// end of fast recovery.
type dcqcnCompat struct {
	base
	p  DCQCNParams
	st []dcqcnCompatState
}

type dcqcnCompatState struct {
	alpha         float64
	target        sim.Rate
	stage         int32
	gen           uint16 // of the increase timer
	begun         bool
	alphaCNP, cut bool // a CNP since the last look
}

// Tags of the timers; the increase timer carries its generation above.
const (
	tagAlpha uint32 = iota
	tagCut
	tagIncrease
)

func (c *dcqcnCompat) grow(n int) { c.st = resize(c.st, n) }

func (c *dcqcnCompat) start(s *shard, qi int32) {
	c.st[qi] = dcqcnCompatState{alpha: 1, target: s.snd[qi].rate}
}

func (c *dcqcnCompat) ack(s *shard, qi int32, a *ackInfo) {
	if !a.echo {
		return
	}
	st := &c.st[qi]
	st.alphaCNP, st.cut = true, true
	if !st.begun {
		st.begun = true
		st.alpha, st.alphaCNP = 1, false
		st.target = s.snd[qi].rate
		s.setTimer(qi, s.now+c.p.AlphaTimer, tagAlpha)
		s.setTimer(qi, s.now+c.p.CutInterval+sim.Nanosecond, tagCut)
	}
}

func (c *dcqcnCompat) timer(s *shard, qi int32, tag uint32) {
	f, st := &s.snd[qi], &c.st[qi]
	switch tag & 3 {
	case tagAlpha:
		a := (1 - c.p.G) * st.alpha
		if st.alphaCNP {
			a = float64(a) + c.p.G
		}
		st.alpha, st.alphaCNP = a, false
		s.setTimer(qi, s.now+c.p.AlphaTimer, tagAlpha)
	case tagCut:
		s.setTimer(qi, s.now+c.p.CutInterval, tagCut)
		if !st.cut {
			return
		}
		if c.p.ClampTarget || st.stage != 0 {
			st.target = f.rate
		}
		s.setRate(qi, max(c.p.MinRate, sim.Rate(float64(f.rate)*(1-st.alpha/2))))
		s.n.cuts++
		st.stage, st.cut = 0, false
		st.gen++
		s.setTimer(qi, s.now+c.p.RateTimer, tagIncrease|uint32(st.gen)<<2)
	case tagIncrease:
		if tag>>2 != uint32(st.gen) {
			return
		}
		s.setTimer(qi, s.now+c.p.RateTimer, tag)
		if n := int32(c.p.FastRecovery); st.stage >= n {
			step := c.p.HAI
			if st.stage == n {
				step = c.p.AI
			}
			st.target = min(f.line, st.target+step)
		}
		s.setRate(qi, f.rate/2+st.target/2)
		st.stage++
	}
}
