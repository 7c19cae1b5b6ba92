package hybrid

import (
	"sync"
	"sync/atomic"

	"github.com/simnet/simnet/sim"
)

// parallel advances islands to their bounds on as many threads as configured.
// Islands share no port, queue pair or packet, so that the order in which
// threads take them changes nothing.
func (e *Engine) parallel(run []*island, until []sim.Time) {
	n := min(e.cfg.Threads, len(run))
	if n > 1 {
		work := 0
		for i, is := range run {
			if until[i]-is.run.clock > worthwhile {
				work++
			}
		}
		n = min(n, work)
	}
	if n <= 1 {
		for i, is := range run {
			is.advance(e, until[i])
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(run) {
					return
				}
				run[i].advance(e, until[i])
			}
		}()
	}
	wg.Wait()
}

// worthwhile is the span of simulated time from which handing an island to
// another thread costs less than it saves: tens of packets at 100 Gbps.
const worthwhile = 4 * sim.Microsecond
