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

// drawn returns the fewest and the most draws of cases with chance.
func (t *Table) drawn() (fewest, most int) {
	for i := range t.Rows {
		n := t.Rows[i].Draws
		if n > 1 && (fewest == 0 || n < fewest) {
			fewest = n
		}
		most = max(most, n)
	}
	return fewest, most
}

// Text prints the errors by family for a terminal.
func (t *Table) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "means over %s\n", results.Draws(t.drawn()))
	fmt.Fprintf(&b, "%-12s %-16s %5s  %9s %9s %9s %9s %9s\n", "engine", "family", "cases", "FCT mean", "FCT p99", "FCT bias", "end", "step")
	for _, engine := range t.engines() {
		for _, f := range Families() {
			if e, ok := t.Of(engine, f); ok {
				fmt.Fprintf(&b, "%-12s %-16s %5d  %9s %9s %9s %9s %9s\n", engine, f, e.Cases, percent(e.FCTMeanAbs), percent(e.FCTP99Abs), signed(e.FCTBias), percent(e.Finish), step(e.StepTime, 0))
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
		Title: "Flow engine against packets", Context: "measured: packet engine, mean over draws; predicted: flow engine; at most 64 flows of each case",
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

func step(x *float64, se float64) string {
	switch {
	case x == nil:
		return ""
	case se == 0:
		return fmt.Sprintf("%.2f %%", 100**x)
	}
	return fmt.Sprintf("%.2f ± %.2f %%", 100**x, 100*se)
}

// withSE is a signed error with its standard error, where there is one.
func withSE(err, se float64) string {
	switch {
	case math.IsNaN(err):
		return "none at packet"
	case se == 0:
		return signed(err)
	}
	return fmt.Sprintf("%+.2f ± %.2f %%", 100*err, 100*se)
}

// cells are the three counters of a row of the page.
func (c *CounterErrors) cells() string {
	if c == nil {
		return " | | "
	}
	return c.ECN.cell() + " | " + c.CNPs.cell() + " | " + c.Pauses.cell()
}

// cell is packet's count and the engine's error, or its count where packet has
// none or too few for a ratio.
func (c Count) cell() string {
	if c.Packet < minCount {
		return fmt.Sprintf("%.4g (%.4g)", c.Packet, c.Engine)
	}
	return fmt.Sprintf("%.0f %s", c.Packet, withSE(c.Error(), c.SE))
}
