package hybrid

import (
	"slices"

	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

const (
	// glideUnits is how many units after a change on an island of packets are left
	// to packets before it may glide.
	glideUnits = 4
	// GlideLeast is how long a flow alone has to take to be part of a glide: 25
	// ticks, a few answers of congestion control. What is shorter depends on the
	// places of single packets, and costs few.
	GlideLeast = 100 * sim.Microsecond
)

// mayGlide begins a glide at sample x if the island is under congestion, but
// nothing else holds it back.
func (r *runner) mayGlide(x *packet.Sample) bool {
	last := r.last
	r.last = x
	if last == nil || r.count < glideUnits || !r.unsettled(last, x) || x.Trouble(last) {
		return false
	}
	r.glide = r.live.Glide(r.clock, GlideLeast)
	return r.glide != nil
}

// land ends a glide at t.
func (r *runner) land(t sim.Time) {
	t = max(t, r.glide.Now())
	r.skipped += r.glide.Land(t)
	r.glide = nil
	r.changed(t)
}

// glides advances a glide to limit, and reports whether flows have ended for which
// ended reports true.
func (r *runner) glides(limit sim.Time, ended func(fi int32, at sim.Time) (stop bool)) bool {
	stop := false
	g := r.glide
	for _, fi := range g.Advance(limit) {
		stop = ended(fi, g.Now()) || stop
	}
	switch {
	case g.Over() || g.Empty():
		r.land(g.Now())
	case stop:
		r.clock = g.Now()
	case g.Next() > limit:
		r.clock = limit
	}
	return stop
}

// wakeUp brings an island that is parked or glides to t, up to which nothing else
// happens, and to packets.
func (r *runner) wakeUp(t sim.Time) {
	if r.parked {
		r.unpark(t)
	}
	if r.glide != nil {
		r.land(t)
	}
}

// board reports whether the flows of a part of a group start within a glide, and
// lets the islands that they touch glide, the largest first: where none of them is
// short or relays slices too short to be seen, and nothing but congestion control
// holds those islands back.
func (e *Engine) board(j *joining, s *step, now sim.Time) bool {
	if e.cfg.Exact || e.faulty || e.lossy || !e.pe.CanGlide() {
		return false
	}
	for i := range s.flows {
		f := s.flows[i].Flow
		if f.Class != s.flows[0].Flow.Class || e.flows[s.flows[i].ID].rec.Ideal < GlideLeast || !e.pe.GlidesSlices(&s.flows[i]) {
			return false
		}
	}
	var glides []*packet.Glide
	for _, o := range j.islands {
		e.revive(o, now-1)
		r := o.run
		if now-1 > r.clock {
			r.run(now-1, o.quiet(e))
		}
		if r.parked {
			r.unpark(now)
		}
		if r.glide == nil {
			r.glide = r.live.Glide(now, GlideLeast)
		}
		if r.glide == nil || !r.glide.Takes(s.flows[0].Flow.Class) {
			return false
		}
		glides = append(glides, r.glide)
	}
	if e.pe.Floods(s.flows, glides) {
		return false
	}
	slices.SortStableFunc(j.islands, func(a, b *island) int { return len(b.links) - len(a.links) })
	return true
}
