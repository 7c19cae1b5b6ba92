package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/simnet/simnet/results/chart"
	"github.com/simnet/simnet/sim"
)

// ratesFigure shows the sending rates of the flows whose rates were asked for.
func (d *Dir) ratesFigure() *chart.Figure {
	all := slices.DeleteFunc(slices.Clone(d.Rates), func(r Rates) bool { return len(r.At) == 0 })
	if len(all) == 0 {
		return nil
	}
	// From the first to finish to the last, evenly.
	last := func(r *Rates) sim.Time { return r.At[len(r.At)-1] }
	slices.SortStableFunc(all, func(a, b Rates) int { return cmp.Compare(last(&a), last(&b)) })
	shown := all
	if n := len(all); n > rateCurves {
		shown = nil
		for i := range rateCurves {
			shown = append(shown, all[i*(n-1)/(rateCurves-1)])
		}
	}
	from, to := sim.Never, sim.Time(0)
	top := 0.0
	for _, r := range shown {
		from, to = min(from, r.At[0]), max(to, r.At[len(r.At)-1])
		for _, v := range r.Rate {
			top = max(top, float64(v))
		}
	}
	zero := origin(from, to)
	us, ur := chart.Seconds((to - zero).Seconds()), chart.BitRate(top)
	p := chart.NewPanel(timeAxis(us, zero), "sending rate ("+ur.Name+")")
	p.FromZero()
	f := &chart.Figure{
		Title:    fmt.Sprintf("Sending rates: the first of %d flows ends at %s, the last at %s", len(all), humanInstant(last(&all[0])), humanInstant(last(&all[len(all)-1]))),
		Subtitle: d.context() + " · queue pairs summed",
		Panels:   [][]*chart.Panel{{p}},
	}
	if n := len(all) - len(shown); n > 0 {
		f.Subtitle += fmt.Sprintf(" · %d more in rates.csv", n)
	}
	for i, r := range shown {
		var xy plotter.XYs
		for k := range r.At {
			xy = append(xy, plotter.XY{X: (r.At[k] - zero).Seconds() * us.Factor, Y: float64(r.Rate[k]) * ur.Factor})
		}
		p.Line(xy, chart.Colour(i), nil, true)
		name, _, _ := strings.Cut(r.Name, " (flow ")
		f.Stroke(name, chart.Colour(i), nil)
	}
	p.X.Min, p.X.Max = (from-zero).Seconds()*us.Factor, (to-zero).Seconds()*us.Factor
	return f
}

// stormsFigure compares effective bandwidth before, during and after each
// storm.
func (d *Dir) stormsFigure() *chart.Figure {
	storms := slices.DeleteFunc(slices.Clone(d.Summary.Network.Storms), func(s Storm) bool { return min(s.During, s.After) > 0.9*s.Before })
	if len(storms) == 0 {
		return nil
	}
	lost := func(s Storm) float64 { return (s.EndS - s.StartS) * (s.Before - min(s.During, s.After)) }
	slices.SortStableFunc(storms, func(a, b Storm) int { return cmp.Compare(lost(b), lost(a)) })
	n := len(storms)
	storms = storms[:min(n, stormBars)]
	var bars []BarGroup
	for _, s := range storms {
		name := s.Port + "\nat " + humanInstant(sim.FromSeconds(s.StartS))
		if s.Ramp {
			name += "\nbefore: start-up ramp"
		}
		bars = append(bars, BarGroup{Name: name, Values: []float64{s.Before, s.During, s.After}})
	}
	depth := func(s Storm) float64 { return min(s.During, s.After) / max(s.Before, 1) }
	s := slices.MinFunc(storms, func(a, b Storm) int { return cmp.Compare(depth(a), depth(b)) })
	f := BarFigure("effective bandwidth", []string{"before the storm", "during", "at the lowest after"}, bars, chart.BitRate, humanRate)
	f.Title = fmt.Sprintf("CNP storm at %s: effective bandwidth falls by %s", s.Port, humanPercent(max(0, 1-depth(s))))
	f.Subtitle = d.context() + " · payload through the port"
	if c := d.Summary.Network.Control; c != "" {
		f.Subtitle = d.context() + " · " + c
	}
	if n > len(storms) {
		f.Subtitle += fmt.Sprintf(" · the %d of %d storms that cost most", len(storms), n)
	}
	return f
}

// BarGroup is one cluster of bars: a port, a variant, a cure.
type BarGroup struct {
	Name   string
	Values []float64 // one a series; negative values are left out
}

// BarFigure draws groups of bars, one colour a series. unit picks the scale of
// the axis from the largest value and print words a bar's own label.
func BarFigure(quantity string, series []string, groups []BarGroup, unit func(float64) chart.Unit, print func(float64) string) *chart.Figure {
	top := 0.0
	for _, g := range groups {
		for _, v := range g.Values {
			top = max(top, v)
		}
	}
	u := unit(top)
	label := quantity
	if u.Name != "" {
		label += " (" + u.Name + ")"
	}
	p := chart.NewPanel("", label)
	p.FromZero()
	f := &chart.Figure{Panels: [][]*chart.Panel{{p}}}
	w := 0.8 / float64(len(series))
	var rects []chart.Rect
	var names []string
	for i, g := range groups {
		names = append(names, g.Name)
		for k, v := range g.Values {
			if v < 0 {
				continue
			}
			x := float64(i) - 0.4 + w*float64(k)
			rects = append(rects, chart.Rect{X0: x + w*0.03, X1: x + w*0.97, Y0: 0, Y1: v * u.Factor, Fill: chart.Colour(k)})
			p.Label(x+w/2, v*u.Factor, print(v), 4, w*0.98)
		}
	}
	p.Rects(rects)
	p.Columns(names)
	if len(series) > 1 {
		for k, s := range series {
			f.Swatch(s, chart.Colour(k))
		}
	}
	return f
}
