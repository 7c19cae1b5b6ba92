package hybrid

import (
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// steady watches whether the packets of an island repeat themselves.
//
// It samples the island every unit and compares neighbouring windows of 1, 2,
// 4, ... units. A window without congestion counts as repetition when every QP
// delivers the same in both, which for flows at line rate is exact since the
// unit is a whole number of packet times. Under congestion islands of DCQCN flows
// glide (packet.Glide); with other controls a window has to span
// several periods of the congestion control, and the island as a whole has to
// deliver the same within the tolerance; what is then skipped is at first a few
// windows, and twice as many each time that a fresh window confirms the rates.
type steady struct {
	unit     sim.Time
	control  sim.Time // period of the congestion control
	sampleAt sim.Time
	count    int64
	levels   []level
	base     *packet.Sample // after a skip: a window may begin at once; else the first is a transient
	growth   int64

	parked bool
	wake   sim.Time
	from   *packet.Sample // the window that goes on
	mid    *packet.Sample
	to     *packet.Sample

	last  *packet.Sample // the sample before, since a change
	glide *packet.Glide  // nil: packets, or parked
}

// level keeps the last three samples at multiples of 2^i units.
type level [3]*packet.Sample

// firstGrowth is how many times the two windows that agree the first skip under
// congestion spans.
const firstGrowth = 1

// unitPackets is the length of a unit in packet times of the slowest host link:
// a multiple of the usual numbers of QPs that share a port times the packets
// an ACK answers.
const unitPackets = 64

// controlPeriods is how many increase timers of the congestion control a
// window must span: fewer would see only one side of a sawtooth.
const controlPeriods = 16

// sampling reports whether the island is watched at all.
func (s *steady) sampling() bool { return s.unit > 0 }

// restart forgets what was seen: something has changed at t, which is now.
func (r *runner) restart(t sim.Time) {
	if !r.sampling() {
		return
	}
	r.sampleAt = t + r.unit
	r.count = 0
	r.levels = r.levels[:0]
	r.growth = firstGrowth
	r.base, r.last = nil, nil
}

// sample compares the windows that end now.
func (r *runner) sample() {
	x := &packet.Sample{}
	r.live.Sample(x, r.clock)
	r.sampleAt += r.unit
	if r.mayGlide(x) {
		return
	}
	for i := 0; ; i++ {
		if len(r.levels) <= i {
			r.levels = append(r.levels, level{2: r.base})
		}
		l := &r.levels[i]
		l[0], l[1], l[2] = l[1], l[2], x
		if l[0] != nil && r.repeats(l[0], l[1], l[2]) && r.park(l[0], l[1], l[2]) {
			return
		}
		if i+1 == maxLevels || r.count>>uint(i)&1 == 0 {
			break
		}
	}
	r.count++
}

// congestedSlack is how much more two windows may differ under congestion, where
// marks are drawn at random: what is skipped repeats both.
const congestedSlack = 3

// maxLevels bounds the length of a window to 2^20 units.
const maxLevels = 21

// repeats reports whether the windows a to b and b to c are alike.
func (r *runner) repeats(a, b, c *packet.Sample) bool {
	if r.live.Starting() || c.Trouble(a) {
		return false
	}
	if !r.unsettled(a, c) {
		same, w := true, c.At-b.At
		r.live.EachQP(func(i int) {
			x, y := packet.Moved(a, b, i, w), packet.Moved(b, c, i, w)
			same = same && float64(abs(x-y)) <= float64(max(x, y))*r.cfg.Tolerance/10
		})
		return same && abs(c.Held()-a.Held()) <= driftBytes
	}
	if c.At-b.At < r.control {
		return false
	}
	x, y := b.Delivered()-a.Delivered(), c.Delivered()-b.Delivered()
	if float64(abs(x-y)) > congestedSlack*r.cfg.Tolerance*float64(max(x, y)) {
		r.growth = firstGrowth
		return false
	}
	return true
}

// unsettled reports whether congestion control is at work between two samples.
func (r *runner) unsettled(a, b *packet.Sample) bool {
	return b.Congested(a) || r.live.Recovering()
}

// park lets the island go on as it did from a to c, unless that is not worth it:
// the whole of both windows, which halves the noise.
func (r *runner) park(a, b, c *packet.Sample) bool {
	w := c.At - a.At
	d := r.live.Horizon(a, c)
	if r.unsettled(a, c) {
		d = min(d, sim.Time(r.growth)*w)
	} else if grown := abs(c.Held() - a.Held()); grown > 0 {
		d = min(d, sim.Time(queueBytes/grown)*w)
	}
	if d < w/2 {
		return false
	}
	r.growth *= 2
	r.parked, r.from, r.mid, r.to = true, a, b, c
	r.wake = c.At + d
	return true
}

// unpark skips to t or to the end of what may be skipped.
func (r *runner) unpark(t sim.Time) {
	if d := min(t, r.wake) - r.to.At; d > 0 {
		r.skipped += r.live.Skip(r.from, r.mid, r.to, d)
		r.clock = r.to.At + d
	}
	growth := r.growth
	r.parked, r.from, r.mid, r.to = false, nil, nil, nil
	r.restart(r.clock)
	r.growth = growth
	r.base = &packet.Sample{}
	r.live.Sample(r.base, r.clock)
}

// Without congestion the queues of an island may change by driftBytes in a
// window that counts as steady, about a packet for each of a few ports, and by
// queueBytes in what is skipped for it: far below any threshold for marks.
const (
	driftBytes = 16 << 10
	queueBytes = 64 << 10
)

func abs(x int64) int64 { return max(x, -x) }
