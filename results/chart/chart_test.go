package chart

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

func labels(t []plot.Tick) string {
	var s []string
	for _, k := range t {
		if k.Label != "" {
			s = append(s, k.Label)
		}
	}
	return strings.Join(s, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0, 31, "0 5 10 15 20 25 30"},
		{0, 0.0035, "0.0000 0.0005 0.0010 0.0015 0.0020 0.0025 0.0030 0.0035"},
		{0, 60000, "0 10,000 20,000 30,000 40,000 50,000 60,000"},
		{-5, 5, "-4 -2 0 2 4"},
	} {
		if got := labels(niceTicks(c.lo, c.hi)); got != c.want {
			t.Errorf("%g..%g: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
	if got := labels(logTicks(256, 10240)); got != "500 1000 2000 5000 10,000" {
		t.Errorf("logarithmic: %s", got)
	}
}

func TestUnits(t *testing.T) {
	if u := Seconds(0.004); u.Name != "ms" {
		t.Errorf("4 ms in %s", u.Name)
	}
	if u := Bytes(2.4e6); u.Name != "MB" {
		t.Errorf("2.4 MB in %s", u.Name)
	}
	if u := BitRate(391e9); u.Name != "Gbit/s" {
		t.Errorf("391 Gbit/s in %s", u.Name)
	}
}

// A figure is 1600x900, and the same bytes every time.
func TestFigure(t *testing.T) {
	dir := t.TempDir()
	var files [2][2][]byte
	for i := range 2 {
		p := NewPanel("time (s)", "queue (MB)")
		p.Line(plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 2}}, Blue, nil, true)
		p.HLine(1.5, "Kmin", Grey, Dashed)
		f := &Figure{Title: "A title", Subtitle: "some context", Footer: "source", Panels: [][]*Panel{{p}}}
		f.Stroke("a -> b", Blue, nil)
		base := filepath.Join(dir, "a")
		if err := f.Save(base); err != nil {
			t.Fatal(err)
		}
		for k, ext := range []string{".png", ".svg"} {
			data, err := os.ReadFile(base + ext)
			if err != nil {
				t.Fatal(err)
			}
			files[i][k] = data
		}
	}
	for k := range 2 {
		if !bytes.Equal(files[0][k], files[1][k]) {
			t.Errorf("file %d differs from one time to the next", k)
		}
	}
	im, err := png.Decode(bytes.NewReader(files[0][0]))
	if err != nil {
		t.Fatal(err)
	}
	if b := im.Bounds(); b.Dx() != 1600 || b.Dy() != 900 {
		t.Errorf("figure of %v", b)
	}
	if !bytes.Contains(files[0][1], []byte("a -&gt; b")) || !bytes.Contains(files[0][1], []byte("sans-serif")) {
		t.Error("the SVG lacks its legend or its fallback font")
	}
}
