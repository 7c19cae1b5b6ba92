package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/flow"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/sim"
)

// benchLine is one result, a JSON line.
type benchLine struct {
	Name       string  `json:"name"`
	Fidelity   string  `json:"fidelity"`
	GOMAXPROCS int     `json:"gomaxprocs"`
	Rounds     int64   `json:"rounds"` // how often the flows were run, one after another
	Flows      int64   `json:"flows"`
	Events     uint64  `json:"events"`
	DataHops   int64   `json:"data_packet_hops"`
	AckHops    int64   `json:"ack_packet_hops"`
	HopsPerCPU float64 `json:"data_packet_hops_per_cpu_s"`
	FlowsPerS  float64 `json:"flows_per_cpu_s"`
	CPU        float64 `json:"cpu_s"`
	Wall       float64 `json:"wall_s"`
	Setup      float64 `json:"setup_s"`
	PeakRSS    int64   `json:"peak_rss_bytes"`
	SimTime    float64 `json:"sim_time_s"`
}

func benchCmd() *cobra.Command {
	var fidelity string
	var list, here bool
	c := &cobra.Command{
		Use:   "bench [NAME]...",
		Short: "Run the performance cases, a JSON line each",
		Long: "Run the performance cases, each in a process of its own so that peak_rss_bytes is its\n" +
			"own. cpu_s and wall_s leave out building the network (setup_s). Run them on an idle\n" +
			"machine; GOMAXPROCS=1 makes one thread of it.",
		RunE: func(c *cobra.Command, args []string) error {
			cases := benchCases()
			if list {
				for _, k := range cases {
					fmt.Fprintf(c.OutOrStdout(), "%-26s %-12s %s\n", k.name, strings.Join(k.fidelities, ","), k.what)
				}
				return nil
			}
			for _, a := range args {
				if !slices.ContainsFunc(cases, func(k benchCase) bool { return k.name == a }) {
					return badInput(fmt.Errorf("simnet bench: unknown case %q%s; --list shows them", a, didYouMean(a, caseNames(cases))))
				}
			}
			for _, k := range cases {
				if len(args) > 0 && !slices.Contains(args, k.name) {
					continue
				}
				fids := k.fidelities
				if fidelity != "" {
					fids = []string{fidelity}
				}
				for _, f := range fids {
					if err := bench(c, k, f, here); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&fidelity, "fidelity", "", "run in this fidelity in place of the case's own")
	c.Flags().BoolVar(&list, "list", false, "list the cases")
	c.Flags().BoolVar(&here, "here", false, "run in this process (for profilers)")
	return c
}

func bench(c *cobra.Command, k benchCase, fidelity string, here bool) error {
	if !here {
		self, err := os.Executable()
		if err != nil {
			return failed(err)
		}
		sub := exec.CommandContext(c.Context(), self, "bench", k.name, "--here", "--fidelity", fidelity)
		sub.Stdout, sub.Stderr = c.OutOrStdout(), c.ErrOrStderr()
		if err := sub.Run(); err != nil {
			return failed(fmt.Errorf("bench %s: %w", k.name, err))
		}
		return nil
	}
	run := benchFlows
	if k.scenario != "" {
		run = benchScenario
	}
	l, err := run(c.Context(), k, fidelity)
	if err != nil {
		return err
	}
	l.Name, l.Fidelity, l.GOMAXPROCS, l.PeakRSS = k.name, fidelity, runtime.GOMAXPROCS(0), peakRSS()
	if l.CPU > 0 {
		l.HopsPerCPU = float64(l.DataHops) / l.CPU
		l.FlowsPerS = float64(l.Flows) / l.CPU
	}
	b, err := json.Marshal(l)
	if err != nil {
		return failed(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s\n", b)
	return nil
}

// benchFlowSeconds is how much CPU time a flow-fidelity case takes at least: one
// round of a millisecond would measure cold caches.
const benchFlowSeconds = 1.0

// benchRound is the simulated time between rounds: longer than any case.
const benchRound = 100 * sim.Second

// benchRecords is how many flows one engine records before another takes over,
// whose building is set-up: records kept of all rounds would be most of what
// peak_rss_bytes says.
const benchRecords = 1 << 18

// benchFlows runs a case of plain flows, all started at time zero.
func benchFlows(_ context.Context, k benchCase, fidelity string) (*benchLine, error) {
	t0 := time.Now()
	net, err := k.net()
	if err != nil {
		return nil, failed(err)
	}
	routes := fabric.NewRoutes(net.Graph, fabric.RouteOptions{Hasher: fabric.Hasher{Kind: fabric.CRC32, Fields: fabric.FiveTuple, Seed: 1, PerSwitch: true}})
	flows := k.flows(net.Graph.Hosts())
	l := &benchLine{Setup: time.Since(t0).Seconds()}
	for l.Rounds == 0 || fidelity == "flow" && l.CPU < benchFlowSeconds {
		if err := l.engine(net.Graph, routes, k, flows, fidelity); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// engine adds to l what one engine does until a case is over or benchRecords
// flows have been recorded.
func (l *benchLine) engine(g *fabric.Graph, routes *fabric.Routes, k benchCase, flows []fabric.Flow, fidelity string) error {
	t0 := time.Now()
	runtime.GC() // of the engine before, which no run would leave behind
	kernel := sim.NewKernel()
	s, err := benchEngine(kernel, g, routes, fidelity)
	if err != nil {
		return err
	}
	kernel.Attach(s)
	l.Setup += time.Since(t0).Seconds()
	first, cpuBefore, wallBefore := l.Rounds == 0, l.CPU, l.Wall
	t1, cpu := time.Now(), cpuSeconds()
	want := int64(0)
	for rounds := 1; want == 0 || fidelity == "flow" && l.CPU < benchFlowSeconds && want < benchRecords; rounds++ {
		s.StartGroup(flows)
		l.Rounds++
		want += int64(len(flows))
		if err := kernel.RunUntil(sim.Time(rounds) * benchRound); err != nil {
			return failed(err)
		}
		l.CPU, l.Wall = cpuBefore+cpuSeconds()-cpu, wallBefore+time.Since(t1).Seconds()
	}
	r := s.Report()
	if r.Counters.FlowsFinished != want {
		return failed(fmt.Errorf("bench %s: %d of %d flows finished", k.name, r.Counters.FlowsFinished, want))
	}
	l.Flows += want
	l.Events += s.Events()
	l.DataHops += r.Counters.DataHops
	l.AckHops += r.Counters.AckHops
	if first {
		for i := range flows {
			l.SimTime = max(l.SimTime, (r.Flows[i].Start + r.Flows[i].FCT).Seconds())
		}
	}
	return nil
}

func benchEngine(k *sim.Kernel, g *fabric.Graph, r *fabric.Routes, fidelity string) (fabric.Simulator, error) {
	switch fidelity {
	case "packet":
		s, err := packet.New(k, g, r, packet.DefaultConfig())
		return s, failed(err)
	case "flow":
		s, err := flow.New(k, g, r, flow.Config{Framing: fabric.RoCEv2(benchMTU), AckEvery: packet.DefaultConfig().NICs[0].AckEvery})
		return s, failed(err)
	}
	return nil, badInput(fmt.Errorf("simnet bench: unknown fidelity %q", fidelity))
}

// benchScenario runs a shipped scenario.
func benchScenario(ctx context.Context, k benchCase, fidelity string) (*benchLine, error) {
	v, err := scenarios.Shipped(k.scenario, []string{"run.fidelity=" + fidelity})
	if err != nil {
		return nil, badInput(err)
	}
	cpu := cpuSeconds()
	run, err := execute(ctx, v, nil)
	if err != nil {
		return nil, err
	}
	n := &run.Report.Counters
	return &benchLine{
		Flows: n.Flows, Events: run.Host.Events, DataHops: n.DataHops, AckHops: n.AckHops,
		CPU: cpuSeconds() - cpu, Wall: run.Host.WallS, Setup: run.Host.SetupS, SimTime: run.SimTime.Seconds(),
	}, nil
}
