package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/scenarios/importer"
)

func importCmd() *cobra.Command {
	var out string
	var kinds []string
	long := "Read a foreign file and print it as a fragment of a scenario. Kinds:\n"
	for _, k := range importer.Kinds() {
		kinds = append(kinds, k.Name)
		long += fmt.Sprintf("\n  %-12s %s (%s)", k.Name, k.Description, k.Usage)
	}
	c := &cobra.Command{
		Use:       "import KIND FILE...",
		Short:     "Turn a foreign file into a fragment of a scenario",
		Long:      long,
		Args:      cobra.MinimumNArgs(2),
		ValidArgs: kinds,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := importer.Import(args[0], args[1:])
			if err != nil {
				return badInput(err)
			}
			for _, w := range r.Warnings() {
				fmt.Fprintln(c.ErrOrStderr(), "warning: "+strings.TrimSuffix(w, "\n"))
			}
			if out == "" {
				_, err = c.OutOrStdout().Write(r.YAML())
				return failed(err)
			}
			return failed(writeAtomically(out, r.YAML()))
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "write to this file instead of standard output")
	return c
}

// writeAtomically puts b into file by a temporary file beside it, so that a
// reader never sees half of it.
func writeAtomically(file string, b []byte) error {
	t, err := os.CreateTemp(filepath.Dir(file), ".simnet-*")
	if err != nil {
		return err
	}
	defer os.Remove(t.Name())
	if _, err := t.Write(b); err != nil {
		t.Close()
		return err
	}
	if err := t.Sync(); err != nil {
		t.Close()
		return err
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := os.Chmod(t.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(t.Name(), file)
}
