package engines

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// What the hybrid engine promises on every case, in the mean over draws: mean
// error of completion times, of the step time, of marks, CNPs and pauses, and on
// large rings and steps how many times fewer events than packet. The flow engine
// promises nothing; its error is measured and printed.
const (
	maxFCT     = .01
	maxStep    = .005
	maxCounter = .05
	minFewer   = 100
	// minCount is the count from which a relative error says something.
	minCount = 100
	// sure is the confidence with which draws decide.
	sure = .95
)

// Verdict is what draws say of a target.
type Verdict string

// A target is open where chance is too large for the draws to tell.
const (
	Met    Verdict = "met"
	Missed Verdict = "missed"
	Open   Verdict = "open"
)

// Target is one promise on one case.
type Target struct {
	Case, What string
	Got        string
	Verdict    Verdict
}

// within judges an error by a limit, given its standard error over so many draws:
// by Student's t, since a standard error from few draws is itself a guess.
func within(err, se, limit float64, draws int) Verdict {
	chance := 0.0
	if se > 0 && draws > 1 {
		chance = se * distuv.StudentsT{Sigma: 1, Nu: float64(draws - 1)}.Quantile((1+sure)/2)
	}
	switch e := math.Abs(err); {
	case e+chance <= limit:
		return Met
	case e-chance > limit:
		return Missed
	}
	return Open
}

// completionsWithin judges completion times: what chance leaves of them in the
// rows of Again is nobody's error, but may hide one.
func completionsWithin(hybrid, again *FCTError, draws int) Verdict {
	hidden := math.Abs(again.Beyond)
	switch bias := within(hybrid.Bias, hybrid.BiasSE, maxFCT, draws); {
	case bias == Missed, hybrid.Beyond > maxFCT+hidden:
		return Missed
	case hybrid.MeanAbs <= maxFCT, bias == Met && hybrid.Beyond <= maxFCT && hidden <= maxFCT:
		return Met
	}
	return Open
}

// Targets judges what the hybrid engine promises, by case.
func (t *Table) Targets() []Target {
	var out []Target
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Engine != "hybrid" {
			continue
		}
		add := func(what, got string, v Verdict) { out = append(out, Target{r.Case, what, got, v}) }
		again := &FCTError{}
		if a := t.row(r.Case, Again); a != nil {
			again = &a.FCT
		}
		add(targetFCT, fmt.Sprintf("%s, %s beyond chance", percent(r.FCT.MeanAbs), percent(max(0, r.FCT.Beyond))), completionsWithin(&r.FCT, again, r.Draws))
		if r.Step != nil {
			add(targetStep, withSE(*r.Step, r.StepSE), within(*r.Step, r.StepSE, maxStep, r.Draws))
		}
		for _, c := range []struct {
			name string
			n    Count
		}{{targetECN, r.Counters.ECN}, {targetCNPs, r.Counters.CNPs}, {targetPauses, r.Counters.Pauses}} {
			if c.n.Packet >= minCount {
				add(c.name, withSE(c.n.Error(), c.n.SE), within(c.n.Error(), c.n.SE, maxCounter, r.Draws))
			}
		}
		if large(r.Case) {
			v := Missed
			if r.EventsRatio >= minFewer {
				v = Met
			}
			add(targetEvents, fmt.Sprintf("%.3g times", r.EventsRatio), v)
		}
	}
	return out
}

// The targets by name, in the order of the page.
const (
	targetFCT    = "completion times 1 %"
	targetStep   = "step 0.5 %"
	targetECN    = "marks 5 %"
	targetCNPs   = "CNPs 5 %"
	targetPauses = "pauses 5 %"
	targetEvents = "events / 100"
)

var targets = []string{targetFCT, targetStep, targetECN, targetCNPs, targetPauses, targetEvents}

// large reports whether a case promises few events.
func large(name string) bool {
	for _, c := range Cases() {
		if c.Name == name {
			return c.Large
		}
	}
	return false
}

// row returns the row of an engine on a case, nil if there is none.
func (t *Table) row(name, engine string) *Row {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Case == name && r.Engine == engine {
			return r
		}
	}
	return nil
}

// Missed lists the promises of the hybrid engine that do not hold, and the runs
// that failed.
func (t *Table) Missed() []string {
	out := append([]string(nil), t.Broken...)
	for _, x := range t.Targets() {
		if x.Verdict == Missed {
			out = append(out, fmt.Sprintf("%s at hybrid: %s: %s", x.Case, x.What, x.Got))
		}
	}
	return out
}

// writeTargets writes the section of the page that judges the targets.
func (t *Table) writeTargets(b *strings.Builder) {
	all := t.Targets()
	fmt.Fprintf(b, `
## Targets of the hybrid engine

*met* and *missed* are clear of the limit by the %.0f %% interval of Student's t over the draws; *open* is where chance is too large for these draws to tell. Completion times are judged by what is beyond chance: the root of the mean over flows of the squared error less the squared standard error. The limit of events is asked of rings and steps that reduce 256 MiB a rank and more; counts below %d are not judged.

| target | met | missed | open |
| --- | --- | --- | --- |
`, 100*sure, minCount)
	for _, what := range targets {
		fmt.Fprintf(b, "| %s |", what)
		for _, v := range []Verdict{Met, Missed, Open} {
			var cells []string
			for _, x := range all {
				switch {
				case x.What != what || x.Verdict != v:
				case v == Met:
					cells = append(cells, x.Case)
				default:
					cells = append(cells, x.Case+" ("+x.Got+")")
				}
			}
			fmt.Fprintf(b, " %s |", strings.Join(cells, ", "))
		}
		b.WriteByte('\n')
	}
}
