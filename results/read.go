package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is a run directory read back: all that plots, report and comparison use.
type Dir struct {
	Path      string
	Summary   *Summary
	Raw       map[string]any // summary.json as it stands, for expressions
	Host      *Host          // nil if run.json is gone
	Effective []byte
	Flows     []FlowRow
	Queues    []Queue
	Bins      Bins
	Rates     []Rates
	Spans     []Span
}

// ReadSummary loads summary.json, run.json and effective.yaml alone.
func ReadSummary(dir string) (*Dir, error) {
	d := &Dir{Path: dir}
	path := filepath.Join(dir, "summary.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run directory: it has no summary.json", dir)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &d.Summary); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if d.Summary.Schema != Schema {
		return nil, fmt.Errorf("%s: schema %q; this simnet reads %q", path, d.Summary.Schema, Schema)
	}
	if err := json.Unmarshal(data, &d.Raw); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if data, err = os.ReadFile(filepath.Join(dir, "run.json")); err == nil {
		err = json.Unmarshal(data, &d.Host)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "run.json"), err)
	}
	d.Effective, err = os.ReadFile(filepath.Join(dir, "effective.yaml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return d, nil
}

// Read loads a run directory. Files that this run has no data for may be
// absent; a damaged one is an error.
func Read(dir string) (*Dir, error) {
	d, err := ReadSummary(dir)
	if err != nil {
		return nil, err
	}
	missing := func(err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if d.Flows, err = readFlows(at("flows.csv")); missing(err) != nil {
		return nil, err
	}
	if d.Queues, err = readPorts(at("ports.parquet")); missing(err) != nil {
		return nil, err
	}
	if d.Bins, err = readBins(at("network.csv")); err != nil {
		return nil, err
	}
	if d.Rates, err = readRates(at("rates.csv")); err != nil {
		return nil, err
	}
	if d.Spans, err = readTimeline(at("timeline.json")); err != nil {
		return nil, err
	}
	return d, nil
}
