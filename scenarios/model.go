package scenarios

import "github.com/simnet/simnet/workload"

// model completes a model from its preset.
func (c *validation) model(m *ModelSpec) { usePreset("models", &m.Preset, m, &c.errs) }

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
