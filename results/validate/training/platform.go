package training

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// Params are what is fitted for one platform (GPU and training software), each
// within a range that its meaning allows.
type Params struct {
	// Efficiency is the fraction of peak of large matrix products, 0.3 to what
	// the best single-GPU GEMM reaches (Ceiling).
	Efficiency float64
	// OverheadMS is what a step costs outside the model: data loading, logging,
	// the host side of the optimizer; 0 to 100 ms.
	OverheadMS float64
	// Attention is the fraction of peak of the fused attention core, 0.1 to
	// 0.75; 0 leaves it at workload's default.
	Attention float64
}

// Launch is the cost of one layer's kernels beyond their work, in a forward:
// some ten kernels with a gap of about a microsecond each.
const Launch = 10 * sim.Microsecond

// Platform is hardware and software that rows share.
type Platform struct {
	Name    string
	GPU     workload.GPUType // without Efficiency and Launch
	Ceiling float64          // best measured large GEMM over peak
	PerNode int
	NICs    int      // a node; GPUs take them in turn
	NIC     sim.Rate // line rate
	Path    sim.Rate // of the way between GPU and NIC, where that is less; 0: no limit
	Scaleup workload.Scaleup
	Cross   workload.Scaleup
	Island  int    // GPUs an island; 0: the node
	Free    []Key  // what is fitted; the rest of Fit is given
	Fit     Params // as fitted on the platform's calibrate rows
}

// Goodput is what large messages reach of a NIC's line rate (perftest: 0.96 to
// 0.98 on HDR and NDR).
const Goodput = 0.97

// rate returns what large messages reach through one NIC.
func (pl *Platform) rate() sim.Rate {
	r := sim.Rate(float64(pl.NIC) * Goodput)
	if pl.Path > 0 {
		r = min(r, pl.Path)
	}
	return r
}

// NetLatency is one step of a ring between nodes: 2 to 3 us of ib_write_lat on
// HDR and NDR through a switch tier or two, and as much again for NCCL's proxy.
const NetLatency = 5 * sim.Microsecond

// HostOverhead is the time from a kernel's signal to the NIC's doorbell by the
// proxy thread.
const HostOverhead = 2 * sim.Microsecond

// PairRate is what NCCL's default channels reach between one pair of GPUs over
// the network: 19.5 GB/s (sendrecv_perf, 16 B200, default settings).
const PairRate = 19500 * 8 * sim.Mbps

// P2PChannels is the number of SMs that the kernel of a pending receive between
// nodes holds: NCCL's two channels a peer over the network
// (NCCL_NCHANNELS_PER_NET_PEER).
const P2PChannels = 2

// Channels is the number of SMs that a collective between nodes occupies:
// NCCL's default of two channels a NIC on nodes with eight.
const Channels = 16

const gbs = 8 * sim.Gbps // a gigabyte a second

// Cluster builds n GPUs of the platform with parameters p.
func (pl *Platform) Cluster(n int, p Params) *workload.Cluster {
	g := pl.GPU
	g.Efficiency = p.Efficiency
	g.Launch = Launch
	g.Attention = p.Attention
	c := &workload.Cluster{Types: []workload.GPUType{g}, Scaleup: pl.Scaleup, CrossIsland: pl.Cross, HostOverhead: HostOverhead}
	island := pl.Island
	if island == 0 {
		island = pl.PerNode
	}
	for i := range n {
		node := i / pl.PerNode
		c.GPUs = append(c.GPUs, workload.GPU{
			Node: int32(node), Local: int16(i % pl.PerNode), Island: int32(i / island),
			NIC: fabric.NodeID(node*pl.NICs + i%pl.PerNode*pl.NICs/pl.PerNode),
		})
	}
	return c
}

// Peaks, memory and bandwidth by data sheet; SMs by architecture white paper.
func a100(memory int64, bw sim.Rate) workload.GPUType {
	return workload.GPUType{
		Name: "a100", Peak: map[string]float64{"bf16": 312e12, "fp16": 312e12}, Memory: memory << 30, MemoryBW: bw, SMs: 108,
	}
}

func h100() workload.GPUType {
	return workload.GPUType{
		Name: "h100", Peak: map[string]float64{"bf16": 989.4e12, "fp16": 989.4e12, "fp8": 1978.9e12}, Memory: 80 << 30,
		MemoryBW: 3352 * gbs, SMs: 132,
	}
}

func v100(memory int64) workload.GPUType {
	return workload.GPUType{Name: "v100", Peak: map[string]float64{"fp16": 125e12}, Memory: memory << 30, MemoryBW: 900 * gbs, SMs: 80}
}

// NVLink figures measured by nccl-tests and p2pBandwidthLatencyTest:
// 232 GB/s busbw and 274 GB/s on A100, 370 and 376 on H100; a ring step inside
// a node costs about 3 us.
var (
	nvlink3 = workload.Scaleup{Alpha: 3 * sim.Microsecond, BusBW: 232 * gbs, P2P: 274 * gbs}
	nvlink4 = workload.Scaleup{Alpha: 3 * sim.Microsecond, BusBW: 370 * gbs, P2P: 376 * gbs}
)

func selene(name string, fit Params) *Platform {
	return &Platform{
		Name: name, GPU: a100(80, 2039*gbs), Ceiling: 0.869, PerNode: 8, NICs: 8, NIC: 200 * sim.Gbps, Scaleup: nvlink3, Free: two, Fit: fit,
	}
}

func eos(name string, ceiling float64, fit Params) *Platform {
	return &Platform{Name: name, GPU: h100(), Ceiling: ceiling, PerNode: 8, NICs: 8, NIC: 400 * sim.Gbps, Scaleup: nvlink4, Free: two, Fit: fit}
}

// One calibrate row fixes the efficiency, several the overhead too; rows over
// many sequence lengths fix the attention core.
var (
	one   = []Key{Efficiency}
	two   = []Key{Efficiency, OverheadMS}
	three = []Key{Efficiency, OverheadMS, Attention}
)
