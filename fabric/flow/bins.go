package flow

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// maxBins is the number of bins of the delivered bytes over time, enough for
// the width of a figure.
const maxBins = 1024

// bins spreads the bytes of each flow evenly over the time that it took and
// adds them up: exact for the sum, and for each flow as long as its rate does
// not change.
func bins(flows []fabric.FlowRecord) fabric.Bins {
	var end sim.Time
	for i := range flows {
		if f := &flows[i]; f.FCT >= 0 {
			end = max(end, f.Start+f.FCT)
		}
	}
	if end == 0 {
		return fabric.Bins{}
	}
	bin := sim.Microsecond
	for end > maxBins*bin {
		bin *= 2
	}
	n := int((end + bin - 1) / bin)
	// What has been delivered by the end of bin i is the sum, over j <= i, of
	// whole[j] + slope[j] * (time since the end of bin j).
	whole, slope := make([]float64, n+1), make([]float64, n+1)
	for i := range flows {
		f := &flows[i]
		if f.FCT < 0 {
			continue
		}
		first, last := f.Start/bin, (f.Start+f.FCT)/bin
		if last >= sim.Time(n) || first == last {
			last = min(last, sim.Time(n)-1)
		}
		if first == last {
			whole[first] += float64(f.Bytes)
			continue
		}
		rate := float64(f.Bytes) / float64(f.FCT)
		head := float64(rate * float64((first+1)*bin-f.Start))
		whole[first] += head
		slope[first] += rate
		// In its last bin the rest, in place of a whole bin at its rate.
		slope[last-1] -= rate
		whole[last] += float64(f.Bytes) - head - float64(rate*float64((last-1-first)*bin))
	}
	b := fabric.Bins{Bin: bin, Delivered: make([]int64, n)}
	var sum, rate, before float64
	for i := range n {
		sum += float64(rate*float64(bin)) + whole[i]
		rate += slope[i]
		b.Delivered[i] = max(0, int64(sum+0.5)-int64(before+0.5))
		before = sum
	}
	return b
}
