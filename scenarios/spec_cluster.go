package scenarios

import "github.com/simnet/simnet/sim"

// ClusterSpec is the machine.
type ClusterSpec struct {
	Section
	Nodes     Val[int]      `yaml:"nodes" min:"1" max:"131072" doc:"compute nodes"`
	Node      NodeSpec      `yaml:"node" doc:"what a compute node is made of: a preset, or a preset with overrides, or all spelled out"`
	Fabric    FabricSpec    `yaml:"fabric" doc:"switches and cables"`
	Transport TransportSpec `yaml:"transport" doc:"what NICs and switches do with packets"`
	Routing   RoutingSpec   `yaml:"routing" doc:"how a path is chosen"`
}

// NodeSpec is one compute node.
type NodeSpec struct {
	Section
	Preset   Val[string] `yaml:"preset" short:"true" doc:"simnet catalog nodes"`
	GPUs     Val[int]    `yaml:"gpus" min:"1" max:"1024" doc:"accelerators"`
	GPU      GPUSpec     `yaml:"gpu"`
	NVLink   NVLinkSpec  `yaml:"nvlink" doc:"the links between the GPUs of an island"`
	Cross    CrossSpec   `yaml:"cross_island" doc:"between islands of one node (PCIe, sockets); absent: such traffic takes the NICs"`
	NICs     Val[int]    `yaml:"nics" min:"1" max:"64" doc:"network ports for GPU traffic"`
	NIC      NICSpec     `yaml:"nic"`
	Affinity Val[[]int]  `yaml:"affinity" doc:"NIC of each GPU; absent: spread evenly in order"`
	// HostOverhead is from the work request to the doorbell.
	HostOverhead Val[sim.Time] `yaml:"host_overhead" default:"2us" min:"0ps" doc:"from the issue of a message to the NIC's doorbell (proxy thread)"`
}

// GPUSpec is one accelerator.
type GPUSpec struct {
	Section
	Preset     Val[string]   `yaml:"preset" short:"true" doc:"simnet catalog gpus"`
	Arch       Val[int]      `yaml:"arch" min:"60" max:"1000" doc:"compute capability times ten; 942 for CDNA3"`
	BF16       Val[FLOPS]    `yaml:"bf16" min:"1GFLOPS" doc:"peak dense, likewise below"`
	FP16       Val[FLOPS]    `yaml:"fp16" min:"1GFLOPS"`
	FP8        Val[FLOPS]    `yaml:"fp8" min:"1GFLOPS"`
	TF32       Val[FLOPS]    `yaml:"tf32" min:"1GFLOPS"`
	FP32       Val[FLOPS]    `yaml:"fp32" min:"1GFLOPS"`
	Memory     Val[Bytes]    `yaml:"memory" min:"1MB" doc:"of HBM"`
	Bandwidth  Val[ByteRate] `yaml:"memory_bandwidth" min:"1Gbps" doc:"of HBM"`
	Efficiency Val[Ratio]    `yaml:"efficiency" min:"0.01" max:"1" doc:"share of peak that large matrix products reach"`
	Attention  Val[Ratio]    `yaml:"attention_efficiency" min:"0.01" max:"1" doc:"share of peak that a fused attention core reaches; absent: 0.75 of efficiency"`
	SMs        Val[int]      `yaml:"sms" min:"1" doc:"multiprocessors that a matrix product's tiles fill in waves"`
	Launch     Val[sim.Time] `yaml:"launch" min:"0ps" doc:"fixed cost of one layer's kernels"`
}

// NVLinkSpec is the scale-up network.
type NVLinkSpec struct {
	Section
	Kind   Val[string]   `yaml:"kind" enum:"nvswitch,mesh,pcie" default:"nvswitch" doc:"switched, direct links, or PCIe alone"`
	Rate   Val[ByteRate] `yaml:"bandwidth" min:"1Gbps" doc:"nominal, per GPU and direction"`
	NVLS   Val[bool]     `yaml:"nvls" default:"false" doc:"the switches reduce and multicast"`
	Island Val[int]      `yaml:"island" min:"1" doc:"GPUs that share NVLink; more than a node has: the island spans nodes"`
	Alpha  Val[sim.Time] `yaml:"alpha" min:"0ps" doc:"latency of one algorithm step"`
	BusBW  Val[ByteRate] `yaml:"bus_bandwidth" min:"1Gbps" doc:"per GPU and direction that collectives reach"`
	P2P    Val[ByteRate] `yaml:"p2p" min:"1Gbps" doc:"one pair of GPUs, one direction"`
}

// CrossSpec is the path between islands of one node.
type CrossSpec struct {
	Section
	Alpha Val[sim.Time] `yaml:"alpha" min:"0ps"`
	BusBW Val[ByteRate] `yaml:"bus_bandwidth" min:"1Gbps"`
	P2P   Val[ByteRate] `yaml:"p2p" min:"1Gbps"`
}

// NICSpec is one network port of a compute node.
type NICSpec struct {
	Section
	Preset  Val[string]   `yaml:"preset" short:"true" doc:"simnet catalog nics"`
	Rate    Val[sim.Rate] `yaml:"rate" min:"1Mbps" doc:"of the port; fabric.link.rate may set it lower"`
	Latency Val[sim.Time] `yaml:"latency" default:"700ns" min:"0ps" doc:"from work request to wire, and again at the receiver"`
	PCIe    Val[sim.Rate] `yaml:"pcie" min:"1Mbps" doc:"what the host link carries; absent: no limit"`
	// Rendezvous is of NCCL's cost model; the engines see flows, not messages.
	Rendezvous Val[Bytes] `yaml:"rendezvous" min:"1B" doc:"largest message that an unordered transport sends at once, a larger one is announced and read (EFA send/receive); only NCCL's choices and cost model know it; absent: none"`
}

