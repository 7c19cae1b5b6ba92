package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/workload/nccl"
)

// parseVersion takes "" as the default.
func parseVersion(s string) (nccl.Version, error) {
	if s == "" {
		return nccl.DefaultVersion, nil
	}
	return nccl.ParseVersion(s)
}

// parseSize reads sizes as nccl-tests does: 8, 64K, 1M, 8G, binary multiples.
func parseSize(s string) (int64, error) {
	shift := 0
	num := strings.TrimSuffix(strings.ToUpper(s), "B")
	if i := strings.IndexByte("KMG", num[max(0, len(num)-1)]); len(num) > 1 && i >= 0 {
		shift = 10 * (i + 1)
		num = num[:len(num)-1]
	}
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || n < 1 || n > 1<<40>>shift {
		return 0, fmt.Errorf("simnet nccl-test: size %q: want 8, 64K, 1M, 8G (at most 1024G)", s)
	}
	return n << shift, nil
}

func calibrateCmd() *cobra.Command {
	var f scenarioFlags
	var scenario, version, out string
	c := &cobra.Command{
		Use:   "calibrate --cluster SCENARIO.yaml LOG...",
		Short: "Fit the collective cost model to nccl-tests logs; write a YAML fragment",
		Long: "Fit latencies and bandwidths to the output of all_reduce_perf and its siblings. The scenario\n" +
			"tells what the logs were taken on; a log of fewer ranks is taken to be of fewer whole nodes.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if scenario == "" {
				return badInput(fmt.Errorf("simnet calibrate: --cluster is missing: a scenario whose cluster the logs are of"))
			}
			v, err := f.load(scenario)
			if err != nil {
				return err
			}
			ver, err := parseVersion(version)
			if err != nil {
				return badInput(err)
			}
			fit, err := calibrate(v, ver, args)
			if err != nil {
				return badInput(err)
			}
			var b strings.Builder
			if err := fit.WriteYAML(&b); err != nil {
				return failed(err)
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
