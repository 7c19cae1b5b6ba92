package importer

import (
	_ "embed"
	"strings"
)

// megatronNames are the argument names of Megatron-LM (megatron/training/
// arguments.py and the configuration classes it makes arguments of, commit
// d98e8a64 of 2026-08-22) and of earlier releases, one a line.
//
//go:embed megatron_names.txt
var megatronNames string

// megatronValues are the arguments with a value that are mapped.
var megatronValues = set(
	"tensor-model-parallel-size", "model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size",
	"expert-model-parallel-size", "expert-tensor-parallel-size",
	"num-layers-per-virtual-pipeline-stage", "num-virtual-stages-per-pipeline-rank",
	"micro-batch-size", "batch-size", "global-batch-size",
	"num-layers", "hidden-size", "ffn-hidden-size", "num-attention-heads", "num-query-groups", "kv-channels",
	"seq-length", "max-position-embeddings", "vocab-size", "make-vocab-size-divisible-by", "tokenizer-type", "position-embedding-type",
	"num-experts", "moe-router-topk", "moe-ffn-hidden-size", "moe-shared-expert-intermediate-size", "moe-layer-freq", "mtp-num-layers",
	"q-lora-rank", "kv-lora-rank", "qk-head-dim", "qk-pos-emb-head-dim", "v-head-dim",
	"recompute-granularity", "optimizer", "ddp-bucket-size", "data-parallel-sharding-strategy", "fp8-format",
)

// megatronFlags are the arguments without a value that are mapped.
var megatronFlags = set(
	"sequence-parallel", "use-distributed-optimizer", "bf16", "fp16", "fp8-hybrid", "fp8-e4m3",
	"recompute-activations", "checkpoint-activations", "group-query-attention", "swiglu",
	"untie-embeddings-and-output-weights", "overlap-grad-reduce", "overlap-param-gather", "tp-comm-overlap",
	"no-overlap-p2p-communication", "multi-latent-attention", "use-torch-fsdp2", "use-megatron-fsdp", "use-custom-fsdp",
	"accumulate-allreduce-grads-in-fp32", "grad-reduce-in-bf16", "use-tp-pp-dp-mapping", "no-position-embedding",
	"use-rotary-position-embeddings", "use-flash-attn",
)

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

var allMegatronNames = strings.Fields(megatronNames)

// megatronLaunch is a launch line split into its parts.
type megatronLaunch struct {
	vals     map[string]token   // mapped, by name
	flags    map[string]place   // mapped, by name
	at       map[string]place   // of every argument
	others   []string           // known, not mapped, as written
	unknown  []token            // not known
	launcher map[string]token   // of torchrun, srun, mpirun
	env      map[string]posText // NCCL_* variables
	envNames []string
}

func isArg(s string) bool {
	return len(s) > 2 && s[0] == '-' && s[1] == '-' && isName(s[2], true)
}

// megatronCore are arguments of which a training run has at least one; other
// programs of Megatron-LM (tokenizing, merging) share the rest.
var megatronCore = set("num-layers", "hidden-size", "tensor-model-parallel-size", "pipeline-model-parallel-size", "micro-batch-size", "global-batch-size")

// score counts the mapped arguments of a command; 0 if none is of the core.
func (c shellCommand) score() int {
	n, core := 0, false
	for _, w := range c.words {
		name, _, _ := strings.Cut(strings.TrimPrefix(string(w.b), "--"), "=")
		if isArg(string(w.b)) && (megatronValues[name] || megatronFlags[name]) {
			n++
			core = core || megatronCore[name]
		}
	}
	if !core {
		return 0
	}
	return n
}

func (sh *shell) tokenOf(w posText) token { return token{string(w.b), sh.place(w.pos0())} }

