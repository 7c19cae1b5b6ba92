package workload

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// defaultBucket is the bucket of PyTorch's DistributedDataParallel
// (bucket_cap_mb=25).
const defaultBucket = 25 << 20

// gradBytes returns what n gradients are on the wire.
func (j *Job) gradBytes(n int64) int64 {
	switch j.Compression.Kind {
	case "fp8", "int8":
		return n
	case "topk":
		return max(1, int64(float64(n)*j.Compression.Ratio*float64(elementBytes(j.GradPrecision)+4)))
	}
	return n * elementBytes(j.GradPrecision)
}

// bucketCounts returns into how many buckets each chunk's gradients are cut.
func (t *Training) bucketCounts(s int, params int64) []int64 {
	p := &t.j.Parallel
	size := p.BucketBytes
	if size == 0 {
		size = defaultBucket
	}
	n := make([]int64, p.VirtualStages)
	for v := range n {
		n[v] = max(1, t.j.gradBytes(params/int64(len(n)))/size)
	}
	return n
}

// replicated reports whether gradients are reduced at all.
func (r *replica) replicated() bool {
	p := &r.t.j.Parallel
	return p.DP*p.CP > 1
}

// collective issues an operation over the stage's replicas on num/den of its
// parameters, bytes giving the buffer of a number of parameters.
func (r *replica) collective(k collKind, num, den int64, bytes func(int64) int64, label string) *sim.Event {
	st := r.st
	r.ops++
	op := st.queue.join(r.ops-1, func(done *sim.Event) {
		dense, expert := bytes(ceilDiv(st.common*num, den)), int64(0)
		if st.experts > 0 {
			expert = bytes(ceilDiv(st.experts*num, den))
		}
		r.t.moveGroups(st, k, dense, expert, label, r.copied(dense+expert, done))
	})
	return &op.done
}

// moveGroups runs one collective in every group of a stage at once.
func (t *Training) moveGroups(st *stage, k collKind, dense, expert int64, label string, done *sim.Event) {
	var flows []fabric.Flow
	var local sim.Time
	done.Expect(1)
	hierarchical := t.j.Parallel.Hierarchical
	var phase sim.Time // inside the domains, before and after the rings
	add := func(plans []groupPlan, s int64) {
		for i := range plans {
			pl := &plans[i]
			switch {
			case pl.n == 1 || s == 0:
			case pl.local != nil:
				local = max(local, pl.local.time(k, pl.n, s))
			case k == allReduce && t.j.Transport.Algorithm == "tree":
				flows = t.tree(flows, pl, s, label, nil)
			case hierarchical && pl.inner > 1:
				phase = max(phase, pl.insideTime(reduceScatter, s))
				flows = t.ring(flows, pl, k, s, true, label, nil)
			default:
				flows = t.ring(flows, pl, k, s, false, label, nil)
			}
		}
	}
	add(st.dense, dense)
	add(st.expert, expert)
	t.k.After(local, func() { done.Arrive(t.k) })
	if len(flows) == 0 {
		return
	}
	if phase == 0 {
		for i := range flows {
			flows[i].Done = done
		}
		t.start(flows, done)
		return
	}
	done.Expect(1)
	rings := sim.NewEvent(len(flows))
	for i := range flows {
		flows[i].Done = rings
	}
	before, after := phase, phase
	switch k {
	case reduceScatter:
		after = 0
	case allGather:
		before = 0
	}
	t.k.After(before, func() { t.net.StartGroup(flows) })
	rings.Then(t.k, func() {
		t.k.After(after, func() { done.Arrive(t.k) })
	})
}

// issue lets the host issue the reduction of num/den of the stage's gradients.
func (r *replica) issue(p *sim.Proc, num, den int64) *sim.Event {
	t := &r.t.j.Transport
	r.host(p, r.each(t.RankOverhead+t.RankCopy))
	return r.reduce(num, den)
}

// reduce starts the reduction of num/den of the stage's gradients.
func (r *replica) reduce(num, den int64) *sim.Event {
	if r.t.j.Parallel.ZeRO >= 1 {
		return r.collective(reduceScatter, num, den, r.t.j.gradBytes, "dp_reduce_scatter")
	}
	return r.collective(allReduce, num, den, r.t.j.gradBytes, "dp_all_reduce")
}

