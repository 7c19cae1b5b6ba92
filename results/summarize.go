package results

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// Bounds of the lists in summary.json: what a person can read.
const (
	maxHotPorts    = 10
	maxMicrobursts = 50
	maxStorms      = 20
	maxNamedFlows  = 16
	maxWarnings    = 200
)

// packetKeys are the keys of network that only an engine with packets fills.
var packetKeys = []string{"packets", "packet_hops", "ecn_marked", "cnps", "pfc_pauses", "pfc_resumes",
	"pfc_paused_s", "drops", "retransmitted_bytes", "max_queue_bytes", "max_buffer_bytes", "rate_cuts",
	"nacks", "timeouts", "deadlocks", "flows_failed", "microbursts", "storms"}

// Summarize computes summary.json from a run. The result depends on nothing
// but what the run measured.
func Summarize(r *Run) *Summary {
	s := &Summary{
		Schema: Schema, Simnet: r.Version, Scenario: r.Scenario, SHA256: r.SHA256, Seed: r.Seed,
		Fidelity: r.Fidelity, Partial: r.Partial, GPUs: r.GPUs, SimTimeS: r.SimTime.Seconds(),
		Warnings: slices.Clone(r.Warnings), Scaling: r.Scaling,
	}
	if s.Warnings == nil {
		s.Warnings = []string{}
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		st := summarizeStep(j)
		if i == 0 {
			s.Step = st
		}
		if len(r.Jobs) > 1 {
			s.Jobs = append(s.Jobs, JobSummary{Job: j.Job, GPUs: j.GPUs, Step: st})
		}
		if j.Unfinished {
			s.Partial = true
		}
		if w := breakdownGap(j); w != "" {
			s.Warnings = append(s.Warnings, w)
		}
	}
	s.Traces = summarizeTraces(r.Traces)
	for _, v := range r.Report.Violations {
		s.Warnings = append(s.Warnings, "invariant broken: "+v)
	}
	s.Warnings = append(s.Warnings, r.Report.Notes...)
	if n := len(s.Warnings); n > maxWarnings {
		s.Warnings = append(s.Warnings[:maxWarnings], fmt.Sprintf("%d more warnings are left out", n-maxWarnings))
	}
	busy := activeTime(r.Report.Flows, r.SimTime)
	s.Network = summarizeNetwork(r, busy)
	s.Detail = fidelityDetail(r)
	s.Findings = findings(r, s, busy)
	return s
}

func summarizeStep(j *workload.Result) *Step {
	if len(j.Steps) == 0 {
		return nil
	}
	st := &Step{BreakdownS: breakdown(j.Breakdown)}
	var total sim.Time
	for _, t := range j.Steps {
		st.TimeS = append(st.TimeS, t.Seconds())
		total += t
	}
	st.MeanS = (total / sim.Time(len(j.Steps))).Seconds()
	if st.MeanS > 0 {
		st.TokensPerS = round6(float64(j.TokensPerStep) / st.MeanS)
		if j.GPUs > 0 {
			st.TFLOPsPerGPU = round6(j.ModelFLOPs / st.MeanS / float64(j.GPUs) / 1e12)
		}
		if j.PeakFLOPs > 0 {
			st.MFU = round6(j.ModelFLOPs / st.MeanS / j.PeakFLOPs)
			st.HFU = round6(j.HardwareFLOPs / st.MeanS / j.PeakFLOPs)
		}
	}
	for _, g := range j.Stages {
		st.Stages = append(st.Stages, Stage{Stage: g.Stage, BreakdownS: breakdown(g.Breakdown)})
	}
	return st
}

func breakdown(b workload.Breakdown) Breakdown {
	return Breakdown{
		Compute: b.Compute.Seconds(), TPComm: b.TPComm.Seconds(), PPComm: b.PPComm.Seconds(),
		PPBubble: b.PPBubble.Seconds(), DPCommExposed: b.DPCommExposed.Seconds(),
		EPComm: b.EPComm.Seconds(), CPComm: b.CPComm.Seconds(), Other: b.Other.Seconds(),
	}
}

