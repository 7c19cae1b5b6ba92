package collectives

import (
	"fmt"
	"math"

	"github.com/simnet/simnet/workload/nccl"
)

// Sizes that the targets speak of.
const (
	Large = 64 << 20 // busbw from here
	Small = 64 << 10 // time up to here
)

// Result is one row with its prediction.
type Result struct {
	Row
	Family      string
	PredictedUS float64
	Choice      nccl.Choice
	// Error is relative and signed: of busbw from Large on (positive: the
	// model is too fast), of time below.
	Error float64
}

// Run predicts every row with the shipped calibrations, in the order of Rows.
func Run() ([]Result, error) {
	rows, err := Rows()
	if err != nil {
		return nil, err
	}
	return Predictions(rows, nil)
}

// Predictions predicts rows; override replaces the shipped calibration of a
// family where it has one.
func Predictions(rows []Row, override map[string]nccl.Calibration) ([]Result, error) {
	models := map[string]*nccl.Model{}
	families := map[string]string{}
	out := make([]Result, 0, len(rows))
	for _, r := range rows {
		m, ok := models[r.Log]
		if !ok {
			c, err := clusterOf(r.Log, r.Nodes)
			if err != nil {
				return nil, err
			}
			if m, err = c.Model(); err != nil {
				return nil, fmt.Errorf("%s: %w", r.Log, err)
			}
			if cal, ok := override[c.Family]; ok {
				m.Cal = cal
			}
			models[r.Log], families[r.Log] = m, c.Family
		}
		t, ch := m.Time(r.Collective, r.Bytes)
		p := t.Seconds() * 1e6
		res := Result{Row: r, Family: families[r.Log], PredictedUS: p, Choice: ch}
		if r.Bytes >= Large {
			res.Error = r.TimeUS/p - 1
		} else {
			res.Error = p/r.TimeUS - 1
		}
		out = append(out, res)
	}
	return out, nil
}

// Band is the part of the size range that an error is averaged over.
type Band uint8

// The bands: time up to 64 KiB, between (no target), busbw from 64 MiB.
const (
	SmallBand Band = iota
	MiddleBand
	LargeBand
)

var bandNames = [...]string{"<=64KiB time", "between, time", ">=64MiB busbw"}

// String returns what the band holds.
func (b Band) String() string { return bandNames[b] }

func bandOf(bytes int64) Band {
	switch {
	case bytes <= Small:
		return SmallBand
	case bytes >= Large:
		return LargeBand
	}
	return MiddleBand
}

// Summary is the mean absolute error of one family, role and band.
type Summary struct {
	Family string
	Role   Role
	Band   Band
	Rows   int
	MAPE   float64 // fraction
	Bias   float64 // mean signed error, fraction
	Worst  Result
}

// Summarise averages errors by family, role and band, in order of first
// appearance.
func Summarise(results []Result) []Summary {
	type key struct {
		f string
		r Role
		b Band
	}
	at := map[key]int{}
	var out []Summary
	for _, r := range results {
		k := key{r.Family, r.Role, bandOf(r.Bytes)}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Summary{Family: k.f, Role: k.r, Band: k.b, Worst: r})
		}
		s := &out[i]
		s.Rows++
		s.MAPE += math.Abs(r.Error)
		s.Bias += r.Error
		if math.Abs(r.Error) > math.Abs(s.Worst.Error) {
			s.Worst = r
		}
	}
	for i := range out {
		out[i].MAPE /= float64(out[i].Rows)
		out[i].Bias /= float64(out[i].Rows)
	}
	return out
}
