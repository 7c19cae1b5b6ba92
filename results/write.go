package results

import (
	"fmt"
	"io"

	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/trace"
)

// WriteOptions say what goes into a run directory beside the data.
type WriteOptions struct {
	// Force lets the run be written into a directory that holds other files;
	// they stay.
	Force bool
	// NoPlots and NoReport leave the figures and the page out (sweeps).
	NoPlots, NoReport bool
}

// owned lists what simnet writes into a run directory; everything else in it
// is somebody else's.
var owned = []string{"summary.json", "run.json", "effective.yaml", "flows.csv", "ports.parquet", "ports.csv",
	"network.csv", "rates.csv", "timeline.json", "plots", "report.html"}

// IsRun reports whether dir holds a run.
func IsRun(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "summary.json"))
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	return strings.Contains(string(head[:n]), `"simnet.summary/`)
}

// Write makes the run directory of r at dir and returns its summary. All files
// are made in a directory beside it and moved when complete: an error or an
// interruption leaves dir as it was.
func Write(r *Run, dir string, o WriteOptions) (*Summary, error) {
	s := Summarize(r)
	err := replaceDir(dir, o.Force, func(tmp string) error {
		if err := writeData(r, s, tmp); err != nil {
			return err
		}
		if o.NoPlots && o.NoReport {
			return nil
		}
		// From the files, as plot and report do later: what they show is what
		// the directory holds.
		d, err := Read(tmp)
		if err != nil {
			return err
		}
		if !o.NoPlots {
			if err := d.plot(); err != nil {
				return err
			}
		}
		if !o.NoReport {
			return d.report()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// writeData writes all but plots and report.
func writeData(r *Run, s *Summary, dir string) error {
	busy := activeTime(r.Report.Flows, r.SimTime)
	files := []struct {
		name string
		skip bool
		body func(io.Writer) error
	}{
		{"summary.json", false, func(w io.Writer) error { return writeAll(w, mustJSON(s)) }},
		{"run.json", false, func(w io.Writer) error { return writeAll(w, mustJSON(r.Host)) }},
		{"effective.yaml", false, func(w io.Writer) error { return writeAll(w, r.Effective) }},
		{"flows.csv", false, func(w io.Writer) error { return WriteFlows(w, r.Graph, r.Report.Flows) }},
		{"ports.parquet", false, func(w io.Writer) error { return writePorts(w, r.Graph, r.Report.Queues) }},
		{"ports.csv", false, func(w io.Writer) error { return writePortTotals(w, r, busy) }},
		{"network.csv", r.Report.Bins.Bin == 0, func(w io.Writer) error { return writeBins(w, r) }},
		{"rates.csv", len(r.Report.Rates) == 0, func(w io.Writer) error { return writeRates(w, r) }},
		{"timeline.json", !hasTimeline(r), func(w io.Writer) error { return writeTimeline(w, r) }},
	}
	for _, f := range files {
		if f.skip {
			continue
		}
		if err := writeFile(filepath.Join(dir, f.name), f.body); err != nil {
			return err
		}
	}
	return nil
}

func hasTimeline(r *Run) bool {
	return len(r.Report.Queues) > 0 || slices.ContainsFunc(r.Jobs, func(j workload.Result) bool { return len(j.Timeline) > 0 }) ||
		slices.ContainsFunc(r.Traces, func(t trace.Result) bool { return len(t.Timeline) > 0 })
}

func writeAll(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}

func writeFile(path string, body func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = body(f)
	if c := f.Close(); err == nil {
		err = c
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}