// breakdownGap returns a warning if the parts of a job's breakdown miss its
// step time by more than 0.1 %.
func breakdownGap(j *workload.Result) string {
	if len(j.Steps) == 0 {
		return ""
	}
	var total sim.Time
	for _, t := range j.Steps {
		total += t
	}
	mean, sum := total/sim.Time(len(j.Steps)), j.Breakdown.Total()
	gap := sum - mean
	if gap < 0 {
		gap = -gap
	}
	if gap*1000 <= mean {
		return ""
	}
	return fmt.Sprintf("job %s: the breakdown adds up to %s, the step takes %s", j.Job, humanTime(sum), humanTime(mean))
}

func activeTime(flows []fabric.FlowRecord, end sim.Time) sim.Time {
	v := make([]interval, len(flows))
	for i := range flows {
		v[i] = active(&flows[i], end)
	}
	return union(v)
}

func summarizeNetwork(r *Run, busy sim.Time) Network {
	rep, c := r.Report, &r.Report.Counters
	n := Network{
		Flows: c.Flows, FlowsFinished: c.FlowsFinished, BytesDelivered: c.BytesDelivered,
		ActiveS: busy.Seconds(), ByCollective: byCollective(rep.Flows, r.SimTime),
		HottestPorts: []HotPort{},
	}
	if r.Unfinished != "" {
		n.Unfinished = &Unfinished{Flows: c.Flows - c.FlowsFinished, Reason: r.Unfinished, Asked: r.Asked, First: unfinishedNames(r)}
	}
	slow := make([]float64, 0, len(rep.Flows))
	for i := range rep.Flows {
		if x, ok := slowdown(&rep.Flows[i]); ok {
			slow = append(slow, x)
		}
	}
	n.FCTSlowdown = quantiles(slow)
	for _, p := range hottest(r, maxHotPorts) {
		n.HottestPorts = append(n.HottestPorts, hotPort(r, p, busy))
	}
	if !r.modelled() {
		n.NotModelled = &NotModelled{Keys: packetKeys, Reason: "the flow engine shares rates and has no packets, queues or congestion control"}
		return n
	}
	hops, paused, bursts := c.DataHops+c.AckHops, c.PFCPausedTime.Seconds(), int64(len(rep.Bursts))+rep.BurstsLost
	n.Control = r.Control
	n.Packets, n.PacketHops = &c.Packets, &hops
	n.ECNMarked, n.CNPs, n.RateCuts = &c.ECNMarked, &c.CNPs, &c.RateCuts
	n.PFCPauses, n.PFCResumes, n.PFCPausedS = &c.PFCPauses, &c.PFCResumes, &paused
	n.Drops, n.RetransmittedBytes = &c.Drops, &c.RetransmittedBytes
	n.NACKs, n.Timeouts, n.Deadlocks, n.FlowsFailed = &c.NACKs, &c.Timeouts, &c.Deadlocks, &c.FlowsFailed
	n.MaxQueueBytes, n.MaxBufferBytes = &c.MaxQueueBytes, &c.MaxBufferBytes
	n.MicroburstsTotal = &bursts
	n.Microbursts, n.Storms = []Microburst{}, []Storm{} // none is not the same as not modelled
	for _, b := range largestBursts(rep.Bursts) {
		n.Microbursts = append(n.Microbursts, Microburst{
			Port: r.Graph.PortName(b.Port), StartS: b.Start.Seconds(), DurationS: b.Duration.Seconds(),
			PeakBytes: b.Peak, Flows: flowNames(r, b.Flows),
		})
	}
	for i, b := range rep.Storms {
		if i == maxStorms {
			break
		}
		n.Storms = append(n.Storms, Storm{
			Port: r.Graph.PortName(b.Port), StartS: b.Start.Seconds(), EndS: b.End.Seconds(), CNPs: b.CNPs,
			Before: round6(b.Before), Ramp: ramp(r, &b), During: round6(b.During), After: round6(b.After), Flows: flowNames(r, b.Flows),
		})
	}
	return n
}

// largestBursts keeps those with the highest peaks and returns them in order of
// start.
func largestBursts(b []fabric.Burst) []fabric.Burst {
	if len(b) <= maxMicrobursts {
		return b
	}
	b = slices.Clone(b)
	slices.SortStableFunc(b, func(x, y fabric.Burst) int { return cmp.Compare(y.Peak, x.Peak) })
	b = b[:maxMicrobursts]
	slices.SortStableFunc(b, func(x, y fabric.Burst) int { return cmp.Compare(x.Start, y.Start) })
	return b
}

