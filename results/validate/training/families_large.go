package training

import (
	"fmt"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

func mlperf() []Row {
	var rows []Row
	for _, r := range read("mlperf.csv") {
		tp, cp := r.int("tp"), r.int("cp")
		gpus := r.int("gpus")
		row := Row{
			Family: MLPerfGPT3, Name: fmt.Sprintf("%s %s %s on %d", r["version"], r["benchmark"], r["system"], gpus),
			Metric: StepSeconds, Measured: r.float("step_s"), GPUs: gpus, Platform: nemoH100,
			Job: workload.Job{
				Name: "train", Model: model("gpt3-175b"), Precision: "fp8", GradPrecision: "bf16",
				Parallel: workload.Parallel{
					TP: tp, PP: r.int("pp"), CP: cp, DP: gpus / (tp * r.int("pp") * cp), VirtualStages: r.int("vp"), SequenceParallel: true,
					ZeRO: 1, OverlapGrad: true, OverlapParam: true, OverlapP2P: true, OverlapTP: r["tp_overlap"] == "true", BucketBytes: 100 << 20,
				},
				Batch: workload.Batch{Global: r.int("gbs"), Micro: 1}, Recompute: workload.RecomputeNone, SkipMemoryCheck: true,
			},
		}
		row.Job.Model.Seq = r.int("seq")
		row.Role = role(r["version"] == "v3.1" && gpus == 512)
		switch r["version"] {
		case "v3.0":
			row.Family = MLPerfOld
		case "v5.0":
			row.Family, row.Platform, row.Job.Model = MLPerf405B, nemo25H100, model("llama3.1-405b")
			row.Role = role(gpus == 512)
			row.Job.Parallel.StageLayers = ends(126, r.int("pp")*r.int("vp"))
			if r["gpu"] == "gb200" {
				row.Platform = gb200
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// ends spreads layers over chunks with one fewer in the first and the last, as
// NeMo does for Llama 3.1 405B (126 = 128 - 2).
func ends(layers, chunks int) []int {
	l := make([]int, chunks)
	for i := range l {
		l[i] = (layers + 2) / chunks
	}
	l[0]--
	l[chunks-1]--
	return l
}

// gb200 is an NVL72 rack: 4 GPUs a node, 72 an NVLink domain.
var gb200 = &Platform{
	Name: "gb200-nemo-fp8-2025",
	GPU: workload.GPUType{
		Name: "gb200", Peak: map[string]float64{"bf16": 2500e12, "fp8": 5000e12}, Memory: 186 << 30, MemoryBW: 8000 * gbs, SMs: 148,
	},
	Ceiling: 0.763, PerNode: 4, NICs: 4, NIC: 400 * sim.Gbps, Island: 64,
	Scaleup: workload.Scaleup{Alpha: 3 * sim.Microsecond, BusBW: 700 * gbs, P2P: 746 * gbs}, Free: one, Fit: Params{Efficiency: 0.4647},
}

func llama3() []Row {
	var rows []Row
	for _, r := range read("llama3.csv") {
		m := model("llama3.1-405b")
		m.Seq = r.int("seq")
		pp, dp := r.int("pp"), r.int("dp")
		v := 8 // one layer a chunk, none in the first and last: the paper's layout
		rows = append(rows, Row{
			Family: Llama3, Name: fmt.Sprintf("%s GPUs, sequence %s", r["gpus"], r["seq"]), Role: Predict, Metric: CausalTFLOPs,
			Measured: r.float("tflops"), GPUs: r.int("gpus"), Platform: mcoreH100,
			Job: workload.Job{
				Name: "train", Model: m, Precision: "bf16", GradPrecision: "fp32", SkipMemoryCheck: true,
				Parallel: workload.Parallel{
					TP: r.int("tp"), PP: pp, CP: r.int("cp"), DP: dp, VirtualStages: v, SequenceParallel: true, ZeRO: 1,
					OverlapGrad: true, OverlapParam: true, OverlapP2P: true, BucketBytes: 160 << 20, StageLayers: ends(126, pp*v),
				},
				Batch: workload.Batch{Global: r.int("batch_per_dp") * dp, Micro: 1},
			},
		})
	}
	return rows
}

func fsdp() []Row {
	var rows []Row
	for _, r := range read("fsdp.csv") {
		gpus := r.int("gpus")
		pl := fsdpPlatforms[r["gpu"]]
		j := workload.Job{
			Name: "train", Model: model("mpt-" + r["model"]), Precision: "bf16", Recompute: workload.RecomputeNone, SkipMemoryCheck: true,
			Parallel: workload.Parallel{DP: gpus, FSDP: true, Prefetch: 1},
			Batch:    workload.Batch{Global: r.int("micro") * r.int("accum") * gpus, Micro: r.int("micro")},
		}
		j.Model.Seq = r.int("seq")
		if r["checkpoint"] == "true" {
			j.Recompute = workload.RecomputeFull
		}
		if r["precision"] == "amp_bf16" { // parameters and gradients stay fp32, gathered in bf16
			j.GradPrecision = "fp32"
		}
		rows = append(rows, Row{
			Family: FSDP, Name: fmt.Sprintf("%s seq %s on %d %s", r["model"], r["seq"], gpus, r["gpu"]), Role: role(gpus <= 8),
			Metric: MFU, Measured: r.float("mfu"), GPUs: gpus, Platform: pl, Job: j,
		})
	}
	return rows
}

var fsdpPlatforms = map[string]*Platform{
	"h10080gb": free(eos("h100-mpt-fsdp", 0.803, Params{Efficiency: 0.6027, OverheadMS: 81.5, Attention: 0.186}), three),
	"a10080gb": fsdpA100("a100-80-mpt-fsdp", a100(80, 2039*gbs), Params{Efficiency: 0.7469, OverheadMS: 5.3, Attention: 0.329}),
	"a10040gb": fsdpA100("a100-40-mpt-fsdp", a100(40, 1555*gbs), Params{Efficiency: 0.7177, Attention: 0.33}),
}

// 1600 Gb/s a node of RoCE.
func fsdpA100(name string, g workload.GPUType, fit Params) *Platform {
	return &Platform{
		Name: name, GPU: g, Ceiling: 0.869, PerNode: 8, NICs: 8, NIC: 200 * sim.Gbps, Scaleup: nvlink3, Free: three, Fit: fit,
	}
}
