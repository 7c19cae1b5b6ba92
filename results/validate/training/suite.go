package training

import (
	"fmt"
	"math"

	"github.com/simnet/simnet/workload"
)

// Result is one row with its prediction.
type Result struct {
	Row
	Predicted float64
	// Error is relative and signed, of the row's metric.
	Error     float64
	Breakdown workload.Breakdown
}

// Run predicts every row with the shipped parameters, in the order of Rows.
// progress, if not nil, is called before each row.
func Run(progress func(name string, n, of int)) ([]Result, error) {
	rows := Rows()
	out := make([]Result, 0, len(rows))
	for i := range rows {
		if progress != nil {
			progress(rows[i].Family+" "+rows[i].Name, i+1, len(rows))
		}
		r, err := rows[i].Predict()
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Predict runs the row with its platform's shipped parameters.
func (r *Row) Predict() (Result, error) {
	v, res, err := r.Run(r.Platform.Fit)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", r.Family, err)
	}
	return Result{Row: *r, Predicted: v, Error: v/r.Measured - 1, Breakdown: res.Breakdown}, nil
}

// Target is what was promised of one family's predicted rows, and what is.
type Target struct {
	Family string
	What   string
	Rows   int
	Value  float64 // mean absolute relative error, or number of wrong signs
	Limit  float64
}

// Met says whether the target holds.
func (t Target) Met() bool { return t.Value <= t.Limit }

// limits are the promised mean absolute errors by family.
var limits = []struct {
	family string
	what   string
	limit  float64
}{
	{SC21Weak, "Megatron-LM SC21 table 1, 512 GPUs and more", .04},
	{SC21PTD, "SC21 table 2, PTD-P", .05},
	{SC21ZeRO3, "SC21 table 2, ZeRO-3", .15},
	{SeqPar, "sequence parallelism, table 5", .04},
	{MCoreWeak, "Megatron-Core weak scaling on H100", .05},
	{MLPerfGPT3, "MLPerf v3.1 GPT-3, 768 to 10,752 H100", .03},
	{MLPerfOld, "MLPerf v3.0 GPT-3, 512 to 3,584 H100", .08},
	{MLPerf405B, "MLPerf v5.0 Llama 3.1 405B, 2,048 H100", .05},
	{Llama3, "Llama 3 405B, table 4", .06},
	{FSDP, "MPT with FSDP, 16 to 64 GPUs", .08},
	{TPScaling, "Megatron-LM 2020, tensor parallelism with DP 128", .08},
	{V100Mesh, "V100 hybrid cube mesh, 2 and 4 nodes", .10},
}

// Targets computes what was promised from the results of Run.
func Targets(results []Result) []Target {
	var ts []Target
	for _, l := range limits {
		t := Target{Family: l.family, What: l.what + ": mean absolute error", Limit: l.limit}
		for _, r := range results {
			if r.Family == l.family && r.Role == Predict {
				t.Rows++
				t.Value += math.Abs(r.Error)
			}
		}
		if t.Rows > 0 {
			t.Value /= float64(t.Rows)
		}
		ts = append(ts, t)
	}
	pairs, wrong := Signs(results)
	return append(ts, Target{Family: V100Mesh, What: "V100 hybrid cube mesh: pairs of layouts in the wrong order", Rows: pairs, Value: float64(wrong)})
}

// Signs compares all pairs of layouts of the same model, batch, GPUs and
// software on V100 nodes: it returns how many there are, and in how many the
// prediction calls the wrong one faster. Pairs within a measurement's repeat
// error (4 %: two rows were measured twice) are left out.
func Signs(results []Result) (pairs, wrong int) {
	for i, a := range results {
		for _, b := range results[:i] {
			if a.Family != V100Mesh || b.Family != V100Mesh || a.Platform != b.Platform || a.GPUs != b.GPUs ||
				a.Job.Model != b.Job.Model || a.Job.Batch.Global != b.Job.Batch.Global {
				continue
			}
			if math.Abs(a.Measured/b.Measured-1) < .04 {
				continue
			}
			pairs++
			if (a.Measured < b.Measured) != (a.Predicted < b.Predicted) {
				wrong++
			}
		}
	}
	return pairs, wrong
}

// Summary is the mean absolute error of one family and role.
type Summary struct {
	Family string
	Role   Role
	Rows   int
	MAPE   float64 // fraction
	Bias   float64 // mean signed error, fraction
	Worst  Result
}

// Summarise averages errors by family and role, in order of first appearance.
func Summarise(results []Result) []Summary {
	at := map[string]int{}
	var out []Summary
	for _, r := range results {
		k := r.Family + string(r.Role)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Summary{Family: r.Family, Role: r.Role, Worst: r})
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
