package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/workload/nccl"
)

func calibrateCmd() *cobra.Command {
	var f scenarioFlags
	var scenario, version, out string
	var stepSeconds float64
	c := &cobra.Command{
		Use:   "calibrate --cluster SCENARIO.yaml [--step SECONDS] [LOG]...",
		Short: "Fit the cost model to nccl-tests logs and a measured step time; write a YAML fragment",
		Long: "Fit latencies and bandwidths to the output of all_reduce_perf and its siblings. The scenario\n" +
			"tells what the logs were taken on; a log of fewer ranks is taken to be of fewer whole nodes.\n" +
			"--step fits the GPUs' efficiency to a measured step time of the scenario's first training job.",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if scenario == "" {
				return badInput(fmt.Errorf("simnet calibrate: --cluster is missing: a scenario whose cluster the logs are of"))
			}
			if len(args) == 0 && stepSeconds == 0 {
				return badInput(fmt.Errorf("simnet calibrate: want logs of nccl-tests, a measured step time (--step), or both"))
			}
			v, err := f.load(scenario)
			if err != nil {
				return err
			}
			ver, err := parseVersion(version)
			if err != nil {
				return badInput(err)
			}
			var b strings.Builder
			if stepSeconds != 0 {
				text, err := calibrateStep(c, &f, scenario, stepSeconds)
				if err != nil {
					return err
				}
				b.WriteString(text)
			}
			if len(args) > 0 {
				fit, err := calibrate(v, ver, args)
				if err != nil {
					return badInput(err)
				}
				if err := fit.WriteYAML(&b); err != nil {
					return failed(err)
				}
			}
			if out == "" {
				fmt.Fprint(c.OutOrStdout(), b.String())
				return nil
			}
			return failed(writeAtomically(out, []byte(b.String())))
		},
	}
	f.register(c)
	c.Flags().StringVar(&scenario, "cluster", "", "scenario of the cluster that the logs are of")
	c.Flags().Float64Var(&stepSeconds, "step", 0, "measured time of one training step, in seconds")
	c.Flags().StringVar(&version, "nccl", "", "NCCL version where a log does not say it")
	c.Flags().StringVarP(&out, "out", "o", "", "write to this file instead of standard output")
	return c
}

func calibrate(v *scenarios.Valid, ver nccl.Version, files []string) (nccl.FitResult, error) {
	var logs []nccl.LogOn
	for _, name := range files {
		r, err := os.Open(name)
		if err != nil {
			return nccl.FitResult{}, err
		}
		l, err := nccl.ParseLog(name, r)
		r.Close()
		if err != nil {
			return nccl.FitResult{}, err
		}
		s := v.NCCLShape()
		switch {
		case l.Ranks > 0 && l.Ranks < s.GPUsPerNode:
			s.Nodes, s.GPUsPerNode = 1, l.Ranks
		case l.Ranks > 0 && l.Ranks%s.GPUsPerNode == 0:
			s.Nodes = l.Ranks / s.GPUsPerNode
		}
		logs = append(logs, nccl.LogOn{Log: l, Shape: s, Env: v.NCCLEnv()})
	}
	return nccl.CalibrateLogs(logs, ver)
}
