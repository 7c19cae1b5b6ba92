package engines

import (
	"math"
	"slices"
)

// draws are the runs of one engine on one case, which differ by the random
// numbers of the packets alone. An engine or a case without any has one run.
type draws []*measured

// whole reports whether all runs succeeded.
func (d draws) whole() bool { return len(d) > 0 && !slices.Contains(d, nil) }

// at returns the run that stands against draw i of the other engine.
func (d draws) at(i int) *measured { return d[min(i, len(d)-1)] }

// difference is a quantity in the mean over the draws of an engine against that
// of packet.
type difference struct {
	engine, packet float64
	// err is engine/packet - 1, NaN if packet is zero; se its standard error,
	// from the differences of the draws with the same seed, so that an engine
	// that is the packet engine has none. One draw tells none either: zero.
	err, se float64
}

// differ compares what of gives in the runs of x and p.
func differ(x, p draws, of func(*measured) float64) difference {
	n := max(len(x), len(p))
	var d difference
	var square, sum float64
	for i := range n {
		a, b := of(x.at(i)), of(p.at(i))
		d.engine += a / float64(n)
		d.packet += b / float64(n)
		sum += a - b
		square += (a - b) * (a - b)
	}
	if d.engine == d.packet && square == 0 {
		return d
	}
	if d.packet == 0 {
		d.err = math.NaN()
		return d
	}
	d.err = sum / float64(n) / d.packet
	if n > 1 {
		variance := max(0, square-sum*sum/float64(n)) / float64(n-1)
		d.se = math.Sqrt(variance/float64(n)) / d.packet
	}
	return d
}
