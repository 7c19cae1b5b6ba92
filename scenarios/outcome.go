package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/trace"
)

// Outcome is what a run gave.
type Outcome struct {
	Report   *fabric.Report    // both engines merged where a window was open
	Results  []workload.Result // of the training jobs, in their order
	Traffic  []TrafficResult   // of the jobs of traffic
	Traces   []trace.Result    // of the jobs of recorded operations
	Warnings []string          // of the scenario and of the run
	Notes    []string          // Valid.Notes and those of the run
	// Partial says that the run was stopped (Ctrl-C, run.until) before its jobs
	// were done.
	Partial bool
	// Asked says that run.until ended it, Interrupted that Stop did.
	Asked, Interrupted bool
	// Unfinished says why flows of the run never arrived; "" if all did.
	Unfinished string
	// Coverage is the share of the delivered bytes that moved as packets, 0 to 1.
	Coverage float64
	End      sim.Time // simulated time at the end

	// Host facts; they are no part of deterministic results.
	Wall   time.Duration
	Events uint64
}

// Progress is how far a run has come.
type Progress struct {
	Now    sim.Time
	Events uint64
	Wall   time.Duration
	// Fraction of the work done, 0 to 1; negative while it cannot be told.
	Fraction float64
}

// progressEvery is how often Run reports: often enough for a smooth bar.
const progressEvery = 50 * time.Millisecond

// Run runs the machine to its end and reports now and then; progress may be
// nil. A run stopped by Stop or run.until is not an error but Partial. The
// error is about a run that cannot go on: a process that failed, or jobs that
// wait for something that never comes.
func (m *Machine) Run(progress func(Progress)) (*Outcome, error) {
	began := time.Now()
	for _, s := range m.starts {
		if s.at == 0 {
			s.begin()
		} else {
			m.Kernel.After(s.at, s.begin)
		}
	}
	if progress != nil {
		m.expect()
		last := began
		m.Kernel.OnProgress = func(now sim.Time) {
			if t := time.Now(); t.Sub(last) >= progressEvery {
				last = t
				progress(Progress{Now: now, Events: m.events(), Wall: t.Sub(began), Fraction: m.fraction()})
			}
		}
	}
	limit := sim.Never
	if u := m.Valid.Spec.Run.Until; u.Set() {
		limit = u.V
	}
	err := m.Kernel.RunUntil(limit)
	waiting := m.Kernel.Waiting()
	for _, p := range m.Traces {
		if p.Stuck(1) != nil {
			waiting = append(waiting, p.Result().Job)
		}
	}
	o := &Outcome{Warnings: append(slices.Clone(m.Valid.Warnings), m.Warnings...), Notes: slices.Clone(m.Valid.Notes), End: m.Kernel.Now(), Events: m.events()}
	switch {
	case errors.Is(err, sim.ErrStopped):
		o.Partial, o.Interrupted = true, true
	case err != nil:
		m.Kernel.Close()
		return nil, err
	case limit != sim.Never && (len(waiting) > 0 || m.trafficLeft()):
		o.Partial, o.Asked = true, true
		o.Warnings = append(o.Warnings, fmt.Sprintf("stopped at run.until (%v) before the jobs were done", limit))
	case len(waiting) > 0:
		m.Kernel.Close()
		return nil, m.stuck(waiting)
	}
	if m.window != nil {
		o.Report = m.window.report()
	} else {
		o.Report = m.Sims[0].Report()
	}
	if o.Unfinished = m.unfinished(o.Report, o.Interrupted); o.Unfinished != "" && len(waiting) == 0 {
		// Traffic has nobody that waits for it: its flows are what is left.
		o.Partial = true
		o.End = max(o.End, min(o.Report.End, limit))
	}
	if m.window != nil && o.Report.PacketBytes == 0 {
		w := m.Valid.window()
		o.Warnings = append(o.Warnings, fmt.Sprintf("%s: run.window opened for no flow: no job has sent %s", w.At.Position(), strings.Join(w.Phases.V, " or ")))
	}
	if m.Fidelity == "packet" && m.window == nil {
		o.Report.PacketBytes = o.Report.Counters.BytesDelivered
	}
	if b := o.Report.Counters.BytesDelivered; b > 0 {
		o.Coverage = float64(o.Report.PacketBytes) / float64(b)
	}
	for _, t := range m.Jobs {
		o.Results = append(o.Results, t.Result())
	}
	for _, g := range m.Traffic {
		o.Traffic = append(o.Traffic, g.result())
	}
	for _, p := range m.Traces {
		r := p.Result()
		o.Traces = append(o.Traces, r)
		o.Warnings = append(o.Warnings, r.Warnings...)
	}
	m.unusedLinks(o)
	m.insideNodes(o)
	if !m.Valid.Spec.Observe.Timeline.V {
		for i := range o.Results {
			o.Results[i].Timeline = nil
		}
		for i := range o.Traces {
			o.Traces[i].Timeline = nil
		}
	}
	m.Kernel.Close()
	o.Wall = time.Since(began)
	return o, nil
}

