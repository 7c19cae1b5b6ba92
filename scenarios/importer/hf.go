package importer

import (
	"fmt"
	"sort"
	"strings"
)

// HFModel is the shape of a model of the Hugging Face hub.
type HFModel struct {
	ModelType string
	Shape     ModelShape
	Precision string // "bf16", "fp16", "fp32"; empty if not said
	files     []string
	at        place
	notMapped []string
	warnings  []string
}

// Warnings implements Result.
func (m *HFModel) Warnings() []string { return m.warnings }

// hfAliases lists the names that families give to one thing; the first that is
// there counts.
var hfAliases = map[string][]string{
	"layers":     {"num_hidden_layers", "n_layer", "num_layers", "n_layers"},
	"hidden":     {"hidden_size", "n_embd", "d_model", "n_embed"},
	"heads":      {"num_attention_heads", "n_head", "n_heads"},
	"kv_heads":   {"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"},
	"head_dim":   {"head_dim", "kv_channels"},
	"ffn":        {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"},
	"vocab":      {"vocab_size", "padded_vocab_size"},
	"sequence":   {"max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len"},
	"experts":    {"num_local_experts", "n_routed_experts", "num_experts"},
	"top_k":      {"num_experts_per_tok", "num_experts_per_token", "moe_topk"},
	"expert_ffn": {"moe_intermediate_size"},
	"shared":     {"n_shared_experts", "num_shared_experts"},
	"shared_ffn": {"shared_expert_intermediate_size"},
	"dense":      {"first_k_dense_replace"},
	"mtp":        {"num_nextn_predict_layers"},
	"q_lora":     {"q_lora_rank"},
	"kv_lora":    {"kv_lora_rank"},
	"qk_nope":    {"qk_nope_head_dim"},
	"qk_rope":    {"qk_rope_head_dim"},
	"v_dim":      {"v_head_dim"},
}

// hfFamily says what a family's code fixes and its config does not.
type hfFamily struct {
	gated, tied, biases, learned bool
	ffnRatio                     int64 // FFN = ratio x hidden if not said
}

// hfFamilies by model_type (transformers, models/*/modeling_*.py and the
// defaults of models/*/configuration_*.py). tied is the default of
// tie_word_embeddings.
var hfFamilies = map[string]hfFamily{
	"llama": {gated: true}, "mistral": {gated: true}, "mixtral": {gated: true},
	"qwen2": {gated: true}, "qwen2_moe": {gated: true}, "qwen3": {gated: true}, "qwen3_moe": {gated: true},
	"deepseek_v2": {gated: true}, "deepseek_v3": {gated: true}, "kimi_k2": {gated: true}, "glm4_moe": {gated: true},
	"gemma": {gated: true, tied: true}, "gemma2": {gated: true, tied: true}, "phi3": {gated: true},
	"olmo": {gated: true}, "olmo2": {gated: true}, "olmoe": {gated: true}, "gpt_oss": {gated: true},
	"llama4_text": {gated: true}, "gemma3_text": {gated: true, tied: true},
	"gpt2":     {tied: true, biases: true, learned: true, ffnRatio: 4},
	"gpt_neox": {biases: true, ffnRatio: 4}, "gptj": {biases: true, ffnRatio: 4},
	"opt":   {tied: true, biases: true, learned: true},
	"bloom": {tied: true, biases: true, ffnRatio: 4}, "falcon": {tied: true, ffnRatio: 4},
	"starcoder2": {tied: true, biases: true}, "phi": {biases: true},
	"bert": {tied: true, biases: true, learned: true},
}

// parseHF reads a config.json.
func parseHF(s source) (*HFModel, error) {
	root, err := parseJSON(s)
	if err != nil {
		return nil, err
	}
	m := &HFModel{files: []string{s.name}, at: root.at}
	for _, k := range []string{"text_config", "language_config", "llm_config"} {
		if t := root.get(k); t != nil && t.kind == '{' {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: a multimodal model; only its %s is read", t.at, k))
			root = t
			break
		}
	}
	mt := root.get("model_type")
	if mt == nil || mt.kind != '"' {
		return nil, root.at.errorf("no model_type").hint("is it the config.json of a transformers model?")
	}
	m.ModelType = mt.text
	fam, known := hfFamilies[m.ModelType]
	if !known {
		fam = hfFamily{gated: true}
		w := fmt.Sprintf("%s: model_type %s is not known; read as a Llama-like model with a gated MLP", mt.at, short(mt.text))
		if n := nearest(mt.text, familyNames()); n != "" {
			w += " (did you mean " + n + "?)"
		}
		m.warnings = append(m.warnings, w)
	}
	r := &hfReader{obj: root, used: map[string]bool{"model_type": true}}
	m.Shape = r.shape(m.ModelType, fam)
	if r.err != nil {
		return nil, r.err
	}
	m.precision(root, r)
	if err := m.check(r); err != nil {
		return nil, err
	}
	m.leftOver(r)
	return m, nil
}

func familyNames() []string {
	var out []string
	for k := range hfFamilies {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// hfReader takes members by alias and remembers which it took.
type hfReader struct {
	obj  *jsonValue
	used map[string]bool
	at   map[string]place
	err  error
}

func (r *hfReader) find(alias string) (*jsonValue, string) {
	for _, k := range hfAliases[alias] {
		if v := r.obj.get(k); v != nil {
			r.used[k] = true
			return v, k
		}
	}
	return nil, ""
}

// take returns an integer of at least lo, def if absent.
func (r *hfReader) take(alias string, def, lo int64) int64 {
	v, k := r.find(alias)
	if v == nil || r.err != nil {
		return def
	}
	n, err := v.integer(k, lo)
	if err == nil && n > 1<<32 {
		err = v.at.errorf("%s is %d, which no model has", k, n)
	}
	if err != nil {
		r.err = err
		return def
	}
	if r.at == nil {
		r.at = map[string]place{}
	}
	r.at[alias] = v.at
	return n
}

// must is take for what every model has.
func (r *hfReader) must(alias string) int64 {
	if v, _ := r.find(alias); v == nil && r.err == nil {
		e := r.obj.at.errorf("no %s", strings.Join(hfAliases[alias], " or "))
		for _, k := range r.obj.keys {
			if n := nearest(k, hfAliases[alias]); n != "" {
				e = r.obj.vals[k].at.errorf("no %s", strings.Join(hfAliases[alias], " or ")).hint("is %s meant as %s?", short(k), n)
				break
			}
		}
		r.err = e
	}
	return r.take(alias, 0, 1)
}

func (r *hfReader) truth(key string, def bool) bool {
	v := r.obj.get(key)
	if v == nil {
		return def
	}
	r.used[key] = true
	return v.truth()
}

func (r *hfReader) shape(family string, fam hfFamily) ModelShape {
	s := ModelShape{GatedMLP: fam.gated, Biases: fam.biases}
	s.Layers, s.Hidden, s.Heads, s.Vocab = r.must("layers"), r.must("hidden"), r.must("heads"), r.must("vocab")
	s.KVHeads = r.take("kv_heads", s.Heads, 1)
	if family == "falcon" && r.truth("multi_query", false) && !r.truth("new_decoder_architecture", false) {
		s.KVHeads = 1
	}
	s.HeadDim = r.take("head_dim", s.Hidden/max(1, s.Heads), 1)
	s.FFN = r.take("ffn", 0, 1)
	if s.FFN == 0 && fam.ffnRatio > 0 {
		s.FFN = fam.ffnRatio * s.Hidden
	}
	s.Sequence = r.take("sequence", 0, 1)
	s.Tied = r.truth("tie_word_embeddings", fam.tied)
	if fam.learned {
		s.LearnedPositions = s.Sequence
	}
	r.experts(&s)
	s.QLoRA, s.KVLoRA = r.take("q_lora", 0, 0), r.take("kv_lora", 0, 0)
	s.QKNope, s.QKRope, s.VDim = r.take("qk_nope", 0, 0), r.take("qk_rope", 0, 0), r.take("v_dim", 0, 0)
	if s.KVLoRA > 0 {
		s.HeadDim = s.QKNope + s.QKRope
	}
	return s
}

func (r *hfReader) experts(s *ModelShape) {
	s.MTPLayers = r.take("mtp", 0, 0)
	s.Experts = r.take("experts", 0, 0)
	if s.Experts <= 1 {
		s.Experts = 0
		return
	}
	s.TopK = r.take("top_k", 2, 1)
	s.ExpertFFN = r.take("expert_ffn", s.FFN, 1)
	s.SharedExperts = r.take("shared", 0, 0)
	s.SharedFFN = r.take("shared_ffn", s.SharedExperts*s.ExpertFFN, 0)
	if s.SharedFFN > 0 && s.SharedExperts == 0 {
		s.SharedExperts = 1
	}
	s.DenseLayers = r.take("dense", 0, 0)
	if v := r.obj.get("mlp_only_layers"); v != nil && v.kind == '[' {
		r.used["mlp_only_layers"] = true
		s.DenseLayers += int64(len(v.list))
	}
	for _, k := range []string{"decoder_sparse_step", "moe_layer_freq"} {
		if v := r.obj.get(k); v != nil && r.err == nil {
			r.used[k] = true
			step, err := v.integer(k, 1)
			if err != nil {
				r.err = err
				return
			}
			if step > 1 { // every step-th layer has experts
				s.DenseLayers = s.Layers - (s.Layers-s.DenseLayers)/step
			}
		}
	}
}

func (m *HFModel) precision(root *jsonValue, r *hfReader) {
	for _, k := range []string{"torch_dtype", "dtype"} {
		v := root.get(k)
		if v == nil || v.kind != '"' {
			continue
		}
		r.used[k] = true
		m.Precision = map[string]string{"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}[strings.TrimPrefix(v.text, "torch.")]
		if m.Precision == "" {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: %s %s is not mapped; set precision", v.at, k, short(v.text)))
		}
		return
	}
}
