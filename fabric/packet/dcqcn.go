package packet

import "github.com/simnet/simnet/sim"

// dcqcn is DCQCN (Zhu et al., "Congestion Control for Large-Scale RDMA
// Deployments", SIGCOMM 2015, section 3 and figure 7): a CNP cuts the rate by
// alpha/2 and raises alpha; without CNPs alpha decays; a timer and a byte
// counter drive fast recovery, additive and hyper increase.
type dcqcn struct {
	base
	p  DCQCNParams
	st []dcqcnState
}

type dcqcnState struct {
	alpha   float64
	alphaAt sim.Time // when alpha was last updated
	cutAt   sim.Time // no cut before
	timerAt sim.Time // when the rate timer expires, while it is running
	target  sim.Rate
	gen     uint16 // of the rate timer
	timers  uint16 // increases by timer since the last cut
	rounds  uint16 // increases by byte counter since the last cut
	running bool   // the rate timer is pending
	cut     bool   // there has been a cut
}

// tagCNP is a timer that stands for a CNP on its way when a glide lands;
// generations are shorter.
const tagCNP = 1 << 16

func (c *dcqcn) grow(n int) { c.st = resize(c.st, n) }

func (c *dcqcn) start(s *shard, qi int32) {
	f := &s.snd[qi]
	c.st[qi] = dcqcnState{alpha: 1, target: f.rate, alphaAt: s.now}
	if r := c.p.InitialRate; r > 0 && r < f.rate {
		s.setRate(qi, r)
		c.st[qi].target = r
		c.rise(s, qi)
	}
}

func (c *dcqcn) cnp(s *shard, qi int32) {
	st := &c.st[qi]
	r, cut := c.p.cut(st, s.snd[qi].rate, s.now)
	if !cut {
		return
	}
	s.setRate(qi, r)
	s.n.cuts++
	c.rise(s, qi)
}

// cut returns the rate after a CNP at time now, and whether it cuts at all.
func (p *DCQCNParams) cut(st *dcqcnState, rate sim.Rate, now sim.Time) (sim.Rate, bool) {
	if st.cut { // alpha is 1 until the first CNP, whenever that comes
		p.decay(now, st)
	}
	st.alphaAt = now // a CNP that does not cut still restarts the alpha timer
	if now < st.cutAt {
		return rate, false
	}
	st.cutAt = now + p.CutInterval
	if p.ClampTarget || !st.cut || st.timers|st.rounds != 0 {
		st.target = rate
	}
	rate = max(p.MinRate, sim.Rate(float64(rate)*(1-st.alpha/2)))
	st.alpha = float64((1-p.G)*st.alpha) + p.G
	st.cut = true
	st.timers, st.rounds = 0, 0
	return rate, true
}

// decay applies the alpha timer: one step for each interval without a CNP.
// Nothing reads alpha between CNPs, so the steps can wait until then.
func (p *DCQCNParams) decay(now sim.Time, st *dcqcnState) {
	for st.alphaAt+p.AlphaTimer <= now {
		st.alphaAt += p.AlphaTimer
		st.alpha *= 1 - p.G
		if st.alpha < 1e-9 {
			st.alpha, st.alphaAt = 0, now
		}
	}
}

// rise restarts the rate timer and the byte counter.
func (c *dcqcn) rise(s *shard, qi int32) {
	st := &c.st[qi]
	st.gen++
	st.running = true
	st.timerAt = s.now + c.p.RateTimer
	s.setTimer(qi, st.timerAt, uint32(st.gen))
	if c.p.ByteCounter > 0 {
		s.snd[qi].quota = c.p.ByteCounter
	}
}

func (c *dcqcn) timer(s *shard, qi int32, tag uint32) {
	st := &c.st[qi]
	if tag == tagCNP {
		c.cnp(s, qi)
		return
	}
	if tag != uint32(st.gen) {
		return
	}
	st.timers = min(st.timers+1, 1<<15)
	if c.increase(s, qi, st) {
		st.timerAt = s.now + c.p.RateTimer
		s.setTimer(qi, st.timerAt, tag)
	} else {
		st.running = false
	}
}

func (c *dcqcn) bytes(s *shard, qi int32) {
	st := &c.st[qi]
	if c.p.ByteCounter == 0 || !st.running {
		c.base.bytes(s, qi)
		return
	}
	st.rounds = min(st.rounds+1, 1<<15)
	s.snd[qi].quota += c.p.ByteCounter
	c.increase(s, qi, st)
}

// increase raises the rate by one step and reports whether there is any more
// to gain.
func (c *dcqcn) increase(s *shard, qi int32, st *dcqcnState) bool {
	f := &s.snd[qi]
	r, more := c.p.raise(st, f.rate, f.line)
	s.setRate(qi, r)
	return more
}

// raise returns the rate after one increase and whether it is still below the
// line rate.
func (p *DCQCNParams) raise(st *dcqcnState, rate, line sim.Rate) (sim.Rate, bool) {
	switch t, b, n := int(st.timers), int(st.rounds), p.FastRecovery; {
	case max(t, b) < n: // fast recovery: halfway to the target
	case min(t, b) > n:
		st.target += p.HAI * sim.Rate(min(t, b)-n)
	default:
		st.target += p.AI
	}
	st.target = min(st.target, line)
	r := (rate + st.target + 1) / 2
	return min(r, line), r < line
}
