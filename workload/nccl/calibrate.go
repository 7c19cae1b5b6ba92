package nccl

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// LogOn is a parsed log with the cluster that it was taken on.
type LogOn struct {
	Log   *Log
	Shape Shape
	Env   Env
}

// CalibrateLogs fits the parameters that the logs can tell, starting from the
// shipped calibration of their kind of node; all logs must be of one
// architecture and link class. A log's own NCCL version is used, else
// version. The log's ranks must be those of the shape.
func CalibrateLogs(logs []LogOn, version Version) (FitResult, error) {
	if len(logs) == 0 {
		return FitResult{}, errors.New("no logs to calibrate on")
	}
	var samples []Sample
	var names []string
	for _, l := range logs {
		v := l.Log.Version
		if v == 0 {
			v = version
		}
		if n := l.Log.Ranks; n > 0 && n != l.Shape.Ranks() {
			return FitResult{}, fmt.Errorf("%s: the log has %d ranks, the cluster %d (%d nodes of %d)", l.Log.Name, n, l.Shape.Ranks(), l.Shape.Nodes, l.Shape.GPUsPerNode)
		}
		if l.Shape.Arch != logs[0].Shape.Arch || l.Shape.Link != logs[0].Shape.Link {
			return FitResult{}, fmt.Errorf("%s: sm%d over %s, but %s is sm%d over %s: calibrate one kind of node at a time",
				l.Log.Name, l.Shape.Arch, l.Shape.Link, logs[0].Log.Name, logs[0].Shape.Arch, logs[0].Shape.Link)
		}
		m, err := NewModel(l.Shape, v, l.Env)
		if err != nil {
			return FitResult{}, fmt.Errorf("%s: %w", l.Log.Name, err)
		}
		for _, r := range l.Log.Rows {
			if r.Bytes > 0 {
				samples = append(samples, Sample{Model: m, Op: l.Log.Op, Bytes: r.Bytes, TimeUS: r.OutOfPlace.TimeUS})
			}
		}
		names = append(names, l.Log.Name)
	}
	keys := KeysFor(samples)
	if len(keys) == 0 {
		return FitResult{}, errors.New("the logs hold neither small nor large enough sizes to tell any parameter")
	}
	cal := CalibrationFor(logs[0].Shape.Arch, logs[0].Shape.Link)
	return Fit(cal, keys, samples, strings.Join(names, ", "))
}

// WriteYAML writes the fitted parameters as a fragment for a scenario: name to
// value, each with unit, range and meaning as a comment.
func (r FitResult) WriteYAML(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %d rows; mean absolute error of time %.1f %% before, %.1f %% after\n", r.Rows, 100*r.Before, 100*r.MAPE)
	b.WriteString("collective_calibration:\n")
	keys := slices.Clone(r.Keys)
	slices.Sort(keys)
	for _, k := range keys {
		p := r.Cal.P[k]
		fmt.Fprintf(&b, "  %s: %.5g  # %s, %g..%g: %s\n", p.Name, p.Value, p.Unit, p.Min, p.Max, p.Meaning)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Override replaces parameters by name, as read from such a fragment. It
// rejects unknown names, naming the nearest, and values outside the range.
func (c *Calibration) Override(values map[string]float64, source string) error {
	names := make([]string, 0, len(values))
	for n := range values {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		k, err := ParseKey(n)
		if err != nil {
			return err
		}
		if err := c.Set(k, values[n], source); err != nil {
			return err
		}
	}
	return nil
}
