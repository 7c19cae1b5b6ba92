package results

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Drawing is a network made ready to be drawn: switches by tier, the NICs of a
// leaf folded into one box, parallel links into one line.
type Drawing struct {
	boxes []box
	lines []wire
}

// box is a switch, or the NICs of one leaf.
type box struct {
	name  string
	tier  uint8
	nics  int
	order float64 // mean place of what hangs below it, then its index
	x, y  float64
}

// wire joins two boxes by n links of one rate.
type wire struct {
	a, b int
	n    int
	rate sim.Rate
}

// NewDrawing folds the graph.
func NewDrawing(g *fabric.Graph) *Drawing {
	d := &Drawing{}
	at := map[fabric.NodeID]int{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !n.Kind.Host() {
			at[fabric.NodeID(i)] = len(d.boxes)
			d.boxes = append(d.boxes, box{name: n.Name, tier: n.Tier})
		}
	}
	hosts := map[fabric.NodeID]int{}
	links := map[[2]int]int{}
	for i := range g.Links {
		l := &g.Links[i]
		a, b := l.A, l.B
		if g.Nodes[a].Kind.Host() {
			a, b = b, a
		}
		x, ok := at[a]
		if !ok {
			continue // two NICs back to back: nothing to fold them into
		}
		y, ok := at[b]
		if !ok {
			if y, ok = hosts[a]; !ok {
				y = len(d.boxes)
				hosts[a] = y
				d.boxes = append(d.boxes, box{name: g.Nodes[b].Name})
			}
			d.boxes[y].nics++
		}
		k := [2]int{min(x, y), max(x, y)}
		w, ok := links[k]
		if !ok {
			w = len(d.lines)
			links[k] = w
			d.lines = append(d.lines, wire{a: k[0], b: k[1], rate: l.Rate})
		}
		d.lines[w].n++
	}
	for i := range d.boxes {
		if b := &d.boxes[i]; b.nics > 1 {
			b.name = fmt.Sprintf("%s and %d more", b.name, b.nics-1)
		}
	}
	return d
}

func (w *wire) label() string {
	if w.n == 1 {
		return w.rate.String()
	}
	return fmt.Sprintf("%d x %v", w.n, w.rate)
}

// DOT writes the drawing for Graphviz.
func (d *Drawing) DOT(w io.Writer) error {
	var b strings.Builder
	b.WriteString("graph network {\n  rankdir=BT;\n  node [shape=box];\n")
	for i := range d.boxes {
		fmt.Fprintf(&b, "  n%d [label=%q];\n", i, d.boxes[i].name)
	}
	for i := range d.lines {
		l := &d.lines[i]
		fmt.Fprintf(&b, "  n%d -- n%d [label=%q];\n", l.a, l.b, l.label())
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Sizes of the drawing in pixels. A tier with more boxes than fit gets
// narrower boxes; below minLabel their names are left to tooltips.
const (
	drawWidth, drawTier    = 1600.0, 170.0
	drawMargin, drawTop    = 40.0, 90.0
	boxHeight, maxBoxWidth = 44.0, 150.0
	minLabel               = 70.0
)

// SVG draws the tiers from the top down.
func (d *Drawing) SVG(w io.Writer, title string) error {
	width, tiers := d.place()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13">`+"\n", drawWidth, drawTop+float64(tiers)*drawTier)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/><text x="%g" y="44" font-size="22" font-weight="bold">%s</text>`+"\n", drawMargin, escape(title))
	for i := range d.lines {
		l := &d.lines[i]
		p, q := &d.boxes[l.a], &d.boxes[l.b]
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#0072b2" stroke-opacity="0.45" stroke-width="%g"><title>%s to %s: %s</title></line>`+"\n",
			p.x, p.y, q.x, q.y, min(4, 0.6+0.4*float64(l.n)), escape(p.name), escape(q.name), l.label())
	}
	for i := range d.boxes {
		x := &d.boxes[i]
		bw := width[x.tier]
		fill := "#e8eef4"
		if x.nics > 0 {
			fill = "#f4efe4"
		}
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%g" rx="4" fill="%s" stroke="#555"><title>%s</title></rect>`+"\n",
			x.x-bw/2, x.y-boxHeight/2, bw, boxHeight, fill, escape(x.name))
		if name := x.short(); bw >= minLabel {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", x.x, x.y+5, escape(name))
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (x *box) short() string {
	if x.nics > 0 {
		return fmt.Sprintf("%d NICs", x.nics)
	}
	return x.name
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}

// place puts each tier on its own row, boxes in the order of what hangs below,
// and returns the box width of every tier and their number.
func (d *Drawing) place() (width map[uint8]float64, tiers int) {
	rows := map[uint8][]int{}
	top := uint8(0)
	for i := range d.boxes {
		t := d.boxes[i].tier
		rows[t] = append(rows[t], i)
		top = max(top, t)
	}
	width = map[uint8]float64{}
	for t := uint8(0); t <= top; t++ {
		r := rows[t]
		slices.SortStableFunc(r, func(a, b int) int { return cmp.Compare(d.boxes[a].order, d.boxes[b].order) })
		step := (drawWidth - 2*drawMargin) / float64(max(1, len(r)))
		width[t] = min(maxBoxWidth, step*0.88)
		for k, i := range r {
			d.boxes[i].x = drawMargin + (float64(k)+0.5)*step
			d.boxes[i].y = drawTop + (float64(top-t)+0.4)*drawTier
		}
		d.pull(t)
	}
	return width, int(top) + 1
}

// pull gives the boxes above tier t the mean place of those they are joined to.
func (d *Drawing) pull(t uint8) {
	sum, n := map[int]float64{}, map[int]int{}
	for i := range d.lines {
		a, b := d.lines[i].a, d.lines[i].b
		if d.boxes[a].tier > d.boxes[b].tier {
			a, b = b, a
		}
		if d.boxes[a].tier == t {
			sum[b] += d.boxes[a].x
			n[b]++
		}
	}
	for i := range d.boxes {
		if n[i] > 0 {
			d.boxes[i].order = sum[i] / float64(n[i])
		}
	}
}
