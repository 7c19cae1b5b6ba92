package workload

import (
	"fmt"
	"sort"
	"strings"
)

// gpt returns a GPT of the given size with tied, learned-position embeddings
// and a feed-forward of four times the width.
func gpt(name string, layers, hidden, heads, vocab, seq int, source string) Model {
	return Model{Name: name, Layers: layers, Hidden: hidden, Heads: heads, Vocab: vocab, Seq: seq, Tied: true, LearnedPositions: true, Source: source}
}

const (
	srcGPT2  = "Radford et al., Language Models are Unsupervised Multitask Learners (2019), table 2; vocabulary padded to 50304"
	srcGPT3  = "Brown et al., arXiv:2005.14165, table 2.1; vocabulary padded to 51200 as in arXiv:2104.04473"
	srcSC21  = "Narayanan et al., arXiv:2104.04473 (SC21), table 1"
	srcSP    = "Korthikanti et al., arXiv:2205.05198, table 3"
	srcLlama = "Llama Team, arXiv:2407.21783, table 3"
	srcMPT   = "github.com/mosaicml/llm-foundry, scripts/train/yamls/pretrain, mpt-*.yaml; vocabulary 50368"
	srcMCore = "github.com/NVIDIA/Megatron-LM README, model table (core r0.8.0)"
)

func llama(name string, layers, hidden, heads, ffn int) Model {
	return Model{Name: name, Layers: layers, Hidden: hidden, Heads: heads, KVHeads: 8, FFN: ffn, Gated: true, Vocab: 128256, Seq: 8192, Source: srcLlama}
}

func mpt(name string, layers, hidden, heads int) Model {
	// ALiBi instead of learned positions, tied embeddings, no biases.
	return Model{Name: name, Layers: layers, Hidden: hidden, Heads: heads, Vocab: 50368, Seq: 2048, Tied: true, Source: srcMPT}
}

func mcore(name string, layers, hidden, heads int) Model {
	return Model{Name: name, Layers: layers, Hidden: hidden, Heads: heads, Vocab: 131072, Seq: 4096, LearnedPositions: true, Source: srcMCore}
}

var presets = []Model{
	gpt("gpt2-124m", 12, 768, 12, 50304, 1024, srcGPT2),
	gpt("gpt2-355m", 24, 1024, 16, 50304, 1024, srcGPT2),
	gpt("gpt2-774m", 36, 1280, 20, 50304, 1024, srcGPT2),
	gpt("gpt2-1.5b", 48, 1600, 25, 50304, 1024, srcGPT2),
	gpt("gpt3-6.7b", 32, 4096, 32, 51200, 2048, srcGPT3),
	gpt("gpt3-13b", 40, 5120, 40, 51200, 2048, srcGPT3), // 5140 in the paper, which is no multiple of 40
	gpt("gpt3-175b", 96, 12288, 96, 51200, 2048, srcGPT3),
	gpt("megatron-1.7b", 24, 2304, 24, 51200, 2048, srcSC21),
	gpt("megatron-3.6b", 30, 3072, 32, 51200, 2048, srcSC21),
	gpt("megatron-7.5b", 36, 4096, 32, 51200, 2048, srcSC21),
	gpt("megatron-18b", 40, 6144, 48, 51200, 2048, srcSC21),
	gpt("megatron-39b", 48, 8192, 64, 51200, 2048, srcSC21),
	gpt("megatron-76b", 60, 10240, 80, 51200, 2048, srcSC21),
	gpt("megatron-145b", 80, 12288, 96, 51200, 2048, srcSC21),
	gpt("megatron-310b", 96, 16384, 128, 51200, 2048, srcSC21),
	gpt("megatron-530b", 105, 20480, 128, 51200, 2048, srcSC21),
	gpt("megatron-1t", 128, 25600, 160, 51200, 2048, srcSC21),
	gpt("korthikanti-22b", 48, 6144, 64, 51200, 2048, srcSP),
	gpt("korthikanti-175b", 96, 12288, 96, 51200, 2048, srcSP),
	gpt("korthikanti-530b", 105, 20480, 128, 51200, 2048, srcSP),
	gpt("korthikanti-1t", 128, 25600, 160, 51200, 2048, srcSP),
	mcore("mcore-1.7b", 24, 2048, 16),
	mcore("mcore-7.1b", 30, 4096, 32),
	mcore("mcore-16b", 32, 6144, 48),
	mcore("mcore-32b", 48, 7168, 56),
	mcore("mcore-70b", 84, 8192, 64),
	mcore("mcore-119b", 92, 10240, 80),
	mcore("mcore-177b", 96, 12288, 96),
	mcore("mcore-314b", 96, 16384, 128),
	mcore("mcore-462b", 112, 18432, 144),
	llama("llama3.1-8b", 32, 4096, 32, 14336),
	llama("llama3.1-70b", 80, 8192, 64, 28672),
	llama("llama3.1-405b", 126, 16384, 128, 53248),
	mpt("mpt-125m", 12, 768, 12),
	mpt("mpt-350m", 24, 1024, 16),
	mpt("mpt-760m", 24, 1536, 12),
	mpt("mpt-1b", 24, 2048, 16),
	mpt("mpt-3b", 32, 2560, 20),
	mpt("mpt-7b", 32, 4096, 32),
	mpt("mpt-13b", 40, 5120, 40),
	mpt("mpt-30b", 48, 7168, 56),
	mpt("mpt-70b", 80, 8192, 64),
	{
		Name: "mixtral-8x22b", Layers: 56, Hidden: 6144, Heads: 48, KVHeads: 8, FFN: 16384, Gated: true, Vocab: 32768, Seq: 65536,
		Experts: 8, TopK: 2, Source: "huggingface.co/mistralai/Mixtral-8x22B-v0.1, config.json (vocabulary of v0.3)",
	},
	{
		Name: "deepseek-v3", Layers: 61, Hidden: 7168, Heads: 128, KVHeads: 128, FFN: 18432, Gated: true, Vocab: 129280, Seq: 4096,
		Experts: 256, TopK: 8, SharedExperts: 1, ExpertFFN: 2048, DenseLayers: 3,
		MLA:    MLA{QRank: 1536, KVRank: 512, Rope: 64, Nope: 128, VDim: 128},
		Source: "DeepSeek-AI, arXiv:2412.19437, section 4.2, without the multi-token prediction module",
	},
}

// Models returns the presets in a fixed order. The slice is the caller's.
func Models() []Model { return append([]Model(nil), presets...) }

// FindModel returns the preset of that name. The error lists names that
// resemble it.
func FindModel(name string) (Model, error) {
	var near []string
	for _, m := range presets {
		if m.Name == name {
			return m, nil
		}
		if family, _, _ := strings.Cut(name, "-"); strings.HasPrefix(m.Name, family) {
			near = append(near, m.Name)
		}
	}
	if len(near) == 0 {
		for _, m := range presets {
			near = append(near, m.Name)
		}
		sort.Strings(near)
	}
	return Model{}, fmt.Errorf("model %q is not known; there is %s", name, strings.Join(near, ", "))
}
