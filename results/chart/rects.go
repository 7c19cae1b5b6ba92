package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rect is a filled box in data coordinates, with a word in it where there is
// room.
type Rect struct {
	X0, X1, Y0, Y1 float64
	Fill           color.Color
	Text           string
}

// Rects adds boxes.
func (p *Panel) Rects(r []Rect) { p.Plot.Add(&rects{r}) }

// Rows names the rows of a panel whose vertical axis counts them from the top:
// row i spans -i-0.4 to -i+0.4. Where there are many, only some are named.
func (p *Panel) Rows(names []string) {
	every := (len(names) + 23) / 24
	var t plot.ConstantTicks
	for i, n := range names {
		if i%every == 0 {
			t = append(t, plot.Tick{Value: float64(-i), Label: n})
		}
	}
	p.Y.Tick.Marker, p.Y.Tick.Length = t, 0
	p.Y.Min, p.Y.Max = -float64(len(names))+0.45, 0.55
}

// Columns names the columns of a panel whose horizontal axis counts them from
// 0: column i spans i-0.5 to i+0.5.
func (p *Panel) Columns(names []string) {
	var t plot.ConstantTicks
	for i, n := range names {
		t = append(t, plot.Tick{Value: float64(i), Label: typeset(n)})
	}
	p.X.Tick.Marker, p.X.Tick.LineStyle.Color = t, color.Transparent // the mark goes, its room stays
	air := 0.1 + max(0, 2.5-float64(len(names)))/2
	p.X.Min, p.X.Max = -0.5-air, float64(len(names))-0.5+air
}

type rects struct{ r []Rect }

func (b *rects) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i := range b.r {
		r := &b.r[i]
		x0, x1, y0, y1 := tx(r.X0), tx(r.X1), ty(r.Y0), ty(r.Y1)
		x0, x1 = max(x0, c.Min.X), min(x1, c.Max.X)
		if x1 <= x0 {
			continue
		}
		c.FillPolygon(r.Fill, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
		if r.Text == "" {
			continue
		}
		s := style(min(tickSize, (y1-y0)*0.62), false, ink(r.Fill), draw.XCenter, draw.YCenter)
		if s.Font.Size >= 7 && s.Width(r.Text) < (x1-x0)*0.92 {
			c.FillText(s, vg.Point{X: (x0 + x1) / 2, Y: (y0+y1)/2 + s.Font.Size*optical}, r.Text)
		}
	}
}

func (b *rects) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i := range b.r {
		r := &b.r[i]
		xmin, xmax = min(xmin, r.X0), max(xmax, r.X1)
		ymin, ymax = min(ymin, r.Y0), max(ymax, r.Y1)
	}
	return
}

// Ink returns black or white as "#RRGGBB", whichever reads better on fill.
func Ink(fill color.Color) string {
	if ink(fill) == color.Color(color.White) {
		return "#FFFFFF"
	}
	return "#202020"
}

// ink is black or white, whichever reads better on fill (relative luminance of
// WCAG 2, without its gamma).
func ink(fill color.Color) color.Color {
	r, g, b, _ := fill.RGBA()
	if 0.2126*float64(r)+0.7152*float64(g)+0.0722*float64(b) > 0.45*0xffff {
		return Black
	}
	return color.White
}
