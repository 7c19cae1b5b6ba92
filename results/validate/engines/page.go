package engines

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the page: errors by family, by case, and the cases.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	_, most := t.drawn()
	fmt.Fprintf(&b, "# The cheaper engines against the packet engine\n\nMade by `simnet validate engines --draws %d -o docs`", most)
	b.WriteString(`. Every case is one scenario (results/validate/engines/data) run at flow, hybrid and packet fidelity, all engines with the same flows on the same paths.

**What is compared.** Packets are marked at random, and DCQCN amplifies one mark drawn otherwise, so that two packet runs differ as much as a hybrid and a packet run do. So packet and hybrid run several times, with the seeds of the marks 0, 1, 2, ... above the scenario's, and every figure compares the means over these draws: of the completion time (FCT) of each flow, of the end of the last flow, of the step time, of marks, CNPs, pauses and events. Errors are relative to packet's mean; ± is the standard error of the figure before it. The flow engine draws nothing: its one run stands against packet's mean. A case in which packets mark nothing runs once. Every result at flow or hybrid fidelity prints the errors of the families it belongs to.

*packet again* is the packet engine over as many other draws: what chance leaves in a mean over so many. An error of that size says nothing about an engine. A single run differs from another by more: by about the square root of the draws times that.

![Completion times, flow engine against packet engine](figures/engines.png)

## By family

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
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s | %s |\n", engine, f, e.Cases, percent(e.FCTMeanAbs), percent(e.FCTP99Abs), signed(e.FCTBias), percent(e.Finish), step(e.StepTime, 0))
		}
	}
	b.WriteString(`
## By case

FCT mean and p99 are of the absolute error over flows; in brackets what *packet again* has. Events: how many times fewer than packet. Marks, CNPs and pauses: packet's count and the error; where packet has fewer than 100, its count (the engine's).

| case | engine | draws | flows | FCT mean | FCT p99 | FCT bias | end | step time | events | ECN marks | CNPs | pauses |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
`)
	for i := range t.Rows {
		r := &t.Rows[i]
		chance := ""
		if a := t.row(r.Case, Again); a != nil && r.Engine == "hybrid" {
			chance = " (" + percent(a.FCT.MeanAbs) + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s%s | %s | %s | %s | %s | %.4g | %s |\n", r.Case, r.Engine, r.Draws, r.Flows, percent(r.FCT.MeanAbs), chance, percent(r.FCT.P99Abs),
			withSE(r.FCT.Bias, r.FCT.BiasSE), withSE(r.Finish, r.FinishSE), step(r.Step, r.StepSE), r.EventsRatio, r.Counters.cells())
	}
	t.writeTargets(&b)
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
