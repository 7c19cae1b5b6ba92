package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/simnet/simnet/sim"
)

// progress shows how far a run is, on a terminal only. The fraction comes from
// the workload (bytes delivered over bytes to move, or steps done), since the
// end of simulated time is not known in advance.
type progress struct {
	bar   *progressbar.ProgressBar
	start time.Time
	last  time.Time
	fn    func() float64
}

// progressScale is the number of ticks of a full bar.
const progressScale = 1000

// newProgress returns nil, which is a valid silent progress, when w is not a
// terminal.
func newProgress(w io.Writer, fraction func() float64) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &progress{
		bar: progressbar.NewOptions(progressScale,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionFullWidth(),
		),
		start: time.Now(),
		fn:    fraction,
	}
}

// update redraws at most ten times a second.
func (p *progress) update(now sim.Time, events uint64) {
	if p == nil || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	rate := float64(events) / time.Since(p.start).Seconds()
	p.bar.Describe(fmt.Sprintf("simulated %v, %.1f M events/s", roundTime(now), rate/1e6))
	_ = p.bar.Set(int(p.fn() * progressScale)) // a lost redraw is no error
}

func (p *progress) finish() {
	if p != nil {
		_ = p.bar.Finish()
	}
}

// roundTime keeps four significant digits: enough for a status line.
func roundTime(t sim.Time) sim.Time {
	u := sim.Time(1)
	for t/u >= 10000 {
		u *= 10
	}
	return t / u * u
}
