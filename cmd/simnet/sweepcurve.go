package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
)

// drawCurves writes the scaling curves of a study that asks for them: a CSV a
// series and one figure. Points that differ in seed alone become error bars.
func (s *sweep) drawCurves(c *cobra.Command, dirs []*results.Dir) error {
	if s.Curve == nil {
		return nil
	}
	type key struct {
		series string
		gpus   int
	}
	points := map[key]*results.ScalingPoint{}
	var series []string
	for i, p := range s.Points {
		m := dirs[i].Summary
		if m.Step == nil {
			return failed(fmt.Errorf("point %s has no training step, a scaling curve needs one", p.Name))
		}
		name := p.At[s.Curve.Series]
		if !slices.Contains(series, name) {
			series = append(series, name)
		}
		k := key{name, m.GPUs}
		if points[k] == nil {
			points[k] = &results.ScalingPoint{GPUs: m.GPUs}
		}
		q := points[k]
		q.TokensPerS = append(q.TokensPerS, m.Step.TokensPerS)
		n := float64(len(q.TokensPerS))
		q.StepS += (m.Step.MeanS - q.StepS) / n
		q.MFU += (m.Step.MFU - q.MFU) / n
	}
	var curves []*results.ScalingCurve
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "series\tGPUs\tstep\ttokens/s\tefficiency\tGPUs wasted\tMFU\t")
	for _, name := range series {
		var list []results.ScalingPoint
		for i := range s.Points {
			k := key{name, dirs[i].Summary.GPUs}
			if p := points[k]; p != nil && s.Points[i].At[s.Curve.Series] == name {
				list = append(list, *p)
				delete(points, k)
			}
		}
		curve, err := results.NewScalingCurve(name, list)
		if err != nil {
			return failed(err)
		}
		curves = append(curves, curve)
		for _, r := range curve.Rows {
			fmt.Fprintf(w, "%s\t%d\t%.4g s\t%.0f\t%.1f %%\t%.0f\t%.1f %%\t\n", name, r.GPUs, r.StepS, r.TokensPerS, 100*r.Efficiency, r.GPUsWasted, 100*r.MFU)
		}
		file := "scaling.csv"
		if name != "" {
			file = "scaling-" + name + ".csv"
		}
		if err := writeAtomically(filepath.Join(s.dir, file), curve.CSV()); err != nil {
			return failed(err)
		}
	}
	if err := w.Flush(); err != nil {
		return failed(err)
	}
	if err := ensureDir(filepath.Join(s.dir, "plots")); err != nil {
		return err
	}
	base := filepath.Join(s.dir, "plots", "scaling")
	if err := results.PlotScaling(base, s.Study, curves...); err != nil {
		return failed(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "scaling curve: %s.png\n", base)
	return nil
}