// Stop ends Run at the next opportunity; any goroutine may call it.
func (m *Machine) Stop() { m.Kernel.Stop() }

// stuck explains a run in which nothing is left to happen although jobs wait.
func (m *Machine) stuck(waiting []string) error {
	more := ""
	if len(waiting) > 4 {
		more = fmt.Sprintf(" and %d more", len(waiting)-4)
		waiting = waiting[:4]
	}
	unfinished := 0
	why := ""
	for _, s := range m.Sims {
		r := s.Report()
		for i := range r.Flows {
			if f := &r.Flows[i]; f.FCT < 0 {
				if unfinished++; unfinished == 1 {
					why = fmt.Sprintf("; the first unfinished flow is %s of job %s from %s to %s", f.Label, f.Job, m.Graph.Nodes[f.Src].Name, m.Graph.Nodes[f.Dst].Name)
				}
			}
		}
		if len(r.Violations) > 0 {
			why += "; " + r.Violations[0]
		}
		if len(r.Notes) > 0 {
			why += "; " + r.Notes[0]
		}
	}
	if s := m.stuckTraces(); s != "" && unfinished == 0 {
		return fmt.Errorf("the run cannot go on at %v: %s", m.Kernel.Now(), s)
	}
	return fmt.Errorf("the run cannot go on at %v: %s%s still wait, %d flows are unfinished%s", m.Kernel.Now(), strings.Join(waiting, ", "), more, unfinished, why)
}

// maxStuck is how many waiting operations of a job an error names.
const maxStuck = 8

// stuckTraces says which operations of which jobs wait for what never comes; ""
// if no trace does.
func (m *Machine) stuckTraces() string {
	var lines []string
	for _, p := range m.Traces {
		for _, w := range p.Stuck(maxStuck) {
			lines = append(lines, fmt.Sprintf("job %s: %s", p.Result().Job, w))
		}
	}
	return strings.Join(lines, "\n  ")
}

func (m *Machine) events() uint64 {
	n := m.Kernel.Handled
	for _, s := range m.Sims {
		n += s.Events()
	}
	return n
}

// expect predicts the events of the run, beside it: on a large machine that
// takes a second.
func (m *Machine) expect() {
	v := m.Valid
	go func() {
		if c, err := v.Predict(); err == nil {
			m.expected.Store(c.Events)
		}
	}()
}

// fraction is how much of the run is done, by events; negative while unknown.
func (m *Machine) fraction() float64 {
	if u := m.Valid.Spec.Run.Until; u.Set() {
		return min(1, float64(m.Kernel.Now())/float64(u.V))
	}
	if n := m.expected.Load(); n > 0 {
		// Never quite done before it is: the prediction is not exact.
		return min(0.99, float64(m.events())/float64(n))
	}
	return -1
}
