package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/simnet/simnet/results/chart"
	"github.com/simnet/simnet/sim"
)

// Bounds of what one figure shows.
const (
	queueCurves = 5
	rateCurves  = 6
	cdfCurves   = 6
	cdfPoints   = 1500
)

// span is the part of a series that is not zero, with some air: bins a to b.
func nonzero(series ...[]int64) (a, b int, ok bool) {
	a, b = math.MaxInt, -1
	n := 0
	for _, s := range series {
		n = max(n, len(s))
		for i, v := range s {
			if v != 0 {
				a, b = min(a, i), max(b, i)
			}
		}
	}
	if b < 0 {
		return 0, 0, false
	}
	air := max(2, (b-a)/20)
	return max(0, a-air), min(n, b+1+air), true
}

// queuesFigure shows the hottest egress queues against the thresholds.
func (d *Dir) queuesFigure() *chart.Figure {
	hot := slices.Clone(d.Queues)
	slices.SortStableFunc(hot, func(a, b Queue) int { return cmp.Compare(slices.Max(b.Max), slices.Max(a.Max)) })
	hot = hot[:min(len(hot), queueCurves)]
	if len(hot) == 0 || slices.Max(hot[0].Max) == 0 {
		return nil
	}
	from, to := sim.Never, sim.Time(0)
	for _, q := range hot {
		if a, b, ok := nonzero(q.Max); ok {
			from, to = min(from, q.Start+sim.Time(a)*q.Bin), max(to, q.Start+sim.Time(b)*q.Bin)
		}
	}
	top := float64(slices.Max(hot[0].Max))
	limits, far := thresholds(&hot[0], top)
	for _, l := range limits {
		top = max(top, float64(l.bytes))
	}
	zero := origin(from, to)
	ub, us := chart.Bytes(top), chart.Seconds((to - zero).Seconds())
	p := chart.NewPanel(timeAxis(us, zero), "egress queue, largest in each bin ("+ub.Name+")")
	f := &chart.Figure{
		Title:    fmt.Sprintf("Hottest egress queues: %s reaches %s", hot[0].Port, humanBytes(slices.Max(hot[0].Max))),
		Subtitle: d.context() + " · bins of " + humanTime(hot[0].Bin) + far,
		Panels:   [][]*chart.Panel{{p}},
	}
	p.FromZero()
	for i, q := range slices.Backward(hot) { // the hottest on top
		var xy plotter.XYs
		for k, m := range q.Max {
			at := q.Start + sim.Time(k)*q.Bin
			if at >= from && at <= to {
				xy = append(xy, plotter.XY{X: (at - zero).Seconds() * us.Factor, Y: float64(m) * ub.Factor})
			}
		}
		if len(xy) > 0 {
			p.Line(xy, chart.Colour(i), nil, true)
		}
	}
	for i, q := range hot {
		f.Stroke(q.Port, chart.Colour(i), nil)
	}
	for _, l := range limits {
		p.HLine(float64(l.bytes)*ub.Factor, l.name, chart.Grey, chart.Dashed)
	}
	p.X.Min, p.X.Max = (from-zero).Seconds()*us.Factor, (to-zero).Seconds()*us.Factor
	return f
}

type threshold struct {
	name  string
	bytes int64
}

// thresholds returns those of q that fit into a picture of queues up to top
// bytes, and a remark on the others.
func thresholds(q *Queue, top float64) (in []threshold, far string) {
	for _, t := range []threshold{{"Kmin", q.Kmin}, {"Kmax", q.Kmax}, {"XOFF", q.XOFF}} {
		switch {
		case t.bytes <= 0:
		case float64(t.bytes) <= 3*top:
			in = append(in, t)
		default:
			far += fmt.Sprintf(" · %s %s is off the scale", t.name, humanBytes(t.bytes))
		}
	}
	return in, far
}

// origin is where a time axis counts from: zero, unless the picture begins so
// late that its ticks would differ in their last digits alone.
func origin(from, to sim.Time) sim.Time {
	if from <= 20*(to-from) {
		return 0
	}
	return from
}

