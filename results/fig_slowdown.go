package results

import (
	"fmt"

	"gonum.org/v1/plot/plotter"

	"github.com/simnet/simnet/results/chart"
)

// slowdownFigure is the distribution of FCT slowdown, a curve a collective.
func (d *Dir) slowdownFigure() *chart.Figure {
	groups := d.slowdowns()
	if len(groups) == 0 {
		return nil
	}
	left := len(groups) - cdfCurves
	groups = groups[:min(len(groups), cdfCurves)]
	top := 1.0
	for _, g := range groups {
		top = max(top, g.x[len(g.x)-1])
	}
	p := chart.NewPanel("flow completion time over ideal", "fraction of flows")
	f := &chart.Figure{Subtitle: d.context(), Panels: [][]*chart.Panel{{p}}}
	f.Title = "How much longer flows take than alone on an idle network"
	if q := d.Summary.Network.FCTSlowdown; q != nil {
		f.Title = fmt.Sprintf("FCT slowdown: half of the flows within %s times ideal, 99 %% within %s, worst %s",
			humanRatio(q.P50), humanRatio(q.P99), humanRatio(q.Max))
	}
	if left > 0 {
		f.Subtitle += fmt.Sprintf(" · %d smaller collectives not shown", left)
	}
	for i, g := range groups {
		xy := plotter.XYs{{X: g.x[0], Y: 0}}
		x, y := cdf(g.x, cdfPoints)
		for k := range x {
			xy = append(xy, plotter.XY{X: x[k], Y: y[k]})
		}
		p.Wide(xy, chart.Colour(i), len(groups)-1-i)
		f.Stroke(fmt.Sprintf("%s (%s)", g.name, humanCount(int64(len(g.x)))), chart.Colour(i), nil)
	}
	p.X.Min, p.X.Max = 1, max(1.05, top*1.01)
	if top > 8 {
		p.LogX()
	}
	p.Y.Min, p.Y.Max = 0, 1
	return f
}

// cdf is the empirical distribution of sorted values: one point a distinct
// value, thinned to about most points.
func cdf(v []float64, most int) (x, y []float64) {
	n := len(v)
	step := max(1, n/most)
	for i := range n {
		if i+1 < n && (v[i+1] == v[i] || (i%step != 0 && i < n-20)) {
			continue
		}
		x, y = append(x, v[i]), append(y, float64(i+1)/float64(n))
	}
	return x, y
}
