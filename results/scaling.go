package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Scaling is a run's standing against the smallest size of its sweep.
type Scaling struct {
	Efficiency    float64 `json:"efficiency"` // throughput per GPU over the reference's
	ReferenceGPUs int     `json:"reference_gpus"`
	GPUsWasted    float64 `json:"gpus_wasted"` // (1 - efficiency) x GPUs
}

// ScalingPoint is one size of a scaling curve. TokensPerS holds one value a
// repetition (seed); all must be positive.
type ScalingPoint struct {
	GPUs       int
	TokensPerS []float64
	StepS      float64 // mean
	MFU        float64 // mean; 0 if unknown
}

// ScalingRow is one size of a computed curve. Intervals are half-widths of 95 %
// over the repetitions, 0 with a single one.
type ScalingRow struct {
	GPUs            int     `json:"gpus"`
	Runs            int     `json:"runs"`
	StepS           float64 `json:"step_s"`
	TokensPerS      float64 `json:"tokens_per_s"`
	TokensPerSCI    float64 `json:"tokens_per_s_ci95"`
	IdealTokensPerS float64 `json:"ideal_tokens_per_s"`
	Efficiency      float64 `json:"efficiency"`
	EfficiencyCI    float64 `json:"efficiency_ci95"`
	GPUsWasted      float64 `json:"gpus_wasted"`
	MFU             float64 `json:"mfu,omitempty"`
}

// ScalingCurve is strong or weak scaling against the smallest size. Throughput
// makes both comparable: the ideal is proportional to the GPUs.
type ScalingCurve struct {
	Name          string       `json:"name"`
	ReferenceGPUs int          `json:"reference_gpus"`
	Rows          []ScalingRow `json:"rows"`
}

// NewScalingCurve computes efficiency and GPUs wasted of each point against the
// one with the fewest GPUs.
func NewScalingCurve(name string, points []ScalingPoint) (*ScalingCurve, error) {
	if len(points) == 0 {
		return nil, errors.New("scaling: no points")
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b ScalingPoint) int { return cmp.Compare(a.GPUs, b.GPUs) })
	for i, p := range points {
		if p.GPUs <= 0 || len(p.TokensPerS) == 0 || slices.Min(p.TokensPerS) <= 0 {
			return nil, fmt.Errorf("scaling: point of %d GPUs has no throughput", p.GPUs)
		}
		if i > 0 && p.GPUs == points[i-1].GPUs {
			return nil, fmt.Errorf("scaling: two points of %d GPUs; give repetitions as one point", p.GPUs)
		}
	}
	ref := points[0]
	perGPU, _ := MeanCI(ref.TokensPerS)
	perGPU /= float64(ref.GPUs)
	c := &ScalingCurve{Name: name, ReferenceGPUs: ref.GPUs}
	for _, p := range points {
		mean, half := MeanCI(p.TokensPerS)
		ideal := perGPU * float64(p.GPUs)
		s := NewScaling(p.GPUs, mean, ref.GPUs, perGPU*float64(ref.GPUs))
		c.Rows = append(c.Rows, ScalingRow{
			GPUs: p.GPUs, Runs: len(p.TokensPerS), StepS: p.StepS, TokensPerS: round6(mean), TokensPerSCI: round6(half),
			IdealTokensPerS: round6(ideal), Efficiency: s.Efficiency, EfficiencyCI: round6(half / ideal),
			GPUsWasted: s.GPUsWasted, MFU: p.MFU,
		})
	}
	return c, nil
}

// NewScaling compares one run's throughput with a reference's.
func NewScaling(gpus int, tokensPerS float64, refGPUs int, refTokensPerS float64) *Scaling {
	e := tokensPerS / float64(gpus) / (refTokensPerS / float64(refGPUs))
	return &Scaling{Efficiency: round6(e), ReferenceGPUs: refGPUs, GPUsWasted: round6((1 - e) * float64(gpus))}
}

// CSV returns the curve as scaling.csv.
func (c *ScalingCurve) CSV() []byte {
	var b bytes.Buffer
	b.WriteString("gpus,runs,step_s,tokens_per_s,tokens_per_s_ci95,ideal_tokens_per_s,efficiency,efficiency_ci95,gpus_wasted,mfu\n")
	f := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	for _, r := range c.Rows {
		fmt.Fprintf(&b, "%d,%d,%s,%s,%s,%s,%s,%s,%s,%s\n", r.GPUs, r.Runs, f(r.StepS), f(r.TokensPerS), f(r.TokensPerSCI),
			f(r.IdealTokensPerS), f(r.Efficiency), f(r.EfficiencyCI), f(r.GPUsWasted), f(r.MFU))
	}
	return b.Bytes()
}

// JSON returns the curve as scaling.json.
func (c *ScalingCurve) JSON() []byte { return mustJSON(c) }

// mustJSON indents v and ends with a newline. It panics on what JSON cannot
// hold (NaN, infinities): no result may contain it.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic("results: " + err.Error())
	}
	return b.Bytes()
}
