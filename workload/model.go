package workload

// Model is the shape of a decoder-only transformer.
type Model struct {
	Name   string
	Layers int
	Hidden int
	Heads  int
	// KVHeads is the number of key/value heads (grouped-query attention,
	// Ainslie et al. 2023); 0 means Heads.
	KVHeads int
	HeadDim int  // 0 means Hidden/Heads
	FFN     int  // width of the feed-forward layer; 0 means 4*Hidden
	Gated   bool // SwiGLU: three matrices instead of two
	Vocab   int
	Seq     int // tokens a sequence
	Tied    bool
	// LearnedPositions adds a position embedding of Seq rows.
	LearnedPositions bool

	// Mixture of experts: every layer from DenseLayers on has Experts
	// feed-forward networks of width ExpertFFN, of which a token visits TopK,
	// plus SharedExperts that it always visits.
	Experts, TopK, SharedExperts int
	ExpertFFN                    int // 0 means FFN
	DenseLayers                  int

	// MLA replaces the attention projections by low-rank ones (DeepSeek-V2,
	// arXiv:2405.04434, section 2.1); zero if absent.
	MLA MLA

	Source string // where the figures are from
}

// MLA is the shape of multi-head latent attention, in elements.
type MLA struct {
	QRank, KVRank    int // of the compressed query and key/value
	Rope, Nope, VDim int // per head: rotated part, other part, value
}

func (m Model) withDefaults() Model {
	if m.KVHeads == 0 {
		m.KVHeads = m.Heads
	}
	if m.HeadDim == 0 && m.Heads > 0 {
		m.HeadDim = m.Hidden / m.Heads
	}
	if m.FFN == 0 {
		m.FFN = 4 * m.Hidden
	}
	if m.Experts > 0 && m.ExpertFFN == 0 {
		m.ExpertFFN = m.FFN
	}
	return m
}

// moe reports whether layer i (from 0) has experts.
func (m Model) moe(i int) bool { return m.Experts > 0 && i >= m.DenseLayers }

// qk and v return the widths of a head's query/key and of its value.
func (m Model) qk() int64 {
	if m.MLA.KVRank > 0 {
		return int64(m.MLA.Rope + m.MLA.Nope)
	}
	return int64(m.HeadDim)
}

func (m Model) v() int64 {
	if m.MLA.KVRank > 0 {
		return int64(m.MLA.VDim)
	}
	return int64(m.HeadDim)
}

// attentionParams counts the projection matrices of one layer.
func (m Model) attentionParams() int64 {
	h, a := int64(m.Hidden), int64(m.Heads)
	if l := m.MLA; l.KVRank > 0 {
		q := h*int64(l.QRank) + int64(l.QRank)*a*m.qk()
		kv := h*int64(l.KVRank+l.Rope) + int64(l.KVRank)*a*int64(l.Nope+l.VDim)
		return q + kv + a*m.v()*h
	}
	return h*(a+2*int64(m.KVHeads))*int64(m.HeadDim) + a*int64(m.HeadDim)*h
}

// ffnParams counts the matrices of one feed-forward network of width f.
func (m Model) ffnParams(f int) int64 {
	n := int64(2)
	if m.Gated {
		n = 3
	}
	return n * int64(m.Hidden) * int64(f)
}

// sharedParams counts what every rank of an expert-parallel group holds of
// layer i: attention, dense or shared feed-forward, router, norms and, in
// models without gating, biases (GPT: 13h a layer with two norms of 2h).
func (m Model) sharedParams(i int) int64 {
	h := int64(m.Hidden)
	n := m.attentionParams() + 2*h
	if m.moe(i) {
		n += int64(m.SharedExperts)*m.ffnParams(m.ExpertFFN) + h*int64(m.Experts)
	} else {
		n += m.ffnParams(m.FFN)
	}
	if !m.Gated {
		n += 2*h + int64(m.FFN) + h + int64(m.Heads+2*m.KVHeads)*int64(m.HeadDim) + h
	}
	return n
}

