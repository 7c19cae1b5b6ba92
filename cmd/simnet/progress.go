package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/sim"
)

// progress shows how far a run is, on a terminal only. A nil progress is valid
// and silent.
type progress struct {
	bar *progressbar.ProgressBar
}

// progressScale is the number of ticks of a full bar: fine enough that a run of
// hours moves at every redraw, which the estimate of what is left needs.
const progressScale = 1_000_000

// newProgress returns nil when w is not a terminal.
func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &progress{progressbar.NewOptions(progressScale,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)}
}

// update redraws; the machine calls it some twenty times a second.
func (p *progress) update(s scenarios.Progress) {
	if p == nil {
		return
	}
	rate := 0.0
	if s.Wall > 0 {
		rate = float64(s.Events) / s.Wall.Seconds() / 1e6
	}
	p.bar.Describe(fmt.Sprintf("simulated %-9v %5.1f M events/s", roundTime(s.Now), rate))
	if s.Fraction >= 0 {
		_ = p.bar.Set(int(s.Fraction * progressScale)) // a lost redraw is no error
	} else {
		_ = p.bar.RenderBlank()
	}
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
