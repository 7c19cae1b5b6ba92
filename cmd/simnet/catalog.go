package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/scenarios"
)

func catalogCmd() *cobra.Command {
	var long bool
	c := &cobra.Command{
		Use:       "catalog [KIND]",
		Short:     "List the presets with their sources: " + strings.Join(scenarios.CatalogKinds(), ", "),
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: scenarios.CatalogKinds(),
		RunE: func(c *cobra.Command, args []string) error {
			kind := ""
			if len(args) == 1 {
				kind = args[0]
			}
			entries, err := scenarios.Catalog(kind)
			if err != nil {
				return badInput(err)
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "KIND\tNAME\tSUMMARY\tSOURCE")
			for _, e := range entries {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Kind, e.Name, e.Summary, e.Source)
				if long {
					for _, f := range e.Fields {
						fmt.Fprintf(w, "\t  %s\t%s\t\n", f.Key, f.Value)
					}
				}
			}
			return failed(w.Flush())
		},
	}
	c.Flags().BoolVarP(&long, "long", "l", false, "show every field of each preset")
	return c
}
