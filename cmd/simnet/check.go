package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/scenarios"
)

func checkCmd() *cobra.Command {
	var f scenarioFlags
	var quiet bool
	c := &cobra.Command{
		Use:   "check SCENARIO.yaml",
		Short: "Validate a scenario; print its effective configuration and what a run would cost",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			out := c.OutOrStdout()
			if scenarios.IsStudy(args[0]) {
				st, err := scenarios.LoadStudy(args[0], f.sets, Version)
				if err != nil {
					return badInput(err)
				}
				fmt.Fprintf(out, "study %s: %d points\n", st.Name, len(st.Points))
				for _, p := range st.Points {
					fmt.Fprintf(out, "  %s  %s\n", p.Hash[:12], p.Name)
				}
				return nil
			}
			v, err := f.load(args[0])
			if err != nil {
				return err
			}
			for _, w := range v.Warnings {
				fmt.Fprintln(c.ErrOrStderr(), "warning: "+w)
			}
			for _, n := range v.Notes {
				fmt.Fprintln(c.ErrOrStderr(), "note: "+n)
			}
			if !quiet {
				if _, err := out.Write(v.Effective()); err != nil {
					return failed(err)
				}
				fmt.Fprintln(out)
			}
			cost, err := v.Predict()
			if err != nil {
				return badInput(err)
			}
			// Building sizes the buffers, which no value alone tells.
			m, err := v.Build(scenarios.BuildOptions{})
			if err != nil {
				return badInput(err)
			}
			m.Kernel.Close()
			printCost(out, cost)
			return nil
		},
	}
	f.register(c)
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "leave out the effective configuration")
	return c
}

func printCost(w io.Writer, c *scenarios.Cost) {
	fmt.Fprintf(w, "machine    %d GPUs, %d NICs, %d switches, %d links\n", c.GPUs, c.NICs, c.Switches, c.Links)
	fmt.Fprintf(w, "traffic    %d flows, %.4g GB, %.3g data and %.3g ACK packet-hops\n", c.Flows, float64(c.Bytes)/1e9, float64(c.DataHops), float64(c.AckHops))
	fmt.Fprintf(w, "simulated  at least %v (the jobs on a network without contention)\n", roundTime(c.Simulated))
	fmt.Fprintf(w, "cost       %s fidelity: about %.3g events, %s, %.3g MB of memory (telemetry at most %.3g MB)\n",
		c.Fidelity, float64(c.Events), roundWall(c.Wall), float64(c.Memory)/1e6, float64(c.Telemetry)/1e6)
}

func roundWall(d time.Duration) string {
	switch {
	case d > time.Minute:
		return d.Round(time.Second).String()
	case d > time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}
