package results

import (
	"fmt"
	"image/color"

	"github.com/simnet/simnet/results/chart"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// partColours keep a part's colour the same in every figure.
var partColours = map[string]color.RGBA{
	"compute": chart.Blue, "tp_comm": chart.Sky, "pp_comm": chart.Green, "pp_bubble": chart.Silver,
	"dp_comm_exposed": chart.Vermilion, "ep_comm": chart.Purple, "cp_comm": chart.Yellow, "other": chart.Grey,
}

var partNames = map[string]string{
	"compute": "compute", "tp_comm": "tensor parallel", "pp_comm": "pipeline transfers", "pp_bubble": "pipeline bubble",
	"dp_comm_exposed": "data parallel, exposed", "ep_comm": "expert parallel", "cp_comm": "context parallel", "other": "other",
}

// breakdownFigure is a stacked bar of the mean and of each pipeline stage.
func (d *Dir) breakdownFigure() *chart.Figure {
	st := d.Summary.Step
	if st == nil || st.MeanS <= 0 {
		return nil
	}
	u := chart.Seconds(st.MeanS)
	names := []string{"mean"}
	bars := []Breakdown{st.BreakdownS}
	if len(st.Stages) > 1 {
		for _, g := range st.Stages {
			names = append(names, fmt.Sprintf("stage %d", g.Stage))
			bars = append(bars, g.BreakdownS)
		}
	}
	p := chart.NewPanel("time of one step ("+u.Name+")", "")
	f := &chart.Figure{
		Title: fmt.Sprintf("One step takes %s: %s of it compute, MFU %s", humanSeconds(st.MeanS),
			humanPercent(st.BreakdownS.Compute/st.MeanS), humanPercent(st.MFU)),
		Subtitle: d.context() + " · exposed time, mean over ranks",
		Panels:   [][]*chart.Panel{{p}},
	}
	var rects []chart.Rect
	shown := map[string]bool{}
	for i, b := range bars {
		x := 0.0
		for _, part := range b.parts() {
			if part.value <= 0 {
				continue
			}
			shown[part.key] = true
			w := part.value * u.Factor
			rects = append(rects, chart.Rect{X0: x, X1: x + w, Y0: -float64(i) - 0.4, Y1: -float64(i) + 0.4,
				Fill: partColours[part.key], Text: humanPercent(part.value / b.Total())})
			x += w
		}
	}
	for _, part := range st.BreakdownS.parts() {
		if shown[part.key] {
			f.Swatch(partNames[part.key], partColours[part.key])
		}
	}
	p.Rects(rects)
	p.Rows(names)
	p.X.Min = 0
	p.X.Max *= 1.01
	return f
}

var spanColours = []struct {
	kind   workload.SpanKind
	name   string
	colour color.RGBA
}{
	{workload.SpanForward, "forward", chart.Blue},
	{workload.SpanBackward, "backward", chart.Green},
	{workload.SpanWeight, "weight gradient", chart.Yellow},
	{workload.SpanRecompute, "recompute", chart.Sky},
	{workload.SpanComm, "communication", chart.Purple},
	{workload.SpanDP, "data parallel", chart.Vermilion},
	{workload.SpanOptimizer, "optimizer", chart.Black},
	{workload.SpanWait, "waiting", chart.Mist},
}

// timelineColumns is the resolution of the timeline figure: what is narrower
// than a column is drawn as the kind that fills most of it.
const timelineColumns = 2800

// A stage with more spans than this gets a second panel: the end of the step,
// enlarged, where the pipeline drains and gradients are reduced.
const (
	manySpans = 90
	enlarged  = 0.07 // of the step
)

// timelineFigure shows what each stage of the first replica did.
func (d *Dir) timelineFigure() *chart.Figure {
	spans, stages, from, to := d.firstReplica()
	if to <= from {
		return nil
	}
	byStage := make([][]Span, stages)
	most := 0
	for _, s := range spans {
		byStage[s.Stage] = append(byStage[s.Stage], s)
		most = max(most, len(byStage[s.Stage]))
	}
	f := &chart.Figure{
		Title:    "What each pipeline stage does during one step",
		Subtitle: d.context() + " · " + spans[0].Process,
	}
	if st := d.Summary.Step; st != nil {
		f.Title += " of " + humanSeconds(st.TimeS[len(st.TimeS)-1])
	}
	seen := make([]bool, len(spanColours))
	f.Panels = append(f.Panels, []*chart.Panel{stagesPanel(byStage, from, from, to, seen)})
	if most > manySpans && stages <= 16 {
		f.Panels[0][0].Heading = "The whole step"
		end := stagesPanel(byStage, from, to-sim.Time(float64(to-from)*enlarged), to, seen)
		end.Heading = "Its end, enlarged"
		f.Panels[0][0].X.Label.Text = ""
		f.Panels = append(f.Panels, []*chart.Panel{end})
	}
	for i, k := range spanColours {
		if seen[i] {
			f.Swatch(k.name, k.colour)
		}
	}
	return f
}

// stagesPanel draws the spans between from and to, in time since zero, and
// notes which kinds there are.
func stagesPanel(byStage [][]Span, zero, from, to sim.Time, seen []bool) *chart.Panel {
	u := chart.Seconds((to - zero).Seconds())
	p := chart.NewPanel("time since the step began ("+u.Name+")", "")
	at := func(t float64) float64 { // t in columns
		return ((from - zero).Seconds() + t/timelineColumns*(to-from).Seconds()) * u.Factor
	}
	var rects []chart.Rect
	var names []string
	for stage, row := range byStage {
		names = append(names, fmt.Sprintf("stage %d", stage))
		for _, c := range rasterize(row, from, to) {
			seen[c.kind] = true
			rects = append(rects, chart.Rect{X0: at(float64(c.from)), X1: at(float64(c.to)), Y0: -float64(stage) - 0.42, Y1: -float64(stage) + 0.42, Fill: spanColours[c.kind].colour})
		}
	}
	p.Rects(rects)
	p.Rows(names)
	p.X.Min, p.X.Max = at(0), at(timelineColumns)
	return p
}

// firstReplica returns the spans of the trace's first process, its number of
// stages and the time they cover; to is not after from if there are none.
func (d *Dir) firstReplica() (spans []Span, stages int, from, to sim.Time) {
	if len(d.Spans) == 0 {
		return
	}
	from, to = d.Spans[0].Start, d.Spans[0].End
	for _, s := range d.Spans {
		if s.Process != d.Spans[0].Process || s.Stage < 0 {
			continue
		}
		spans = append(spans, s)
		stages = max(stages, s.Stage+1)
		from, to = min(from, s.Start), max(to, s.End)
	}
	return
}

// spanKind returns the index of a kind in spanColours, -1 if it is unknown.
func spanKind(kind string) int {
	for i := range spanColours {
		if string(spanColours[i].kind) == kind {
			return i
		}
	}
	return -1
}

// cells is a run of columns of one kind, an index into spanColours.
type cells struct{ from, to, kind int }

// rasterize gives each column to the kind that fills most of it and leaves out
// the seam between two spans of the same kind only where a column is free.
func rasterize(row []Span, from, to sim.Time) []cells {
	kinds := len(spanColours)
	fill := make([]float64, timelineColumns*kinds)
	edge := make([]bool, timelineColumns+1)
	scale := timelineColumns / float64(to-from)
	for _, s := range row {
		k := spanKind(s.Kind)
		if k < 0 || s.End <= s.Start {
			continue
		}
		a, b := float64(s.Start-from)*scale, float64(s.End-from)*scale
		if b <= 0 || a >= timelineColumns {
			continue
		}
		if b-a > 16 && a >= 0 { // wide enough for a seam that tells it from its neighbour
			edge[int(a)] = true
		}
		a = max(a, 0)
		for c := int(a); c < timelineColumns && float64(c) < b; c++ {
			fill[c*kinds+k] += min(b, float64(c+1)) - max(a, float64(c))
		}
	}
	var out []cells
	for c := range timelineColumns {
		best := -1
		for k := range kinds {
			if v := fill[c*kinds+k]; v > 0.2 && (best < 0 || v > fill[c*kinds+best]) {
				best = k
			}
		}
		if best < 0 || edge[c] {
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].to == c && out[n].kind == best {
			out[n].to++
		} else {
			out = append(out, cells{c, c + 1, best})
		}
	}
	return out
}
