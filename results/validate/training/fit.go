package training

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// Key is one parameter that a platform's calibration may move.
type Key string

// The keys, their units and the range that their meaning allows.
const (
	Efficiency Key = "efficiency" // fraction of peak of large GEMMs: 0.3 to the platform's ceiling
	OverheadMS Key = "overhead"   // ms a step: 0 to 100
	Attention  Key = "attention"  // fraction of peak of the fused attention core: 0.1 to 0.75
)

func (p *Params) at(k Key) *float64 {
	switch k {
	case Efficiency:
		return &p.Efficiency
	case OverheadMS:
		return &p.OverheadMS
	default:
		return &p.Attention
	}
}

// bounds returns the range of a key on a platform.
func (pl *Platform) bounds(k Key) (lo, hi float64) {
	switch k {
	case Efficiency:
		return 0.3, pl.Ceiling
	case OverheadMS:
		return 0, 100
	default:
		return 0.1, 0.75
	}
}

// FitResult is the outcome of one platform's calibration.
type FitResult struct {
	Params Params
	Rows   int     // calibrate rows used
	MAPE   float64 // over them, fraction
}

// Fit repeats the calibration of one platform from its calibrate rows alone:
// the values of its free keys that minimise the mean squared logarithmic error.
func Fit(pl *Platform, rows []Row) (FitResult, error) {
	var mine []Row
	for _, r := range rows {
		if r.Platform == pl && r.Role == Calibrate {
			mine = append(mine, r)
		}
	}
	p := pl.Fit
	if len(mine) < len(pl.Free) {
		return FitResult{}, fmt.Errorf("platform %s: %d parameters on %d rows", pl.Name, len(pl.Free), len(mine))
	}
	var failed error
	loss := func(p Params) (sq, abs float64) {
		sq, abs, err := loss(mine, p)
		if err != nil {
			failed = err
		}
		return sq, abs
	}
	if len(pl.Free) == 1 {
		k := pl.Free[0]
		lo, hi := pl.bounds(k)
		q := p
		*p.at(k) = golden(lo, hi, func(x float64) float64 {
			*q.at(k) = x
			sq, _ := loss(q)
			return sq
		})
	} else if err := simplex(pl, &p, func(p Params) float64 { sq, _ := loss(p); return sq }); err != nil {
		return FitResult{}, fmt.Errorf("platform %s: %w", pl.Name, err)
	}
	p.Efficiency = math.Round(p.Efficiency*1e4) / 1e4
	p.OverheadMS = math.Round(p.OverheadMS*10) / 10
	p.Attention = math.Round(p.Attention*1e3) / 1e3
	_, abs := loss(p)
	return FitResult{Params: p, Rows: len(mine), MAPE: abs}, failed
}

// loss returns the mean squared logarithmic and the mean absolute relative
// error of rows.
func loss(rows []Row, p Params) (sq, abs float64, err error) {
	for i := range rows {
		v, _, err := rows[i].Run(p)
		if err != nil {
			return math.Inf(1), 0, err
		}
		e := math.Log(v / rows[i].Measured)
		sq += e * e / float64(len(rows))
		abs += math.Abs(v/rows[i].Measured-1) / float64(len(rows))
	}
	return sq, abs, nil
}

// simplex minimises f over the free keys by the method of Nelder and Mead, in
// coordinates that run from 0 to 1 over each key's range; outside, f counts at
// the bound, plus the distance.
func simplex(pl *Platform, p *Params, f func(Params) float64) error {
	set := func(x []float64) (q Params, beyond float64) {
		q = *p
		for i, k := range pl.Free {
			lo, hi := pl.bounds(k)
			in := min(max(x[i], 0), 1)
			beyond += math.Abs(x[i] - in)
			*q.at(k) = lo + in*(hi-lo)
		}
		return q, beyond
	}
	start := make([]float64, len(pl.Free))
	for i := range start {
		start[i] = 0.5
	}
	res, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 {
		q, beyond := set(x)
		return f(q) + beyond
	}}, start, &optimize.Settings{FuncEvaluations: evaluations, Converger: &optimize.FunctionConverge{Absolute: 1e-7, Iterations: 20}},
		&optimize.NelderMead{SimplexSize: 0.3})
	if err != nil {
		return err
	}
	*p, _ = set(res.X)
	return nil
}

// evaluations bounds a fit; two and three keys settle within 60 to 100.
const evaluations = 150

// golden minimises f on [a, b] by golden-section search.
func golden(a, b float64, f func(float64) float64) float64 {
	const ratio = 0.6180339887498949
	x1, x2 := b-ratio*(b-a), a+ratio*(b-a)
	f1, f2 := f(x1), f(x2)
	for range 14 { // to a thousandth of the range
		if f1 < f2 {
			b, x2, f2 = x2, x1, f1
			x1 = b - ratio*(b-a)
			f1 = f(x1)
		} else {
			a, x1, f1 = x1, x2, f2
			x2 = a + ratio*(b-a)
			f2 = f(x2)
		}
	}
	return (a + b) / 2
}
