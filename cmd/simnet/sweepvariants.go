package main

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
)

// drawVariants sets the points of a study without training steps side by side:
// how long the network was active, the bandwidth that the bytes saw, the gain
// against the first point, and what congestion control did. With telemetry over
// time, also one figure.
func (s *sweep) drawVariants(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "point\tnetwork active\tagainst first\teffective bandwidth\tslowdown p99\tECN marks\tCNPs\tpauses\tlargest queue\t")
	var variants []results.Variant
	first := 0.0
	for i, p := range s.Points {
		d, err := results.Read(s.pointDir(p))
		if err != nil {
			return failed(err)
		}
		n := &d.Summary.Network
		if i == 0 {
			first = n.ActiveS
		}
		slow := "-"
		if n.FCTSlowdown != nil {
			slow = fmt.Sprintf("%.3g", n.FCTSlowdown.P99)
		}
		fmt.Fprintf(w, "%s\t%.4g ms\t%+.0f %%\t%.4g Gbit/s\t%s\t%d\t%d\t%d\t%.3g MB\t\n", p.Name, 1e3*n.ActiveS, 100*(n.ActiveS/first-1),
			8e-9*float64(n.BytesDelivered)/n.ActiveS, slow, count(n.ECNMarked), count(n.CNPs), count(n.PFCPauses), float64(count(n.MaxQueueBytes))/1e6)
		if d.Bins.Bin > 0 {
			variants = append(variants, results.Variant{Name: p.Name, Run: d})
		}
	}
	if err := w.Flush(); err != nil {
		return failed(err)
	}
	if len(variants) < 2 {
		return nil
	}
	if err := ensureDir(filepath.Join(s.dir, "plots")); err != nil {
		return err
	}
	base := filepath.Join(s.dir, "plots", "variants")
	if err := results.PlotVariants(base, s.Study+": the variants side by side", fmt.Sprint(len(variants), " runs"), variants); err != nil {
		return failed(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "figure: %s.png\n", base)
	return nil
}
