package importer

import (
	"fmt"
	"strconv"
	"strings"
)

// tokenizerVocab is the vocabulary of tokenizers whose size is fixed.
var tokenizerVocab = map[string]int64{
	"GPT2BPETokenizer": 50257, // vocab.bpe of GPT-2
	"Llama2Tokenizer":  32000, // tokenizer.model of Llama 2
}

func (m *Megatron) shape(r *megatronReader) {
	s := &m.Shape
	s.Layers, s.Hidden, s.Heads = r.integer("num-layers", 0), r.integer("hidden-size", 0), r.integer("num-attention-heads", 0)
	s.KVHeads = s.Heads
	if r.flag("group-query-attention") || r.l.vals["num-query-groups"].text != "" {
		s.KVHeads = r.integer("num-query-groups", 1)
	}
	s.HeadDim = r.integer("kv-channels", s.Hidden/max(1, s.Heads))
	s.GatedMLP = r.flag("swiglu")
	s.Biases = r.l.at["disable-bias-linear"].line == 0
	s.FFN = r.integer("ffn-hidden-size", 0)
	if s.FFN == 0 { // as Megatron-LM's validate_args
		s.FFN = 4 * s.Hidden
		if s.GatedMLP {
			s.FFN = 4 * s.Hidden * 2 / 3 / 64 * 64
		}
	}
	s.Sequence = r.integer("seq-length", 0)
	s.Tied = !r.flag("untie-embeddings-and-output-weights")
	pos := r.word("position-embedding-type", "learned_absolute")
	if pos == "learned_absolute" && !r.flag("no-position-embedding") && !r.flag("use-rotary-position-embeddings") {
		s.LearnedPositions = r.integer("max-position-embeddings", s.Sequence)
	}
	m.vocab(r)
	if s.Experts = r.integer("num-experts", 0); s.Experts > 1 {
		m.experts(r)
	} else {
		s.Experts = 0
	}
	if r.flag("multi-latent-attention") {
		// Defaults of MLATransformerConfig.
		s.QLoRA, s.KVLoRA = r.integer("q-lora-rank", 512), r.integer("kv-lora-rank", 512)
		s.QKNope, s.QKRope, s.VDim = r.integer("qk-head-dim", 128), r.integer("qk-pos-emb-head-dim", 64), r.integer("v-head-dim", 128)
		s.HeadDim = s.QKNope + s.QKRope
	}
	s.MTPLayers = r.integer("mtp-num-layers", 0)
}

// vocab is padded to a multiple of the divisor times TP, as Megatron-LM does.
func (m *Megatron) vocab(r *megatronReader) {
	v := r.integer("vocab-size", 0)
	if v == 0 {
		v = tokenizerVocab[r.word("tokenizer-type", "GPT2BPETokenizer")]
	}
	if v == 0 {
		m.warnings = append(m.warnings, fmt.Sprintf("%s: the vocabulary of %s is in its files; set model.vocab", r.where(place{file: m.files[0]}, "tokenizer-type"), short(r.word("tokenizer-type", ""))))
		return
	}
	multiple := r.integer("make-vocab-size-divisible-by", 128) * m.TP
	m.Shape.Vocab = (v + multiple - 1) / multiple * multiple
}

func (m *Megatron) experts(r *megatronReader) {
	s := &m.Shape
	s.TopK = r.integer("moe-router-topk", 2)
	s.ExpertFFN = r.integer("moe-ffn-hidden-size", s.FFN)
	s.SharedFFN = r.integer("moe-shared-expert-intermediate-size", 0)
	if s.SharedFFN > 0 {
		s.SharedExperts = s.sharedOfWidth()
	}
	t, ok := r.l.vals["moe-layer-freq"]
	if !ok || r.err != nil {
		return
	}
	if n, err := strconv.Atoi(t.text); err == nil && n > 0 {
		// One expert layer in n, the first included.
		s.DenseLayers = s.Layers - (s.Layers+int64(n)-1)/int64(n)
	} else {
		p := &layerPattern{s: strings.ReplaceAll(t.text, " ", "")}
		list, ok := p.sum()
		if !ok || p.i < len(p.s) {
			r.err = t.errorf("--moe-layer-freq is %s", short(t.text)).hint("a number, or a list such as ([0]*3+[1]*58)")
			return
		}
		if int64(len(list)) != s.Layers && s.Layers > 0 {
			r.err = t.errorf("--moe-layer-freq names %d layers, --num-layers %d", len(list), s.Layers)
			return
		}
		leading := true
		for _, moe := range list {
			leading = leading && !moe
			if !moe {
				s.DenseLayers++
				if !leading && len(m.notMapped) == 0 {
					m.notMapped = append(m.notMapped, "the order of dense and expert layers: dense_layers puts the dense ones first")
				}
			}
		}
		return
	}
	if s.DenseLayers > 0 {
		m.notMapped = append(m.notMapped, "the order of dense and expert layers: dense_layers puts the dense ones first")
	}
}

// layerPattern evaluates list expressions: [0]*3+[1]*58, ([1]*3+[0])*4.
type layerPattern struct {
	s     string
	i     int
	depth int
}

// patternMost is beyond any number of layers.
const patternMost = 10_000

func (p *layerPattern) sum() ([]bool, bool) {
	a, ok := p.product()
	for ok && p.i < len(p.s) && p.s[p.i] == '+' {
		p.i++
		var b []bool
		if b, ok = p.product(); ok {
			a = append(a, b...)
			ok = len(a) <= patternMost
		}
	}
	return a, ok
}

func (p *layerPattern) product() ([]bool, bool) {
	a, ok := p.list()
	for ok && p.i < len(p.s) && p.s[p.i] == '*' {
		p.i++
		n, ok2 := p.number()
		if !ok2 || n*len(a) > patternMost {
			return nil, false
		}
		var out []bool
		for range n {
			out = append(out, a...)
		}
		a = out
	}
	return a, ok
}

func (p *layerPattern) number() (int, bool) {
	start := p.i
	for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		p.i++
	}
	n, err := strconv.Atoi(p.s[start:p.i])
	return n, err == nil && n <= patternMost
}

func (p *layerPattern) list() ([]bool, bool) {
	if p.depth++; p.depth > 50 || p.i >= len(p.s) {
		return nil, false
	}
	defer func() { p.depth-- }()
	switch p.s[p.i] {
	case '(':
		p.i++
		a, ok := p.sum()
		if !ok || p.i >= len(p.s) || p.s[p.i] != ')' {
			return nil, false
		}
		p.i++
		return a, true
	case '[':
		var out []bool
		for {
			p.i++
			n, ok := p.number()
			if !ok || p.i >= len(p.s) || n > 1 {
				return nil, false
			}
			out = append(out, n == 1)
			if p.s[p.i] == ']' {
				p.i++
				return out, true
			}
			if p.s[p.i] != ',' || len(out) > patternMost {
				return nil, false
			}
		}
	}
	return nil, false
}
