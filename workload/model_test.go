package workload

import (
	"math"
	"testing"
)

// The operation counts equal the closed forms of Narayanan et al. (SC21,
// equation 3 and appendix) for every GPT preset.
func TestFLOPsEqualTheClosedForm(t *testing.T) {
	for _, m := range Models() {
		if m.Gated {
			continue
		}
		b, s, l, h, v := 64.0, float64(m.Seq), float64(m.Layers), float64(m.Hidden), float64(m.Vocab)
		model := 72 * b * s * l * h * h * (1 + s/(6*h) + v/(12*l*h))
		hardware := 96 * b * s * l * h * h * (1 + s/(6*h) + v/(16*l*h))
		if got := m.ModelFLOPs(64); math.Abs(got/model-1) > 1e-12 {
			t.Errorf("%s: %g model FLOPs, want %g", m.Name, got, model)
		}
		if got := m.HardwareFLOPs(64, RecomputeFull); math.Abs(got/hardware-1) > 1e-12 {
			t.Errorf("%s: %g hardware FLOPs, want %g", m.Name, got, hardware)
		}
	}
}

// Parameter counts against those that the sources publish, in billions.
func TestParams(t *testing.T) {
	for name, want := range map[string]struct{ total, active, within float64 }{
		"gpt2-124m":     {0.124, 0.124, 0.01},
		"gpt2-1.5b":     {1.558, 1.558, 0.01},
		"gpt3-175b":     {174.6, 174.6, 0.005},
		"megatron-1.7b": {1.7, 1.7, 0.03},
		"megatron-39b":  {39.1, 39.1, 0.01},
		"megatron-145b": {145.6, 145.6, 0.005},
		"megatron-530b": {529.6, 529.6, 0.005},
		"megatron-1t":   {1008.0, 1008.0, 0.005},
		"llama3.1-8b":   {8.03, 8.03, 0.005},
		"llama3.1-70b":  {70.55, 70.55, 0.005},
		"llama3.1-405b": {405.85, 405.85, 0.005},
		"mixtral-8x22b": {140.6, 39.1, 0.005},
		"deepseek-v3":   {671, 37.5, 0.01},
		"mpt-7b":        {6.659, 6.659, 0.01}, // llm-foundry's own table
		"mpt-30b":       {29.975, 29.975, 0.01},
		"mpt-70b":       {64.86, 64.86, 0.01},
		"mcore-462b":    {462, 462, 0.01},
	} {
		m, err := FindModel(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(m.Params()) / 1e9; math.Abs(got/want.total-1) > want.within {
			t.Errorf("%s: %.3f billion parameters, want %.3f", name, got, want.total)
		}
		if got := float64(m.ActiveParams()) / 1e9; math.Abs(got/want.active-1) > want.within {
			t.Errorf("%s: %.3f billion active parameters, want %.3f", name, got, want.active)
		}
	}
}

// Activation bytes of a layer without parallelism and recomputation are
// s b h (34 + 5 a s / h), Korthikanti et al., equation 1; with tensor and
// sequence parallelism all of it is divided by t, equation 4.
func TestActivationBytes(t *testing.T) {
	m, err := FindModel("korthikanti-175b")
	if err != nil {
		t.Fatal(err)
	}
	s, h, a := 2048.0, 12288.0, 96.0
	for _, c := range []struct {
		tp   int
		sp   bool
		r    Recompute
		want float64
	}{
		{1, false, RecomputeNone, s * h * (34 + 5*a*s/h)},
		{8, false, RecomputeNone, s * h * (10 + 24.0/8 + 5*a*s/h/8)},
		{8, true, RecomputeNone, s * h / 8 * (34 + 5*a*s/h)},
		{8, true, RecomputeSelective, s * h / 8 * 34},
		{8, true, RecomputeFull, s * h / 8 * 2},
		{8, false, RecomputeFull, s * h * 2},
	} {
		j := Job{Model: m, Parallel: Parallel{TP: c.tp, SequenceParallel: c.sp}, Batch: Batch{1, 1}, Recompute: c.r, UnfusedAttention: true}.WithDefaults()
		if got := float64(j.activationBytes(0)); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("tp=%d sp=%v %s: %g bytes a layer, want %g", c.tp, c.sp, c.r, got, c.want)
		}
	}
}
