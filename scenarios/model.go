package scenarios

import (
	"fmt"

	"github.com/simnet/simnet/workload"
)

// modelPresets are the models of package workload as presets.
func modelPresets() []preset {
	var out []preset
	for _, m := range workload.Models() {
		s := &ModelSpec{}
		at := Origin{Kind: FromPreset, Name: m.Name}
		for _, f := range []struct {
			v *Val[int]
			x int
		}{
			{&s.Layers, m.Layers}, {&s.Hidden, m.Hidden}, {&s.Heads, m.Heads}, {&s.KVHeads, m.KVHeads}, {&s.HeadDim, m.HeadDim}, {&s.FFN, m.FFN},
			{&s.Vocab, m.Vocab}, {&s.Seq, m.Seq}, {&s.Experts, m.Experts}, {&s.TopK, m.TopK}, {&s.Shared, m.SharedExperts},
			{&s.ExpertFFN, m.ExpertFFN}, {&s.Dense, m.DenseLayers}, {&s.MLA.QRank, m.MLA.QRank}, {&s.MLA.KVRank, m.MLA.KVRank},
			{&s.MLA.Rope, m.MLA.Rope}, {&s.MLA.Nope, m.MLA.Nope}, {&s.MLA.VDim, m.MLA.VDim},
		} {
			if f.x != 0 {
				*f.v = Val[int]{f.x, at}
			}
		}
		s.Gated = Val[bool]{m.Gated, at}
		s.Tied = Val[bool]{m.Tied, at}
		s.Learned = Val[bool]{m.LearnedPositions, at}
		out = append(out, preset{spec: s, entry: Entry{
			Kind: "models", Name: m.Name, Source: m.Source, Fields: fieldsOf(s), Summary: summary(m)}})
	}
	return out
}

// summary is a model in one line.
func summary(m workload.Model) string {
	s := fmt.Sprintf("%.4g billion parameters, %d layers of %d, %d tokens", float64(m.Params())/1e9, m.Layers, m.Hidden, m.Seq)
	if m.Experts > 0 {
		s += fmt.Sprintf(", %d experts, %.3g billion active", m.Experts, float64(m.ActiveParams())/1e9)
	}
	return s
}

// model completes a model from its preset.
func (c *validation) model(m *ModelSpec) {
	n := len(c.errs)
	usePreset("models", &m.Preset, m, &c.errs)
	if len(c.errs) > n || m.Preset.Set() {
		return
	}
	for _, f := range []struct {
		key string
		v   *Val[int]
	}{{"layers", &m.Layers}, {"hidden", &m.Hidden}, {"heads", &m.Heads}, {"vocab", &m.Vocab}, {"seq", &m.Seq}} {
		c.need(&m.Section, "model", f.key, f.v.Set())
	}
}

// modelOf is the workload's form of a completed model.
func modelOf(m *ModelSpec) workload.Model {
	name := m.Preset.V
	if name == "" {
		name = "custom"
	}
	return workload.Model{
		Name: name, Layers: m.Layers.V, Hidden: m.Hidden.V, Heads: m.Heads.V, KVHeads: m.KVHeads.V, HeadDim: m.HeadDim.V, FFN: m.FFN.V,
		Gated: m.Gated.V, Vocab: m.Vocab.V, Seq: m.Seq.V, Tied: m.Tied.V, LearnedPositions: m.Learned.V,
		Experts: m.Experts.V, TopK: m.TopK.V, SharedExperts: m.Shared.V, ExpertFFN: m.ExpertFFN.V, DenseLayers: m.Dense.V,
		MLA: workload.MLA{QRank: m.MLA.QRank.V, KVRank: m.MLA.KVRank.V, Rope: m.MLA.Rope.V, Nope: m.MLA.Nope.V, VDim: m.MLA.VDim.V},
	}
}
