package chart

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of a figure: 16 x 9 inches at 100 dots an inch.
const (
	width  = 16 * vg.Inch
	height = 9 * vg.Inch
	dpi    = 100
)

// Sizes of type in points: legible from the last row of a meeting room when the
// figure fills a slide.
const (
	titleSize  = 24
	subSize    = 16
	labelSize  = 17
	tickSize   = 15
	legendSize = 16
	footerSize = 11
	lineWidth  = 2.2
	// optical raises centred text by this share of its size: gonum centres the
	// line with its descenders, the eye centres the letters.
	optical = 0.11
)

// The palette of Okabe and Ito (https://jfly.uni-koeln.de/color/), and greys.
var (
	Blue      = color.RGBA{0x00, 0x72, 0xB2, 0xFF}
	Orange    = color.RGBA{0xE6, 0x9F, 0x00, 0xFF}
	Green     = color.RGBA{0x00, 0x9E, 0x73, 0xFF}
	Vermilion = color.RGBA{0xD5, 0x5E, 0x00, 0xFF}
	Sky       = color.RGBA{0x56, 0xB4, 0xE9, 0xFF}
	Purple    = color.RGBA{0xCC, 0x79, 0xA7, 0xFF}
	Yellow    = color.RGBA{0xF0, 0xE4, 0x42, 0xFF}
	Black     = color.RGBA{0x20, 0x20, 0x20, 0xFF}
	Grey      = color.RGBA{0x77, 0x77, 0x77, 0xFF}
	Silver    = color.RGBA{0xC8, 0xC8, 0xC8, 0xFF}
	Mist      = color.RGBA{0xE8, 0xE8, 0xE8, 0xFF}
)

var cycle = []color.RGBA{Blue, Vermilion, Green, Orange, Purple, Sky, Black, Yellow}

// Colour returns the i-th colour for curves; it repeats after eight.
func Colour(i int) color.RGBA { return cycle[i%len(cycle)] }

// Dashes of reference lines.
var (
	Dashed = []vg.Length{vg.Points(8), vg.Points(5)}
	Dotted = []vg.Length{vg.Points(2), vg.Points(4)}
)

func typeface(size vg.Length, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

func style(size vg.Length, bold bool, c color.Color, x draw.XAlignment, y draw.YAlignment) text.Style {
	return text.Style{Color: c, Font: typeface(size, bold), XAlign: x, YAlign: y, Handler: text.Plain{Fonts: font.DefaultCache}}
}
