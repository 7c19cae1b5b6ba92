package hybrid

import (
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// runner moves one packet island and decides when it may be parked.
type runner struct {
	e     *Engine
	live  *packet.Island
	cfg   *Config
	clock sim.Time // everything up to here has happened
	steady
	skipped int64 // payload bytes moved without packets
}

// run moves the island to limit, or until flows complete for which stop reports
// true; ended is called for every flow that completes. It reports whether it
// stopped early.
func (r *runner) run(limit sim.Time, ended func(fi int32, at sim.Time) (stop bool)) bool {
	for {
		if r.glide != nil {
			if r.glides(limit, ended) {
				return true
			}
			if r.glide != nil && r.glide.Next() > limit {
				return false
			}
			continue
		}
		if r.parked {
			if limit < r.wake {
				r.clock = limit
				return false
			}
			r.unpark(r.wake)
			continue
		}
		target := limit
		if r.sampling() {
			target = min(target, r.sampleAt)
		}
		stop := false
		for {
			done := r.live.Run(target)
			for _, fi := range done {
				if ended(fi, r.live.Now()) {
					stop = true
				}
			}
			if len(done) > 0 {
				r.restart(r.live.Now())
			}
			if stop || r.live.Idle() || len(done) > 0 {
				break
			}
			if r.live.Next() > target {
				break
			}
		}
		switch {
		case stop || r.live.Idle():
			r.clock = r.live.Now()
			return stop
		case r.live.Next() <= target:
			continue // the sampling has begun anew
		}
		r.clock = target
		if r.sampling() && target == r.sampleAt {
			r.sample()
			continue
		}
		if target == limit {
			return false
		}
	}
}
