package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/scenarios"
)

func topoCmd() *cobra.Command {
	var f scenarioFlags
	var out string
	c := &cobra.Command{
		Use:   "topo SCENARIO.yaml",
		Short: "Draw the network as DOT, or as SVG with -o FILE.svg",
		Long: "Print the network of a scenario in Graphviz' DOT, or draw it: tiers from the top down, NICs\n" +
			"of one leaf as one box. Parallel links become one line with their number.",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			v, err := f.load(args[0])
			if err != nil {
				return err
			}
			m, err := v.Build(scenarios.BuildOptions{})
			if err != nil {
				return badInput(err)
			}
			defer m.Kernel.Close()
			d := results.NewDrawing(m.Graph)
			var b bytes.Buffer
			switch {
			case out == "" || strings.HasSuffix(out, ".dot"):
				err = d.DOT(&b)
			case strings.HasSuffix(out, ".svg"):
				err = d.SVG(&b, fmt.Sprintf("%s: %s", v.Spec.Name.V, m))
			default:
				return badInput(fmt.Errorf("simnet topo: %s: want FILE.dot or FILE.svg", out))
			}
			if err != nil {
				return failed(err)
			}
			if out == "" {
				_, err = c.OutOrStdout().Write(b.Bytes())
				return failed(err)
			}
			return failed(writeAtomically(out, b.Bytes()))
		},
	}
	f.register(c)
	c.Flags().StringVarP(&out, "out", "o", "", "FILE.dot or FILE.svg (default: DOT on standard output)")
	return c
}