func timeAxis(u chart.Unit, from sim.Time) string {
	if from == 0 {
		return "simulated time (" + u.Name + ")"
	}
	return fmt.Sprintf("simulated time since %s (%s)", exactSeconds(from), u.Name)
}

// exactSeconds prints a start that a picture counts from, to the microsecond.
func exactSeconds(t sim.Time) string {
	return fmt.Sprintf("%.6f s", t.Seconds())
}

// congestionFigure shows CNPs, pauses and delivered payload over time.
func (d *Dir) congestionFigure() *chart.Figure {
	b := &d.Bins
	a, e, ok := nonzero(b.CNPs, b.Pauses, b.ECN)
	if !ok || b.Bin <= 0 {
		return nil
	}
	from, to := sim.Time(a)*b.Bin, sim.Time(e)*b.Bin
	zero := origin(from, to)
	us := chart.Seconds((to - zero).Seconds())
	bin := b.Bin.Seconds()
	curve := func(v []int64, per float64) (plotter.XYs, float64) {
		var xy plotter.XYs
		top := 0.0
		for i := a; i < e && i < len(v); i++ {
			y := float64(v[i]) * per
			top = max(top, y)
			xy = append(xy, plotter.XY{X: (sim.Time(i)*b.Bin - zero).Seconds() * us.Factor, Y: y})
		}
		return xy, top
	}
	scale := func(xy plotter.XYs, k float64) plotter.XYs {
		for i := range xy {
			xy[i].Y *= k
		}
		return xy
	}
	cnp, _ := curve(b.CNPs, 1)
	pause, _ := curve(b.Pauses, 1)
	good, top := curve(b.Delivered, 8/bin)
	ur := chart.BitRate(top)
	f := &chart.Figure{
		Title:    "Congestion control over time: CNPs, PFC pauses and what was delivered",
		Subtitle: d.context() + " · whole network, bins of " + humanTime(b.Bin),
	}
	for i, row := range []struct {
		xy     plotter.XYs
		ylabel string
	}{
		{cnp, "CNPs per " + humanTime(b.Bin)},
		{pause, "pauses per " + humanTime(b.Bin)},
		{scale(good, ur.Factor), "goodput (" + ur.Name + ")"},
	} {
		x := ""
		if i == 2 {
			x = timeAxis(us, zero)
		}
		p := chart.NewPanel(x, row.ylabel)
		p.FromZero()
		if len(row.xy) > 0 {
			p.Line(row.xy, chart.Colour(i), nil, true)
		}
		p.X.Min, p.X.Max = (from-zero).Seconds()*us.Factor, (to-zero).Seconds()*us.Factor
		f.Panels = append(f.Panels, []*chart.Panel{p})
	}
	return f
}

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
		f.Title = fmt.Sprintf("FCT slowdown: half of the flows within %s of ideal, 99 %% within %s, worst %s",
			humanRatio(q.P50), humanRatio(q.P99), humanRatio(q.Max))
	}
	if left > 0 {
		f.Subtitle += fmt.Sprintf(" · %d smaller collectives not shown", left)
	}
	for i, g := range groups {
		p.Line(cdf(g.x), chart.Colour(i), nil, false)
		f.Stroke(fmt.Sprintf("%s (%s)", g.name, humanCount(int64(len(g.x)))), chart.Colour(i), nil)
	}
	p.X.Min, p.X.Max = 1, max(1.05, top*1.01)
	if top > 8 {
		p.LogX()
	}
	p.Y.Min, p.Y.Max = 0, 1
	return f
}

// cdf is the empirical distribution of sorted values, thinned where there are
// more than a figure can show.
func cdf(x []float64) plotter.XYs {
	n := len(x)
	xy := plotter.XYs{{X: x[0], Y: 0}}
	step := max(1, n/cdfPoints)
	for i := 0; i < n; i++ {
		if i%step == 0 || i >= n-20 {
			xy = append(xy, plotter.XY{X: x[i], Y: float64(i+1) / float64(n)})
		}
	}
	return xy
}
