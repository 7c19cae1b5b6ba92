package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// suite is one set of baselines. run prints the table to w, writes figures into
// dir, and returns its page and how many targets are missed. A suite with a
// page of its own names its file; the others are sections of validation.md.
type suite struct {
	name, what string
	page       string
	run        func(w, progress io.Writer, dir string) (page []byte, missed int, err error)
}

// suites lists all suites; draws is of the engines suite, read when it runs.
func suites(draws *int) []suite {
	return []suite{
		{"reference", "packet engine against the field's ns-3 RoCE model", "fidelity-packet.md", validateReference},
		{"collectives", "nccl-tests logs", "", validateCollectives},
		{"training", "published step times and throughputs of training", "", validateTraining},
		{"engines", "flow and hybrid engine against packets, by family of runs", "fidelity-engines.md",
			func(w, progress io.Writer, dir string) ([]byte, int, error) {
				return validateEngines(*draws, w, progress, dir)
			}},
	}
}

func validateCmd() *cobra.Command {
	var out string
	var strict bool
	var draws int
	var names []string
	long := "Run the validation suites against the measured baselines that simnet carries, print and write\nthe error tables. Suites:\n"
	for _, s := range suites(&draws) {
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
					return badInput(fmt.Errorf("simnet validate: unknown suite %q, want %s%s", a, strings.Join(names, ", "), didYouMean(a, names)))
				}
			}
			if draws < 1 {
				return badInput(fmt.Errorf("simnet validate: --draws %d, want 1 and more", draws))
			}
			if c.Flags().Changed("draws") && len(args) > 0 && !slices.Contains(args, "engines") {
				return badInput(fmt.Errorf("simnet validate: --draws is of the engines suite, which is not among %s", strings.Join(args, ", ")))
			}
			if err := ensureDir(filepath.Join(out, "figures")); err != nil {
				return err
			}
			missed := 0
			var sections bytes.Buffer
			sections.WriteString(validationHead)
			n := 0
			for _, s := range suites(&draws) {
				if len(args) > 0 && !slices.Contains(args, s.name) {
					continue
				}
				page, bad, err := s.run(c.OutOrStdout(), c.ErrOrStderr(), out)
				if err != nil {
					return failed(fmt.Errorf("validate %s: %w", s.name, err))
				}
				missed += bad
				if s.page == "" {
					sections.Write(page)
					sections.WriteByte('\n')
					n++
				} else if err := writeAtomically(filepath.Join(out, s.page), page); err != nil {
					return failed(err)
				}
			}
			if n > 0 {
				// A part of the suites makes a page of its own, so that the
				// whole one is never half of it.
				file := "validation.md"
				if len(args) > 0 {
					file = "validation-" + strings.Join(args, "-") + ".md"
				}
				if err := writeAtomically(filepath.Join(out, file), sections.Bytes()); err != nil {
					return failed(err)
				}
			}
			fmt.Fprintf(c.OutOrStdout(), "written to %s; %d targets missed\n", out, missed)
			if strict && missed > 0 {
				return failed(fmt.Errorf("%d targets missed", missed))
			}
			return nil
		},
	}
	c.Flags().StringVarP(&out, "out", "o", filepath.Join("out", "validation"), "directory of the pages and figures")
	c.Flags().IntVar(&draws, "draws", 8, "engines: runs of packet and of hybrid with other random marks that make a mean, half as many for large cases, none more than it needs (12 to 128)")
	c.Flags().BoolVar(&strict, "strict", false, "exit 1 if a target is missed")
	return c
}

const validationHead = `# Validation

Made by ` + "`simnet validate`" + `; do not edit. Each family by itself, rows that constants were fitted on
apart from rows that were predicted. The packet engine has a page of its own, fidelity-packet.md.

`
