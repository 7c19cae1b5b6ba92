package results

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Comparison is run B against run A, key by key.
type Comparison struct {
	A, B  *Dir
	Rows  []CompareRow
	Notes []string // what makes the two hard to compare
}

// CompareRow is one key. A value that a run does not have is NaN.
type CompareRow struct {
	Key      string
	Name     string
	A, B     float64
	Relative float64 // (B - A) / A; NaN if A is 0 or a value is missing
	// Better is +1 if more is better, -1 if less is, 0 if neither.
	Better int
	print  func(float64) string
}

var compared = []struct {
	key, name string
	better    int
	print     func(float64) string
}{
	{"step.mean_s", "step time", -1, humanSeconds},
	{"step.tokens_per_s", "tokens/s", 1, countFloat},
	{"step.tflops_per_gpu", "TFLOP/s per GPU", 1, digits},
	{"step.mfu", "MFU", 1, humanPercent},
	{"step.breakdown_s.compute", "  compute", -1, humanSeconds},
	{"step.breakdown_s.tp_comm", "  tensor parallel", -1, humanSeconds},
	{"step.breakdown_s.pp_comm", "  pipeline transfers", -1, humanSeconds},
	{"step.breakdown_s.pp_bubble", "  pipeline bubble", -1, humanSeconds},
	{"step.breakdown_s.dp_comm_exposed", "  data parallel, exposed", -1, humanSeconds},
	{"step.breakdown_s.ep_comm", "  expert parallel", -1, humanSeconds},
	{"step.breakdown_s.cp_comm", "  context parallel", -1, humanSeconds},
	{"step.breakdown_s.other", "  other", -1, humanSeconds},
	{"sim_time_s", "simulated time", 0, humanSeconds},
	{"network.flows", "flows", 0, countFloat},
	{"network.bytes_delivered", "bytes delivered", 0, bytesFloat},
	{"network.active_s", "network active", -1, humanSeconds},
	{"network.fct_slowdown.p50", "FCT slowdown p50", -1, humanRatio},
	{"network.fct_slowdown.p95", "FCT slowdown p95", -1, humanRatio},
	{"network.fct_slowdown.p99", "FCT slowdown p99", -1, humanRatio},
	{"network.fct_slowdown.max", "FCT slowdown max", -1, humanRatio},
	{"network.packet_hops", "packet-hops", 0, countFloat},
	{"network.ecn_marked", "ECN marks", -1, countFloat},
	{"network.cnps", "CNPs", -1, countFloat},
	{"network.rate_cuts", "rate cuts", -1, countFloat},
	{"network.pfc_pauses", "PFC pauses", -1, countFloat},
	{"network.pfc_paused_s", "PFC paused", -1, humanSeconds},
	{"network.drops", "drops", -1, countFloat},
	{"network.retransmitted_bytes", "sent again", -1, bytesFloat},
	{"network.max_queue_bytes", "largest queue", -1, bytesFloat},
	{"network.microbursts_total", "micro-bursts", -1, countFloat},
}

func countFloat(x float64) string { return humanCount(int64(math.Round(x))) }
func bytesFloat(x float64) string { return humanBytes(int64(x)) }

// Compare sets b against a.
func Compare(a, b *Dir) *Comparison {
	c := &Comparison{A: a, B: b}
	get := func(d *Dir, key string) float64 {
		if v, err := lookup(d.Raw, key); err == nil {
			if x, ok := v.(float64); ok {
				return x
			}
		}
		return math.NaN()
	}
	for _, k := range compared {
		r := CompareRow{Key: k.key, Name: k.name, A: get(a, k.key), B: get(b, k.key), Better: k.better, print: k.print, Relative: math.NaN()}
		if math.IsNaN(r.A) && math.IsNaN(r.B) || r.A == 0 && r.B == 0 {
			continue
		}
		if r.A != 0 {
			r.Relative = (r.B - r.A) / r.A
		}
		c.Rows = append(c.Rows, r)
	}
	c.Notes = comparable(a.Summary, b.Summary)
	return c
}