// expertParams counts all routed experts of layer i.
func (m Model) expertParams(i int) int64 {
	if !m.moe(i) {
		return 0
	}
	return int64(m.Experts) * m.ffnParams(m.ExpertFFN)
}

// embeddingParams counts the input embedding alone.
func (m Model) embeddingParams() int64 { return int64(m.Vocab) * int64(m.Hidden) }

// Params returns the number of parameters of the whole model.
func (m Model) Params() int64 {
	m = m.withDefaults()
	var n int64
	for i := range m.Layers {
		n += m.sharedParams(i) + m.expertParams(i)
	}
	n += m.embeddingParams() + 2*int64(m.Hidden)
	if !m.Tied {
		n += m.embeddingParams()
	}
	if m.LearnedPositions {
		n += int64(m.Seq) * int64(m.Hidden)
	}
	return n
}

// ActiveParams returns the parameters that one token visits.
func (m Model) ActiveParams() int64 {
	m = m.withDefaults()
	n := m.Params()
	for i := range m.Layers {
		if m.moe(i) {
			n -= int64(m.Experts-m.TopK) * m.ffnParams(m.ExpertFFN)
		}
	}
	return n
}

// ForwardFLOPs returns the floating-point operations of one forward pass over
// one sequence, multiply and add counted apart, attention not halved for the
// causal mask: the convention of Narayanan et al. (SC21, appendix), whose
// 24 B s h^2 (1 + s/6h) a layer and 2 B s h V for the logits it equals for GPT.
func (m Model) ForwardFLOPs() float64 {
	m = m.withDefaults()
	s := float64(m.Seq)
	var f float64
	for i := range m.Layers {
		f += m.layerFLOPs(i)
	}
	return f + 2*s*float64(m.Hidden)*float64(m.Vocab)
}

// layerFLOPs is the forward pass of layer i over one sequence.
func (m Model) layerFLOPs(i int) float64 {
	s := float64(m.Seq)
	ffn := m.ffnParams(m.FFN)
	if m.moe(i) {
		ffn = int64(m.TopK+m.SharedExperts)*m.ffnParams(m.ExpertFFN) + int64(m.Hidden)*int64(m.Experts)
	}
	return 2*s*float64(m.attentionParams()+ffn) + m.coreFLOPs()
}

// coreFLOPs is the attention core (QK^T and the product with V) of one layer
// over one sequence.
func (m Model) coreFLOPs() float64 {
	s := float64(m.Seq)
	return 2 * s * s * float64(m.Heads) * float64(m.qk()+m.v())
}

// ModelFLOPs returns the operations of one step over sequences sequences
// without recomputation: three times the forward pass. For GPT it equals
// 72 B s l h^2 (1 + s/6h + V/12lh).
func (m Model) ModelFLOPs(sequences int) float64 {
	return 3 * float64(sequences) * m.ForwardFLOPs()
}

// CausalFLOPs is ModelFLOPs with the masked half of the attention scores left
// out, as some publications count.
func (m Model) CausalFLOPs(sequences int) float64 {
	m = m.withDefaults()
	return m.ModelFLOPs(sequences) - 1.5*float64(sequences)*float64(m.Layers)*m.coreFLOPs()
}

// HardwareFLOPs is ModelFLOPs plus what recomputation repeats. With full
// recomputation it equals SC21's 96 B s l h^2 (1 + s/6h + V/16lh).
func (m Model) HardwareFLOPs(sequences int, r Recompute) float64 {
	m = m.withDefaults()
	f := m.ModelFLOPs(sequences)
	for i := range m.Layers {
		switch r {
		case RecomputeFull:
			f += float64(sequences) * m.layerFLOPs(i)
		case RecomputeSelective:
			f += float64(sequences) * m.coreFLOPs()
		}
	}
	return f
}