// overlapped runs the last backward of a chunk in as many pieces as it has
// buckets and issues each bucket's reduction as soon as it is full. While a
// reduction moves, its kernels take SMs away from the computation.
func (r *replica) overlapped(p *sim.Proc, chunk int, total sim.Time) {
	n := r.st.buckets[chunk]
	if !r.replicated() {
		r.sleep(p, total)
		return
	}
	for i := range n {
		piece := total*sim.Time(i+1)/sim.Time(n) - total*sim.Time(i)/sim.Time(n)
		r.sleep(p, piece)
		r.contend(p, piece)
		r.lastOp = r.issue(p, 1, n*int64(len(r.st.buckets)))
	}
}

// contend lets the time pass that a computation of length d loses to a
// collective of the stage that moves meanwhile: its kernels occupy SMs.
func (r *replica) contend(p *sim.Proc, d sim.Time) {
	if c := r.t.j.SMContention; c > 0 && r.st.queue.busy() {
		slow := toTime(float64(d) * c / (1 - c))
		r.sleep(p, slow)
		r.now.DPCommExposed += slow
	}
}

// reduceRest reduces what the backward pass has not started to, and waits.
func (r *replica) reduceRest(p *sim.Proc) {
	if !r.replicated() {
		return
	}
	t0 := p.Now()
	if r.lastOp == nil {
		if d := r.compress(); d > 0 {
			r.sleep(p, d)
			r.now.Compute += d
		}
		r.lastOp = r.issue(p, 1, 1)
	}
	r.wait(p, r.lastOp, &r.now.DPCommExposed)
	r.lastOp = nil
	r.span(SpanDP, -1, t0, p.Now())
}

// compress is the time to encode and decode compressed gradients: each reads
// and writes them once in their full precision; a top-k selection reads them
// twice more (threshold search and compaction).
func (r *replica) compress() sim.Time {
	passes := map[string]float64{"fp8": 4, "int8": 4, "topk": 6}[r.t.j.Compression.Kind]
	n := float64((r.st.common + r.st.experts) * elementBytes(r.t.j.GradPrecision))
	return toTime(r.t.slowest(r.s, r.d).memoryTime(passes * n))
}

// reduceEmbedding sums the gradients of tied embeddings between the first and
// the last stage. The wait for the other stage counts as pipeline time.
func (r *replica) reduceEmbedding(p *sim.Proc) {
	t := r.t
	last := t.j.Parallel.PP - 1
	if t.embed == nil || r.s != 0 && r.s != last {
		return
	}
	first, other := t.replica(0, r.d), t.replica(last, r.d)
	t0 := p.Now()
	r.embedOps++
	op := t.embed[r.d].join(r.embedOps-1, func(done *sim.Event) {
		// A ring over two ranks sends the whole buffer each way. The hops were
		// checked when the replicas were made.
		s := t.j.gradBytes(ceilDiv(t.j.Model.embeddingParams(), int64(t.j.Parallel.TP)))
		there, _ := t.hopTo(first, last, r.d)
		back, _ := t.hopTo(other, 0, r.d)
		t.send(&there, s, "embedding_all_reduce", done)
		t.send(&back, s, "embedding_all_reduce", done)
	})
	var all sim.Time
	r.wait(p, &op.done, &all)
	r.span(SpanDP, -1, t0, p.Now())
	moved := min(all, p.Now()-op.began)
	r.now.DPCommExposed += moved
	r.waited += all - moved
}

// optimizer returns the time of the parameter update. It streams what a rank
// updates through HBM: gradients (twice, for their norm first), master copy and
// moments. The whole shard of the model costs clearing its gradients, and with
// fp8 the cast of its weights and of their transposes.
func (r *replica) optimizer() sim.Time {
	j := &r.t.j
	n := r.st.common + r.st.experts
	whole := n * elementBytes(j.GradPrecision)
	if j.Precision == "fp8" {
		whole += n * 4
	}
	if j.Parallel.ZeRO >= 1 {
		n = ceilDiv(n, int64(j.Parallel.DP*j.Parallel.CP))
	}
	if j.Parallel.ZeRO >= 2 {
		whole = 0 // gradients exist as shards alone
	}
	state := int64(24) // read and write master copy and two moments, fp32
	if j.Optimizer == "sgd" {
		state = 16
	}
	bytes := whole + n*(state+2*elementBytes(j.GradPrecision)+elementBytes(j.Precision))
	return toTime(r.t.slowest(r.s, r.d).memoryTime(float64(bytes)))
}
