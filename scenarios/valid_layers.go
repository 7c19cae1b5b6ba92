package scenarios

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/simnet/simnet/scenarios/importer"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/trace"
)

// layers reads a SimAI workload.
func (c *validation) layers(j *JobSpec, tr workload.Transport, free []bool) *ValidTrace {
	t := j.Trace
	l := &trace.Layers{Name: j.Name.V, Transport: tr, Repeat: c.s.Run.Steps.V}
	n := len(c.errs)
	if t.Files.Set() {
		c.layerFiles(j, l)
	} else {
		if j.Parallel == nil {
			c.errs.add(j.At, "", "trace: format simai needs key %q beside it", "parallel")
			return nil
		}
		c.layerRows(t, l)
	}
	if len(c.errs) > n {
		return nil
	}
	p := j.Parallel
	for _, k := range keysOf(reflect.TypeFor[ParallelSpec]()) {
		if slices.Contains([]string{"tp", "pp", "dp", "ep"}, k) {
			continue
		}
		if at := fieldAt(p, k, Origin{}); at.Kind >= FromFile {
			c.errs.add(at, "", "parallel: %s has no meaning for a trace", k)
		} else {
			forget(p, k)
		}
	}
	for _, d := range []*Val[int]{&p.TP, &p.PP, &p.EP} {
		def(d, 1)
	}
	p.takeRest(free)
	def(&t.MicroBatches, 1)
	l.MicroBatches, l.PPBytes = t.MicroBatches.V, int64(t.PPBytes.V)
	l.Parallel = workload.Parallel{TP: p.TP.V, PP: p.PP.V, DP: p.DP.V, EP: p.EP.V}
	if p.DP.V%p.EP.V != 0 {
		c.errs.add(p.EP.From, "", "parallel: ep %d does not divide dp %d", p.EP.V, p.DP.V)
	}
	if len(c.errs) > n {
		return nil
	}
	at := p.At
	if !p.Written {
		at = t.At
	}
	need := p.TP.V * p.PP.V * p.DP.V
	if l.GPUs = c.take(j, at, fmt.Sprintf("parallel: tp*pp*dp = %d*%d*%d needs", p.TP.V, p.PP.V, p.DP.V), need, free); l.GPUs == nil {
		return nil
	}
	player, err := trace.NewLayers(sim.NewKernel(), nil, &c.v.Cluster, *l)
	if err != nil {
		c.errs.add(t.At, "", "trace: %v", err)
		return nil
	}
	if p.PP.V > 1 && !player.Scheduled() {
		c.warn(t.At, "no %d runs of the layers have the same names, so micro-batches cannot be told apart and the pipeline is SimAI's analytical bubble, not a schedule", t.MicroBatches.V)
	}
	return &ValidTrace{Layers: l}
}

// layerFiles reads layers, and the parallel sizes they were made for, from a
// SimAI workload.
func (c *validation) layerFiles(j *JobSpec, l *trace.Layers) {
	t := j.Trace
	r := c.importTrace(t)
	a, ok := r.(*importer.SimAI)
	if !ok {
		return
	}
	w := a.Workload
	if w == nil {
		c.errs.add(t.Files.From, "", "files: %s holds a topology and no workload", t.Files.V[0])
		return
	}
	from := Origin{Kind: FromPreset, Name: filepath.Base(t.Files.V[0])}
	if j.Parallel == nil {
		j.Parallel = &ParallelSpec{}
	}
	p := j.Parallel
	for _, d := range []struct {
		key  string
		val  *Val[int]
		file int64
	}{{"tp", &p.TP, w.TP}, {"pp", &p.PP, w.PP}, {"ep", &p.EP, w.EP}, {"dp", &p.DP, w.GPUs / (w.TP * w.PP)}, {"micro_batches", &t.MicroBatches, w.GA}} {
		if d.val.From.Kind >= FromFile && d.val.V != int(d.file) {
			c.errs.add(d.val.From, intText(int(d.file)), "trace: %s is %d, but %s was made for %d", d.key, d.val.V, from.Name, d.file)
		} else if d.val.From.Kind < FromFile {
			*d.val = Val[int]{int(d.file), from}
		}
	}
	if w.PPBytes > 0 && !t.PPBytes.Set() {
		t.PPBytes = Val[Bytes]{Bytes(w.PPBytes), from}
	}
	if len(w.Checkpoint)+len(w.Initiate) > 0 {
		c.warn(t.Files.From, "the file's checkpoints are not played: nothing is computed again in the backward pass")
	}
	for i := range w.Rows {
		x := &w.Rows[i]
		phase := func(p importer.SimAIPhase) trace.Phase {
			return trace.Phase{Time: sim.Time(p.Nanos) * sim.Nanosecond, Collective: workload.Collective(p.Collective), Group: p.Group, Bytes: p.Bytes}
		}
		l.Rows = append(l.Rows, trace.Row{Name: x.Name, Forward: phase(x.Forward), InputGrad: phase(x.InputG), WeightGrad: phase(x.WeightG), Update: sim.Time(x.UpdateNs) * sim.Nanosecond})
	}
}

// layerRows reads the inline list.
func (c *validation) layerRows(t *TraceSpec, l *trace.Layers) {
	phase := func(p *TracePhaseSpec, where string) trace.Phase {
		if p.Collective.Set() {
			c.need(&p.Section, "layers: "+where, "group", p.Group.Set())
			if p.Collective.V != "barrier" {
				c.need(&p.Section, "layers: "+where, "bytes", p.Bytes.Set())
			}
		} else if p.Bytes.Set() || p.Group.Set() {
			c.errs.add(p.At, "", "layers: %s has bytes or a group, but no collective", where)
		}
		return trace.Phase{Time: p.Time.V, Collective: workload.Collective(p.Collective.V), Group: p.Group.V, Bytes: int64(p.Bytes.V)}
	}
	for i := range t.Layers {
		x := &t.Layers[i]
		l.Rows = append(l.Rows, trace.Row{Name: x.Name.V, Forward: phase(&x.Forward, "forward"), InputGrad: phase(&x.InputGrad, "input_grad"),
			WeightGrad: phase(&x.WeightGrad, "weight_grad"), Update: x.Update.V})
	}
}