// split takes a command apart. The script's name, ending in .py or following
// -m, divides the launcher's arguments from Megatron's.
func (sh *shell) split(c shellCommand) (*megatronLaunch, error) {
	l := &megatronLaunch{
		vals: map[string]token{}, flags: map[string]place{}, at: map[string]place{}, env: map[string]posText{},
	}
	words := c.words
	script := -1
	for i, w := range words {
		if strings.HasSuffix(string(w.b), ".py") || i > 0 && string(words[i-1].b) == "-m" && !strings.HasPrefix(string(w.b), "torch.distributed") {
			script = i
			break
		}
	}
	launch := append(append([]posText(nil), sh.sbatch...), c.outer...)
	launch = append(launch, words[:max(0, script)]...)
	l.launcher = sh.launcherOptions(launch)
	if err := l.readArgs(sh, words[script+1:]); err != nil {
		return nil, err
	}
	for _, name := range sh.envOrder {
		if strings.HasPrefix(name, "NCCL_") {
			l.env[name] = sh.vars[name]
			l.envNames = append(l.envNames, name)
		}
	}
	return l, nil
}

func (l *megatronLaunch) readArgs(sh *shell, words []posText) error {
	for i := 0; i < len(words); i++ {
		w := sh.tokenOf(words[i])
		if !isArg(w.text) {
			continue // the command's name, or a positional argument
		}
		name, value, joined := strings.Cut(w.text[2:], "=")
		var vals []token
		if joined {
			vals = []token{{value, place{w.at.file, w.at.line, w.at.col + len(name) + 3}}}
		}
		if !megatronFlags[name] && !joined {
			for i+1 < len(words) && !isArg(string(words[i+1].b)) {
				i++
				vals = append(vals, sh.tokenOf(words[i]))
			}
		}
		l.at[name] = w.at
		switch {
		case megatronValues[name]:
			if len(vals) == 0 || vals[0].text == "" {
				return w.errorf("--%s has no value", name)
			}
			l.vals[name] = vals[0] // argparse: the last one counts
		case megatronFlags[name]:
			l.flags[name] = w.at
		default:
			text := "--" + name
			for _, v := range vals {
				text += " " + v.text
			}
			if contains(allMegatronNames, name) {
				l.others = append(l.others, text)
			} else {
				l.unknown = append(l.unknown, w)
			}
		}
	}
	return nil
}

// launcherNames gives the options of launchers one name each.
var launcherNames = map[string]string{
	"--nproc_per_node": "gpus", "--nproc-per-node": "gpus", "--gpus-per-node": "gpus", "--num_gpus": "gpus",
	"--ntasks-per-node": "tasks", "--npernode": "tasks", "-npernode": "tasks", "--gres": "gres",
	"--nnodes": "nodes", "--num_nodes": "nodes", "--nodes": "nodes", "-N": "nodes",
	"--ntasks": "ranks", "-n": "ranks", "-np": "ranks", "--np": "ranks",
}

// launcherOptions reads the options of launchers; the last one counts, unless
// its value is not known.
func (sh *shell) launcherOptions(words []posText) map[string]token {
	out := map[string]token{}
	for i := 0; i < len(words); i++ {
		w := sh.tokenOf(words[i])
		name, value, joined := strings.Cut(w.text, "=")
		v := token{value, w.at}
		if !joined && len(name) > 2 && name[0] == '-' && name[1] != '-' && strings.Trim(name[2:], "0123456789") == "" {
			name, v.text, joined = name[:2], name[2:], true // -N4
		}
		to := launcherNames[name]
		if to == "" {
			continue
		}
		if !joined {
			if i+1 >= len(words) {
				continue
			}
			i++
			v = sh.tokenOf(words[i])
		}
		if to == "gres" {
			k := strings.LastIndexByte(v.text, ':')
			if !strings.HasPrefix(v.text, "gpu") || k < 0 {
				continue
			}
			to, v.text = "gpus", v.text[k+1:]
		}
		if _, known := out[to]; !known || !strings.Contains(v.text, "$") {
			out[to] = v
		}
	}
	return out
}
