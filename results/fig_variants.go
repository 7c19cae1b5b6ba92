package results

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/simnet/simnet/results/chart"
	"github.com/simnet/simnet/sim"
)

// Variant is one of several runs to set side by side: before, after, a cure.
type Variant struct {
	Name string
	Run  *Dir
}

// PlotVariants writes base.png and base.svg: goodput, CNPs and the hottest
// queue over time, a curve a run. The first variant is the one that the others
// are compared with.
func PlotVariants(base, title, context string, v []Variant) error {
	if len(v) == 0 {
		return errors.New("variants figure: no runs")
	}
	f := &chart.Figure{Title: title, Subtitle: context}
	to := sim.Time(0)
	rate, queue := 0.0, 0.0
	for _, x := range v {
		b := &x.Run.Bins
		if b.Bin <= 0 {
			return fmt.Errorf("variants figure: %s has no telemetry over time", x.Name)
		}
		_, e, ok := nonzero(b.CNPs, b.Pauses, b.ECN, b.Delivered)
		if ok {
			to = max(to, b.Start+sim.Time(e)*b.Bin)
		}
		for _, n := range b.Delivered {
			rate = max(rate, float64(n)*8/b.Bin.Seconds())
		}
		if q := hottestQueue(x.Run); q != nil {
			queue = max(queue, float64(slices.Max(q.Max)))
		}
	}
	us, ur, ub := chart.Seconds(to.Seconds()), chart.BitRate(rate), chart.Bytes(queue)
	bin := humanTime(v[0].Run.Bins.Bin)
	panels := []*chart.Panel{
		chart.NewPanel("", "goodput ("+ur.Name+")"),
		chart.NewPanel("", "CNPs per "+bin),
		chart.NewPanel("simulated time ("+us.Name+")", "max queue ("+ub.Name+")"),
	}
	for i, x := range v {
		b := &x.Run.Bins
		bins := func(n []int64, k float64) plotter.XYs {
			var xy plotter.XYs
			for i := range n {
				if at := b.Start + sim.Time(i)*b.Bin; at <= to {
					xy = append(xy, plotter.XY{X: at.Seconds() * us.Factor, Y: float64(n[i]) * k})
				}
			}
			return xy
		}
		c := chart.Colour(i)
		panels[0].Line(bins(b.Delivered, 8/b.Bin.Seconds()*ur.Factor), c, nil, true)
		// Runs may have bins of different width: compare rates.
		panels[1].Line(bins(b.CNPs, v[0].Run.Bins.Bin.Seconds()/b.Bin.Seconds()), c, nil, true)
		if q := hottestQueue(x.Run); q != nil {
			var xy plotter.XYs
			for k, m := range q.Max {
				if at := q.Start + sim.Time(k)*q.Bin; at <= to {
					xy = append(xy, plotter.XY{X: at.Seconds() * us.Factor, Y: float64(m) * ub.Factor})
				}
			}
			panels[2].Line(xy, c, nil, true)
		}
		f.Stroke(x.Name, c, nil)
	}
	for _, p := range panels {
		p.FromZero()
		p.X.Min, p.X.Max = 0, to.Seconds()*us.Factor
		f.Panels = append(f.Panels, []*chart.Panel{p})
	}
	if q := hottestQueue(v[0].Run); q != nil {
		limits, _ := thresholds(q, queue)
		for _, l := range limits {
			panels[2].HLine(float64(l.bytes)*ub.Factor, l.name, chart.Grey, chart.Dashed)
		}
	}
	f.Footer = v[0].Run.footer()
	return f.Save(base)
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
