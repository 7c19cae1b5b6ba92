package training

import (
	"fmt"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// cubeMesh is a node of eight V100s in two NVLink quads with one 100 Gb/s NIC.
// A ring over all eight uses six channels of one NVLink2 each (NCCL: 20 GB/s a
// link), a ring inside a quad four, and neighbours 0-1, 2-3, ... share one link
// (nvidia-smi topo -m: NV1).
//
// The NIC is on the PCIe switch of GPUs 2 and 3. What reaches it through the CPU
// is counted at 9 GB/s in NCCL 2.8.3, the version of these rows: PCIe 3.0 x16 at
// 12 GB/s with the 12/9 that a transfer between devices costs through an Intel
// root complex, and 9 GB/s between Skylake sockets (src/graph/topo.h,
// INTEL_P2P_OVERHEAD and SKL_QPI_WIDTH; the CPUs are Xeon Gold 5118).
func cubeMesh(name string, fit Params) *Platform {
	return &Platform{
		Name: name, GPU: v100(16), Ceiling: 0.9, PerNode: 8, NICs: 1, NIC: 100 * sim.Gbps, Path: rootComplex, Island: 4,
		Scaleup: workload.Scaleup{Alpha: 4 * sim.Microsecond, BusBW: 80 * gbs, P2P: 20 * gbs},
		Cross:   workload.Scaleup{Alpha: 4 * sim.Microsecond, BusBW: 120 * gbs, P2P: 20 * gbs},
		Free:    two, Fit: fit,
	}
}

const rootComplex = 9 * gbs

var (
	oneflowV100  = cubeMesh("v100-oneflow", Params{Efficiency: 0.8197, OverheadMS: 1})
	megatronV100 = cubeMesh("v100-megatron", Params{Efficiency: 0.9, OverheadMS: 70.8})
)

func v100Mesh() []Row {
	var rows []Row
	for _, r := range read("v100_mesh.csv") {
		for _, software := range []string{"oneflow", "megatron"} {
			hidden := r.int("hidden")
			pl := oneflowV100
			if software == "megatron" {
				pl = megatronV100
			}
			// OneFlow-GPT puts all of NCCL on the compute stream as soon as there
			// is tensor parallelism (oneflow_gpt/training.py, _init_config:
			// nccl_use_compute_stream).
			overlap := software == "oneflow" && r.int("tp") == 1
			rows = append(rows, Row{
				Family: V100Mesh, Name: r["case"] + " " + software, Role: role(r.int("gpus") <= 8), Metric: StepSeconds,
				Measured: r.float(software + "_s"), GPUs: r.int("gpus"), Platform: pl,
				Job: workload.Job{
					Name: "train", Precision: "fp16", Recompute: workload.RecomputeFull, UnfusedAttention: true, SkipMemoryCheck: true,
					Model: workload.Model{
						Name: "gpt", Layers: r.int("layers"), Hidden: hidden, Heads: hidden / 96, Vocab: 51200, Seq: 2048, Tied: true, LearnedPositions: true,
					},
					Parallel: workload.Parallel{TP: r.int("tp"), DP: r.int("dp"), OverlapGrad: overlap},
					Batch:    workload.Batch{Global: r.int("gbs"), Micro: r.int("micro")},
				},
			})
		}
	}
	return rows
}

var (
	dgx2 = &Platform{
		Name: "v100-dgx2-megatron-2020", GPU: v100(32), Ceiling: 0.9, PerNode: 16, NICs: 8, NIC: 100 * sim.Gbps,
		Scaleup: workload.Scaleup{Alpha: 4 * sim.Microsecond, BusBW: 120 * gbs, P2P: 130 * gbs}, Free: two, Fit: Params{Efficiency: 0.9, OverheadMS: 63.6},
	}
	dgxA100 = selene("a100-megatron-2020", Params{Efficiency: 0.7593, OverheadMS: 100})
)

func tpScaling() []Row {
	shapes := map[string][3]int{"1B": {1920, 15, 24}, "2B": {2304, 18, 30}, "4B": {3072, 24, 36}, "8B": {4096, 32, 42}}
	var rows []Row
	for _, r := range read("tp_scaling.csv") {
		s := shapes[r["case"]]
		pl := dgx2
		if r["system"] == "A100" {
			pl = dgxA100
		}
		tp, dp := r.int("tp"), r.int("dp")
		rows = append(rows, Row{
			Family: TPScaling, Name: fmt.Sprintf("%s %s tp%d dp%d", r["system"], r["case"], tp, dp), Role: role(r.int("gpus") <= 8),
			Metric: StepSeconds, Measured: r.float("iter_ms") / 1000, GPUs: r.int("gpus"), Platform: pl,
			Job: workload.Job{
				Name: "train", Precision: "fp16", Recompute: workload.RecomputeFull, UnfusedAttention: true, SkipMemoryCheck: true,
				Model: workload.Model{
					Name: r["case"], Hidden: s[0], Heads: s[1], Layers: s[2], Vocab: 51200, Seq: 1024, Tied: true, LearnedPositions: true,
				},
				Parallel: workload.Parallel{TP: tp, DP: dp},
				Batch:    workload.Batch{Global: r.int("batch"), Micro: r.int("batch") / dp},
			},
		})
	}
	return rows
}
