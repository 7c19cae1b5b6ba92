package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one pair of axes in the common style.
type Panel struct {
	*plot.Plot
	Heading string // above the panel, where a figure has several
	ylabel  string
	notes   []note
	ready   bool
	logY    bool
}

// note is a word beside the right edge at the height of a value.
type note struct {
	y      float64
	text   string
	colour color.Color
}

// NewPanel returns empty axes with a light grid. Labels carry the unit.
func NewPanel(xlabel, ylabel string) *Panel {
	p := &Panel{Plot: plot.New(), ylabel: typeset(ylabel)}
	p.BackgroundColor = color.White
	p.X.Label.Text = typeset(xlabel)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = typeface(labelSize, false)
		a.Label.TextStyle.Color = Black
		a.Label.Padding = vg.Points(5)
		a.Tick.Label.Font = typeface(tickSize, false)
		a.Tick.Label.Color = Black
		a.Tick.Length = vg.Points(5)
		a.Tick.LineStyle.Color, a.Tick.LineStyle.Width = Grey, vg.Points(1)
		a.LineStyle.Color, a.LineStyle.Width = Grey, vg.Points(1)
		a.Padding = 0
		a.Tick.Marker = plot.TickerFunc(niceTicks)
	}
	p.Plot.Add(&grid{})
	return p
}

// LogX makes the horizontal axis logarithmic; its data must be positive.
func (p *Panel) LogX() {
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
}

// LogY makes the vertical axis logarithmic; its data must be positive.
func (p *Panel) LogY() {
	p.logY = true
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
}

// FromZero starts the vertical axis at zero.
func (p *Panel) FromZero() { p.Y.Min = 0 }

// prepare leaves some air above the data, once.
func (p *Panel) prepare() {
	if p.ready {
		return
	}
	p.ready = true
	if p.logY {
		p.Y.Min, p.Y.Max = p.Y.Min/1.03, p.Y.Max*1.03
	} else if p.Y.Max > p.Y.Min && p.Y.Tick.Marker != nil && p.air() {
		p.Y.Max += (p.Y.Max - p.Y.Min) * 0.05
	}
	if p.Y.Min == p.Y.Max { // a flat line
		p.Y.Max = p.Y.Min + 1
	}
	if p.X.Min == p.X.Max {
		p.X.Max = p.X.Min + 1
	}
}

func (p *Panel) air() bool {
	_, nominal := p.Y.Tick.Marker.(plot.ConstantTicks)
	return !nominal
}

// Line adds a curve. step draws it as a staircase that holds each value until
// the next.
func (p *Panel) Line(xy plotter.XYs, c color.Color, dash []vg.Length, step bool) {
	p.line(xy, c, lineWidth, dash, step)
}

// Wide adds a staircase that shows on both sides of one drawn later on the same
// course; rank 0 is as wide as Line.
func (p *Panel) Wide(xy plotter.XYs, c color.Color, rank int) {
	p.line(xy, c, lineWidth+1.5*float64(rank), nil, true)
}

func (p *Panel) line(xy plotter.XYs, c color.Color, w float64, dash []vg.Length, step bool) {
	l := &plotter.Line{XYs: xy, LineStyle: draw.LineStyle{Color: c, Width: vg.Points(w), Dashes: dash}}
	if step {
		l.StepStyle = plotter.PostStep
	}
	p.Plot.Add(l)
}

// Points adds round markers.
func (p *Panel) Points(xy plotter.XYs, c color.Color, radius float64) {
	p.Plot.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: draw.CircleGlyph{}}})
}

// Rings adds hollow markers.
func (p *Panel) Rings(xy plotter.XYs, c color.Color, radius float64) {
	p.Plot.Add(&plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: thickRing{}}})
}

// thickRing is a ring that stays visible on a slide.
type thickRing struct{}

func (thickRing) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: vg.Points(2)})
	var path vg.Path
	path.Move(vg.Point{X: pt.X + sty.Radius, Y: pt.Y})
	path.Arc(pt, sty.Radius, 0, 2*math.Pi)
	path.Close()
	c.Stroke(path)
}

// ErrorBars adds vertical intervals of half-width half around each point.
func (p *Panel) ErrorBars(xy plotter.XYs, half []float64, c color.Color) {
	e := &plotter.YErrorBars{XYs: xy, LineStyle: draw.LineStyle{Color: c, Width: vg.Points(1.6)}, CapWidth: vg.Points(9)}
	for _, h := range half {
		e.YErrors = append(e.YErrors, struct{ Low, High float64 }{h, h})
	}
	p.Plot.Add(e)
}

// Note writes a word beside the right edge at the height of y.
func (p *Panel) Note(y float64, text string, c color.Color) {
	p.notes = append(p.notes, note{y, typeset(text), c})
}

// Rule adds a horizontal reference line without a note.
func (p *Panel) Rule(y float64, c color.Color, dash []vg.Length) { p.Plot.Add(&hline{y, c, dash}) }

// Beside writes text to the right of a point of the data.
func (p *Panel) Beside(x, y float64, s string) { p.Plot.Add(&beside{x, y, typeset(s)}) }

type beside struct {
	x, y float64
	s    string
}

func (b *beside) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	s := style(tickSize, false, Black, draw.XLeft, draw.YCenter)
	c.FillText(s, vg.Point{X: tx(b.x) + 8, Y: ty(b.y) + s.Font.Size*optical}, b.s)
}

// HLine adds a horizontal reference line across the panel, named beside its
// right edge.
func (p *Panel) HLine(y float64, name string, c color.Color, dash []vg.Length) {
	p.Plot.Add(&hline{y, c, dash})
	p.Note(y, name, c)
}

type hline struct {
	y    float64
	c    color.Color
	dash []vg.Length
}

func (h *hline) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: h.c, Width: vg.Points(1.8), Dashes: h.dash}, c.Min.X, ty(h.y), c.Max.X, ty(h.y))
}

func (h *hline) DataRange() (xmin, xmax, ymin, ymax float64) {
	return math.Inf(1), math.Inf(-1), h.y, h.y
}

// Label writes text at a point of the data, centred above it by dy points and
// no wider than room in units of x.
func (p *Panel) Label(x, y float64, s string, dy, room float64) {
	p.Plot.Add(&label{x, y, typeset(s), vg.Points(dy), room})
}

type label struct {
	x, y float64
	s    string
	dy   vg.Length
	room float64
}

func (l *label) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	s := style(fit(l.s, tickSize, false, tx(l.x+l.room)-tx(l.x)), false, Black, draw.XCenter, draw.YBottom)
	half := s.Width(l.s) / 2
	x := min(max(tx(l.x), c.Min.X+half), c.Max.X-half)
	c.FillText(s, vg.Point{X: x, Y: ty(l.y) + l.dy}, l.s)
}

// grid draws light lines at the labelled ticks.
type grid struct{}

func (*grid) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	sty := draw.LineStyle{Color: Mist, Width: vg.Points(1)}
	_, nominal := p.X.Tick.Marker.(plot.ConstantTicks)
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if !nominal && t.Label != "" && t.Value > p.X.Min && t.Value <= p.X.Max {
			c.StrokeLine2(sty, tx(t.Value), c.Min.Y, tx(t.Value), c.Max.Y)
		}
	}
	if _, nominal := p.Y.Tick.Marker.(plot.ConstantTicks); nominal {
		return
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" && t.Value > p.Y.Min && t.Value <= p.Y.Max {
			c.StrokeLine2(sty, c.Min.X, ty(t.Value), c.Max.X, ty(t.Value))
		}
	}
}
