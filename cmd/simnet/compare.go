package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
)

func compareCmd() *cobra.Command {
	var failIf []string
	var all bool
	c := &cobra.Command{
		Use:     "compare DIR_A DIR_B",
		Short:   "Set run B against run A; with --fail-if an exit code for CI",
		Example: "  simnet compare out/before out/after --fail-if 'step.mean_s > 1.02*base.step.mean_s'",
		Args:    cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			var exprs []*results.Expr
			for _, src := range failIf {
				e, err := results.ParseExpr(src)
				if err != nil {
					return badInput(err)
				}
				exprs = append(exprs, e)
			}
			a, err := results.ReadSummary(args[0])
			if err != nil {
				return badInput(err)
			}
			b, err := results.ReadSummary(args[1])
			if err != nil {
				return badInput(err)
			}
			if err := results.Compare(a, b).Write(c.OutOrStdout(), all); err != nil {
				return failed(err)
			}
			for _, e := range exprs {
				bad, err := e.Eval(b, a)
				if err != nil {
					return badInput(err)
				}
				if bad {
					return failed(fmt.Errorf("--fail-if holds: %s", e))
				}
			}
			return nil
		},
	}
	c.Flags().StringArrayVar(&failIf, "fail-if", nil, "exit 1 if this holds of B; base.KEY is A's value (repeatable)")
	c.Flags().BoolVar(&all, "all", false, "show figures that are equal, too")
	return c
}