// FabricSpec is the scale-out network.
type FabricSpec struct {
	Section
	Topology         Val[string] `yaml:"topology" enum:"star,leaf-spine,fat-tree,rail-optimized,rail-only,dragonfly,torus,file"`
	NodesPerLeaf     Val[int]    `yaml:"nodes_per_leaf" min:"1" doc:"leaf-spine, rail-optimized, rail-only: compute nodes on a leaf (of each rail)"`
	NodesPerPod      Val[int]    `yaml:"nodes_per_pod" min:"1" doc:"rail-optimized with three tiers"`
	Spines           Val[int]    `yaml:"spines" min:"1" doc:"spine switches; of a pod where there are pods; of a rail in rail-only"`
	Cores            Val[int]    `yaml:"cores" min:"1" doc:"core switches of three tiers"`
	Oversubscription Val[Ratio]  `yaml:"oversubscription" min:"0.01" max:"64" doc:"what enters a leaf from below over what leaves it upwards"`
	CoreOversub      Val[Ratio]  `yaml:"core_oversubscription" min:"0.01" max:"64" doc:"the same for the tier above the leaves"`
	Tiers            Val[int]    `yaml:"tiers" min:"2" max:"3" doc:"of a fat-tree"`
	Radix            Val[int]    `yaml:"radix" min:"2" max:"1024" doc:"ports a switch of a fat-tree; absent: the switch preset's"`
	K                Val[int]    `yaml:"k" min:"2" max:"256" doc:"k-ary fat-tree of Al-Fares et al. instead of tiers and radix"`
	Groups           Val[int]    `yaml:"groups" min:"1" doc:"dragonfly: groups"`
	Routers          Val[int]    `yaml:"routers_per_group" min:"1" doc:"dragonfly: a"`
	NICsPerSwitch    Val[int]    `yaml:"nics_per_switch" min:"1" doc:"dragonfly: p; torus: NICs on each switch"`
	GlobalLinks      Val[int]    `yaml:"global_links" min:"0" doc:"dragonfly: h, global links a router"`
	Dims             Val[[]int]  `yaml:"dims" doc:"torus: size of each dimension"`
	File             Val[string] `yaml:"file" doc:"topology file: relative to the scenario"`
	Link             LinkSpec    `yaml:"link" doc:"cables between NICs and leaves"`
	Uplink           LinkSpec    `yaml:"uplink" doc:"cables between switches; absent: as link, with the rate that oversubscription asks for"`
	Switch           SwitchSpec  `yaml:"switch" doc:"every switch, unless spine or core says otherwise"`
	Spine            SwitchSpec  `yaml:"spine"`
	Core             SwitchSpec  `yaml:"core"`
}

// LinkSpec is a kind of cable.
type LinkSpec struct {
	Section
	Preset Val[string]   `yaml:"preset" short:"true" doc:"simnet catalog links"`
	Rate   Val[sim.Rate] `yaml:"rate" min:"1Mbps"`
	Length Val[Metres]   `yaml:"length" min:"0m" max:"100km" doc:"at 5 ns a metre"`
	Delay  Val[sim.Time] `yaml:"delay" min:"0ps" doc:"one-way propagation, instead of length"`
	FEC    Val[sim.Time] `yaml:"fec_latency" min:"0ps" doc:"forward error correction, added to the delay"`
	BER    Val[Ratio]    `yaml:"bit_error_rate" min:"0" max:"1" doc:"after FEC"`
}

// SwitchSpec is a model of switch.
type SwitchSpec struct {
	Section
	Preset  Val[string]   `yaml:"preset" short:"true" doc:"simnet catalog switches"`
	Buffer  Val[Bytes]    `yaml:"buffer" min:"10KB" max:"2GB" doc:"shared packet buffer"`
	Cell    Val[Bytes]    `yaml:"cell" min:"1B" max:"4096B" doc:"granule of buffer accounting"`
	Latency Val[sim.Time] `yaml:"latency" min:"0ps" doc:"port to port, unloaded"`
	Ports   Val[int]      `yaml:"ports" min:"1" doc:"at port_rate"`
	Rate    Val[sim.Rate] `yaml:"port_rate" min:"1Mbps"`
	Cut     Val[bool]     `yaml:"cut_through" doc:"forward from the header on; default: only where the preset says so"`
}

// RoutingSpec is how paths are chosen.
type RoutingSpec struct {
	Section
	Policy Val[string]   `yaml:"policy" enum:"ecmp,spray,adaptive,flowlet" default:"ecmp" doc:"per-flow hash, packet spraying, least-loaded port, flowlets"`
	Hash   Val[string]   `yaml:"hash" enum:"crc32,crc32c,crc16,xor,murmur3" default:"crc32"`
	Fields Val[[]string] `yaml:"fields" enum:"src_ip,dst_ip,udp_src_port,udp_dst_port,protocol" default:"[src_ip, dst_ip, udp_src_port]" doc:"of the header that enter the hash"`
	Seed   Val[string]   `yaml:"seed" number:"true" default:"per-switch" doc:"per-switch, equal (all switches hash alike and multi-tier networks polarise), or a number that per-switch seeds follow from"`
}