// comparable says what differs besides the knob that one probably turned.
func comparable(a, b *Summary) []string {
	var n []string
	if a.Fidelity != b.Fidelity {
		n = append(n, fmt.Sprintf("fidelity differs: %s and %s; part of every difference may be the engine's", a.Fidelity, b.Fidelity))
	}
	if math.Abs(a.Detail.PacketCoverage-b.Detail.PacketCoverage) > 0.01 {
		n = append(n, fmt.Sprintf("packet coverage differs: %s and %s of the bytes", humanPercent(a.Detail.PacketCoverage), humanPercent(b.Detail.PacketCoverage)))
	}
	if a.Seed != b.Seed {
		n = append(n, fmt.Sprintf("seeds differ: %d and %d", a.Seed, b.Seed))
	}
	if a.GPUs != b.GPUs {
		n = append(n, fmt.Sprintf("sizes differ: %d and %d GPUs", a.GPUs, b.GPUs))
	}
	if a.Simnet != b.Simnet {
		n = append(n, fmt.Sprintf("made by simnet %s and %s", a.Simnet, b.Simnet))
	}
	if a.Partial || b.Partial {
		n = append(n, "a run is partial")
	}
	if a.SHA256 == b.SHA256 && a.Seed == b.Seed && a.Fidelity == b.Fidelity {
		n = append(n, "same scenario, seed and fidelity: all should be equal")
	}
	return n
}

// Write prints the comparison as a table; with all unset, rows that are equal
// are left out.
func (c *Comparison) Write(w io.Writer, all bool) error {
	t := &table{}
	t.line("A  %s: %s, %s fidelity, seed %d", c.A.Path, c.A.Summary.Scenario, c.A.Summary.Fidelity, c.A.Summary.Seed)
	t.line("B  %s: %s, %s fidelity, seed %d", c.B.Path, c.B.Summary.Scenario, c.B.Summary.Fidelity, c.B.Summary.Seed)
	for _, n := range c.Notes {
		t.wrapped("!  ", n)
	}
	t.line("\n%-24s %14s %14s %10s", "", "A", "B", "B against A")
	equal := 0
	for _, r := range c.Rows {
		if !all && r.A == r.B {
			equal++
			continue
		}
		t.line("%-24s %14s %14s %10s  %s", r.Name, r.value(r.A), r.value(r.B), signedPercent(r.Relative), r.verdict())
	}
	if equal > 0 {
		t.line("%d more figures are equal", equal)
	}
	t.changes(c)
	_, err := io.WriteString(w, t.b.String())
	return err
}

func (r *CompareRow) value(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return r.print(x)
}

// verdict is worth printing beyond half a percent.
func (r *CompareRow) verdict() string {
	d := r.B - r.A
	if math.IsNaN(d) || r.Better == 0 || math.Abs(d) <= 0.005*math.Abs(r.A) {
		return ""
	}
	if (d > 0) == (r.Better > 0) {
		return "better"
	}
	return "worse"
}

func signedPercent(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x == 0:
		return "0 %"
	case math.Abs(x) < 5e-5:
		return fmt.Sprintf("%+.1g %%", x*100)
	case math.Abs(x) < 0.0995:
		return fmt.Sprintf("%+.2f %%", x*100)
	case math.Abs(x) < 9.995:
		return fmt.Sprintf("%+.0f %%", x*100)
	}
	return fmt.Sprintf("x %s", humanRatio(x+1))
}

// changes prints the lines of the effective configurations that only one run
// has: what was changed from A to B.
func (t *table) changes(c *Comparison) {
	a, b := strings.Split(string(c.A.Effective), "\n"), strings.Split(string(c.B.Effective), "\n")
	if len(c.A.Effective) == 0 || len(c.B.Effective) == 0 || slices.Equal(a, b) {
		return
	}
	const most = 40
	t.head("changed in the effective configuration")
	diff := diffLines(a, b)
	for i, l := range diff {
		if i == most {
			t.line("  %d more lines", len(diff)-most)
			break
		}
		t.line("  %s", l)
	}
}

// diffLines is a shortest edit by the longest common subsequence: "-" lines of
// a, "+" lines of b. Configurations have a few hundred lines.
func diffLines(a, b []string) []string {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	lcs := make([][]int32, len(a)+1)
	for i := range lcs {
		lcs[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && lcs[i+1][j] >= lcs[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}
