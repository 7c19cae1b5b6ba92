package topo

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// uplinks says how one switch is wired to each switch above it.
type uplinks struct {
	parallel int // cables to each upper switch
	cable    Cable
}

// maxBreakout is the largest number of links that one switch port splits into
// with a breakout cable: eight, as on 800G ports.
const maxBreakout = 8

// planUplinks spreads down/over bit/s evenly over upper switches. With a given
// uplink rate the number of cables must come out whole; without one, cables
// run at the link rate or, where that is too coarse, at the half, quarter or
// eighth of it that a breakout cable gives. over = 0 asks for one cable each.
func planUplinks(c *checks, field string, b *Base, down float64, over float64, upper int) uplinks {
	cable := b.between()
	if over == 0 {
		return uplinks{1, cable}
	}
	if !(over > 0) || math.IsInf(over, 0) {
		c.add(field, "is %v, must be above zero", over)
		return uplinks{1, cable}
	}
	want := down / over / float64(upper) // bit/s to each upper switch
	if b.Uplink.Rate > 0 {
		n := want / float64(cable.Rate)
		if r := math.Round(n); r >= 1 && math.Abs(n-r) < 1e-9*r {
			return uplinks{int(r), cable}
		}
		lo := math.Max(1, math.Floor(n))
		c.add(field, "%g over %d switches needs %.4g cables of %v to each of them, not a whole number; %d cables give an oversubscription of %.4g",
			over, upper, n, cable.Rate, int(lo), down/(lo*float64(cable.Rate)*float64(upper)))
		return uplinks{1, cable}
	}
	first := max(1, int(math.Ceil(want/float64(cable.Rate)-1e-9)))
	for n := first; n <= maxBreakout*first; n++ {
		for split := 1; split <= maxBreakout; split *= 2 {
			r := float64(cable.Rate) / float64(split)
			if math.Abs(want/float64(n)-r) < 1e-9*r {
				return uplinks{n, Cable{sim.Rate(math.Round(r)), cable.Delay}}
			}
		}
	}
	c.add(field, "%g over %d switches needs %v to each of them, which no whole number of %v cables or of their halves, quarters or eighths gives; change the number of switches above, or set the uplink rate",
		over, upper, sim.Rate(want), cable.Rate)
	return uplinks{1, cable}
}
