package workload

import (
	"github.com/simnet/simnet/sim"
)

// pass is what one action costs a rank: time of its own, and the collectives
// that go over the network and so have no time of their own.
type pass struct {
	compute sim.Time // matrix products and memory-bound kernels
	launch  sim.Time
	tp      sim.Time // tensor-parallel collectives inside the domain, exposed

	tpNet   int64 // bytes of the buffers of all-reduces that cross domains, summed
	cpNet   int64 // bytes that each context-parallel rank passes on
	epBytes int64 // bytes that each rank sends to the other expert ranks
	layers  int
}

func (p *pass) add(o pass) {
	p.compute += o.compute
	p.launch += o.launch
	p.tp += o.tp
	p.tpNet += o.tpNet
	p.cpNet += o.cpNet
	p.epBytes += o.epBytes
	p.layers += o.layers
}

// alone returns the time of the pass without network.
func (p *pass) alone() sim.Time { return p.compute + p.launch + p.tp }

// coster computes the costs of layers on one type of GPU with one kind of
// tensor-parallel group.
type coster struct {
	j     *Job
	g     *GPUType
	tp    *groupPlan // local: α-β; else over the network
	peak  float64    // of linear layers
	peak2 float64    // of the attention core and the logits: 16 bit where the layers are fp8
}

// work is the time of one direction of one part, in ps, split so that what
// tensor-parallel overlap can hide behind is known.
type work struct{ gemm, memory float64 }

func (c *coster) tokens() float64 {
	return float64(c.j.Batch.Micro) * float64(c.j.Model.Seq) / float64(c.j.Parallel.CP)
}

// e is the bytes of an activation value.
func (c *coster) e() float64 { return float64(elementBytes(c.j.Precision)) }

// linear returns the matrix products of layer i on one rank, forward.
func (c *coster) linear(i int) []gemm {
	m := &c.j.Model
	t := c.tokens()
	tp := float64(c.j.Parallel.TP)
	h, a := float64(m.Hidden), float64(m.Heads)
	var g []gemm
	if l := m.MLA; l.KVRank > 0 {
		g = append(g,
			gemm{t, float64(l.QRank + l.KVRank + l.Rope), h, 1},
			gemm{t, a * float64(m.qk()) / tp, float64(l.QRank), 1},
			gemm{t, a * float64(l.Nope+l.VDim) / tp, float64(l.KVRank), 1})
	} else {
		g = append(g, gemm{t, (a + 2*float64(m.KVHeads)) * float64(m.HeadDim) / tp, h, 1})
	}
	g = append(g, gemm{t, h, a * float64(m.v()) / tp, 1})
	up := 1.0
	if m.Gated {
		up = 2
	}
	mlp := func(tokens, f, count float64) {
		g = append(g, gemm{tokens, up * f, h, count}, gemm{tokens, h, f, count})
	}
	if !m.moe(i) {
		mlp(t, float64(m.FFN)/tp, 1)
		return g
	}
	if m.SharedExperts > 0 {
		mlp(t, float64(m.SharedExperts*m.ExpertFFN)/tp, 1)
	}
	g = append(g, gemm{t, float64(m.Experts), h, 1})
	local := float64(m.Experts) / float64(c.j.Parallel.EP)
	mlp(t*float64(m.TopK)/local*c.j.MoEImbalance, float64(m.ExpertFFN)/tp, local)
	return g
}

// memoryBytes returns what the element-wise kernels of layer i move through
// HBM in a forward pass: two norms (read and write h each) and two dropouts
// with residual (read two, write one and a mask), which sequence parallelism
// splits; bias and activation function over the feed-forward width; reading and
// writing Q, K and V once for rotation or transposition.
func (c *coster) memoryBytes(i int) float64 {
	m := &c.j.Model
	t, e, tp := c.tokens(), c.e(), float64(c.j.Parallel.TP)
	h := float64(m.Hidden)
	outer := t * h * (4*e + 6*e + 2)
	if c.j.Parallel.SequenceParallel {
		outer /= tp
	}
	width := float64(m.FFN)
	if m.moe(i) {
		width = float64((m.TopK + m.SharedExperts) * m.ExpertFFN)
		outer += 4 * e * t * h * float64(m.TopK) // permute and unpermute
	}
	if m.Gated {
		width *= 1.5
	}
	inner := 2 * e * t * (width + float64(m.Heads+2*m.KVHeads)*float64(m.HeadDim))
	return outer + inner/tp
}

