package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/results/validate/engines"
	"github.com/simnet/simnet/scenarios"
)

// portable puts the base name of a file in place of its path, so that a result
// does not depend on the directory that simnet was called from.
func portable(warnings []string, files ...string) []string {
	out := make([]string, len(warnings))
	for i, w := range warnings {
		for _, f := range files {
			if f != "" {
				w = strings.ReplaceAll(w, f, filepath.Base(f))
			}
		}
		out[i] = w
	}
	return out
}

// execute runs a valid scenario to its end, or until ctx is done, and returns
// it in the form that results write. Both run and sweep use it.
func execute(ctx context.Context, v *scenarios.Valid, show func(scenarios.Progress)) (*results.Run, error) {
	began := time.Now()
	m, err := v.Build(scenarios.BuildOptions{Threads: runtime.GOMAXPROCS(0)})
	if err != nil {
		return nil, badInput(err)
	}
	setup := time.Since(began)
	stop := context.AfterFunc(ctx, m.Stop)
	defer stop()
	cpu0 := cpuSeconds()
	o, err := m.Run(show)
	if err != nil {
		return nil, failed(err)
	}
	sum := sha256.Sum256(v.Canonical())
	run := &results.Run{
		Scenario: v.Spec.Name.V, SHA256: hex.EncodeToString(sum[:]), Seed: v.Spec.Seed.V, Fidelity: m.Fidelity,
		Version: Version, Effective: v.Effective(), Control: v.Control(), GPUs: len(m.Cluster.GPUs), SimTime: o.End,
		Graph: m.Graph, Report: o.Report, Jobs: o.Results, Traces: o.Traces, NodeLinks: m.NodeLinks(), Partial: o.Partial, Asked: o.Asked, Interrupted: o.Interrupted, Unfinished: o.Unfinished, Warnings: o.Warnings, Notes: o.Notes,
	}
	if m.Fidelity == "packet" {
		run.Coverage = &o.Coverage
	}
	run.Crossings = crossings(v, m, o)
	if run.EngineError, err = engines.ErrorOf(v); err != nil {
		return nil, failed(err)
	}
	run.Host = hostFacts(o.Wall, cpuSeconds()-cpu0, o.Events)
	run.Host.SetupS = setup.Seconds()
	if o.Report != nil && o.Wall > 0 {
		c := &o.Report.Counters
		run.Host.PacketHopsPerS = float64(c.DataHops+c.AckHops) / o.Wall.Seconds()
	}
	return run, nil
}

// crossings lets the findings name the flows that met at a port, by routing them
// again; nil where routes change during the run or are chosen by packet.
func crossings(v *scenarios.Valid, m *scenarios.Machine, o *scenarios.Outcome) func(fabric.PortID) []results.Crossing {
	if len(v.Spec.Faults) > 0 || v.Spec.Cluster.Routing.Policy.V != "ecmp" {
		return nil
	}
	return results.CrossingsOf(m.Routes, o.Report.Flows)
}

// hostFacts describes the machine and the cost of a run.
func hostFacts(wall time.Duration, cpu float64, events uint64) results.Host {
	h := results.Host{
		WallS: wall.Seconds(), CPUS: cpu, Events: events, PeakRSSBytes: peakRSS(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		Go: runtime.Version(), HostCPU: hostCPU(), Command: strings.Join(os.Args, " "), Commit: buildCommit(),
		WrittenAt: time.Now().UTC().Format(time.RFC3339),
	}
	if wall > 0 {
		h.EventsPerS = float64(events) / wall.Seconds()
	}
	return h
}

// cpuSeconds is the CPU time of the process so far, user and system.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}

// peakRSS is the largest resident set of the process so far, in bytes.
func peakRSS() int64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return r.Maxrss
	}
	return r.Maxrss << 10
}

// hostCPU is the processor's name, empty where /proc does not tell.
func hostCPU() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
