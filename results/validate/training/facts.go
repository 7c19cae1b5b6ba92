package training

import (
	"fmt"

	"github.com/simnet/simnet/workload"
)

// Fact is a statement in the text of SC21 (arXiv:2104.04473, section 5) about
// the shape of a curve, and what the model makes of it.
type Fact struct {
	Statement string
	Predicted string
	Holds     bool
}

// Facts runs the jobs behind the statements.
func Facts() ([]Fact, error) {
	var out []Fact
	for _, f := range []func() (Fact, error){scatterGather, interleavedGain, bestTensor, bestMicro, pipelineCost, recomputeCost} {
		x, err := f()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Statement, err)
		}
		out = append(out, x)
	}
	return out, nil
}

// rate returns the sequences a second of a job on Selene.
func rate(m workload.Model, p workload.Parallel, global, micro int, r workload.Recompute) (float64, error) {
	j := workload.Job{
		Name: "train", Model: m, Parallel: p, Batch: workload.Batch{Global: global, Micro: micro}, Precision: "fp16", Recompute: r,
		UnfusedAttention: true, SkipMemoryCheck: true,
	}
	row := Row{Name: m.Name, Platform: megatronA100, GPUs: j.GPUs(), Job: j}
	res, err := row.runOnce(j, row.Platform.Fit)
	if err != nil {
		return 0, err
	}
	return float64(global) / res.Steps[0].Seconds(), nil
}

func shape(layers, hidden, heads int) workload.Model {
	return workload.Model{Name: "gpt", Layers: layers, Hidden: hidden, Heads: heads, Vocab: 51200, Seq: 2048, Tied: true, LearnedPositions: true}
}

func scatterGather() (Fact, error) {
	f := Fact{Statement: "scatter/gather gains up to 11 % with the interleaved schedule (175B, 96 GPUs, figure 18)"}
	best := 0.0
	for _, batch := range []int{12, 24, 36, 48, 60} {
		p := workload.Parallel{TP: 8, PP: 12, VirtualStages: 2}
		without, err := rate(model("gpt3-175b"), p, batch, 1, workload.RecomputeFull)
		if err != nil {
			return f, err
		}
		p.ScatterGather = true
		with, err := rate(model("gpt3-175b"), p, batch, 1, workload.RecomputeFull)
		if err != nil {
			return f, err
		}
		best = max(best, with/without-1)
	}
	f.Predicted = fmt.Sprintf("up to %.1f %%", 100*best)
	f.Holds = best > .02 && best < .22
	return f, nil
}

func interleavedGain() (Fact, error) {
	f := Fact{Statement: "the interleaved schedule gains 10 % or more at a small batch and less as it grows (175B, 96 GPUs, figure 12)"}
	var gain []float64
	for _, batch := range []int{12, 60} {
		var r [2]float64
		for i, v := range []int{1, 2} {
			var err error
			if r[i], err = rate(model("gpt3-175b"), workload.Parallel{TP: 8, PP: 12, VirtualStages: v, ScatterGather: true}, batch, 1, workload.RecomputeFull); err != nil {
				return f, err
			}
		}
		gain = append(gain, r[1]/r[0]-1)
	}
	f.Predicted = fmt.Sprintf("%.0f %% at batch 12, %.0f %% at 60", 100*gain[0], 100*gain[1])
	f.Holds = gain[0] >= .10 && gain[1] < gain[0]
	return f, nil
}

func bestTensor() (Fact, error) {
	f := Fact{Statement: "of tensor- against pipeline-parallel sizes on 64 GPUs, TP = 8 is best (162B, figure 13)"}
	return f.best("TP", 8, []int{32, 128}, []int{2, 4, 8, 16, 32}, func(batch, tp int) (float64, error) {
		return rate(shape(32, 20480, 128), workload.Parallel{TP: tp, PP: 64 / tp}, batch, 1, workload.RecomputeFull)
	})
}

func bestMicro() (Fact, error) {
	f := Fact{Statement: "a micro-batch of 2 is best (91B, TP 8, PP 8 on 64 GPUs, figure 16)"}
	// 91B: 72 layers of width 10240.
	return f.best("micro-batch", 2, []int{128, 512}, []int{1, 2, 4, 8}, func(batch, b int) (float64, error) {
		return rate(shape(72, 10240, 80), workload.Parallel{TP: 8, PP: 8}, batch, b, workload.RecomputeFull)
	})
}

// best fills in f: which of values the model finds fastest at each batch size,
// and by how much it beats the measured one where that is another.
func (f Fact) best(what string, measured int, batches, values []int, run func(batch, value int) (float64, error)) (Fact, error) {
	f.Holds = true
	for i, batch := range batches {
		top, at, reference := 0.0, 0, 0.0
		for _, v := range values {
			r, err := run(batch, v)
			if err != nil {
				return f, err
			}
			if r > top {
				top, at = r, v
			}
			if v == measured {
				reference = r
			}
		}
		if i > 0 {
			f.Predicted += "; "
		}
		f.Predicted += fmt.Sprintf("%s %d at batch %d", what, at, batch)
		if at != measured {
			f.Holds = false
			f.Predicted += fmt.Sprintf(" (by %.1f %%)", 100*(top/reference-1))
		}
	}
	return f, nil
}

func pipelineCost() (Fact, error) {
	f := Fact{Statement: "with data parallelism instead, throughput falls as the pipeline grows (5.9B on 64 GPUs, figure 14)"}
	last := 0.0
	f.Holds = true
	for _, pp := range []int{2, 4, 8, 16, 32} {
		r, err := rate(shape(32, 3840, 32), workload.Parallel{PP: pp, DP: 64 / pp}, 512, 1, workload.RecomputeFull)
		if err != nil {
			return f, err
		}
		if last > 0 && r >= last {
			f.Holds = false
		}
		last = r
		if f.Predicted != "" {
			f.Predicted += ", "
		}
		f.Predicted += fmt.Sprintf("PP %d: %.1f/s", pp, r)
	}
	return f, nil
}

func recomputeCost() (Fact, error) {
	f := Fact{Statement: "recomputing activations costs up to 33 % of throughput where the batch is small enough to do without (145B, 128 GPUs, figure 17)"}
	p := workload.Parallel{TP: 8, PP: 16}
	with, err := rate(model("megatron-145b"), p, 2, 1, workload.RecomputeFull)
	if err != nil {
		return f, err
	}
	without, err := rate(model("megatron-145b"), p, 2, 1, workload.RecomputeNone)
	if err != nil {
		return f, err
	}
	cost := 1 - with/without
	f.Predicted = fmt.Sprintf("%.0f %%", 100*cost)
	f.Holds = cost > .20 && cost < .36
	return f, nil
}
