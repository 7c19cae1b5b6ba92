package results

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/plotter"

	"github.com/simnet/simnet/results/chart"
)

// PlotScaling writes base.png and base.svg: throughput and efficiency of one or
// more curves against the number of GPUs, with the ideal line, the intervals of
// repeated runs, and what is wasted at the largest size. context is the
// figure's second line.
func PlotScaling(base, context string, curves ...*ScalingCurve) error {
	f, err := scalingFigure(context, curves)
	if err != nil {
		return err
	}
	return f.Save(base)
}

func scalingFigure(context string, curves []*ScalingCurve) (*chart.Figure, error) {
	var gpus []float64
	top := 0.0
	for _, c := range curves {
		for _, r := range c.Rows {
			gpus = append(gpus, float64(r.GPUs))
			top = max(top, r.TokensPerS, r.IdealTokensPerS)
		}
	}
	if len(gpus) == 0 {
		return nil, fmt.Errorf("scaling figure: no points")
	}
	u := chart.Count(top)
	left := chart.NewPanel("GPUs", "throughput ("+u.Name+" tokens/s)")
	right := chart.NewPanel("GPUs", fmt.Sprintf("efficiency against %d GPUs (%%)", curves[0].ReferenceGPUs))
	for _, p := range []*chart.Panel{left, right} {
		p.LogX()
		p.X.Tick.Marker = chart.Ticks(thin(gpus))
	}
	left.LogY()
	f := &chart.Figure{Subtitle: context, Panels: [][]*chart.Panel{{left, right}}}
	low := 100.0
	for i, c := range curves {
		var got, ideal, eff plotter.XYs
		var ci, effCI []float64
		for _, r := range c.Rows {
			x := float64(r.GPUs)
			got = append(got, plotter.XY{X: x, Y: r.TokensPerS * u.Factor})
			ideal = append(ideal, plotter.XY{X: x, Y: r.IdealTokensPerS * u.Factor})
			eff = append(eff, plotter.XY{X: x, Y: r.Efficiency * 100})
			ci, effCI = append(ci, r.TokensPerSCI*u.Factor), append(effCI, r.EfficiencyCI*100)
			low = min(low, (r.Efficiency-r.EfficiencyCI)*100)
		}
		colour := chart.Colour(i)
		left.Line(ideal, chart.Grey, chart.Dashed, false)
		left.Line(got, colour, nil, false)
		left.Points(got, colour, 5)
		right.Line(eff, colour, nil, false)
		right.Points(eff, colour, 5)
		if c.repeated() {
			left.ErrorBars(got, ci, colour)
			right.ErrorBars(eff, effCI, colour)
		}
		last := c.Rows[len(c.Rows)-1]
		right.Note(last.Efficiency*100, fmt.Sprintf("%.1f %%", last.Efficiency*100), colour)
		f.Stroke(c.label(), colour, nil)
	}
	f.Stroke("ideal: proportional to GPUs", chart.Grey, chart.Dashed)
	right.Line(plotter.XYs{{X: minOf(gpus), Y: 100}, {X: maxOf(gpus), Y: 100}}, chart.Grey, chart.Dashed, false)
	right.Y.Min, right.Y.Max = math.Max(0, math.Floor((low-2)/10)*10), 101
	for _, p := range []*chart.Panel{left, right} {
		p.X.Min, p.X.Max = minOf(gpus)/1.1, maxOf(gpus)*1.1
	}
	last := curves[0].Rows[len(curves[0].Rows)-1]
	for _, c := range curves[1:] {
		f.Subtitle += fmt.Sprintf(" · %s: %s", c.label(), wasted(c.Rows[len(c.Rows)-1]))
	}
	f.Title = fmt.Sprintf("%s: %s efficient at %s GPUs, %s", capital(curves[0].label()), humanPercent(last.Efficiency), humanCount(int64(last.GPUs)), wasted(last))
	f.Footer = fmt.Sprintf("GPUs wasted = (1 - efficiency) x GPUs, against %s GPUs", humanCount(int64(curves[0].ReferenceGPUs)))
	if curves[0].repeated() {
		f.Footer += " · bars: 95 % intervals over seeds"
	}
	return f, nil
}

// label is the curve's name in a figure.
func (c *ScalingCurve) label() string {
	if strings.Contains(strings.ToLower(c.Name), "scaling") {
		return c.Name
	}
	return strings.TrimSpace(c.Name + " scaling")
}

func (c *ScalingCurve) repeated() bool {
	for _, r := range c.Rows {
		if r.Runs > 1 {
			return true
		}
	}
	return false
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func wasted(r ScalingRow) string {
	return humanCount(int64(math.Round(r.GPUsWasted))) + " GPUs wasted"
}

func minOf(x []float64) float64 {
	m := x[0]
	for _, v := range x {
		m = min(m, v)
	}
	return m
}

func maxOf(x []float64) float64 {
	m := x[0]
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

// thin drops values closer than a quarter of an octave to one before, so that
// their labels do not meet.
func thin(x []float64) []float64 {
	var out []float64
	for _, v := range x {
		near := false
		for _, o := range out {
			near = near || math.Abs(math.Log2(v/o)) < 0.25
		}
		if !near {
			out = append(out, v)
		}
	}
	return out
}
