package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/scenarios"
)

// Bounds of the efficiency that fits a measured step, and how close the fit
// gets: a ten-thousandth of the peak is below what any step time is known to.
const (
	leastEfficiency, mostEfficiency = 0.02, 1.0
	efficiencyStep                  = 1e-4
)

// calibrateStep fits the share of peak that large matrix products reach to a
// measured step time of the scenario's first training job: everything that is
// not computation is taken from the simulation at flow fidelity.
func calibrateStep(c *cobra.Command, f *scenarioFlags, file string, measured float64) (string, error) {
	step := func(e float64) (float64, error) { return stepAt(c.Context(), f, file, e) }
	slowest, err := step(leastEfficiency)
	if err != nil {
		return "", err
	}
	fastest, err := step(mostEfficiency)
	if err != nil {
		return "", err
	}
	if measured < fastest || measured > slowest {
		return "", badInput(fmt.Errorf("simnet calibrate: a step of %g s is out of reach: the scenario takes %.4g s at an efficiency of %g %% and %.4g s at %g %%",
			measured, fastest, 100*mostEfficiency, slowest, 100*leastEfficiency))
	}
	lo, hi := leastEfficiency, mostEfficiency
	for hi-lo > efficiencyStep {
		mid := (lo + hi) / 2
		s, err := step(mid)
		if err != nil {
			return "", err
		}
		if s > measured {
			lo = mid
		} else {
			hi = mid
		}
	}
	e := math.Round(hi/efficiencyStep) * efficiencyStep
	got, err := step(e)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("# Fitted to a step of %g s of %s at flow fidelity, which then takes %.4g s.\n"+
		"# efficiency: share of the GPU's peak that large matrix products reach, %g to %g.\n"+
		"cluster:\n  node:\n    gpu:\n      efficiency: %.2f%%\n", measured, file, got, leastEfficiency, mostEfficiency, 100*e), nil
}

// stepAt is the mean step of the scenario at flow fidelity and an efficiency.
func stepAt(ctx context.Context, f *scenarioFlags, file string, efficiency float64) (float64, error) {
	v, err := scenarios.Load(file, append(f.sets[:len(f.sets):len(f.sets)], "run.fidelity=flow", fmt.Sprintf("cluster.node.gpu.efficiency=%.4f%%", 100*efficiency)))
	if err != nil {
		return 0, badInput(err)
	}
	run, err := execute(ctx, v, nil)
	if err != nil {
		return 0, err
	}
	if len(run.Jobs) == 0 || len(run.Jobs[0].Steps) == 0 {
		return 0, badInput(fmt.Errorf("simnet calibrate: %s has no training job to take a step of", file))
	}
	sum := 0.0
	for _, s := range run.Jobs[0].Steps {
		sum += s.Seconds()
	}
	return sum / float64(len(run.Jobs[0].Steps)), nil
}
