package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// What changes slowly while packets repeat themselves: the rate of a QP that
// DCQCN lets rise undisturbed, and DCQCN's alpha, which follows the CNPs with
// the time constant AlphaTimer/G.

// Drift returns how far the window from a to b may be repeated before rates and
// alphas change by more than the given fraction, Never if they do not change.
func (is *Island) Drift(a, b *Sample, fraction float64) sim.Time {
	c, _ := is.e.cc.(*dcqcn)
	if c == nil {
		return sim.Never
	}
	least := sim.Never
	i := 0
	for _, fi := range is.flows {
		f := &is.e.flows[fi]
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			if x := &is.e.snd[qi]; is.e.rcv[qi].next < x.size && x.state&stBegun != 0 {
				least = min(least, c.driftQP(x, &c.st[qi], a, b, i, fraction))
			}
			i++
		}
	}
	return least
}

// rising reports whether nothing has cut the rate of a QP since t.
func (c *dcqcn) rising(st *dcqcnState, since sim.Time) bool {
	return st.running && st.cutAt-c.p.CutInterval < since
}

func (c *dcqcn) driftQP(x *sender, st *dcqcnState, a, b *Sample, i int, fraction float64) sim.Time {
	if !st.cut && !st.running {
		return sim.Never
	}
	if c.rising(st, a.At) {
		// Steps until the rate has grown by the fraction.
		y, rate := *st, x.rate
		for n := sim.Time(0); n < maxSteps; n++ {
			rate = c.step(&y, rate, x.line)
			if float64(rate) > float64(x.rate)*(1+fraction) {
				return n * c.p.RateTimer
			}
		}
		return maxSteps * c.p.RateTimer
	}
	if !st.running {
		return sim.Never // back at line rate; alpha matters at the next CNP alone
	}
	end, tau := c.alphaEnd(a, b, i)
	now := b.alpha[i]
	room := max(now*alphaSlack*fraction, 1e-4)
	if gap := math.Abs(end - now); gap > room {
		return sim.Time(-tau * math.Log(1-room/gap))
	}
	return sim.Never
}

// maxSteps bounds the rate steps that one skip looks ahead.
const maxSteps = 1000

// alphaSlack is how much more alpha may change than rates in one skip: a cut is
// by alpha/2, and the throughput follows the cuts less than in proportion.
const alphaSlack = 5

// step is one timer step of increase on plain values.
func (c *dcqcn) step(st *dcqcnState, rate, line sim.Rate) sim.Rate {
	st.timers++
	switch t, r, n := int(st.timers), int(st.rounds), c.p.FastRecovery; {
	case max(t, r) < n:
	case min(t, r) > n:
		st.target += c.p.HAI * sim.Rate(min(t, r)-n)
	default:
		st.target += c.p.AI
	}
	st.target = min(st.target, line)
	return min((rate+st.target+1)/2, line)
}

// alphaEnd returns where the alpha of QP i is heading, by what it did between
// two samples, and the time constant in ps.
func (c *dcqcn) alphaEnd(a, b *Sample, i int) (end, tau float64) {
	tau = float64(c.p.AlphaTimer) / c.p.G
	r := math.Exp(-float64(b.At-a.At) / tau)
	return max(0, min(1, a.alpha[i]+(b.alpha[i]-a.alpha[i])/(1-r))), tau
}

// moveRates advances the congestion control by d beyond the window from a to b.
func (is *Island) moveRates(a, b *Sample, d sim.Time) {
	c, _ := is.e.cc.(*dcqcn)
	if c == nil {
		return
	}
	i := 0
	for _, fi := range is.flows {
		f := &is.e.flows[fi]
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			x, st := &is.e.snd[qi], &c.st[qi]
			switch {
			case is.e.rcv[qi].next >= x.size || x.state&stBegun == 0:
			case c.rising(st, a.At):
				rate := x.rate
				for range min(int64(d/c.p.RateTimer), maxSteps) {
					rate = c.step(st, rate, x.line)
				}
				is.s.setRate(qi, rate)
			case st.running:
				c.decay(b.At, st)
				end, tau := c.alphaEnd(a, b, i)
				st.alpha = end + (b.alpha[i]-end)*math.Exp(-float64(d)/tau)
			}
			i++
		}
	}
}
