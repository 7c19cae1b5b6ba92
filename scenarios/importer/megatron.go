package importer

import (
	"fmt"
	"math"
	"strings"
)

// Megatron is a training run as a Megatron-LM launch line describes it.
type Megatron struct {
	Shape                                ModelShape
	TP, PP, CP, EP, DP                   int64 // DP 0 if the number of GPUs is not said
	VirtualStages                        int64
	SequenceParallel                     bool
	Micro, Global                        int64  // Global 0: one micro-batch a replica
	Nodes, GPUsPerNode                   int64  // 0 if not said
	Precision, GradPrecision             string // "bf16", "fp16", "fp8", "fp32"
	Recompute                            string // "none", "selective", "full"
	ZeRO                                 int64
	FSDP                                 bool
	OverlapGrad, OverlapParam, OverlapTP bool
	OverlapP2P                           bool
	Optimizer                            string // "adam", "sgd"
	BucketElements                       int64  // 0: the default
	PPBeforeDP                           bool   // rank order tp-cp-ep-pp-dp
	NCCL                                 [][2]string
	files                                []string
	notMapped                            []string
	warnings                             []string
	launch                               *megatronLaunch
}

// Warnings implements Result.
func (m *Megatron) Warnings() []string { return m.warnings }

func parseMegatron(s source) (*Megatron, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	sh := newShell(s, text)
	if text != "" {
		sh.run(textOf(text), nil, 0)
	}
	if sh.err != nil {
		return nil, sh.err
	}
	best := -1
	for i, c := range sh.commands {
		if c.score() > 0 && (best < 0 || c.score() > sh.commands[best].score()) {
			best = i
		}
	}
	if best < 0 {
		return nil, noLaunch(s, sh)
	}
	m := &Megatron{files: []string{s.name}, warnings: sh.warnings}
	for i, c := range sh.commands {
		if i != best && c.score() > 1 {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: another command with Megatron-LM arguments; the one on line %d has more and is read", sh.place(c.words[0].pos0()), sh.place(sh.commands[best].words[0].pos0()).line))
		}
	}
	if m.launch, err = sh.split(sh.commands[best]); err != nil {
		return nil, err
	}
	m.list()
	return m, m.build(sh.place(sh.commands[best].words[0].pos0()))
}

func noLaunch(s source, sh *shell) error {
	e := place{s.name, 1, 1}.errorf("no command with Megatron-LM arguments").hint("--tensor-model-parallel-size, --num-layers, ... are looked for")
	var mapped []string
	for _, n := range allMegatronNames {
		if megatronCore[n] {
			mapped = append(mapped, n)
		}
	}
	for _, c := range sh.commands {
		for _, w := range c.words {
			t := sh.tokenOf(w)
			name, _, _ := strings.Cut(strings.TrimPrefix(t.text, "--"), "=")
			if !isArg(t.text) {
				continue
			}
			if n := nearest(name, mapped); n != "" && len(name) > 6 {
				return t.errorf("no command with Megatron-LM arguments, but %s", short(t.text)).hint("did you mean --%s?", n)
			}
		}
	}
	return e
}

// list notes the arguments that are not mapped and warns of those not known.
func (m *Megatron) list() {
	m.notMapped = append(m.notMapped, m.launch.others...)
	for _, u := range m.launch.unknown {
		name, _, _ := strings.Cut(u.text[2:], "=")
		w := fmt.Sprintf("%s: --%s is not an argument of Megatron-LM", u.at, name)
		if n := nearest(name, allMegatronNames); n != "" {
			w += fmt.Sprintf(" (did you mean --%s?)", n)
		}
		m.warnings = append(m.warnings, w)
	}
}

// megatronReader reads values and keeps the first error.
type megatronReader struct {
	l   *megatronLaunch
	err error
}

const megatronMost = 1 << 24 // no size of a run is near it, and products of two fit int64

func (r *megatronReader) integer(name string, def int64) int64 {
	t, ok := r.l.vals[name]
	if !ok || r.err != nil {
		return def
	}
	v, err := t.integer("--"+name, 1, megatronMost)
	if err != nil {
		r.err = withShellHint(err, t)
		return def
	}
	return v
}

func withShellHint(err error, t token) error {
	if e, ok := err.(*Error); ok && strings.Contains(t.text, "$") {
		return e.hint("its value is set outside the script: write NAME=... above, or put the number in")
	}
	return err
}

func (r *megatronReader) launcher(name string) int64 {
	t, ok := r.l.launcher[name]
	if !ok || r.err != nil || strings.Contains(t.text, "$") {
		return 0
	}
	if lo, _, ranged := strings.Cut(t.text, ":"); ranged && name == "nodes" {
		t.text = lo // torchrun's MIN:MAX
	}
	v, err := t.integer(name+" of the launcher", 1, megatronMost)
	if err != nil {
		if name == "gpus" { // torchrun takes "gpu" and "auto" too
			return 0
		}
		r.err = err
	}
	return v
}

func (r *megatronReader) flag(name string) bool { _, ok := r.l.flags[name]; return ok }