// core returns the attention core of one layer, forward.
func (c *coster) core() work {
	m := &c.j.Model
	tp, cp := float64(c.j.Parallel.TP), float64(c.j.Parallel.CP)
	f := m.coreFLOPs() * float64(c.j.Batch.Micro) / tp / cp
	if !c.j.UnfusedAttention {
		eff := c.g.Attention
		if eff == 0 {
			eff = 0.75 * c.g.Efficiency
		}
		// Fused kernels skip the masked half of the scores.
		return work{gemm: f / 2 / (c.peak2 * eff) * 1e12}
	}
	heads := float64(m.Heads) / tp * float64(c.j.Batch.Micro)
	s := float64(m.Seq)
	w := work{
		gemm: c.g.gemmTime(gemm{s / cp, s, float64(m.qk()), heads}, c.peak2, c.e()) +
			c.g.gemmTime(gemm{s / cp, float64(m.v()), s, heads}, c.peak2, c.e()),
		// Scale, mask and softmax in one kernel, dropout in another: each reads
		// and writes the scores, and dropout a mask of one byte.
		memory: c.g.memoryTime(heads * s * s / cp * (4*c.e() + 1)),
	}
	return w
}

// layer returns the forward, backward and weight-gradient passes of layer i.
// The backward holds everything unless split is set (zero-bubble), in which
// case the weight pass takes half of the matrix products.
func (c *coster) layer(i int, split bool) (f, b, w pass) {
	var lin work
	for _, g := range c.linear(i) {
		lin.gemm += c.g.gemmTime(g, c.peak, c.e())
	}
	lin.memory = c.g.memoryTime(c.memoryBytes(i))
	core := c.core()
	fwd := lin.gemm + lin.memory + core.gemm + core.memory
	// A matrix product has two in the backward; a fused attention core two and
	// a half, since it recomputes the scores (FlashAttention-2, section 3.1).
	coreBack := 2.0
	if !c.j.UnfusedAttention {
		coreBack = 2.5
	}
	dgrad := lin.gemm + 2*lin.memory + coreBack*core.gemm + 2*core.memory
	wgrad := lin.gemm

	f = pass{compute: toTime(fwd), launch: c.g.Launch, layers: 1}
	b = pass{compute: toTime(dgrad), launch: c.g.Launch, layers: 1}
	c.layerTensor(i, &f, 1)
	c.layerTensor(i, &b, 2)
	w = pass{compute: toTime(wgrad), launch: c.g.Launch}
	c.exchange(i, &f, 1)
	c.exchange(i, &b, 2)
	switch c.j.Recompute {
	case RecomputeFull:
		r := f
		r.layers = 0
		b.add(r)
	case RecomputeSelective:
		if c.j.UnfusedAttention {
			b.compute += toTime(core.gemm + core.memory)
		}
	}
	if !split {
		b.add(w)
		w = pass{}
	}
	return f, b, w
}

// layerTensor adds the tensor-parallel collectives of layer i: two all-reduces,
// or with sequence parallelism a gather before and a scatter after each half of
// the layer. With OverlapTP every such half all-reduce runs under the product
// next to it (and under its weight gradient in the backward: products = 2), in
// TP pieces, of which the first piece of communication cannot be hidden.
func (c *coster) layerTensor(i int, p *pass, products float64) {
	j := c.j
	if !j.Parallel.OverlapTP || j.Parallel.TP == 1 || c.tp.local == nil {
		c.tensor(p, 2)
		return
	}
	t := c.tp.local.time(allReduce, c.tp.n, j.boundaryTokens()) / 2
	g := c.linear(i)
	first, last := 0, len(g)-1
	mid := 1
	if j.Model.MLA.KVRank > 0 {
		mid = 3
	}
	for _, k := range [...]int{first, mid, last - 1, last} {
		hide := toTime(products * c.g.gemmTime(g[k], c.peak, c.e()))
		hidden := min(t-t/sim.Time(j.Parallel.TP), hide)
		p.tp += t - hidden
		// What is hidden takes SMs from the products that hide it.
		p.tp += toTime(float64(hidden) * j.SMContention / (1 - j.SMContention))
	}
}

