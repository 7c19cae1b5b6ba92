package workload

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// GPU is one accelerator as the workload sees it.
type GPU struct {
	Node  int32         // index of the compute node
	Local int16         // index within the node
	NIC   fabric.NodeID // host of the network graph that carries its traffic
	// Island is the NVLink domain: collectives inside one island do not cross
	// the network graph. Unique over the cluster.
	Island int32
	Type   int16 // index into Cluster.Types
}

// GPUType is a model of accelerator.
type GPUType struct {
	Name string
	// Peak dense FLOP/s by precision: "bf16", "fp16", "fp8", "fp32", "tf32".
	Peak     map[string]float64
	Memory   int64    // bytes
	MemoryBW sim.Rate // bit/s, of HBM
	// Efficiency is the fraction of peak that large matrix products reach,
	// 0 to 1; calibrated per type and software, see docs/validation.md.
	Efficiency float64
	// Launch is the fixed cost of one layer's kernels beyond their FLOPs.
	Launch sim.Time
}

// Scaleup describes communication inside an island by α-β: a collective of n
// ranks over S bytes takes Alpha*steps + wire bytes / BusBW.
type Scaleup struct {
	Alpha sim.Time // per algorithm step
	BusBW sim.Rate // bit/s per GPU and direction that collectives reach
	// P2P is what a single send/recv pair reaches, bit/s.
	P2P sim.Rate
}

// Cluster is the machine that jobs run on.
type Cluster struct {
	GPUs    []GPU // in physical order: node by node
	Types   []GPUType
	Scaleup Scaleup
	// HostOverhead is the time from a collective's or a transfer's issue to the
	// first byte at the NIC (proxy thread, doorbell), added once a message.
	HostOverhead sim.Time
}
