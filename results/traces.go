package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simnet/simnet/workload/trace"
)

// TraceSummary is one job of recorded operations.
type TraceSummary struct {
	Job        string         `json:"job"`
	Format     string         `json:"format"`
	Ranks      int            `json:"ranks"`
	Operations int            `json:"operations"` // of all ranks, one run
	MakespanS  []float64      `json:"makespan_s"` // of each run
	BreakdownS TraceBreakdown `json:"breakdown_s"`
	// OverlappedS is communication that ran under computation, mean over ranks.
	OverlappedS float64 `json:"comm_overlapped_s"`
	Messages    int64   `json:"messages"`
	Bytes       int64   `json:"bytes"`
	Unfinished  bool    `json:"unfinished,omitempty"`
}

// TraceBreakdown is the mean over ranks of where the makespan goes, in seconds.
// Operations fill compute, comm and idle; layers the others too.
type TraceBreakdown struct {
	Compute       float64 `json:"compute"`
	Comm          float64 `json:"comm"`
	TPComm        float64 `json:"tp_comm"`
	EPComm        float64 `json:"ep_comm"`
	DPCommExposed float64 `json:"dp_comm_exposed"`
	PPComm        float64 `json:"pp_comm"`
	PPBubble      float64 `json:"pp_bubble"`
	Idle          float64 `json:"idle"`
}

func summarizeTraces(traces []trace.Result) []TraceSummary {
	var out []TraceSummary
	for i := range traces {
		t := &traces[i]
		s := TraceSummary{Job: t.Job, Format: t.Format, Ranks: t.Ranks, Operations: t.Ops, MakespanS: []float64{}, OverlappedS: t.Overlapped.Seconds(),
			Messages: t.Messages, Bytes: t.Bytes, Unfinished: t.Unfinished}
		for _, m := range t.Makespans {
			s.MakespanS = append(s.MakespanS, m.Seconds())
		}
		b := &t.Breakdown
		s.BreakdownS = TraceBreakdown{Compute: b.Compute.Seconds(), Comm: b.Comm.Seconds(), TPComm: b.TPComm.Seconds(), EPComm: b.EPComm.Seconds(),
			DPCommExposed: b.DPComm.Seconds(), PPComm: b.PPComm.Seconds(), PPBubble: b.Bubble.Seconds(), Idle: b.Idle.Seconds()}
		out = append(out, s)
	}
	return out
}

// parts lists the breakdown in the order of printing.
func (b *TraceBreakdown) parts() []part {
	return []part{
		{"compute", "compute", b.Compute, "the compute times of the trace"},
		{"comm", "waiting for messages and collectives", b.Comm, "NIC rate, placement of ranks that talk under one leaf"},
		{"tp_comm", "tensor-parallel communication", b.TPComm, "parallel.tp within one NVLink island"},
		{"ep_comm", "expert-parallel all-to-all", b.EPComm, "expert groups inside an NVLink island"},
		{"dp_comm_exposed", "exposed data-parallel communication", b.DPCommExposed, "NIC rate, spines"},
		{"pp_comm", "pipeline transfers", b.PPComm, "placement of neighbouring stages under one leaf"},
		{"pp_bubble", "the pipeline bubble", b.PPBubble, "more micro-batches"},
		{"idle", "waiting for other ranks to finish", b.Idle, "balance of work between ranks"},
	}
}

func (s *TraceSummary) mean() float64 {
	var sum float64
	for _, m := range s.MakespanS {
		sum += m
	}
	return sum / float64(max(1, len(s.MakespanS)))
}

// traces prints one block a job.
func (t *table) traces(s *Summary) {
	for i := range s.Traces {
		x := &s.Traces[i]
		t.head("trace " + x.Job)
		if len(x.MakespanS) == 0 {
			t.row("makespan", "no run of it finished")
			continue
		}
		t.row("makespan", "%s%s", humanSeconds(x.mean()), spread(x.MakespanS))
		t.row("operations", "%s on %s ranks (%s), %s messages, %s", humanCount(int64(x.Operations)), humanCount(int64(x.Ranks)), x.Format, humanCount(x.Messages), humanBytes(x.Bytes))
		for _, p := range x.BreakdownS.parts() {
			if p.value > 0 {
				t.line("    %-18s %9s  %6s", p.key, humanSeconds(p.value), humanPercent(p.value/x.mean()))
			}
		}
		if x.OverlappedS > 0 {
			t.row("overlapped", "%s of communication under computation", humanSeconds(x.OverlappedS))
		}
	}
}

// traceFindings names the largest part of each trace besides its computation.
func traceFindings(s *Summary) []Finding {
	var f []Finding
	for i := range s.Traces {
		x := &s.Traces[i]
		parts := x.BreakdownS.parts()[1:]
		slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.value, a.value) })
		p := parts[0]
		if share := p.value / x.mean(); len(x.MakespanS) > 0 && share >= partWorthSaying {
			cost := p.value
			f = append(f, Finding{Kind: "trace", Where: x.Job, Knob: p.knob, CostS: &cost,
				Text: strings.TrimSpace(fmt.Sprintf("Trace %s: the largest part besides compute is %s, %s of the makespan's %s", x.Job, p.name, humanPercent(share), humanSeconds(x.mean())))})
		}
	}
	return f
}

// traceTables is the page's table of traces, none without them.
func traceTables(s *Summary) []reportTable {
	if len(s.Traces) == 0 {
		return nil
	}
	x := reportTable{Title: "Traces (mean over ranks)", Left: 2, Head: []string{"job", "format", "ranks", "operations", "messages", "bytes", "makespan"}}
	for _, p := range s.Traces[0].BreakdownS.parts() {
		x.Head = append(x.Head, p.key)
	}
	for i := range s.Traces {
		t := &s.Traces[i]
		row := []string{t.Job, t.Format, humanCount(int64(t.Ranks)), humanCount(int64(t.Operations)), humanCount(t.Messages), humanBytes(t.Bytes), "unfinished"}
		if len(t.MakespanS) > 0 {
			row[len(row)-1] = humanSeconds(t.mean())
		}
		for _, p := range t.BreakdownS.parts() {
			row = append(row, humanSeconds(p.value))
		}
		x.Rows = append(x.Rows, row)
	}
	return []reportTable{x}
}

// traceTiles are the page's figures of traces.
func traceTiles(s *Summary) []tile {
	var out []tile
	for i := range s.Traces {
		if t := &s.Traces[i]; len(t.MakespanS) > 0 {
			out = append(out, tile{"makespan of " + t.Job, humanSeconds(t.mean())})
		}
	}
	return out
}

// writeTrace adds a trace's operations to the timeline, a process a rank. They
// overlap, so each is an asynchronous pair of events.
func writeTrace(event func(string, ...any), pid int, t *trace.Result) int {
	top := pid
	seen := map[int]bool{}
	for i := range t.Timeline {
		s := &t.Timeline[i]
		p := pid + 1 + s.Rank
		if !seen[s.Rank] {
			seen[s.Rank] = true
			top = max(top, p)
			event(`{"ph":"M","pid":%d,"name":"process_name","args":{"name":%s}}`, p, quote(fmt.Sprintf("%s rank %d", t.Job, s.Rank)))
		}
		event(`{"ph":"b","pid":%d,"id":%d,"cat":%s,"name":%s,"ts":%s}`, p, i, quote(s.Kind), quote(s.Name), micros(s.Start))
		event(`{"ph":"e","pid":%d,"id":%d,"cat":%s,"name":%s,"ts":%s}`, p, i, quote(s.Kind), quote(s.Name), micros(s.End))
	}
	return top
}
