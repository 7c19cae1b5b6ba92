package importer

import "fmt"

// hfSilent are keys that say nothing about cost: names, tokens, initialisation,
// dropout, norms.
var hfSilent = map[string]bool{
	"architectures": true, "auto_map": true, "transformers_version": true, "_name_or_path": true,
	"bos_token_id": true, "eos_token_id": true, "pad_token_id": true, "initializer_range": true, "use_cache": true,
	"rms_norm_eps": true, "layer_norm_epsilon": true, "layer_norm_eps": true, "hidden_act": true, "activation_function": true,
	"attention_dropout": true, "attn_pdrop": true, "embd_pdrop": true, "resid_pdrop": true, "hidden_dropout": true, "dropout": true,
	"summary_activation": true, "summary_first_dropout": true, "summary_proj_to_labels": true, "summary_type": true, "summary_use_proj": true,
	"task_specific_params": true, "id2label": true, "label2id": true, "torch_dtype": true, "dtype": true,
	"router_jitter_noise": true, "router_aux_loss_coef": true, "output_router_logits": true, "aux_loss_alpha": true, "seq_aux": true,
	"pretraining_tp": true, "ep_size": true, "mlp_bias": true,
}

// check holds the numbers against each other.
func (m *HFModel) check(r *hfReader) error {
	s := &m.Shape
	at := func(alias string) place {
		if p, ok := r.at[alias]; ok {
			return p
		}
		return m.at
	}
	_, headDimSaid := r.at["head_dim"]
	switch {
	case s.KVLoRA == 0 && !headDimSaid && s.Hidden%s.Heads != 0:
		return at("heads").errorf("%d heads do not divide hidden size %d", s.Heads, s.Hidden).hint("head_dim must be given, or a number is wrong")
	case s.Heads%s.KVHeads != 0:
		return at("kv_heads").errorf("%d key-value heads do not divide %d heads", s.KVHeads, s.Heads)
	case s.KVLoRA > 0 && (s.QKNope == 0 || s.QKRope == 0 || s.VDim == 0):
		return at("kv_lora").errorf("kv_lora_rank without qk_nope_head_dim, qk_rope_head_dim and v_head_dim").hint("latent attention needs all of them")
	case s.FFN == 0 && (s.Experts == 0 || s.ExpertFFN == 0):
		return m.at.errorf("no intermediate_size").hint("the width of the MLP is not said, and %s has no default", m.ModelType)
	case s.Experts > 0 && s.TopK > s.Experts:
		return at("top_k").errorf("%d experts per token, but only %d experts", s.TopK, s.Experts)
	case s.DenseLayers > s.Layers:
		return at("dense").errorf("%d dense layers, but only %d layers", s.DenseLayers, s.Layers)
	}
	// Beyond this a product of sizes could leave int64.
	const most = 1 << 20
	for _, f := range []struct {
		alias string
		v     int64
	}{{"layers", s.Layers}, {"hidden", s.Hidden}, {"heads", s.Heads}, {"head_dim", s.HeadDim}, {"ffn", s.FFN}, {"expert_ffn", s.ExpertFFN}, {"experts", s.Experts},
		{"shared_ffn", s.SharedFFN}, {"q_lora", s.QLoRA}, {"kv_lora", s.KVLoRA}, {"qk_nope", s.QKNope}, {"qk_rope", s.QKRope}, {"v_dim", s.VDim}} {
		if f.v > most {
			return at(f.alias).errorf("%s is %d, which no model has", hfAliases[f.alias][0], f.v)
		}
	}
	const mostParams = 1e17
	if p := float64(s.Layers) * float64(max(1, s.Experts)) * float64(s.Hidden) * float64(max(s.FFN, s.ExpertFFN)+s.Heads*s.HeadDim+s.SharedFFN); p > mostParams {
		return m.at.errorf("more than %.0g parameters", p).hint("one of the sizes is wrong")
	}
	return nil
}

// leftOver lists the members that were neither read nor are silent.
func (m *HFModel) leftOver(r *hfReader) {
	for _, k := range r.obj.keys {
		if !r.used[k] && !hfSilent[k] {
			m.notMapped = append(m.notMapped, fmt.Sprintf("%s (line %d)", k, r.obj.vals[k].at.line))
		}
	}
}

// YAML implements Result: one job with the model's shape.
func (m *HFModel) YAML() []byte {
	total, active := m.Shape.Params()
	what := fmt.Sprintf("%s, %s parameters", m.ModelType, paramsText(total))
	if active != total {
		what += fmt.Sprintf(", %s of them met by a token", paramsText(active))
	}
	job := newMap().set("name", "train").set("model", m.Shape.yaml())
	if m.Precision != "" {
		job.set("precision", m.Precision)
	}
	return document{
		kind: "hf", from: m.files, what: what + ".\nseq is the longest sequence of the model; training often uses less. Add parallel and batch.",
		notMapped: append(m.Shape.left(), m.notMapped...), warnings: m.warnings,
		body: newMap().set("jobs", []yamlMap{job}),
	}.bytes()
}
