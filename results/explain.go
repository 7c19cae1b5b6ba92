package results

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simnet/simnet/sim"
)

// Thresholds below which something is not worth a sentence. Our own: they only
// choose what to print.
const (
	partWorthSaying  = 0.03 // of the step
	slowTail         = 1.5  // p99 slowdown
	maxQueueFindings = 3
)

// findings says where time goes and which knob moves it, most costly first
// within each group: step, ports, congestion, losses.
func findings(r *Run, s *Summary, busy sim.Time) []Finding {
	f := []Finding{}
	f = append(f, stepFindings(s)...)
	f = append(f, traceFindings(s)...)
	f = append(f, nodeFindings(r)...)
	f = append(f, uplinkFindings(r, busy)...)
	f = append(f, tailFindings(s)...)
	if r.modelled() {
		f = append(f, congestionFindings(r, s)...)
		f = append(f, lossFindings(r, s)...)
	}
	return f
}

// part is one entry of a breakdown with its name and what to do about it.
type part struct {
	key, name string
	value     float64
	knob      string
}

func (b Breakdown) parts() []part {
	return []part{
		{"compute", "compute", b.Compute, "precision, recompute, batch.micro"},
		{"tp_comm", "tensor-parallel communication", b.TPComm, "parallel.tp within one NVLink island, sequence parallelism, overlap of tensor-parallel collectives"},
		{"pp_comm", "pipeline transfers", b.PPComm, "overlap of pipeline transfers, placement of neighbouring stages under one leaf, fewer stages"},
		{"pp_bubble", "the pipeline bubble", b.PPBubble, "more micro-batches (batch.global up or batch.micro down), the interleaved or zero-bubble schedule, fewer stages"},
		{"dp_comm_exposed", "exposed data-parallel communication", b.DPCommExposed, "gradient overlap, ZeRO, gradient precision, NIC rate, spines"},
		{"ep_comm", "expert-parallel all-to-all", b.EPComm, "expert groups inside an NVLink island, top-k, capacity"},
		{"cp_comm", "context-parallel exchange", b.CPComm, "parallel.cp within one NVLink island"},
		{"other", "launch overheads and stragglers", b.Other, "stragglers, kernel launch (CUDA graphs)"},
	}
}

// Total returns the sum of the parts in seconds.
func (b Breakdown) Total() float64 {
	var t float64
	for _, p := range b.parts() {
		t += p.value
	}
	return t
}

func stepFindings(s *Summary) []Finding {
	if s.Step == nil || s.Step.MeanS <= 0 {
		return nil
	}
	parts := s.Step.BreakdownS.parts()[1:]
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.value, a.value) })
	var f []Finding
	for i, p := range parts {
		share := p.value / s.Step.MeanS
		if share < partWorthSaying {
			break
		}
		text := fmt.Sprintf("%s takes %s, %s of the step", capital(p.name), humanSeconds(p.value), humanPercent(share))
		if i == 0 {
			text = fmt.Sprintf("The largest part besides compute is %s: %s, %s of the step", p.name, humanSeconds(p.value), humanPercent(share))
		}
		if lo, hi, ok := stageRange(s.Step.Stages, p.key); ok {
			text += fmt.Sprintf(" (stage %d %s, stage %d %s)", lo.Stage, humanSeconds(stagePart(lo, p.key)), hi.Stage, humanSeconds(stagePart(hi, p.key)))
		}
		cost := p.value
		f = append(f, Finding{Kind: "step", Where: p.key, Text: text, Knob: p.knob, CostS: &cost})
	}
	return f
}

func stagePart(s Stage, key string) float64 {
	for _, p := range s.BreakdownS.parts() {
		if p.key == key {
			return p.value
		}
	}
	return 0
}

// stageRange returns the stages with the least and the most of a part, if they
// differ by more than a fifth.
func stageRange(st []Stage, key string) (lo, hi Stage, ok bool) {
	if len(st) < 2 {
		return
	}
	lo, hi = st[0], st[0]
	for _, s := range st[1:] {
		if stagePart(s, key) < stagePart(lo, key) {
			lo = s
		}
		if stagePart(s, key) > stagePart(hi, key) {
			hi = s
		}
	}
	return lo, hi, stagePart(hi, key) > 1.2*stagePart(lo, key)
}

// tailFindings names the collectives whose flows are far from ideal.
func tailFindings(s *Summary) []Finding {
	var f []Finding
	for _, c := range s.Network.ByCollective {
		q := c.FCTSlowdown
		if q == nil || q.P99 < slowTail || c.Collective == "" {
			continue
		}
		f = append(f, Finding{
			Kind: "slow_flows", Where: c.Collective,
			Text: fmt.Sprintf("%s: half of its %s flows take up to %s times their ideal time, the slowest %s times; in progress for %s",
				c.Collective, humanCount(c.Flows), humanRatio(q.P50), humanRatio(q.Max), humanSeconds(c.ActiveS)),
		})
	}
	slices.SortStableFunc(f, func(a, b Finding) int { return cmp.Compare(tailOf(s, b.Where), tailOf(s, a.Where)) })
	return f[:min(len(f), 3)]
}

func tailOf(s *Summary, collective string) float64 {
	for _, c := range s.Network.ByCollective {
		if c.Collective == collective && c.FCTSlowdown != nil {
			return c.FCTSlowdown.P99 * c.ActiveS
		}
	}
	return 0
}
