package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/simnet/simnet/results/validate/engines"
)

// validateEngines runs every case on every engine. Beside the page it writes
// the table that is built in, for the next build.
func validateEngines(draws int, w, progress io.Writer, dir string) ([]byte, int, error) {
	t, err := engines.Run(engines.Options{Draws: draws, Progress: func(name, fidelity string, draw int, events uint64, wall time.Duration) {
		fmt.Fprintf(progress, "%-20s %-12s draw %d %11d events %8.1f s\n", name, fidelity, draw, events, wall.Seconds())
	}})
	if err != nil {
		return nil, 0, err
	}
	if err := t.Text(w); err != nil {
		return nil, 0, err
	}
	changed, err := t.Changed()
	if err != nil {
		return nil, 0, err
	}
	if len(changed) > 0 {
		fmt.Fprintf(w, "differs from the errors that this program prints with its results (%s): put %s into results/validate/engines/data and build again\n",
			strings.Join(changed, ", "), engines.StoreFile)
	}
	table, err := t.Encode()
	if err != nil {
		return nil, 0, err
	}
	if err := writeAtomically(filepath.Join(dir, engines.StoreFile), table); err != nil {
		return nil, 0, err
	}
	if err := t.Plot(filepath.Join(dir, "figures", "engines")); err != nil {
		return nil, 0, err
	}
	missed := t.Missed()
	for _, m := range missed {
		fmt.Fprintln(w, "MISSED "+m)
	}
	var b bytes.Buffer
	err = t.WriteMarkdown(&b)
	return b.Bytes(), len(missed), err
}
