package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/results/validate/collectives"
	"github.com/simnet/simnet/results/validate/reference"
)

// suite is one set of baselines. run prints the table to w, writes pages and
// figures into dir, and returns how many targets are missed.
type suite struct {
	name, what string
	run        func(w, progress io.Writer, dir string) (missed int, err error)
}

func suites() []suite {
	return []suite{
		{"reference", "packet engine against the field's ns-3 RoCE model: fidelity-packet.md", validateReference},
		{"collectives", "nccl-tests logs: validation-collectives.md, figures/collectives.png", validateCollectives},
	}
}

func validateCmd() *cobra.Command {
	var out string
	var strict bool
	var names []string
	long := "Run the validation suites against the measured baselines that simnet carries, print and write\nthe error tables. Suites:\n"
	for _, s := range suites() {
		names = append(names, s.name)
		long += fmt.Sprintf("\n  %-12s %s", s.name, s.what)
	}
	c := &cobra.Command{
		Use:       "validate [SUITE]...",
		Short:     "Compare simnet with measured baselines: " + strings.Join(names, ", "),
		Long:      long,
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			for _, a := range args {
				if !slices.Contains(names, a) {
					return badInput(fmt.Errorf("simnet validate: unknown suite %q, want %s", a, strings.Join(names, ", ")))
				}
			}
			if err := ensureDir(filepath.Join(out, "figures")); err != nil {
				return err
			}
			missed := 0
			for _, s := range suites() {
				if len(args) > 0 && !slices.Contains(args, s.name) {
					continue
				}
				n, err := s.run(c.OutOrStdout(), c.ErrOrStderr(), out)
				if err != nil {
					return failed(fmt.Errorf("validate %s: %w", s.name, err))
				}
				missed += n
			}
			fmt.Fprintf(c.OutOrStdout(), "written to %s; %d targets missed\n", out, missed)
			if strict && missed > 0 {
				return failed(fmt.Errorf("%d targets missed", missed))
			}
			return nil
		},
	}
	c.Flags().StringVarP(&out, "out", "o", filepath.Join("out", "validation"), "directory of the pages and figures")
	c.Flags().BoolVar(&strict, "strict", false, "exit 1 if a target is missed")
	return c
}

func validateReference(w, progress io.Writer, dir string) (int, error) {
	show := func(mode string) func(string, int, int) {
		return func(name string, n, of int) { fmt.Fprintf(progress, "[%d/%d] %s %s\n", n, of, mode, name) }
	}
	compat, err := reference.Run(reference.Options{Progress: show("compat")})
	if err != nil {
		return 0, err
	}
	own, err := reference.Run(reference.Options{Own: true, Progress: show("own")})
	if err != nil {
		return 0, err
	}
	if err := compat.Text(w); err != nil {
		return 0, err
	}
	var b bytes.Buffer
	if err := reference.WriteMarkdown(&b, compat, own); err != nil {
		return 0, err
	}
	return compat.Failed(), writeAtomically(filepath.Join(dir, "fidelity-packet.md"), b.Bytes())
}

func validateCollectives(w, _ io.Writer, dir string) (int, error) {
	rs, err := collectives.Run()
	if err != nil {
		return 0, err
	}
	missed := 0
	for _, t := range collectives.Targets(rs) {
		verdict := "met"
		if !t.Met() {
			verdict = "MISSED"
			missed++
		}
		fmt.Fprintf(w, "%-60s %4d rows  %.3g of %.3g  %s\n", t.Name, t.Rows, t.Value, t.Limit, verdict)
	}
	var rows []results.ValidationRow
	for _, r := range rs {
		if r.Bytes < collectives.Large || r.TimeUS <= 0 || r.Role != collectives.Calibrate && r.Role != collectives.Predict {
			continue
		}
		f := r.Collective.BusFactor(r.GPUs) * float64(r.Bytes) / 1e3 // us to GB/s
		rows = append(rows, results.ValidationRow{
			Group: nodesGroup(r.Nodes), Name: fmt.Sprintf("%s %d B", r.Log, r.Bytes), Measured: f / r.TimeUS, Predicted: f / r.PredictedUS,
			Calibrated: r.Role == collectives.Calibrate,
		})
	}
	if err := results.PlotValidation(filepath.Join(dir, "figures", "collectives"), results.ValidationFigure{
		Title: "NCCL collectives from 64 MiB", Context: "calibrated cost model", Quantity: "bus bandwidth", Unit: "GB/s", Source: "nccl-tests logs, see docs/validation.md",
	}, rows); err != nil {
		return missed, err
	}
	var b bytes.Buffer
	if err := collectives.WriteReport(&b); err != nil {
		return missed, err
	}
	return missed, writeAtomically(filepath.Join(dir, "validation-collectives.md"), b.Bytes())
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
