package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/scenarios/hpcc"
	"github.com/simnet/simnet/sim"
)

func replayCmd() *cobra.Command {
	var topology, flows, config, paths, out string
	var own, force, noPlots bool
	var seed uint64
	c := &cobra.Command{
		Use:   "replay --topology T --flows F [--config C] [--paths P] -o DIR",
		Short: "Run the inputs of an HPCC-family ns-3 simulation as they are",
		Long: "Run topology.txt, flow.txt and config.txt of an HPCC-family ns-3 simulation.\n\n" +
			"With --config the semantics are those of that model, quirks included (DEVIATIONS.md);\n" +
			"--own, or no --config, runs them with simnet's own: exact picoseconds, real headers,\n" +
			"CNP pacing. --paths follows given paths in place of the ECMP hash.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, f := range [][2]string{{"topology", topology}, {"flows", flows}, {"out", out}} {
				if f[1] == "" {
					return badInput(fmt.Errorf("simnet replay: --%s is missing", f[0]))
				}
			}
			if err := results.CheckTarget(out, force); err != nil {
				return badInput(err)
			}
			k, err := hpcc.Load(topology, flows, config, paths)
			if err != nil {
				return badInput(err)
			}
			for _, w := range k.Warnings {
				fmt.Fprintln(c.ErrOrStderr(), "warning: "+w)
			}
			began, cpu0 := time.Now(), cpuSeconds()
			ctx, cancel := context.WithCancel(c.Context())
			defer cancel()
			r, err := k.Run(hpcc.Options{Own: own || config == "", Seed: seed, Prepare: func(k *sim.Kernel) {
				context.AfterFunc(ctx, k.Stop)
			}})
			if err != nil {
				return failed(err)
			}
			digest, effective, err := inputDigest(topology, flows, config, paths)
			if err != nil {
				return failed(err)
			}
			one := 1.0
			run := &results.Run{
				Scenario: "replay", SHA256: digest, Seed: seed, Fidelity: "packet", Version: Version, Effective: effective,
				SimTime: r.SimTime, Graph: k.Graph, Report: r.Report, Partial: r.Stopped, Warnings: portable(r.Warnings, topology, flows, config, paths), Coverage: &one,
				Host: hostFacts(time.Since(began), cpuSeconds()-cpu0, r.Events),
			}
			n := &r.Report.Counters
			run.Host.PacketHopsPerS = float64(n.DataHops+n.AckHops) / run.Host.WallS
			return finish(c, run, out, results.WriteOptions{Force: force, NoPlots: noPlots, NoReport: noPlots})
		},
	}
	fl := c.Flags()
	fl.StringVar(&topology, "topology", "", "topology file")
	fl.StringVar(&flows, "flows", "", "flow file")
	fl.StringVar(&config, "config", "", "config file; absent: simnet's own semantics and defaults")
	fl.StringVar(&paths, "paths", "", "path of each flow, in place of the hash")
	fl.StringVarP(&out, "out", "o", "", "run directory")
	fl.BoolVar(&own, "own", false, "simnet's own semantics although there is a config")
	fl.Uint64Var(&seed, "seed", 1, "seed of random marking and bit errors")
	fl.BoolVar(&force, "force", false, "write into a directory that holds other files; they stay")
	fl.BoolVar(&noPlots, "no-plots", false, "leave out plots and report")
	return c
}

// inputDigest hashes the input files and lists them with their hashes, which
// stands for the effective configuration of a replay.
func inputDigest(topology, flows, config, paths string) (digest string, listing []byte, err error) {
	all := sha256.New()
	for _, f := range []struct{ key, file string }{{"topology", topology}, {"flows", flows}, {"config", config}, {"paths", paths}} {
		if f.file == "" {
			continue
		}
		b, err := os.ReadFile(f.file)
		if err != nil {
			return "", nil, err
		}
		h := sha256.Sum256(b)
		all.Write(h[:])
		listing = fmt.Appendf(listing, "%s: {sha256: %x}\n", f.key, h)
	}
	return hex.EncodeToString(all.Sum(nil)), listing, nil
}
