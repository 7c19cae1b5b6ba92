package reference

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/simnet/simnet/sim"
)

// verdict is what the last column says of a row.
func (r *Row) verdict() string {
	if len(r.Failed) > 0 {
		return "MISSED"
	}
	return "ok"
}

// Text prints the table for a terminal: completion times, then slowdowns and
// counters side by side (reference, then simnet), then what is missed.
func (t *Table) Text(w io.Writer) error {
	b := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(b, "case\tkind\tflows\tequal\tmean\terror: mean\tp50\tp95\tp99\tmax\t\t")
	for i := range t.Rows {
		r := &t.Rows[i]
		e := &r.Errors
		fmt.Fprintf(b, "%s\t%v\t%d\t%d\t%+.2f%%\t%.2f%%\t%.2f%%\t%.2f%%\t%.2f%%\t%.2f%%\t%s\t\n", r.Case, r.Kind, r.Flows, r.Equal,
			100*r.Bias(), 100*e.Mean, 100*e.P50, 100*e.P95, 100*e.P99, 100*e.Max, r.verdict())
	}
	if err := b.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(b, "case\tslowdown p50\tp95\tp99\tECN marks\trate cuts\tpauses\tlargest queue kB\t")
	for i := range t.Rows {
		r := &t.Rows[i]
		s, g, c, d := &r.Slowdown.Reference, &r.Slowdown.Simnet, &r.Counters.Reference, &r.Counters.Simnet
		fmt.Fprintf(b, "%s\t%.3f / %.3f\t%.3f / %.3f\t%.3f / %.3f\t%.0f / %.0f\t%s\t%.0f / %.0f\t%.0f / %.0f\t\n", r.Case,
			s.P50, g.P50, s.P95, g.P95, s.P99, g.P99, c.Marks, d.Marks, r.cuts(), c.Pauses, d.Pauses, c.MaxQueue/1000, d.MaxQueue/1000)
	}
	if err := b.Flush(); err != nil {
		return err
	}
	for i := range t.Rows {
		for _, f := range t.Rows[i].Failed {
			fmt.Fprintf(w, "%s: %s\n", t.Rows[i].Case, f)
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d cases within tolerance; reference / simnet; random cases: mean of %d seeds\n", len(t.Rows)-t.Failed(), len(t.Rows), t.Seeds)
	return err
}

// cuts prints both counts of rate cuts; the reference counts those of DCQCN
// alone.
func (r *Row) cuts() string {
	if !strings.Contains(r.Case, "dcqcn") {
		return "-"
	}
	return fmt.Sprintf("%.0f / %.0f", r.Counters.Reference.Cuts, r.Counters.Simnet.Cuts)
}

// WriteMarkdown writes docs/fidelity-packet.md: compat is the comparison, own
// the same cases in simnet's own mode.
func WriteMarkdown(w io.Writer, compat, own *Table) error {
	p := &printer{w: w}
	exact, flows, random, hpccCases := 0, 0, 0, 0
	for i := range compat.Rows {
		switch r := &compat.Rows[i]; r.Kind {
		case Exact:
			exact++
			flows += r.Flows
		case HPCC:
			hpccCases++
		default:
			random++
		}
	}
	p.f("# Fidelity of the packet engine\n\n")
	p.f("Made by `simnet validate reference`; do not edit.\n\n")
	p.f("The reference is the HPCC ns-3.17 RoCE model (alibaba-edu/High-Precision-Congestion-Control, commit 9f4be2a, gcc 12 -O3 -DNDEBUG), %d runs. ", len(compat.Rows))
	p.f("simnet replays their inputs twice: in *compatibility mode*, which gives every key of their config files the meaning that the reference gives it, quirks included, and in its *own mode*. ")
	p.f("Where the two modes differ, and which is right, is in [DEVIATIONS.md](../DEVIATIONS.md). One set of constants serves all cases; none is tuned to a case. The networks, flows and figures are part of the program (results/validate/reference/data).\n\n")
	p.f("**Result: %d of %d cases within tolerance.**\n\n", len(compat.Rows)-compat.Failed(), len(compat.Rows))
	p.f("| kind | cases | what is asked |\n| --- | ---: | --- |\n")
	p.f("| exact | %d | nothing is random: each of the %d completion times equals the reference's to the nanosecond; pauses, marks and cuts are as many; the largest queue is within %g %% |\n", exact, flows, 100*queueTolerance)
	p.f("| hpcc | %d | HPCC after its paper: mean completion time within %g %%, the worst flow within %g %% |\n", hpccCases, 100*hpccMean, 100*hpccWorst)
	p.f("| random | %d | packets are marked at random, so simnet's mean over %d seeds counts: within two standard errors of the reference's spread over its seeds, where it was run with several, else within %g %%; marks and cuts within %g %%; slowdown p50, p95, p99 within %g, %g, %g %% (fat320 and ls64) |\n\n",
		random, compat.Seeds, 100*randomMean, 100*countTolerance, 100*slowdownTolerance[0], 100*slowdownTolerance[1], 100*slowdownTolerance[2])

	p.f("## Completion times, compatibility mode\n\n")
	p.f("*Mean* is simnet's mean completion time against the reference's. The errors are those of single flows (for random cases: of the flow's mean over simnet's seeds against one run of the reference, which differs from its own other seeds by as much).\n\n")
	p.f("| case | kind | flows | equal to the ns | mean, ms: reference | simnet | difference | error: mean | p50 | p95 | p99 | max | |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for i := range compat.Rows {
		r := &compat.Rows[i]
		e := &r.Errors
		p.f("| %s | %v | %d | %d | %.6f | %.6f | %+.2f %% | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %s |\n", r.Case, r.Kind, r.Flows, r.Equal,
			ms(r.MeanFCT.Reference), ms(r.MeanFCT.Simnet), 100*r.Bias(), 100*e.Mean, 100*e.P50, 100*e.P95, 100*e.P99, 100*e.Max, r.verdict())
	}
	p.missed(compat)

	p.f("\n## Spread over seeds\n\nCases for which the reference was run with several seeds of its marking: its least and largest mean completion time, and simnet's mean with two standard errors.\n\n")
	p.f("| case | reference, ms | simnet, ms |\n| --- | ---: | ---: |\n")
	for i := range compat.Rows {
		if r := &compat.Rows[i]; r.Spread[1] > 0 {
			p.f("| %s | %.4f to %.4f | %.4f ± %.4f |\n", r.Case, ms(r.Spread[0]), ms(r.Spread[1]), ms(r.MeanFCT.Simnet), 2*ms(r.StdErr))
		}
	}
	p.f("\nIn b1 and x_b1 the outcome has two modes: in about one seed of ten the marks above Kmin hit one of the two flows only, which is cut repeatedly before the other hears anything. The reference's eight seeds happen not to show it; an independent implementation of the same description (22 seeds) does.\n")

	p.sideBySide(compat)
	p.ownMode(compat, own)
	return p.err
}

func (p *printer) missed(t *Table) {
	if t.Failed() == 0 {
		return
	}
	p.f("\nMissed:\n\n")
	for i := range t.Rows {
		for _, f := range t.Rows[i].Failed {
			p.f("- %s: %s\n", t.Rows[i].Case, f)
		}
	}
}

func (p *printer) sideBySide(t *Table) {
	p.f("\n## Slowdowns and counters, compatibility mode\n\nReference / simnet. Slowdown is completion over the reference's standalone time, at least 1.\n\n")
	p.f("| case | slowdown p50 | p95 | p99 | ECN marks | rate cuts | pauses | largest queue, kB | data hops |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for i := range t.Rows {
		r := &t.Rows[i]
		s, g, c, d := &r.Slowdown.Reference, &r.Slowdown.Simnet, &r.Counters.Reference, &r.Counters.Simnet
		p.f("| %s | %.3f / %.3f | %.3f / %.3f | %.3f / %.3f | %.0f / %.0f | %s | %.0f / %.0f | %.1f / %.1f | %.0f / %.0f |\n", r.Case,
			s.P50, g.P50, s.P95, g.P95, s.P99, g.P99, c.Marks, d.Marks, r.cuts(), c.Pauses, d.Pauses, c.MaxQueue/1000, d.MaxQueue/1000, c.DataHops, d.DataHops)
	}
}

func (p *printer) ownMode(compat, own *Table) {
	p.f("\n## The same cases in simnet's own mode\n\nExact picoseconds, RoCEv2 headers, CNP pacing, control class for ACKs, headroom that covers the response time, no quirks. The differences are deliberate; DEVIATIONS.md gives the effect of each.\n\n")
	p.f("| case | mean completion, ms: reference | own mode | difference | slowdown p99 | ECN marks | rate cuts | pauses | largest queue, kB |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for i := range own.Rows {
		r := &own.Rows[i]
		s, g, c, d := &r.Slowdown.Reference, &r.Slowdown.Simnet, &r.Counters.Reference, &r.Counters.Simnet
		p.f("| %s | %.6f | %.6f | %+.2f %% | %.3f / %.3f | %.0f / %.0f | %s | %.0f / %.0f | %.1f / %.1f |\n", r.Case,
			ms(r.MeanFCT.Reference), ms(r.MeanFCT.Simnet), 100*r.Bias(), s.P99, g.P99, c.Marks, d.Marks, r.cuts(), c.Pauses, d.Pauses, c.MaxQueue/1000, d.MaxQueue/1000)
	}
}

func ms(t sim.Time) float64 { return t.Seconds() * 1000 }

// printer writes and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
