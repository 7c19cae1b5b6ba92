package results

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
)

// barWidth is the width of the breakdown's bar in characters.
const barWidth = 60

// WriteTable prints the summary for a person at a terminal. dir, if not empty,
// is where the run directory is.
func WriteTable(w io.Writer, s *Summary, dir string) error {
	t := &table{}
	gpus := ""
	if s.GPUs > 0 { // a replay has hosts alone
		gpus = humanCount(int64(s.GPUs)) + " GPUs, "
	}
	t.line("%s: %s%s fidelity, seed %d", s.Scenario, gpus, s.Fidelity, s.Seed)
	if s.Partial {
		t.line("PARTIAL: the run did not finish; what follows is up to %s of simulated time", humanSeconds(s.SimTimeS))
	}
	if u := s.Network.Unfinished; u != nil {
		t.wrapped("UNFINISHED: ", u.Text(s.Network))
	}
	t.step(s)
	t.traces(s)
	t.network(&s.Network)
	t.findings(s.Findings)
	t.fidelity(s)
	if len(s.Warnings) > 0 {
		t.head("warnings")
		for _, x := range s.Warnings {
			t.wrapped("  ! ", x)
		}
	}
	if dir != "" {
		t.line("")
		t.line("written to %s", dir)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// namedUnfinished is how many of the flows that never arrived a sentence names.
const namedUnfinished = 4

// Text is a sentence about the unfinished flows of n.
func (u *Unfinished) Text(n Network) string {
	text := fmt.Sprintf("%s of %s flows never arrived: %s", humanCount(u.Flows), humanCount(n.Flows), u.Reason)
	if k := min(namedUnfinished, len(u.First)); k > 0 {
		text += ": " + strings.Join(u.First[:k], ", ")
		if left := u.Flows - int64(k); left > 0 {
			text += fmt.Sprintf(" and %s more", humanCount(left))
		}
	}
	return text
}

type table struct{ b strings.Builder }

func (t *table) line(format string, args ...any) {
	t.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	t.b.WriteByte('\n')
}

func (t *table) head(s string) { t.line("\n%s", s) }

// row prints a name and a value in two columns.
func (t *table) row(name, format string, args ...any) {
	t.line("  %-18s %s", name, fmt.Sprintf(format, args...))
}

var unitGap = regexp.MustCompile(`(\d) (%|[kKMGTP]?(?:B|bit/s)\b|[munp]?s\b)`)

// wrapped prints text at most 110 characters wide, continued under its start.
func (t *table) wrapped(prefix, text string) {
	line := prefix
	// A number and its unit stay together.
	text = unitGap.ReplaceAllString(text, "$1\x00$2")
	for i, word := range strings.Fields(text) {
		word = strings.ReplaceAll(word, "\x00", " ")
		switch {
		case i == 0:
		case len(line)+1+len(word) > 110:
			t.line("%s", line)
			line = strings.Repeat(" ", len(prefix))
		default:
			line += " "
		}
		line += word
	}
	t.line("%s", line)
}

func (t *table) step(s *Summary) {
	st := s.Step
	if st == nil {
		return
	}
	t.head("step")
	t.row("time", "%s%s", humanSeconds(st.MeanS), spread(st.TimeS))
	t.row("throughput", "%s tokens/s", humanCount(int64(math.Round(st.TokensPerS))))
	t.row("per GPU", "%s TFLOP/s, MFU %s, HFU %s", digits(st.TFLOPsPerGPU), humanPercent(st.MFU), humanPercent(st.HFU))
	if s.Scaling != nil {
		t.row("scaling", "%s efficient against %s GPUs: %s of %s GPUs wasted", humanPercent(s.Scaling.Efficiency),
			humanCount(int64(s.Scaling.ReferenceGPUs)), humanCount(int64(math.Round(s.Scaling.GPUsWasted))), humanCount(int64(s.GPUs)))
	}
	t.bar(st)
	for _, j := range s.Jobs {
		if j.Step != nil {
			t.row("job "+j.Job, "%s on %s GPUs, %s tokens/s, MFU %s", humanSeconds(j.Step.MeanS), humanCount(int64(j.GPUs)),
				humanCount(int64(math.Round(j.Step.TokensPerS))), humanPercent(j.Step.MFU))
		} else {
			t.row("job "+j.Job, "no step finished on %s GPUs", humanCount(int64(j.GPUs)))
		}
	}
}

func spread(x []float64) string {
	if len(x) < 2 {
		return ""
	}
	_, half := MeanCI(x)
	return fmt.Sprintf(" mean of %d (95%% interval +-%s)", len(x), humanSeconds(half))
}

var barMarks = map[string]rune{"compute": '#', "tp_comm": 't', "pp_comm": 'p', "pp_bubble": '.', "dp_comm_exposed": 'd',
	"ep_comm": 'e', "cp_comm": 'c', "other": 'o'}

// bar prints the breakdown as one bar and a line a part. Marks are given to the
// parts by largest remainder, so that they fill the bar exactly.
func (t *table) bar(st *Step) {
	total := st.BreakdownS.Total()
	if total <= 0 {
		return
	}
	parts := st.BreakdownS.parts()
	count := make([]int, len(parts))
	left := barWidth
	for i, p := range parts {
		count[i] = int(p.value / total * barWidth)
		left -= count[i]
	}
	for ; left > 0; left-- {
		best := 0
		for i, p := range parts {
			if p.value/total*barWidth-float64(count[i]) > parts[best].value/total*barWidth-float64(count[best]) {
				best = i
			}
		}
		count[best]++
	}
	var b strings.Builder
	for i, p := range parts {
		b.WriteString(strings.Repeat(string(barMarks[p.key]), count[i]))
	}
	t.line("  %-18s [%s]", "where it goes", b.String())
	for _, p := range parts {
		if p.value > 0 {
			t.line("    %c %-16s %9s  %6s", barMarks[p.key], p.key, humanSeconds(p.value), humanPercent(p.value/total))
		}
	}
}

func (t *table) network(n *Network) {
	t.head("network")
	unfinished := ""
	if n.FlowsFinished < n.Flows {
		unfinished = fmt.Sprintf(" (%s unfinished)", humanCount(n.Flows-n.FlowsFinished))
	}
	t.row("flows", "%s%s, %s delivered, in progress for %s", humanCount(n.Flows), unfinished, humanBytes(n.BytesDelivered), humanSeconds(n.ActiveS))
	if q := n.FCTSlowdown; q != nil {
		t.row("FCT slowdown", "p50 %s, p95 %s, p99 %s, max %s", humanRatio(q.P50), humanRatio(q.P95), humanRatio(q.P99), humanRatio(q.Max))
	}
	if n.Packets != nil {
		t.row("packets", "%s, %s packet-hops", humanCount(*n.Packets), humanCount(*n.PacketHops))
		t.row("congestion", "%s ECN marks, %s CNPs, %s rate cuts", humanCount(*n.ECNMarked), humanCount(*n.CNPs), humanCount(*n.RateCuts))
		t.row("PFC", "%s pauses, %s paused (sum over ports and classes)", humanCount(*n.PFCPauses), humanSeconds(*n.PFCPausedS))
		t.row("loss", "%s drops, %s sent again", humanCount(*n.Drops), humanBytes(*n.RetransmittedBytes))
		t.row("largest queue", "%s", humanBytes(*n.MaxQueueBytes))
		if n.Control != "" {
			t.row("rate control", "%s", n.Control)
		}
		t.row("micro-bursts", "%s, CNP storms %d", humanCount(*n.MicroburstsTotal), len(n.Storms))
	}
	if len(n.HottestPorts) == 0 {
		return
	}
	t.line("")
	width := len("hottest ports")
	top := n.HottestPorts[:min(5, len(n.HottestPorts))]
	for _, p := range top {
		width = max(width, len(p.Port))
	}
	if n.Packets == nil {
		t.line("  %-*s  %11s", width, "hottest ports", "utilisation")
	} else {
		t.line("  %-*s  %11s  %10s  %10s  %8s", width, "hottest ports", "utilisation", "max queue", "ECN marks", "pauses")
	}
	for _, p := range top {
		if p.MaxQueueBytes == nil {
			t.line("  %-*s  %11s", width, p.Port, humanPercent(p.Utilisation))
		} else {
			t.line("  %-*s  %11s  %10s  %10s  %8s", width, p.Port, humanPercent(p.Utilisation), humanBytes(*p.MaxQueueBytes),
				humanCount(*p.ECNMarked), humanCount(*p.PFCPauses))
		}
	}
}

func (t *table) findings(f []Finding) {
	if len(f) == 0 {
		return
	}
	t.head("findings")
	for _, x := range f {
		t.wrapped("  - ", x.Text)
		if x.Knob != "" {
			t.wrapped("      try: ", x.Knob)
		}
	}
}

func (t *table) fidelity(s *Summary) {
	t.line("")
	t.wrapped("fidelity  ", fidelityLine(s))
	for _, n := range s.Detail.Notes {
		t.wrapped("note      ", n)
	}
}

// fidelityLine says which engine gave the numbers and how far off they may be.
func fidelityLine(s *Summary) string {
	d := &s.Detail
	var text string
	switch {
	case s.Fidelity == "flow":
		text = "flow engine: max-min fair rates on the real routes; no packets, queues or congestion control"
	case s.Fidelity == "hybrid":
		text = fmt.Sprintf("hybrid engine: %s of the bytes moved as packets, the rest as fluid under DCQCN or by repetition", humanPercent(d.PacketCoverage))
	case d.PacketCoverage < 1:
		text = fmt.Sprintf("%s engine: %s of the bytes moved as packets, the rest at flow fidelity", s.Fidelity, humanPercent(d.PacketCoverage))
	default:
		text = s.Fidelity + " engine: every byte as packets"
	}
	if len(d.Extrapolated) > 0 {
		text += "; extrapolated: " + strings.Join(d.Extrapolated, ", ")
	}
	if d.ErrorAgainstPacket != nil || s.Fidelity != "packet" || d.PacketCoverage < 1 {
		text += "; " + d.ErrorAgainstPacket.text(d.Reason)
	}
	return text
}
