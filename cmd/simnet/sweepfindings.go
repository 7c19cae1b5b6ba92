package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
)

// explainNodes prints, below the table of a sweep, what each point's tensor
// parallelism puts on the links inside its nodes, where that is known.
func (s *sweep) explainNodes(c *cobra.Command, dirs []*results.Dir) {
	for i, p := range s.Points {
		for _, f := range dirs[i].Summary.Findings {
			if f.Kind == "node_links" {
				fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", p.Name, f.Text)
			}
		}
	}
}
