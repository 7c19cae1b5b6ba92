package training

import (
	"fmt"
	"strings"

	"github.com/simnet/simnet/workload"
)

// The families, in the order of the table.
const (
	SC21Weak   = "sc21-weak"
	SC21PTD    = "sc21-ptd"
	SC21ZeRO3  = "sc21-zero3"
	SeqPar     = "seqpar"
	MCoreWeak  = "mcore-weak"
	MLPerfGPT3 = "mlperf-gpt3-v3.1"
	MLPerfOld  = "mlperf-gpt3-v3.0"
	MLPerf405B = "mlperf-405b"
	Llama3     = "llama3-405b"
	FSDP       = "fsdp"
	V100Mesh   = "v100-mesh"
	TPScaling  = "tp-scaling"
)

// Rows returns every row, family by family, in the order of the files.
func Rows() []Row {
	var rows []Row
	for _, f := range []func() []Row{sc21Weak, sc21Table2, seqPar, mcoreWeak, mlperf, llama3, fsdp, v100Mesh, tpScaling} {
		rows = append(rows, f()...)
	}
	return rows
}

var (
	megatronA100 = selene("a100-megatron-2021", Params{Efficiency: 0.742})
	zeroA100     = megatronA100
	seqparA100   = free(selene("a100-megatron-2022", Params{Efficiency: 0.7846}), one)
	mcoreH100    = eos("h100-mcore-bf16", 0.803, Params{Efficiency: 0.6154, OverheadMS: 61.3})
	nemoH100     = free(eos("h100-nemo-fp8-2023", 0.709, Params{Efficiency: 0.5244}), one)
	nemo25H100   = free(eos("h100-nemo-fp8-2025", 0.709, Params{Efficiency: 0.5579}), one)
)

func sc21Weak() []Row {
	var rows []Row
	for _, r := range read("sc21_weak.csv") {
		rows = append(rows, Row{
			Family: SC21Weak, Name: fmt.Sprintf("%s on %s", r["model"], r["gpus"]), Role: role(r.int("gpus") <= 256),
			Metric: HardwareTFLOPs, Measured: r.float("tflops"), GPUs: r.int("gpus"), Platform: megatronA100,
			Micro: []int{1, 2, 4, 8, 16},
			Job: workload.Job{
				Name: "train", Model: model("megatron-" + strings.ToLower(r["model"])), Precision: "fp16", Recompute: workload.RecomputeFull,
				Parallel: workload.Parallel{TP: r.int("tp"), PP: r.int("pp"), DP: r.int("dp"), ScatterGather: true},
				Batch:    workload.Batch{Global: r.int("batch"), Micro: 1}, UnfusedAttention: true,
			},
		})
	}
	return rows
}

func sc21Table2() []Row {
	var rows []Row
	for _, r := range read("sc21_zero3.csv") {
		m := model("gpt3-175b")
		pp := 12
		if r["params_b"] == "529.6" {
			m, pp = model("megatron-530b"), 35
		}
		row := Row{
			Family: SC21PTD, Name: fmt.Sprintf("%s %sB on %s", r["scheme"], r["params_b"], r["gpus"]), Role: Predict,
			Metric: HardwareTFLOPs, Measured: r.float("tflops"), GPUs: r.int("gpus"), Platform: megatronA100,
			Job: workload.Job{
				Name: "train", Model: m, Precision: "fp16", Recompute: workload.RecomputeFull, UnfusedAttention: true,
				Parallel: workload.Parallel{TP: 8, PP: pp, DP: r.int("gpus") / r.int("model_parallel"), ScatterGather: true},
				Batch:    workload.Batch{Global: r.int("batch"), Micro: r.int("micro")},
			},
		}
		if r["scheme"] == "ZeRO-3" {
			row.Family, row.Platform = SC21ZeRO3, zeroA100
			row.Job.Parallel, row.Job.Transport = zero3(m, r.int("gpus"))
			row.Job.SkipMemoryCheck = true
		}
		rows = append(rows, row)
	}
	return rows
}

func seqPar() []Row {
	var rows []Row
	for _, r := range read("seqpar.csv") {
		for _, with := range []bool{false, true} {
			j := workload.Job{
				Name: "train", Precision: "fp16", Recompute: workload.RecomputeFull, UnfusedAttention: true,
				Model: workload.Model{
					Name: r["model"], Layers: r.int("layers"), Hidden: r.int("hidden"), Heads: r.int("heads"), Vocab: 51200, Seq: 2048,
					Tied: true, LearnedPositions: true,
				},
				Parallel: workload.Parallel{TP: r.int("tp"), PP: r.int("pp"), VirtualStages: r.int("vp"), ScatterGather: true},
				Batch:    workload.Batch{Global: r.int("batch"), Micro: r.int("micro")},
			}
			row := Row{
				Family: SeqPar, Name: r["model"] + " full recomputation", Role: role(r["model"] == "22B"), Metric: StepSeconds,
				Measured: r.float("full_s"), GPUs: r.int("gpus"), Platform: seqparA100, Job: j,
			}
			if with {
				row.Name, row.Measured = r["model"]+" sequence parallel, selective", r.float("seqpar_s")
				row.Job.Recompute, row.Job.Parallel.SequenceParallel, row.Job.Parallel.ScatterGather = workload.RecomputeSelective, true, false
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func mcoreWeak() []Row {
	var rows []Row
	for _, r := range read("mcore_weak.csv") {
		tp := r.int("tp")
		rows = append(rows, Row{
			Family: MCoreWeak, Name: fmt.Sprintf("%s on %s", r["model"], r["gpus"]), Role: role(r.int("gpus") <= 192), Metric: ModelTFLOPs,
			Measured: r.float("tflops"), GPUs: r.int("gpus"), Platform: mcoreH100, Micro: []int{1, 2, 4}, Virtual: oneLayer(r.int("layers"), r.int("pp")),
			Job: workload.Job{
				Name: "train", Model: model("mcore-" + strings.ToLower(r["model"])), Precision: "bf16", GradPrecision: "fp32",
				Parallel: workload.Parallel{
					TP: tp, PP: r.int("pp"), DP: r.int("dp"), SequenceParallel: tp > 1, ZeRO: 1, OverlapGrad: true, OverlapParam: true,
					OverlapP2P: true, OverlapTP: true, BucketBytes: 160 << 20,
				},
				Batch: workload.Batch{Global: r.int("batch"), Micro: 1},
			},
		})
	}
	return rows
}

// oneLayer returns the virtual stages of a pipeline whose chunks have one layer
// each, as in NVIDIA's MLPerf submissions of the time.
func oneLayer(layers, pp int) []int {
	if pp == 1 {
		return nil
	}
	return []int{layers / pp}
}

// free sets the keys that a platform's fit may move.
func free(pl *Platform, keys []Key) *Platform {
	pl.Free = keys
	return pl
}
