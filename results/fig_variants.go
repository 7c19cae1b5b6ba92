package results

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/simnet/simnet/results/chart"
	"github.com/simnet/simnet/sim"
)

// Variant is one of several runs to set side by side: before, after, a cure.
// Names that differ by their seed alone are repetitions of one variant.
type Variant struct {
	Name string
	Run  *Dir
}

// variantColumns is how many variants fit beside each other over time.
const variantColumns = 4

// variantGroup is a variant with its repetitions.
type variantGroup struct {
	name   string
	first  *Dir
	active []float64 // seconds, one a repetition
	rate   []float64 // effective bandwidth, bit/s
	mean   float64   // of active
}

// PlotVariants writes base.png and base.svg, bars of how long the network was
// busy and of the effective bandwidth, and the same with _time: goodput, CNPs
// and the hottest queue over time of the first variant and the fastest others.
// The first variant is the one that the others are compared with.
func PlotVariants(base, title, context string, v []Variant) error {
	groups := groupVariants(v)
	if len(groups) == 0 {
		return errors.New("variants figure: no runs")
	}
	bars := variantBars(groups)
	bars.Title, bars.Subtitle, bars.Footer = title, joinContext(context, bars.Subtitle), v[0].Run.footer()
	if err := bars.Save(base); err != nil {
		return err
	}
	over := variantsOverTime(groups)
	if over == nil {
		return nil
	}
	over.Title, over.Subtitle, over.Footer = title, joinContext(context, over.Subtitle), v[0].Run.footer()
	return over.Save(base + "_time")
}

func joinContext(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}

var seedPart = regexp.MustCompile(`(^|,)\s*seed=\d+`)

// groupVariants joins repetitions and shortens names that all begin with the
// same key.
func groupVariants(v []Variant) []variantGroup {
	var groups []variantGroup
	for _, x := range v {
		name := strings.Trim(seedPart.ReplaceAllString(x.Name, ""), ", ")
		name = cmp.Or(name, "all")
		k := slices.IndexFunc(groups, func(g variantGroup) bool { return g.name == name })
		if k < 0 {
			k = len(groups)
			groups = append(groups, variantGroup{name: name, first: x.Run})
		}
		n := &x.Run.Summary.Network
		groups[k].active = append(groups[k].active, n.ActiveS)
		if n.ActiveS > 0 {
			groups[k].rate = append(groups[k].rate, float64(n.BytesDelivered)*8/n.ActiveS)
		}
	}
	prefix := ""
	for i := range groups {
		groups[i].mean, _ = MeanCI(groups[i].active)
		key, _, ok := strings.Cut(groups[i].name, "=")
		if !ok || strings.Contains(groups[i].name, ",") || i > 0 && key+"=" != prefix {
			prefix = ""
			break
		}
		prefix = key + "="
	}
	for i := range groups {
		groups[i].mean, _ = MeanCI(groups[i].active)
		groups[i].name = strings.TrimPrefix(groups[i].name, prefix)
	}
	return groups
}

func variantBars(groups []variantGroup) *chart.Figure {
	topTime, topRate := 0.0, 0.0
	best := &groups[0]
	for i := range groups {
		g := &groups[i]
		topTime, topRate = max(topTime, slices.Max(g.active)), max(topRate, slices.Max(append(g.rate, 0)))
		if g.mean < best.mean {
			best = g
		}
	}
	ut, ur := chart.Seconds(topTime), chart.BitRate(topRate)
	left := chart.NewPanel("network busy ("+ut.Name+")", "")
	right := chart.NewPanel("effective bandwidth, payload over busy time ("+ur.Name+")", "")
	var names, blank []string
	repeated := false
	bar := func(p *chart.Panel, i int, x []float64, u float64, c int, print func(float64) string, against float64) {
		mean, _ := MeanCI(x)
		far := mean
		y := -float64(i)
		p.Rects([]chart.Rect{{X0: 0, X1: mean * u, Y0: y - 0.34, Y1: y + 0.34, Fill: chart.Colour(c)}})
		if len(x) > 1 {
			// Few seeds: each of them says more than an interval.
			repeated = true
			var dots plotter.XYs
			for _, v := range x {
				dots, far = append(dots, plotter.XY{X: v * u, Y: y}), max(far, v)
			}
			p.Points(dots, chart.Black, 4)
		}
		text := print(mean)
		if i > 0 && against > 0 {
			text += fmt.Sprintf(" (%s)", signedPercent(mean/against-1))
		}
		p.Beside(far*u, y, text)
	}
	base, _ := MeanCI(groups[0].rate)
	for i := range groups {
		g := &groups[i]
		names, blank = append(names, g.name), append(blank, "")
		bar(left, i, g.active, ut.Factor, 0, humanSeconds, groups[0].mean)
		bar(right, i, g.rate, ur.Factor, 2, humanRate, base)
	}
	left.Rows(names)
	right.Rows(blank)
	left.X.Min, left.X.Max = 0, topTime*ut.Factor*1.45
	right.X.Min, right.X.Max = 0, topRate*ur.Factor*1.5
	f := &chart.Figure{Panels: [][]*chart.Panel{{left, right}}}
	if best != &groups[0] {
		f.Subtitle = fmt.Sprintf("%s is fastest: %s against %s", best.name, signedPercent(best.mean/groups[0].mean-1), groups[0].name)
	}
	if repeated {
		f.Subtitle = joinContext(f.Subtitle, "bars: means over seeds, dots: single seeds")
	}
	return f
}