func (r *megatronReader) word(name, def string) string {
	if t, ok := r.l.vals[name]; ok {
		return t.text
	}
	return def
}

func (r *megatronReader) oneOf(name, def string, known ...string) string {
	t, ok := r.l.vals[name]
	if !ok || r.err != nil {
		return def
	}
	if !contains(known, t.text) {
		r.err = t.errorf("--%s is %s", name, short(t.text)).meant(t.text, known)
	}
	return t.text
}

// where is the place of an argument, at if it is not there.
func (r *megatronReader) where(at place, names ...string) place {
	for _, n := range names {
		if p, ok := r.l.at[n]; ok {
			return p
		}
	}
	return at
}

func (m *Megatron) build(at place) error {
	r := &megatronReader{l: m.launch}
	m.TP = r.integer("tensor-model-parallel-size", r.integer("model-parallel-size", 1))
	m.PP = r.integer("pipeline-model-parallel-size", 1)
	m.CP = r.integer("context-parallel-size", 1)
	m.EP = r.integer("expert-model-parallel-size", 1)
	m.SequenceParallel = r.flag("sequence-parallel")
	m.Micro = r.integer("micro-batch-size", r.integer("batch-size", 1))
	m.Global = r.integer("global-batch-size", 0)
	m.shape(r)
	m.world(r)
	m.numerics(r)
	if r.err != nil {
		return r.err
	}
	if err := m.checkSizes(r, at); err != nil {
		return err
	}
	for _, n := range m.launch.envNames {
		v := string(m.launch.env[n].b)
		if strings.Contains(v, "$") {
			m.notMapped = append(m.notMapped, n+" (its value is not known)")
			continue
		}
		m.NCCL = append(m.NCCL, [2]string{n, v})
	}
	return nil
}

// world finds nodes and GPUs a node from the launcher.
func (m *Megatron) world(r *megatronReader) {
	m.Nodes = r.launcher("nodes")
	m.GPUsPerNode = r.launcher("gpus")
	tasks, ranks := r.launcher("tasks"), r.launcher("ranks")
	if m.GPUsPerNode == 0 || tasks > m.GPUsPerNode {
		m.GPUsPerNode = tasks
	}
	if ranks > 0 && m.GPUsPerNode == 0 && m.Nodes > 0 && ranks%m.Nodes == 0 {
		m.GPUsPerNode = ranks / m.Nodes
	}
	if ranks > 0 && m.Nodes == 0 && m.GPUsPerNode > 0 && ranks%m.GPUsPerNode == 0 && tasks > 0 {
		m.Nodes = ranks / m.GPUsPerNode
	}
	if m.Nodes == 0 && m.GPUsPerNode > 0 {
		if t, ok := r.l.launcher["nodes"]; ok {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: the number of nodes, %s, is not known; set cluster.nodes", t.at, short(t.text)))
			return
		}
		m.Nodes = 1 // torchrun's default
	}
}

func (m *Megatron) numerics(r *megatronReader) {
	m.Precision, m.GradPrecision = "fp32", "fp32"
	switch {
	case r.flag("bf16"):
		m.Precision = "bf16" // Megatron-LM then reduces gradients in fp32
		if r.flag("grad-reduce-in-bf16") {
			m.GradPrecision = "bf16"
		}
	case r.flag("fp16"):
		m.Precision, m.GradPrecision = "fp16", "fp16"
		if r.flag("accumulate-allreduce-grads-in-fp32") {
			m.GradPrecision = "fp32"
		}
	}
	if _, fp8 := r.l.vals["fp8-format"]; fp8 || r.flag("fp8-hybrid") || r.flag("fp8-e4m3") {
		m.Precision = "fp8"
	}
	m.Recompute = r.oneOf("recompute-granularity", "none", "full", "selective")
	if r.flag("recompute-activations") {
		m.Recompute = "selective"
	}
	if r.flag("checkpoint-activations") {
		m.Recompute = "full"
	}
	m.Optimizer = r.word("optimizer", "adam")
	if m.Optimizer != "adam" && m.Optimizer != "sgd" {
		m.notMapped = append(m.notMapped, "--optimizer "+m.Optimizer)
		m.Optimizer = ""
	}
	m.OverlapGrad, m.OverlapParam = r.flag("overlap-grad-reduce"), r.flag("overlap-param-gather")
	m.OverlapTP = r.flag("tp-comm-overlap")
	if r.flag("use-distributed-optimizer") {
		m.ZeRO = 1
	}
	levels := []string{"no_shard", "optim", "optim_grads", "optim_grads_params"}
	level := r.oneOf("data-parallel-sharding-strategy", "", levels...)
	for i, l := range levels {
		if l == level {
			m.ZeRO = int64(i)
		}
	}
	if r.flag("use-torch-fsdp2") || m.ZeRO == 3 {
		m.FSDP, m.ZeRO = true, 3
	}
	m.BucketElements = 0
	if t, ok := r.l.vals["ddp-bucket-size"]; ok && r.err == nil {
		m.BucketElements, r.err = t.integer("--ddp-bucket-size", 1, math.MaxInt64/8)
	}
	m.PPBeforeDP = r.flag("use-tp-pp-dp-mapping")
}
