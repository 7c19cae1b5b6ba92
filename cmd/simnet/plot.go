package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
)

func plotCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "plot DIR",
		Short: "Draw the figures of a run directory again, inside it",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := results.ReadSummary(args[0]); err != nil {
				return badInput(err)
			}
			if err := results.Plot(args[0]); err != nil {
				return failed(err)
			}
			fmt.Fprintln(c.OutOrStdout(), filepath.Join(args[0], "plots"))
			return nil
		},
	}
}

func reportCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "report DIR",
		Short: "Write DIR/report.html, one self-contained page",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := results.ReadSummary(args[0]); err != nil {
				return badInput(err)
			}
			if err := results.Report(args[0]); err != nil {
				return failed(err)
			}
			fmt.Fprintln(c.OutOrStdout(), filepath.Join(args[0], "report.html"))
			return nil
		},
	}
}
