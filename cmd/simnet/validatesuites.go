package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/results/validate/collectives"
	"github.com/simnet/simnet/results/validate/reference"
	"github.com/simnet/simnet/results/validate/training"
)

func validateReference(w, progress io.Writer, _ string) ([]byte, int, error) {
	show := func(mode string) func(string, int, int) {
		return func(name string, n, of int) { fmt.Fprintf(progress, "[%d/%d] %s %s\n", n, of, mode, name) }
	}
	compat, err := reference.Run(reference.Options{Progress: show("compat")})
	if err != nil {
		return nil, 0, err
	}
	own, err := reference.Run(reference.Options{Own: true, Progress: show("own")})
	if err != nil {
		return nil, 0, err
	}
	if err := compat.Text(w); err != nil {
		return nil, 0, err
	}
	var b bytes.Buffer
	err = reference.WriteMarkdown(&b, compat, own)
	return b.Bytes(), compat.Failed(), err
}

func validateCollectives(w, _ io.Writer, dir string) ([]byte, int, error) {
	rs, err := collectives.Run()
	if err != nil {
		return nil, 0, err
	}
	missed := 0
	for _, t := range collectives.Targets(rs) {
		missed += verdict(w, t.Name, t.Rows, t.Value, t.Limit, t.Met())
	}
	families := map[string][]results.ValidationRow{}
	for _, r := range rs {
		if r.Bytes < collectives.Large || r.TimeUS <= 0 || r.Role != collectives.Calibrate && r.Role != collectives.Predict {
			continue
		}
		f := r.Collective.BusFactor(r.GPUs) * float64(r.Bytes) / 1e3 // us to GB/s
		machine, _, _ := strings.Cut(r.Family, "-")
		families[machine] = append(families[machine], results.ValidationRow{
			Group: nodesGroup(r.Nodes), Name: fmt.Sprintf("%s %d B", r.Log, r.Bytes), Measured: f / r.TimeUS, Predicted: f / r.PredictedUS,
			Calibrated: r.Role == collectives.Calibrate,
		})
	}
	figures, err := drawFamilies(dir, "collectives", families, func(family string) results.ValidationFigure {
		return results.ValidationFigure{Title: strings.ToUpper(family) + " collectives from 64 MiB", Context: "calibrated cost model",
			Quantity: "bus bandwidth", Unit: "GB/s", Source: "nccl-tests logs, see docs/validation.md"}
	})
	if err != nil {
		return nil, missed, err
	}
	var b bytes.Buffer
	err = collectives.WriteReport(&b)
	b.Write(figures)
	return b.Bytes(), missed, err
}

func validateTraining(w, progress io.Writer, dir string) ([]byte, int, error) {
	rs, err := training.Run(func(name string, n, of int) {
		if n%10 == 1 {
			fmt.Fprintf(progress, "[%d/%d] %s\n", n, of, name)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	missed := 0
	for _, t := range training.Targets(rs) {
		missed += verdict(w, t.What, t.Rows, t.Value, t.Limit, t.Met())
	}
	families := map[string][]results.ValidationRow{}
	units := map[string]string{}
	for i := range rs {
		r := &rs[i]
		units[r.Family] = string(r.Metric)
		families[r.Family] = append(families[r.Family], results.ValidationRow{
			Group: r.Platform.Name, Name: r.Name, Measured: r.Measured, Predicted: r.Predicted, Calibrated: r.Role == training.Calibrate,
		})
	}
	figures, err := drawFamilies(dir, "training", families, func(family string) results.ValidationFigure {
		unit := units[family]
		quantity := "throughput"
		if unit == string(training.StepSeconds) {
			quantity = "step time"
		} else if m, ok := strings.CutPrefix(unit, "% "); ok {
			quantity, unit = m, "%"
		}
		return results.ValidationFigure{Title: "Training steps, " + family, Context: "the step over an ideal network", Quantity: quantity,
			Unit: unit, Source: "sources: docs/validation.md"}
	})
	if err != nil {
		return nil, missed, err
	}
	var b bytes.Buffer
	err = training.WriteReport(&b, rs)
	b.Write(figures)
	return b.Bytes(), missed, err
}

// drawFamilies draws one figure a family and returns the lines of Markdown that
// show them.
func drawFamilies(dir, kind string, families map[string][]results.ValidationRow, figure func(family string) results.ValidationFigure) ([]byte, error) {
	var names []string
	for f := range families {
		names = append(names, f)
	}
	slices.Sort(names)
	var b bytes.Buffer
	b.WriteString("\n## Figures\n\n")
	for _, f := range names {
		name := kind + "-" + f
		if err := results.PlotValidation(filepath.Join(dir, "figures", name), figure(f), families[f]); err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "![%s](figures/%s.png)\n", f, name)
	}
	return b.Bytes(), nil
}

// verdict prints one target and returns 1 if it is missed.
func verdict(w io.Writer, what string, rows int, value, limit float64, met bool) int {
	word, n := "met", 0
	if !met {
		word, n = "MISSED", 1
	}
	fmt.Fprintf(w, "%-64s %4d rows  %.3g of %.3g  %s\n", what, rows, value, limit, word)
	return n
}

// nodesGroup names the colour of a row: by scale, since families are many.
func nodesGroup(nodes int) string {
	switch {
	case nodes <= 1:
		return "one node"
	case nodes == 2:
		return "two nodes"
	}
	return "four nodes and more"
}
