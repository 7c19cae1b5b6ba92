package workload

import (
	"fmt"

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
	// Launch is the fixed cost of one layer's kernels beyond their FLOPs, for
	// a forward pass; a backward costs it twice.
	Launch sim.Time
	// SMs is the number of streaming multiprocessors, which a matrix product's
	// tiles fill in waves; 0 leaves that loss out.
	SMs int
	// Attention is the fraction of peak that a fused attention core reaches;
	// 0 means 0.75 of Efficiency (FlashAttention-2, arXiv:2307.08691, section
	// 4.1: 50 to 73 % of an A100's peak, where GEMMs reach 80 to 90 %).
	Attention float64
}

// Scaleup describes communication inside an island by α-β: a collective of n
// ranks over S bytes takes Alpha*steps + wire bytes / BusBW.
type Scaleup struct {
	Alpha sim.Time // per algorithm step
	BusBW sim.Rate // bit/s per GPU and direction that collectives reach
	// P2P is what a single send/recv pair reaches, bit/s.
	P2P sim.Rate
	// Use, if not nil, notes which of these a run has asked for.
	Use *ScaleupUse
}

// ScaleupUse says which parts of a Scaleup have entered a result. Jobs of one
// kernel share it; it is not safe for concurrent use.
type ScaleupUse struct {
	Alpha, BusBW, P2P bool
}

// busBW is the bus bandwidth, noted as used.
func (su *Scaleup) busBW() sim.Rate {
	if su.Use != nil {
		su.Use.BusBW = true
	}
	return su.BusBW
}

// p2p is the bandwidth of one pair, noted as used.
func (su *Scaleup) p2p() sim.Rate {
	if su.Use != nil {
		su.Use.P2P = true
	}
	return su.P2P
}

// alpha is the latency of n steps, noted as used.
func (su *Scaleup) alpha(n int64) sim.Time {
	if su.Use != nil {
		su.Use.Alpha = true
	}
	return sim.Time(n) * su.Alpha
}

// Cluster is the machine that jobs run on.
type Cluster struct {
	GPUs    []GPU // in physical order: node by node
	Types   []GPUType
	Scaleup Scaleup
	// CrossIsland describes communication between islands of one node (PCIe,
	// the link between sockets). BusBW 0: such traffic takes the NICs.
	CrossIsland Scaleup
	// GroupBusBW, if set, is the bus bandwidth of a group of GPUs of one node
	// (by Local, in ring order) over the direct links between them, for nodes
	// where it depends on which GPUs those are.
	GroupBusBW func(local []int) sim.Rate
	// HostOverhead is the time from a collective's or a transfer's issue to the
	// first byte at the NIC (proxy thread, doorbell), added once a message.
	HostOverhead sim.Time
}

// domains returns for each GPU the set of GPUs that it reaches without a NIC,
// as the lowest index in it: its island, joined with the other islands of its
// node where CrossIsland allows.
func (c *Cluster) domains() []int32 {
	root := make([]int32, len(c.GPUs))
	find := func(i int32) int32 {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	island, node := map[int32]int32{}, map[int32]int32{}
	join := func(m map[int32]int32, key, i int32) {
		first, ok := m[key]
		if !ok {
			m[key] = i
			return
		}
		a, b := find(first), find(i)
		root[max(a, b)] = min(a, b)
	}
	for i := range c.GPUs {
		root[i] = int32(i)
		join(island, c.GPUs[i].Island, int32(i))
		if c.CrossIsland.BusBW > 0 {
			join(node, c.GPUs[i].Node, int32(i))
		}
	}
	for i := range root {
		root[i] = find(int32(i))
	}
	return root
}

// validate reports the first thing that makes c unusable.
func (c *Cluster) validate() error {
	if len(c.GPUs) == 0 {
		return fmt.Errorf("cluster: no GPUs")
	}
	if c.Scaleup.BusBW <= 0 || c.Scaleup.P2P <= 0 || c.Scaleup.Alpha < 0 || c.HostOverhead < 0 {
		return fmt.Errorf("cluster: the NVLink domain needs positive rates and latencies of at least 0")
	}
	for i, g := range c.GPUs {
		if int(g.Type) >= len(c.Types) || g.Type < 0 {
			return fmt.Errorf("cluster: GPU %d is of type %d, of which there are %d", i, g.Type, len(c.Types))
		}
	}
	for _, t := range c.Types {
		if t.MemoryBW <= 0 || t.Efficiency <= 0 || t.Efficiency > 1 || t.Launch < 0 {
			return fmt.Errorf("cluster: GPU %s needs a memory bandwidth, an efficiency in (0, 1] and a launch overhead of at least 0", t.Name)
		}
	}
	return nil
}
