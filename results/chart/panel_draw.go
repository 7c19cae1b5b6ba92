package chart

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ylabelSpace is what the name of the vertical axis takes: gonum places it by
// the middle of the values, which on a logarithmic axis is not the middle of
// the panel, so panels draw it themselves.
const ylabelSpace = vg.Length(labelSize * 1.6)

// leftSpace is what the panel's vertical axis takes beside its data.
func (p *Panel) leftSpace(c draw.Canvas) vg.Length {
	p.prepare()
	w := p.Plot.DataCanvas(c).Min.X - c.Min.X
	if p.ylabel != "" {
		w += ylabelSpace
	}
	return w
}

// rightSpace is what the notes take.
func (p *Panel) rightSpace() vg.Length {
	w := vg.Length(0)
	s := style(tickSize, true, Black, draw.XLeft, draw.YCenter)
	for _, n := range p.notes {
		w = max(w, s.Width(n.text)+8)
	}
	return w
}

// draw draws the panel so that its data begins left from the canvas's edge and
// ends right before the other one.
func (p *Panel) draw(c draw.Canvas, left, right vg.Length) {
	if p.Heading != "" {
		h := style(fit(p.Heading, labelSize, true, c.Size().X), true, Black, draw.XLeft, draw.YTop)
		c.FillText(h, vg.Point{X: c.Min.X, Y: c.Max.Y}, p.Heading)
		c = draw.Crop(c, 0, 0, 0, -labelSize*1.6)
	}
	edge := c.Min.X // the names of a column of panels stand in line
	c = draw.Crop(c, left-p.leftSpace(c), -right, 0, 0)
	if p.ylabel != "" {
		c = draw.Crop(c, ylabelSpace, 0, 0, 0)
	}
	p.Plot.Draw(c)
	data := p.Plot.DataCanvas(c)
	if p.ylabel != "" {
		s := style(fit(p.ylabel, labelSize, false, c.Size().Y), false, Black, draw.XCenter, draw.YTop)
		s.Rotation = math.Pi / 2
		y := data.Center().Y
		if half := s.Width(p.ylabel) / 2; y-half < c.Min.Y { // long names may reach below the data
			y = c.Min.Y + half
		} else if y+half > c.Max.Y {
			y = c.Max.Y - half
		}
		c.FillText(s, vg.Point{X: edge, Y: y}, p.ylabel)
	}
	p.drawNotes(c, data)
}

// drawNotes writes the notes from the lowest up, each clear of the one below.
func (p *Panel) drawNotes(c, data draw.Canvas) {
	notes := slices.Clone(p.notes)
	slices.SortStableFunc(notes, func(a, b note) int { return cmp.Compare(a.y, b.y) })
	_, ty := p.Plot.Transforms(&data)
	last := vg.Length(math.Inf(-1))
	for _, n := range notes {
		s := style(tickSize, true, n.colour, draw.XLeft, draw.YCenter)
		last = max(ty(n.y), last+tickSize*1.15)
		c.FillText(s, vg.Point{X: data.Max.X + 8, Y: last + tickSize*optical}, n.text)
	}
}
