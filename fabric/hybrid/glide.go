package hybrid

import (
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// When an island whose congestion control is at work glides.
const (
	// glideUnits is how many units after a change are left to packets, and
	// glideLeast how long a glide has to last: to begin and land costs about as much
	// as the packets of 10 us on a few links.
	glideUnits = 4
	glideLeast = 100 * sim.Microsecond
	// An island where marks come at all times, since it has many ports, does not
	// wait for a unit without any longer than glidePatience. Marks on their way are
	// then counted twice, so the glide has to last glideLong.
	glidePatience = 64
	glideLong     = 5 * sim.Millisecond
)

// mayGlide begins a glide at sample x if the island is under congestion, but no
// port overloaded.
func (r *runner) mayGlide(x *packet.Sample) bool {
	last := r.last
	r.last = x
	if last == nil || r.count < glideUnits || !r.unsettled(last, x) {
		return false
	}
	switch {
	case !x.Congested(last):
		r.glide = r.live.Glide(last, x, true, glideLeast)
	case r.count >= glidePatience:
		r.glide = r.live.Glide(last, x, false, glideLong)
	}
	return r.glide != nil
}

// land ends a glide at t.
func (r *runner) land(t sim.Time) {
	r.skipped += r.glide.Land(t)
	r.clock = t
	r.glide = nil
	r.restart(t)
}

// wakeUp brings an island that is parked or glides to t, or to where packets
// have to take over before.
func (r *runner) wakeUp(t sim.Time) {
	if r.parked {
		r.unpark(t)
	}
	if g := r.glide; g != nil {
		if g.Advance(t) {
			t = g.Now()
		}
		r.land(t)
	}
}
