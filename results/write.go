package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// CheckTarget reports, before anything is run, whether Write would refuse dir:
// it must be absent, empty or a run directory, unless force is set.
func CheckTarget(dir string, force bool) error {
	st, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("%s is a file; the output must be a directory", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || force || len(entries) == 0 || IsRun(dir) {
		return err
	}
	return fmt.Errorf("%s is not empty and not a run of simnet (no summary.json); choose another directory, or --force to write beside what is there", dir)
}

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

// replaceDir calls fill on a new directory beside dir and moves what it made
// into place. Files in dir that are not simnet's stay.
func replaceDir(dir string, force bool, fill func(tmp string) error) (err error) {
	if err := CheckTarget(dir, force); err != nil {
		return err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	made, err := mkdirAll(parent)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+".tmp-")
	if err != nil {
		return err
	}
	defer func() {
		os.RemoveAll(tmp)
		if err != nil {
			for _, d := range made { // only those still empty go
				os.Remove(d)
			}
		}
	}()
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := fill(tmp); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(tmp, dir)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(owned, e.Name()) { // a stranger's file: it stays where it is
			return moveInto(tmp, dir)
		}
	}
	old := tmp + ".old"
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// moveInto replaces simnet's files in dir by those of tmp, one by one.
func moveInto(tmp, dir string) error {
	for _, name := range owned {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
		err := os.Rename(filepath.Join(tmp, name), filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// mkdirAll is os.MkdirAll that returns the directories it made, deepest first.
func mkdirAll(dir string) (made []string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || filepath.Dir(d) == d {
			break
		}
		made = append(made, d)
	}
	return made, os.MkdirAll(dir, 0o755)
}