// tensor adds n all-reduces (or their halves, with sequence parallelism) of
// one layer's activations to p, exposed.
func (c *coster) tensor(p *pass, n int) {
	if c.j.Parallel.TP == 1 {
		return
	}
	s := c.j.boundaryTokens()
	if c.tp.local == nil {
		p.tpNet += int64(n) * s
		return
	}
	p.tp += sim.Time(n) * c.tp.local.time(allReduce, c.tp.n, s)
}

// exchange adds the context- and expert-parallel bytes of layer i; the backward
// moves the keys' and values' gradients along too (times = 2).
func (c *coster) exchange(i int, p *pass, times int64) {
	m, par := &c.j.Model, &c.j.Parallel
	if par.CP > 1 {
		kv := int64(c.tokens()*c.e()) * 2 * int64(max(1, m.KVHeads/par.TP)) * int64(m.HeadDim)
		p.cpNet += times * kv * int64(par.CP-1)
	}
	if par.EP > 1 && m.moe(i) {
		// Dispatch and combine, of this tensor rank's share of the tokens.
		t := c.tokens() * float64(m.TopK) / float64(par.TP) * float64(m.Hidden) * c.e()
		p.epBytes += int64(2 * t * float64(par.EP-1) / float64(par.EP))
	}
}

// embedding returns the passes of the input embedding.
func (c *coster) embedding() (f, b pass) {
	bytes := 2 * c.tokens() * float64(c.j.Model.Hidden) * c.e()
	f = pass{compute: toTime(c.g.memoryTime(bytes)), launch: c.g.Launch}
	c.tensor(&f, 1)
	b = pass{compute: toTime(c.g.memoryTime(2 * bytes)), launch: c.g.Launch}
	return f, b
}

// The loss over vocabulary-parallel logits makes separate passes over them in
// fp32 (Megatron-LM, core/tensor_parallel/cross_entropy.py): copy to fp32 (2+4
// bytes), maximum (4), subtract (4+4), exponential (4+4), sum (4), divide (4+4)
// forward; subtract the target and scale (4+4), copy to 16 bits (4+2) backward.
const (
	lossForward  = 38
	lossBackward = 14
)

// head returns the passes of the output layer and the loss.
func (c *coster) head() (f, b pass) {
	m := &c.j.Model
	tp := float64(c.j.Parallel.TP)
	t, v := c.tokens(), float64(m.Vocab)/tp
	g := c.g.gemmTime(gemm{t, v, float64(m.Hidden), 1}, c.peak2, c.e())
	f = pass{compute: toTime(g + c.g.memoryTime(t*v*lossForward)), launch: c.g.Launch}
	b = pass{compute: toTime(2*g + c.g.memoryTime(t*v*lossBackward)), launch: 2 * c.g.Launch}
	c.tensor(&b, 1)
	return f, b
}

// gather is the time to put together an activation that came in shares.
func (c *coster) gather() sim.Time {
	p := &c.j.Parallel
	if !p.ScatterGather || p.SequenceParallel || p.TP == 1 || c.tp.local == nil {
		return 0
	}
	return c.tp.local.time(allGather, p.TP, int64(c.tokens()*float64(c.j.Model.Hidden)*c.e()))
}

// boundaryBytes is what each tensor-parallel rank sends to the next stage.
func (j *Job) boundaryBytes() int64 {
	n := int64(j.Batch.Micro) * int64(j.Model.Seq) / int64(j.Parallel.CP) * int64(j.Model.Hidden) * elementBytes(j.Precision)
	if j.Parallel.ScatterGather || j.Parallel.SequenceParallel {
		n = ceilDiv(n, int64(j.Parallel.TP))
	}
	return n
}
