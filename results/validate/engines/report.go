package engines

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/simnet/simnet/results"
)

// maxPoints bounds the points that one case gives to the figure.
const maxPoints = 64

// WriteMarkdown writes the page: errors by family, by case, and the cases.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# The cheaper engines against the packet engine

Made by ` + "`simnet validate engines -o docs`" + `. Every case is one scenario (results/validate/engines/data) run at flow, hybrid and packet fidelity with the same seed, so that all engines put the same flows on the same paths. Errors are relative to packet: of completion times (FCT) over all flows of a case, of the end of the last flow, of the step time. Every result at flow or hybrid fidelity prints the errors of the families it belongs to.

![Completion times, flow engine against packet engine](figures/engines.png)

## By family

*packet again* is the packet engine with other random numbers for its ECN marks, on the same paths: what chance alone does to completion times. An error of that size says nothing about an engine.

Mean FCT error, bias, end and step are means over the cases of a family; p99 is the worst case's.

| engine | family | cases | FCT mean | FCT p99 | FCT bias | end | step time |
| --- | --- | --: | --: | --: | --: | --: | --: |
`)
	for _, engine := range t.engines() {
		for _, f := range Families() {
			e, ok := t.Of(engine, f)
			if !ok {
				fmt.Fprintf(&b, "| %s | %s | 0 | not measured | | | | |\n", engine, f)
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s | %s |\n", engine, f, e.Cases, percent(e.FCTMeanAbs), percent(e.FCTP99Abs), signed(e.FCTBias), percent(e.Finish), step(e.StepTime))
		}
	}
	b.WriteString(`
## By case

Events: how many times fewer than packet. Marks, CNPs and pauses: the engine's count / packet's.

| case | engine | flows | FCT mean | FCT p99 | FCT bias | end | step time | events | ECN marks | CNPs | pauses |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
`)
	for i := range t.Rows {
		r := &t.Rows[i]
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s | %s | %.4g | %s |\n", r.Case, r.Engine, r.Flows, percent(r.FCT.MeanAbs), percent(r.FCT.P99Abs),
			signed(r.FCT.Bias), signed(r.Finish), step(r.Step), r.EventsRatio, r.Counters.cells())
	}
	if len(t.Broken) > 0 {
		b.WriteString("\nRuns that failed, which are in no average, and invariants that broke:\n\n")
		for _, x := range t.Broken {
			fmt.Fprintf(&b, "- %s\n", x)
		}
	}
	b.WriteString("\n## The cases\n\n| case | family | scenario |\n| --- | --- | --- |\n")
	for _, c := range Cases() {
		v, err := load(c.Name, "packet")
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, c.Family, v.Spec.Description.V)
	}
	b.WriteString(why)
	_, err := io.WriteString(w, b.String())
	return err
}

// why explains the errors that the tables show.
const why = `
## What the flow engine leaves out

- **Queues and slow start of sharing.** DCQCN finds its share over tens of microseconds to milliseconds, by marks and cuts; max-min has it at once. Short flows that meet a queue are the worst case: a flow of a few packets behind another's burst takes many times its ideal time as packets and hardly more than that as a flow.
- **Unfairness.** Flows that share a port get equal rates at flow fidelity. As packets, PFC pauses whole ports and DCQCN cuts at random, so that completion times of equal flows spread around the mean; the end of a phase is later than the mean says. An incast is the clearest case: at 32:1 its end is right within 2 %, but packets let some senders through early, which max-min does not.
- **Underuse.** After cuts a link may be emptier than its flows would fill it; max-min always fills the bottleneck.

Of a training step only the exposed part of the communication is exposed to these errors, which is why the step time is closer than the completion times.
`

// engines lists the engines of the table in order of first appearance.
func (t *Table) engines() []string {
	var out []string
	for i := range t.Rows {
		if !slices.Contains(out, t.Rows[i].Engine) {
			out = append(out, t.Rows[i].Engine)
		}
	}
	return out
}

// Text prints the errors by family for a terminal.
func (t *Table) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %-16s %5s  %9s %9s %9s %9s %9s\n", "engine", "family", "cases", "FCT mean", "FCT p99", "FCT bias", "end", "step")
	for _, engine := range t.engines() {
		for _, f := range Families() {
			if e, ok := t.Of(engine, f); ok {
				fmt.Fprintf(&b, "%-12s %-16s %5d  %9s %9s %9s %9s %9s\n", engine, f, e.Cases, percent(e.FCTMeanAbs), percent(e.FCTP99Abs), signed(e.FCTBias), percent(e.Finish), step(e.StepTime))
			}
		}
	}
	for _, x := range t.Broken {
		fmt.Fprintf(&b, "FAILED %s\n", x)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Plot writes base.png and base.svg: completion times by the flow engine
// against those by packets.
func (t *Table) Plot(base string) error {
	var rows []results.ValidationRow
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Engine != "flow" {
			continue
		}
		p := slices.Clone(r.pairs)
		slices.SortFunc(p, func(a, b pair) int {
			switch {
			case a.packet < b.packet:
				return -1
			case a.packet > b.packet:
				return 1
			}
			return 0
		})
		for k := range min(maxPoints, len(p)) { // evenly over the order by time
			x := p[k*len(p)/min(maxPoints, len(p))]
			if x.packet > 0 && x.engine > 0 {
				rows = append(rows, results.ValidationRow{Group: string(r.Family), Name: r.Case, Measured: x.packet * 1e3, Predicted: x.engine * 1e3})
			}
		}
	}
	return results.PlotValidation(base, results.ValidationFigure{
		Title: "Flow engine against packets", Context: "measured: packet engine; predicted: flow engine; at most 64 flows of each case",
		Quantity: "completion time", Unit: "ms", Source: "simnet validate engines",
	}, rows)
}

// Changed lists the families whose mean error of completion times differs from
// the embedded table's by more than a tenth of it and a tenth of a percent.
func (t *Table) Changed() ([]string, error) {
	old, err := Stored()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, engine := range []string{"flow", "hybrid"} {
		for _, f := range Families() {
			a, had := old.Of(engine, f)
			b, has := t.Of(engine, f)
			if had != has || math.Abs(a.FCTMeanAbs-b.FCTMeanAbs) > max(.001, .1*a.FCTMeanAbs) {
				out = append(out, engine+" "+string(f))
			}
		}
	}
	return out, nil
}

func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
func signed(x float64) string  { return fmt.Sprintf("%+.2f %%", 100*x) }

func step(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.3f %%", 100**x)
}

// cells are the three counters of a row of the page.
func (c *CounterErrors) cells() string {
	if c == nil {
		return " | | "
	}
	return fmt.Sprintf("%d / %d | %d / %d | %d / %d", c.ECN.Engine, c.ECN.Packet, c.CNPs.Engine, c.CNPs.Packet, c.Pauses.Engine, c.Pauses.Packet)
}
