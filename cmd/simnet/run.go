package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/scenarios"
)

// scenarioFlags are the overrides that run, check and topo share.
type scenarioFlags struct {
	sets     []string
	fidelity string
	seed     string
}

func (f *scenarioFlags) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.sets, "set", nil, "override a value, key.path=value (repeatable)")
	c.Flags().StringVar(&f.fidelity, "fidelity", "", "flow, hybrid or packet: overrides run.fidelity (which is hybrid if absent)")
	c.Flags().StringVar(&f.seed, "seed", "", "overrides seed")
}

// load reads a scenario with the flags as the last overrides.
func (f *scenarioFlags) load(file string) (*scenarios.Valid, error) {
	sets := f.sets
	if f.fidelity != "" {
		sets = append(sets, "run.fidelity="+f.fidelity)
	}
	if f.seed != "" {
		sets = append(sets, "seed="+f.seed)
	}
	if err := wantScenario(file); err != nil {
		return nil, err
	}
	v, err := scenarios.Load(file, sets)
	return v, badInput(err)
}

func runCmd() *cobra.Command {
	var f scenarioFlags
	var out string
	var force, noPlots bool
	c := &cobra.Command{
		Use:   "run SCENARIO.yaml",
		Short: "Run a scenario; print the summary and write the run directory",
		Example: "  simnet run scenarios/gpt3-175b-256.yaml -o out/a\n" +
			"  simnet run scenarios/gpt3-175b-256.yaml --fidelity packet --set cluster.fabric.spines=8 -o out/b",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			v, err := f.load(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("out", v.Spec.Name.V)
			}
			if err := results.CheckTarget(out, force); err != nil {
				return badInput(err)
			}
			for _, w := range v.Warnings {
				fmt.Fprintln(c.ErrOrStderr(), "warning: "+w)
			}
			bar := newProgress(c.ErrOrStderr())
			run, err := execute(c.Context(), v, bar.update)
			bar.finish()
			if err != nil {
				return err
			}
			run.Warnings = portable(run.Warnings, args[0])
			return finish(c, run, out, results.WriteOptions{Force: force, NoPlots: noPlots, NoReport: noPlots})
		},
	}
	f.register(c)
	c.Flags().StringVarP(&out, "out", "o", "", "run directory (default out/NAME)")
	c.Flags().BoolVar(&force, "force", false, "write into a directory that holds other files; they stay")
	c.Flags().BoolVar(&noPlots, "no-plots", false, "leave out plots and report; make them later with plot and report")
	return c
}

// finish writes the directory of a run, says which earlier run it replaces,
// prints the table and judges the run.
func finish(c *cobra.Command, run *results.Run, out string, o results.WriteOptions) error {
	earlier := results.Earlier(out)
	sum, err := results.Write(run, out, o)
	if err != nil {
		return failed(err)
	}
	if earlier != "" {
		fmt.Fprintf(c.ErrOrStderr(), "replaced in %s: %s\n", out, earlier)
	}
	if err := results.WriteTable(c.OutOrStdout(), sum, out); err != nil {
		return failed(err)
	}
	return judge(run)
}

// judge makes a run with broken invariants, one that was interrupted, or one
// whose flows never arrived fail after its results have been kept. That run.until
// ends a run is as the scenario wants it.
func judge(r *results.Run) error {
	if n := len(r.Report.Violations); n > 0 {
		return failed(fmt.Errorf("%d invariants were broken, the first: %s", n, r.Report.Violations[0]))
	}
	switch c := &r.Report.Counters; {
	case !r.Partial || r.Asked:
		return nil
	case r.Unfinished != "" && !r.Interrupted:
		return failed(fmt.Errorf("%d of %d flows never arrived: %s; partial results are kept", c.Flows-c.FlowsFinished, c.Flows, r.Unfinished))
	}
	return failed(fmt.Errorf("the run was stopped before its end; partial results are kept"))
}
