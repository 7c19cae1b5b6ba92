package results

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"

	"github.com/simnet/simnet/results/chart"
)

// ValidationRow is one measured quantity and what simnet says. Both must be
// positive.
type ValidationRow struct {
	Group     string // source or kind: one colour each
	Name      string
	Measured  float64
	Predicted float64
	// Calibrated marks rows that constants were fitted to: drawn hollow and
	// left out of the error in the title.
	Calibrated bool
}

// ValidationFigure describes a scatter of measured against predicted values.
type ValidationFigure struct {
	Title    string // what was validated; the error is added
	Context  string
	Quantity string // "bus bandwidth"
	Unit     string // "GB/s"
	Source   string // where the measurements are from
}

// ValidationError is the error over rows: fractions of the measured value.
type ValidationError struct {
	Rows                          int
	MeanAbs, Bias, P95Abs, MaxAbs float64
	Worst                         string // the row of MaxAbs
}

// NewValidationError computes the error of rows that calibrated selects.
func NewValidationError(rows []ValidationRow, calibrated bool) ValidationError {
	var e ValidationError
	var abs, signed []float64
	for _, r := range rows {
		if r.Calibrated != calibrated || r.Measured <= 0 {
			continue
		}
		x := r.Predicted/r.Measured - 1
		signed, abs = append(signed, x), append(abs, math.Abs(x))
		if math.Abs(x) >= e.MaxAbs {
			e.MaxAbs, e.Worst = math.Abs(x), r.Name
		}
	}
	if e.Rows = len(abs); e.Rows == 0 {
		return e
	}
	e.MeanAbs, e.Bias = stat.Mean(abs, nil), stat.Mean(signed, nil)
	slices.Sort(abs)
	e.P95Abs = stat.Quantile(0.95, stat.Empirical, abs, nil)
	return e
}

// PlotValidation writes base.png and base.svg: predicted against measured on
// logarithmic axes, with the diagonal and a band of 10 % either side.
func PlotValidation(base string, v ValidationFigure, rows []ValidationRow) error {
	if len(rows) == 0 {
		return errors.New("validation figure: no rows")
	}
	lo, hi := math.Inf(1), 0.0
	var groups []string
	for _, r := range rows {
		if r.Measured <= 0 || r.Predicted <= 0 {
			return fmt.Errorf("validation figure: %s: measured %g, predicted %g; both must be positive", r.Name, r.Measured, r.Predicted)
		}
		lo, hi = min(lo, r.Measured, r.Predicted), max(hi, r.Measured, r.Predicted)
		if !slices.Contains(groups, r.Group) {
			groups = append(groups, r.Group)
		}
	}
	slices.SortStableFunc(groups, cmp.Compare[string])
	lo, hi = lo/1.2, hi*1.2
	p := chart.NewPanel("measured "+v.Quantity+" ("+v.Unit+")", "predicted "+v.Quantity+" ("+v.Unit+")")
	p.LogX()
	p.LogY()
	f := &chart.Figure{Title: v.Title, Subtitle: v.Context, Footer: v.Source, Panels: [][]*chart.Panel{{p}}}
	if e := NewValidationError(rows, false); e.Rows > 0 {
		f.Title += fmt.Sprintf(": mean error %s over %s predictions, worst %s", humanPercent(e.MeanAbs), humanCount(int64(e.Rows)), humanPercent(e.MaxAbs))
	}
	diagonal := func(k float64, c color.Color, dashed bool) {
		line := plotter.XYs{{X: lo, Y: lo * k}, {X: hi, Y: hi * k}}
		if k > 1 {
			line = plotter.XYs{{X: lo, Y: lo * k}, {X: hi / k, Y: hi}}
		} else if k < 1 {
			line = plotter.XYs{{X: lo / k, Y: lo}, {X: hi, Y: hi * k}}
		}
		if dashed {
			p.Line(line, c, chart.Dashed, false)
		} else {
			p.Line(line, c, nil, false)
		}
	}
	diagonal(1, chart.Grey, false)
	diagonal(1.1, chart.Silver, true)
	diagonal(1/1.1, chart.Silver, true)
	hollow := false
	for i, g := range groups {
		var solid, rings plotter.XYs
		for _, r := range rows {
			if r.Group != g {
				continue
			}
			xy := plotter.XY{X: r.Measured, Y: r.Predicted}
			if r.Calibrated {
				rings = append(rings, xy)
				hollow = true
			} else {
				solid = append(solid, xy)
			}
		}
		if len(solid) > 0 {
			p.Points(solid, chart.Colour(i), 5)
		}
		if len(rings) > 0 {
			p.Rings(rings, chart.Colour(i), 5)
		}
		if g != "" {
			f.Point(g, chart.Colour(i))
		}
	}
	f.Stroke("equal", chart.Grey, nil)
	f.Stroke("10 % off", chart.Silver, chart.Dashed)
	if hollow {
		f.Subtitle += " · hollow: calibrated on"
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = lo, hi, lo*1.03, hi/1.03
	return f.Save(base)
}
