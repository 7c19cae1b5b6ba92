package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"os"
	"regexp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is one picture.
type Figure struct {
	Title    string // says what is to be seen
	Subtitle string // context: which run, which engine, what the axes leave out
	Footer   string // where the numbers are from
	// Panels are rows of panels; all rows have the same number.
	Panels [][]*Panel
	// Heights are the relative heights of the rows; nil makes them equal.
	Heights []float64
	legend  []entry
}

type mark int

const (
	swatch mark = iota
	stroke
	point
)

type entry struct {
	name   string
	colour color.Color
	dash   []vg.Length
	mark   mark
}

// Swatch adds a filled area to the legend.
func (f *Figure) Swatch(name string, c color.Color) {
	f.legend = append(f.legend, entry{typeset(name), c, nil, swatch})
}

// Stroke adds a line to the legend; dash may be nil.
func (f *Figure) Stroke(name string, c color.Color, dash []vg.Length) {
	f.legend = append(f.legend, entry{typeset(name), c, dash, stroke})
}

// Point adds a marker to the legend.
func (f *Figure) Point(name string, c color.Color) {
	f.legend = append(f.legend, entry{typeset(name), c, nil, point})
}

// Save writes base.png and base.svg.
func (f *Figure) Save(base string) error {
	png := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	f.draw(draw.New(png))
	if err := save(base+".png", func(w io.Writer) error {
		_, err := vgimg.PngCanvas{Canvas: png}.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	svg := vgsvg.New(width, height)
	f.draw(draw.New(svg))
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return fmt.Errorf("%s.svg: %w", base, err)
	}
	// Viewers without the Liberation fonts fall back on metrically equal ones.
	data := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	return save(base+".svg", func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func save(path string, body func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = body(f)
	if c := f.Close(); err == nil {
		err = c
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Margins and gaps of a figure, in points.
const (
	margin    = vg.Length(26)
	headGap   = vg.Length(8)
	panelGap  = vg.Length(16)
	entryGap  = vg.Length(26)
	thumbSize = vg.Length(26)
)

// typeset gives microseconds their letter; tables keep to ASCII.
func typeset(s string) string { return micro.ReplaceAllString(s, "${1}µs") }

var micro = regexp.MustCompile(`(\d )us\b`)

func (f *Figure) draw(c draw.Canvas) {
	f.Title, f.Subtitle = typeset(f.Title), typeset(f.Subtitle)
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c = draw.Crop(c, margin, -margin, margin*0.7, -margin*0.8)
	y := c.Max.Y
	title := style(fit(f.Title, titleSize, true, c.Size().X), true, Black, draw.XLeft, draw.YTop)
	c.FillText(title, vg.Point{X: c.Min.X, Y: y}, f.Title)
	y -= title.Font.Size*1.25 + headGap/2
	if f.Subtitle != "" {
		sub := style(fit(f.Subtitle, subSize, false, c.Size().X), false, Grey, draw.XLeft, draw.YTop)
		c.FillText(sub, vg.Point{X: c.Min.X, Y: y}, f.Subtitle)
		y -= subSize*1.25 + headGap
	}
	y = f.drawLegend(c, y)
	bottom := c.Min.Y
	if f.Footer != "" {
		foot := style(fit(f.Footer, footerSize, false, c.Size().X), false, Grey, draw.XRight, draw.YBottom)
		c.FillText(foot, vg.Point{X: c.Max.X, Y: c.Min.Y}, f.Footer)
		bottom += footerSize * 1.8
	}
	f.drawPanels(draw.Crop(c, 0, 0, bottom-c.Min.Y, y-c.Max.Y))
}

// fit returns the size at which txt is no wider than w.
func fit(txt string, size vg.Length, bold bool, w vg.Length) vg.Length {
	if got := style(size, bold, Black, draw.XLeft, draw.YTop).Width(txt); got > w {
		return size * w / got
	}
	return size
}

// drawLegend sets the entries in rows below y and returns where they end.
func (f *Figure) drawLegend(c draw.Canvas, y vg.Length) vg.Length {
	if len(f.legend) == 0 {
		return y
	}
	s := style(legendSize, false, Black, draw.XLeft, draw.YCenter)
	row := vg.Length(legendSize * 1.5)
	x := c.Min.X
	y -= row / 2
	for i, e := range f.legend {
		s.Font.Size = fit(e.name, legendSize, false, c.Size().X-thumbSize-entryGap)
		w := thumbSize + 7 + s.Width(e.name)
		if i > 0 && x+w > c.Max.X {
			x, y = c.Min.X, y-row
		}
		e.thumb(c, x, y)
		c.FillText(s, vg.Point{X: x + thumbSize + 7, Y: y + s.Font.Size*optical}, e.name)
		x += w + entryGap
	}
	return y - row/2 - headGap
}

func (e *entry) thumb(c draw.Canvas, x, y vg.Length) {
	switch e.mark {
	case swatch:
		const h = 7
		c.FillPolygon(e.colour, []vg.Point{{X: x, Y: y - h}, {X: x + thumbSize, Y: y - h}, {X: x + thumbSize, Y: y + h}, {X: x, Y: y + h}})
	case stroke:
		c.StrokeLine2(draw.LineStyle{Color: e.colour, Width: vg.Points(lineWidth * 1.3), Dashes: e.dash}, x, y, x+thumbSize, y)
	case point:
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: e.colour, Radius: 6, Shape: draw.CircleGlyph{}}, vg.Point{X: x + thumbSize/2, Y: y})
	}
}

// drawPanels divides the canvas into rows and columns and aligns the axes of
// each column.
func (f *Figure) drawPanels(c draw.Canvas) {
	rows := len(f.Panels)
	if rows == 0 {
		return
	}
	weights, total := f.Heights, 0.0
	if weights == nil {
		for range f.Panels {
			weights = append(weights, 1)
		}
	}
	for _, w := range weights {
		total += w
	}
	room := c.Size().Y - panelGap*vg.Length(rows-1)
	top := c.Max.Y
	tiles := make([][]draw.Canvas, rows)
	left, right := make([]vg.Length, len(f.Panels[0])), make([]vg.Length, len(f.Panels[0]))
	for i, row := range f.Panels {
		h := room * vg.Length(weights[i]/total)
		cols := vg.Length(len(row))
		w := (c.Size().X - 2*panelGap*(cols-1)) / cols
		for j, p := range row {
			t := c
			t.Min.X = c.Min.X + vg.Length(j)*(w+2*panelGap)
			t.Max = vg.Point{X: t.Min.X + w, Y: top}
			t.Min.Y = top - h
			tiles[i] = append(tiles[i], t)
			left[j], right[j] = max(left[j], p.leftSpace(t)), max(right[j], p.rightSpace())
		}
		top -= h + panelGap
	}
	for i, row := range f.Panels {
		for j, p := range row {
			p.draw(tiles[i][j], left[j], right[j])
		}
	}
}
