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
	stormBars   = 4
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
	hot := slices.DeleteFunc(slices.Clone(d.Queues), func(q Queue) bool { return len(q.Max) == 0 })
	slices.SortStableFunc(hot, func(a, b Queue) int { return cmp.Compare(slices.Max(b.Max), slices.Max(a.Max)) })
	hot = hot[:min(len(hot), queueCurves)]
	if len(hot) == 0 || slices.Max(hot[0].Max) == 0 {
		return nil
	}
	from, to, part := busySpan(hot)
	if part != "" { // those that are hottest in the stretch, not elsewhere
		hot = hottestWithin(d.Queues, from, to)
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
		Subtitle: d.context() + " · bins of " + humanTime(hot[0].Bin) + part + far,
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

// hottestWithin returns the queues with the highest peaks between from and to.
func hottestWithin(all []Queue, from, to sim.Time) []Queue {
	peak := func(q *Queue) int64 {
		var top int64
		for k, m := range q.Max {
			if at := q.Start + sim.Time(k)*q.Bin; at >= from && at <= to {
				top = max(top, m)
			}
		}
		return top
	}
	hot := slices.DeleteFunc(slices.Clone(all), func(q Queue) bool { return peak(&q) == 0 })
	slices.SortStableFunc(hot, func(a, b Queue) int { return cmp.Compare(peak(&b), peak(&a)) })
	return hot[:min(len(hot), queueCurves)]
}

// busySpan returns what the queues figure shows: all of the time in which some
// queue is not empty, or, where queues fill now and then only, the stretch
// around the highest peak, and then a remark.
func busySpan(hot []Queue) (from, to sim.Time, remark string) {
	var busy []interval
	peak := sim.Time(0)
	for i := range hot {
		q := &hot[i]
		for k, m := range q.Max {
			at := q.Start + sim.Time(k)*q.Bin
			if m > 0 {
				busy = append(busy, interval{at, at + q.Bin})
			}
			if i == 0 && m == slices.Max(q.Max) && peak == 0 {
				peak = at
			}
		}
	}
	filled := union(busy) // sorts
	from, to = busy[0].from, sim.Time(0)
	for _, b := range busy {
		to = max(to, b.to)
	}
	if filled*5 < to-from {
		gap := (to - from) / 50
		a, e, n := busy[0].from, busy[0].to, 0
		spans := []interval{}
		for _, b := range busy {
			if b.from > e+gap {
				spans = append(spans, interval{a, e})
				a = b.from
			}
			e = max(e, b.to)
		}
		spans = append(spans, interval{a, e})
		for _, s := range spans {
			if n++; s.from <= peak && peak < s.to {
				from, to = s.from, s.to
				remark = fmt.Sprintf(" · busy stretch %d of %d", n, len(spans))
			}
		}
	}
	air := (to - from) / 20
	return max(0, from-air), to + air, remark
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
	quiet := !ok
	if quiet {
		a, e, ok = nonzero(b.Delivered)
	}
	if !ok || b.Bin <= 0 {
		return nil
	}
	at := func(i int) sim.Time { return b.Start + sim.Time(i)*b.Bin }
	from, to := at(a), at(e)
	zero := origin(from, to)
	us := chart.Seconds((to - zero).Seconds())
	top := int64(0)
	for i := a; i < e && i < len(b.Delivered); i++ {
		top = max(top, b.Delivered[i])
	}
	ur := chart.BitRate(float64(top) * 8 / b.Bin.Seconds())
	f := &chart.Figure{Subtitle: d.context() + " · whole network, bins of " + humanTime(b.Bin)}
	add := func(v []int64, per float64, ylabel string) {
		p := chart.NewPanel("", ylabel)
		var xy plotter.XYs
		for i := a; i < e && i < len(v); i++ {
			xy = append(xy, plotter.XY{X: (at(i) - zero).Seconds() * us.Factor, Y: float64(v[i]) * per})
		}
		p.FromZero()
		if len(xy) > 0 {
			p.Line(xy, chart.Colour(len(f.Panels)), nil, true)
		}
		p.X.Min, p.X.Max = (from-zero).Seconds()*us.Factor, (to-zero).Seconds()*us.Factor
		f.Panels = append(f.Panels, []*chart.Panel{p})
	}
	goodput := func() *chart.Figure {
		add(b.Delivered, 8/b.Bin.Seconds()*ur.Factor, "goodput ("+ur.Name+")")
		f.Panels[len(f.Panels)-1][0].X.Label.Text = timeAxis(us, zero)
		return f
	}
	if quiet {
		f.Title = "Payload delivered over time, at most " + humanRate(float64(top)*8/b.Bin.Seconds())
		return goodput()
	}
	cnps, pauses := total(b.CNPs), total(b.Pauses)
	f.Title = fmt.Sprintf("Congestion control over time: %s CNPs, %s PFC pauses", humanCount(cnps), humanCount(pauses))
	add(b.CNPs, 1, "CNPs per "+humanTime(b.Bin))
	if pauses > 0 {
		add(b.Pauses, 1, "pauses per "+humanTime(b.Bin))
	} else {
		add(b.ECN, 1, "ECN marks per "+humanTime(b.Bin))
	}
	return goodput()
}

func total(v []int64) int64 {
	var t int64
	for _, x := range v {
		t += x
	}
	return t
}
