package main

import (
	"github.com/spf13/cobra"

	"github.com/simnet/simnet/scenarios"
)

func schemaCmd() *cobra.Command {
	var study bool
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenarios, for editors",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			make := scenarios.Schema
			if study {
				make = scenarios.StudySchema
			}
			b, err := make()
			if err != nil {
				return failed(err)
			}
			_, err = c.OutOrStdout().Write(b)
			return failed(err)
		},
	}
	c.Flags().BoolVar(&study, "study", false, "of studies instead")
	return c
}
