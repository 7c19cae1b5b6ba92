package packet

import "github.com/simnet/simnet/sim"

// Horizon returns how long what happened from a to b can go on before a QP comes
// close to its last byte or a relay to what its upstream has delivered.
func (is *Island) Horizon(a, b *Sample) sim.Time {
	e := is.e
	most := maxSkip
	i := 0
	pay := e.payload
	w := b.At - a.At
	for _, fi := range is.open {
		f := &e.flows[fi]
		first := i
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			d := moved(a, b, i, w)
			x := &e.snd[qi]
			if left := x.size - x.next; d > 0 && e.rcv[qi].next < x.size {
				most = min(most, sim.Time(mulDiv(max(0, left-marginPackets*pay), int64(w), d)))
			} else if b.sent[i] != a.sent[i] {
				return 0 // it finished within the window
			}
			i++
		}
		most = min(most, is.relayHorizon(f, a, b, first))
	}
	return most
}

// maxSkip keeps products of times and bytes within 128 bits by far.
const maxSkip = 1000 * sim.Second

// marginPackets is how much of a QP is left for packets at its end: as much as is
// in flight on a few hops.
const marginPackets = 64

// relayHorizon is Horizon for the bytes that flow f may send before it runs
// into its upstream flows. first is the place of its QPs in the samples.
func (is *Island) relayHorizon(f *flow, a, b *Sample, first int) sim.Time {
	e := is.e
	most := maxSkip
	for _, ui := range f.up {
		u := &e.flows[ui]
		if u.left == 0 {
			continue
		}
		gain := is.gain(u, a, b)
		had := (e.delivered(u) + f.lag) / int64(f.qps)
		if f.slice > 0 {
			had -= f.slice / int64(f.qps) // what counts comes by the slice
		}
		i := first
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			d := moved(a, b, i, b.At-a.At)
			i++
			closing := d - gain/int64(f.qps)
			if closing <= 0 || e.rcv[qi].next >= e.snd[qi].size {
				continue
			}
			// One that is in step with its upstream stays so: Skip sees to that.
			if gap := had - e.snd[qi].next; gap > d {
				most = min(most, sim.Time(mulDiv(gap, int64(b.At-a.At), closing)))
			}
		}
	}
	return most
}

// gain returns by how much e.delivered(u) grew between two samples, were it not
// for QPs that overtake one another.
func (is *Island) gain(u *flow, a, b *Sample) int64 {
	i := is.place(u)
	least := int64(1) << 62
	for qi := u.qp; qi < u.qp+u.qps; qi++ {
		if is.e.rcv[qi].next < is.e.snd[qi].size {
			least = min(least, moved(a, b, i, b.At-a.At)*int64(u.qps))
		}
		i++
	}
	return least
}

// place returns where the QPs of a flow stand in a sample.
func (is *Island) place(u *flow) int {
	i := 0
	for _, fi := range is.open {
		f := &is.e.flows[fi]
		if f == u {
			return i
		}
		i += int(f.qps)
	}
	panic("packet: a flow of another island")
}
