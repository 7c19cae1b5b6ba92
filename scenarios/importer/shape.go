package importer

import "fmt"

// ModelShape is a transformer's shape. A 0 means that the file does not say.
type ModelShape struct {
	Layers   int64
	Hidden   int64
	Heads    int64
	KVHeads  int64 // equal to Heads without grouped queries
	HeadDim  int64 // Hidden/Heads unless said
	FFN      int64 // width of the dense MLP
	Vocab    int64
	Sequence int64 // tokens; for a model file the longest position
	GatedMLP bool  // three matrices (SwiGLU, GeGLU), not two
	Tied     bool  // input and output embedding are one matrix
	Biases   bool  // linear layers have biases
	// LearnedPositions is the number of learned position embeddings, 0 with
	// rotary or no embedding.
	LearnedPositions int64
	// NoLMHead is set where no output embedding follows (encoders).
	NoLMHead bool

	Experts       int64 // routed experts of a mixture-of-experts layer, 0: dense
	TopK          int64
	ExpertFFN     int64
	SharedExperts int64
	SharedFFN     int64 // width of all shared experts together
	DenseLayers   int64 // of Layers, those without experts
	MTPLayers     int64 // extra multi-token prediction layers

	// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1);
	// KVLoRA is 0 without it.
	QLoRA, KVLoRA, QKNope, QKRope, VDim int64
}

// attention returns the weights of one attention block.
func (m ModelShape) attention() int64 {
	if m.KVLoRA > 0 {
		q := m.Hidden * m.Heads * (m.QKNope + m.QKRope)
		if m.QLoRA > 0 {
			q = m.Hidden*m.QLoRA + m.QLoRA + m.QLoRA*m.Heads*(m.QKNope+m.QKRope)
		}
		kv := m.Hidden*(m.KVLoRA+m.QKRope) + m.KVLoRA + m.KVLoRA*m.Heads*(m.QKNope+m.VDim)
		return q + kv + m.Heads*m.VDim*m.Hidden
	}
	w := m.Hidden*m.HeadDim*(m.Heads+2*m.KVHeads) + m.Heads*m.HeadDim*m.Hidden
	if m.Biases {
		w += m.HeadDim*(m.Heads+2*m.KVHeads) + m.Hidden
	}
	return w
}

// mlp returns the weights of an MLP of the given width.
func (m ModelShape) mlp(width int64) int64 {
	n := int64(2)
	if m.GatedMLP {
		n = 3
	}
	w := n * m.Hidden * width
	if m.Biases {
		w += (n-1)*width + m.Hidden
	}
	return w
}

// norms returns the weights of a layer's two norms.
func (m ModelShape) norms() int64 {
	if m.Biases {
		return 4 * m.Hidden
	}
	return 2 * m.Hidden
}

// Params counts the weights, in total and those that one token meets.
func (m ModelShape) Params() (total, active int64) {
	layer := m.attention() + m.norms()
	dense := m.DenseLayers
	if m.Experts == 0 {
		dense = m.Layers
	}
	total = m.Layers*layer + dense*m.mlp(m.FFN)
	active = total
	if m.Experts > 0 {
		moe := m.Layers - dense
		shared := m.Hidden*m.Experts + m.sharedMLP()
		total += moe * (shared + m.Experts*m.mlp(m.ExpertFFN))
		active += moe * (shared + m.TopK*m.mlp(m.ExpertFFN))
	}
	emb := m.Vocab*m.Hidden + m.LearnedPositions*m.Hidden + m.norms()/2
	if !m.Tied && !m.NoLMHead {
		emb += m.Vocab * m.Hidden
	}
	return total + emb, active + emb
}

func (m ModelShape) sharedMLP() int64 {
	if m.SharedFFN == 0 {
		return 0
	}
	return m.mlp(m.SharedFFN)
}

// yaml writes the shape as a scenario's model.
func (m ModelShape) yaml() yamlMap {
	y := newMap()
	y.setInt("layers", m.Layers)
	y.setInt("hidden", m.Hidden)
	y.setInt("heads", m.Heads)
	if m.KVHeads != m.Heads {
		y.setInt("kv_heads", m.KVHeads)
	}
	if m.KVLoRA == 0 && m.HeadDim*m.Heads != m.Hidden {
		y.setInt("head_dim", m.HeadDim)
	}
	y.setInt("ffn", m.FFN)
	y.set("gated", m.GatedMLP)
	y.setInt("vocab", m.Vocab)
	y.setInt("seq", m.Sequence)
	y.set("tied_embeddings", m.Tied)
	if m.LearnedPositions > 0 {
		y.set("learned_positions", true)
	}
	if m.Experts > 0 {
		y.set("experts", m.Experts)
		y.setInt("top_k", m.TopK)
		y.setInt("expert_ffn", m.ExpertFFN)
		y.setInt("shared_experts", m.sharedOfWidth())
		y.setInt("dense_layers", m.DenseLayers)
	}
	if m.KVLoRA > 0 {
		e := flowMap()
		e.setInt("q_rank", m.QLoRA)
		e.setInt("kv_rank", m.KVLoRA)
		e.setInt("rope_dim", m.QKRope)
		e.setInt("nope_dim", m.QKNope)
		e.setInt("v_dim", m.VDim)
		y.set("mla", e)
	}
	return y
}

// sharedOfWidth is the number of shared experts, each as wide as a routed one,
// that comes nearest to the shared width.
func (m ModelShape) sharedOfWidth() int64 {
	if m.SharedFFN == 0 || m.ExpertFFN == 0 {
		return m.SharedExperts
	}
	return max(1, (m.SharedFFN+m.ExpertFFN/2)/m.ExpertFFN)
}

// left lists what a scenario's model has no key for.
func (m ModelShape) left() []string {
	var out []string
	if m.Experts > 0 && m.sharedOfWidth()*m.ExpertFFN != m.SharedFFN {
		out = append(out, fmt.Sprintf("width %d of the shared experts: shared_experts is the nearest number of width %d", m.SharedFFN, m.ExpertFFN))
	}
	if m.MTPLayers > 0 {
		out = append(out, plural(int(m.MTPLayers), "multi-token prediction layer"))
	}
	return out
}

// paramsText writes a count as people say it.
func paramsText(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f billion", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f million", float64(n)/1e6)
	}
	return fmt.Sprint(n)
}
