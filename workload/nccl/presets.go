package nccl

// basePreset is what an architecture inherits where it has no rows of its own.
var basePreset = [numParams]float64{
	LaunchUS: 1.5, StepScale: 1.05,
	RingEff: .80, RingFillUS: 90,
	NVLSEff: .68, NVLSFill: 1.056,
	TreeRatio: .547, TreeLL128: .698, TreeFill: .757,
	NVLSTreeEff: .919, NVLSTreeFill: 1.15,
	ChannelGBs: 22.2,
	P2PEff:     .739, P2PFillUS: 55, PeerUS: .286,
	HostShare: .15,
	// "the performance you should see is the performance of a single NIC":
	// a maintainer on all-to-all over 400G, NVIDIA/nccl-tests issue 267.
	NICStreams: 4,
}

const baseSource = "the nearest measured generation (latencies H100, trees A100, send/recv B200); host_share has no calibration rows and was set with the negative tests in view"

// The values are those that the fit over the calibrate rows finds
// (results/validate/collectives, Fit); a test holds them together.
var (
	presetA100 = preset{
		name: "sm80-nvswitch", source: "a100_8gpu_allreduce_stas, a100_4gpu_allreduce_nvswitch, a100_16gpu_allreduce_oci_roce",
		v:      [numParams]float64{StepScale: 1.85, RingEff: .7845, RingFillUS: 160, TreeRatio: .547, TreeLL128: .698, TreeFill: .757},
		fitted: []Key{StepScale, RingEff, RingFillUS, TreeRatio, TreeLL128, TreeFill},
	}
	presetH100 = preset{
		name: "sm90-nvswitch", source: "h100_8gpu_allreduce_nvls_dgxc, h100_8gpu_allreduce_290, h200_8gpu_allreduce_stas, h100_8gpu_allreduce_a3high, h100_16gpu_allreduce_ndr_309, four-node scan; ring_eff from the measured 370 of 450 GB/s of the link table",
		v: [numParams]float64{LaunchUS: 1.51, StepScale: 1.05, RingEff: 370. / 450, RingFillUS: 8.7,
			NVLSEff: .6815, NVLSFill: 1.056, NVLSTreeEff: .919, NVLSTreeFill: 1.15, ChannelGBs: 22.1},
		fitted: []Key{LaunchUS, StepScale, RingFillUS, NVLSEff, NVLSFill, NVLSTreeEff, NVLSTreeFill, ChannelGBs},
	}
	presetB200 = preset{
		name: "sm100-nvswitch", source: "b200 8-GPU rows of five collectives, b200_8gpu_allreduce_stas, gb300_4gpu, two-node sendrecv v2tuned; ring_eff from the measured 746 of 900 GB/s of the link table",
		v: [numParams]float64{LaunchUS: 1.52, StepScale: 2.07, RingEff: 746. / 900, RingFillUS: 17.5, NVLSEff: .605, NVLSFill: 2.76,
			ChannelGBs: 21.3, P2PEff: .739, P2PFillUS: 55, PeerUS: .286, NICStreams: 1},
		fitted: []Key{LaunchUS, StepScale, RingFillUS, NVLSEff, NVLSFill, ChannelGBs, P2PEff, P2PFillUS, PeerUS, NICStreams},
	}
	presetPCIe = preset{
		name: "pcie", source: "NCCL topo.h: 12/24/48 GB/s of 15.75/31.5/63 nominal",
		v: [numParams]float64{RingEff: .762, P2PEff: .762},
	}
	presetMesh86 = preset{
		name: "sm86-nvlink-bridge", source: "a40_2gpu_allreduce_nv4",
		v:      [numParams]float64{RingEff: .845},
		fitted: []Key{RingEff},
	}
	presetCDNA3 = preset{
		name: "cdna3-xgmi", source: "mi300x_8gpu_allreduce_rccl",
		v:      [numParams]float64{LaunchUS: .27, StepScale: 1, RingEff: .706, RingFillUS: 1.7},
		fitted: []Key{LaunchUS, StepScale, RingEff, RingFillUS},
	}
)

func presetFor(a Arch, l Link) preset {
	switch {
	case l == PCIe || l == HostMemory:
		return presetPCIe
	case a == CDNA3:
		return presetCDNA3
	case a == SM86 || a == SM89:
		return presetMesh86
	case a.row() == 3:
		return presetB200
	case a.row() == 2:
		return presetH100
	}
	return presetA100
}
