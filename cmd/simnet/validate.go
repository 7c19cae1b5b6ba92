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

func suites() []suite {
	return []suite{
		{"reference", "packet engine against the field's ns-3 RoCE model", "fidelity-packet.md", validateReference},
		{"collectives", "nccl-tests logs", "", validateCollectives},
		{"training", "published step times and throughputs of training", "", validateTraining},
		{"engines", "flow and hybrid engine against packets, by family of runs", "fidelity-engines.md", validateEngines},
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
					return badInput(fmt.Errorf("simnet validate: unknown suite %q, want %s%s", a, strings.Join(names, ", "), didYouMean(a, names)))
				}
			}
			if err := ensureDir(filepath.Join(out, "figures")); err != nil {
				return err
			}
			missed := 0
			var sections bytes.Buffer
			sections.WriteString(validationHead)
			n := 0
			for _, s := range suites() {
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
	c.Flags().BoolVar(&strict, "strict", false, "exit 1 if a target is missed")
	return c
}

const validationHead = `# Validation

Made by ` + "`simnet validate`" + `; do not edit. Each family by itself, rows that constants were fitted on
apart from rows that were predicted. The packet engine has a page of its own, fidelity-packet.md.

`