// variantsOverTime is a column a variant; nil without telemetry over time.
func variantsOverTime(groups []variantGroup) *chart.Figure {
	shown := slices.DeleteFunc(slices.Clone(groups), func(g variantGroup) bool { return g.first.Bins.Bin <= 0 })
	if len(shown) == 0 {
		return nil
	}
	f := &chart.Figure{}
	if n := len(shown); n > variantColumns {
		rest := shown[1:]
		slices.SortStableFunc(rest, func(a, b variantGroup) int { return cmp.Compare(a.mean, b.mean) })
		shown = shown[:variantColumns]
		f.Subtitle = fmt.Sprintf("%s and the %d fastest of %d others, one seed each", shown[0].name, variantColumns-1, n-1)
	}
	to := sim.Time(0)
	rate, cnps, queue := 0.0, 0.0, 1.0
	perMS := func(b *Bins) float64 { return 1e-3 / b.Bin.Seconds() } // runs may differ in the width of bins
	for i := range shown {
		b := &shown[i].first.Bins
		if _, e, ok := nonzero(b.CNPs, b.Pauses, b.ECN, b.Delivered); ok {
			to = max(to, b.Start+sim.Time(e)*b.Bin)
		}
		for _, n := range b.Delivered {
			rate = max(rate, float64(n)*8/b.Bin.Seconds())
		}
		for _, n := range b.CNPs {
			cnps = max(cnps, float64(n)*perMS(b))
		}
		if q := hottestQueue(shown[i].first); q != nil {
			queue = max(queue, float64(slices.Max(q.Max)))
		}
	}
	us, ur, ub := chart.Seconds(to.Seconds()), chart.BitRate(rate), chart.Bytes(queue)
	f.Panels = make([][]*chart.Panel, 3)
	for i := range shown {
		ylabels := [3]string{"goodput (" + ur.Name + ")", "CNPs per ms", "largest queue (" + ub.Name + ")"}
		if i > 0 {
			ylabels = [3]string{}
		}
		d := shown[i].first
		for k, top := range []float64{rate * ur.Factor, cnps, queue * ub.Factor} {
			p := chart.NewPanel("", ylabels[k])
			p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, to.Seconds()*us.Factor, 0, top
			f.Panels[k] = append(f.Panels[k], p)
		}
		column := []*chart.Panel{f.Panels[0][i], f.Panels[1][i], f.Panels[2][i]}
		column[0].Heading = shown[i].name + ": " + humanSeconds(d.Summary.Network.ActiveS)
		column[2].X.Label.Text = "time (" + us.Name + ")"
		draw := func(p *chart.Panel, start, bin sim.Time, v []int64, k float64, c int) {
			var xy plotter.XYs
			for j, n := range v {
				xy = append(xy, plotter.XY{X: (start + sim.Time(j)*bin).Seconds() * us.Factor, Y: float64(n) * k})
			}
			if len(xy) > 0 {
				p.Line(xy, chart.Colour(c), nil, true)
			}
		}
		b := &d.Bins
		draw(column[0], b.Start, b.Bin, b.Delivered, 8/b.Bin.Seconds()*ur.Factor, 2)
		draw(column[1], b.Start, b.Bin, b.CNPs, perMS(b), 0)
		if q := hottestQueue(d); q != nil {
			draw(column[2], q.Start, q.Bin, q.Max, ub.Factor, 1)
			for _, l := range []int64{q.Kmin, q.Kmax} {
				if l > 0 && float64(l) <= queue {
					column[2].Rule(float64(l)*ub.Factor, chart.Grey, chart.Dotted)
				}
			}
			if q.XOFF > 0 && float64(q.XOFF) <= queue {
				column[2].Rule(float64(q.XOFF)*ub.Factor, chart.Grey, chart.Dashed)
			}
		}
	}
	f.Stroke("goodput", chart.Colour(2), nil)
	f.Stroke("CNPs", chart.Colour(0), nil)
	f.Stroke("largest queue", chart.Colour(1), nil)
	f.Stroke("Kmin and Kmax", chart.Grey, chart.Dotted)
	f.Stroke("XOFF", chart.Grey, chart.Dashed)
	return f
}

func hottestQueue(d *Dir) *Queue {
	var top *Queue
	for i := range d.Queues {
		if q := &d.Queues[i]; len(q.Max) > 0 && (top == nil || slices.Max(q.Max) > slices.Max(top.Max)) {
			top = q
		}
	}
	return top
}