// flowName is how people tell flows apart: "dp_all_reduce node3/nic1->node7/nic1".
func flowName(r *Run, id fabric.FlowID) string {
	if int(id) >= len(r.Report.Flows) {
		return fmt.Sprintf("flow %d", id)
	}
	f := &r.Report.Flows[id]
	name := r.Graph.Nodes[f.Src].Name + "->" + r.Graph.Nodes[f.Dst].Name
	if f.Label != "" {
		name = f.Label + " " + name
	}
	return fmt.Sprintf("%s (flow %d)", name, id)
}

// unfinishedNames names the first flows that never arrived.
func unfinishedNames(r *Run) []string {
	var ids []fabric.FlowID
	for i := range r.Report.Flows {
		if r.Report.Flows[i].FCT < 0 {
			ids = append(ids, fabric.FlowID(i))
		}
	}
	return flowNames(r, ids)
}

func flowNames(r *Run, ids []fabric.FlowID) []string {
	out := []string{}
	for i, id := range ids {
		if i == maxNamedFlows {
			out = append(out, fmt.Sprintf("and %d more", len(ids)-i))
			break
		}
		out = append(out, flowName(r, id))
	}
	return out
}

// utilisation is wire bytes over what the line carries in the span, 0 to 1.
func utilisation(r *Run, p fabric.PortID, span sim.Time) float64 {
	if span <= 0 || int(p) >= len(r.Report.Ports) {
		return 0
	}
	return float64(r.Report.Ports[p].TxBytes) * 8 / (float64(r.Graph.Ports[p].Rate) * span.Seconds())
}

// hottest returns up to n ports that sent something: by largest queue where
// there are queues, then by utilisation, then by number. Queues of hosts do not
// count: they are the sender's own backlog.
func hottest(r *Run, n int) []fabric.PortID {
	var ids []fabric.PortID
	for i := range r.Report.Ports {
		if r.Report.Ports[i].TxBytes > 0 {
			ids = append(ids, fabric.PortID(i))
		}
	}
	queue := func(p fabric.PortID) int64 {
		if r.Graph.Nodes[r.Graph.Ports[p].Node].Kind.Host() {
			return 0
		}
		return r.Report.Ports[p].MaxQueue
	}
	load := func(p fabric.PortID) float64 {
		return float64(r.Report.Ports[p].TxBytes) / float64(r.Graph.Ports[p].Rate)
	}
	slices.SortFunc(ids, func(a, b fabric.PortID) int {
		if c := cmp.Compare(queue(b), queue(a)); c != 0 {
			return c
		}
		if c := cmp.Compare(load(b), load(a)); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	return ids[:min(n, len(ids))]
}

func hotPort(r *Run, p fabric.PortID, busy sim.Time) HotPort {
	st := &r.Report.Ports[p]
	h := HotPort{Port: r.Graph.PortName(p), Utilisation: round6(utilisation(r, p, busy)), TxBytes: st.TxBytes}
	if r.modelled() {
		h.MaxQueueBytes, h.ECNMarked, h.PFCPauses = &st.MaxQueue, &st.ECNMarked, &st.Pauses
	}
	return h
}

func fidelityDetail(r *Run) FidelityDetail {
	d := FidelityDetail{Extrapolated: []string{}, ErrorAgainstPacket: r.EngineError, Notes: r.Notes}
	d.Extrapolated = append(d.Extrapolated, r.Report.Extrapolated...)
	switch {
	case r.Coverage != nil:
		d.PacketCoverage = round6(*r.Coverage)
	case r.Report.Counters.BytesDelivered > 0:
		d.PacketCoverage = round6(float64(r.Report.PacketBytes) / float64(r.Report.Counters.BytesDelivered))
	}
	if d.ErrorAgainstPacket == nil {
		d.Reason = "not measured; see docs/fidelity-engines.md"
		if r.Fidelity == "packet" && d.PacketCoverage == 1 {
			d.Reason = "this is the packet engine"
		}
	}
	return d
}
