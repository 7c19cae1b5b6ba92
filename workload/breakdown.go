package workload

import "github.com/simnet/simnet/sim"

func (b *Breakdown) add(o Breakdown) {
	b.Compute += o.Compute
	b.TPComm += o.TPComm
	b.PPComm += o.PPComm
	b.PPBubble += o.PPBubble
	b.DPCommExposed += o.DPCommExposed
	b.EPComm += o.EPComm
	b.CPComm += o.CPComm
	b.Other += o.Other
}

// mean divides a sum over n spans. What the divisions drop, a few picoseconds,
// goes to Compute, so that the parts still add up to the mean of the totals.
func (b Breakdown) mean(n int64) Breakdown {
	d := sim.Time(n)
	total := b.Total() / d
	m := Breakdown{
		Compute: b.Compute / d, TPComm: b.TPComm / d, PPComm: b.PPComm / d, PPBubble: b.PPBubble / d,
		DPCommExposed: b.DPCommExposed / d, EPComm: b.EPComm / d, CPComm: b.CPComm / d, Other: b.Other / d,
	}
	m.Compute += total - m.Total()
	return m
}
