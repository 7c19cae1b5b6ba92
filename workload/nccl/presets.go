package nccl

// basePreset is what an architecture inherits where it has no rows of its own:
// fractions of H100 and A100, latencies of H100.
var basePreset = [numParams]float64{
	LaunchUS: .8, StepScale: 1.05,
	RingEff: .80, RingFillUS: 100,
	NVLSEff: .68, NVLSFillUS: 90,
	TreeRatio: .54, TreeLL128: .69, TreeFill: .43,
	NVLSTreeEff: .91, NVLSTreeFill: 140,
	ChannelGBs: 22,
	P2PEff:     .74, P2PFillUS: 60, PeerUS: .26,
	HostShare: .15,
}

const baseSource = "mean of the measured generations"

var (
	presetA100 = preset{
		name: "sm80-nvswitch", source: "a100_8gpu_allreduce_stas, a100_4gpu_allreduce_nvswitch, a100_16gpu_allreduce_oci_roce",
		v: [numParams]float64{LaunchUS: 1, StepScale: 1.8, RingEff: .783, RingFillUS: 180, TreeRatio: .545, TreeLL128: .69, TreeFill: .43},
	}
	presetH100 = preset{
		name: "sm90-nvswitch", source: "h100_8gpu_allreduce_nvls_dgxc, h100_8gpu_allreduce_290, h200_8gpu_allreduce_stas, h100_8gpu_allreduce_a3high, h100_16gpu_allreduce_ndr_309, 4-node digitised curve",
		v: [numParams]float64{LaunchUS: 1, StepScale: 1.05, RingEff: .816, NVLSEff: .68, NVLSFillUS: 90, NVLSTreeEff: .91, NVLSTreeFill: 140, ChannelGBs: 22},
	}
	presetB200 = preset{
		name: "sm100-nvswitch", source: "b200 8-GPU rows of five collectives, b200_8gpu_allreduce_stas, gb300_4gpu",
		v: [numParams]float64{LaunchUS: 1.3, StepScale: 2.1, RingEff: .76, RingFillUS: 60, NVLSEff: .60, NVLSFillUS: 110, ChannelGBs: 21.4, P2PEff: .735, P2PFillUS: 60, PeerUS: .26},
	}
	presetPCIe = preset{
		name: "pcie", source: "NCCL topo.h: 12/24/48 GB/s of 15.75/31.5/63 nominal",
		v: [numParams]float64{RingEff: .762, P2PEff: .762},
	}
	presetMesh86 = preset{
		name: "sm86-nvlink-bridge", source: "a40_2gpu_allreduce_nv4",
		v: [numParams]float64{RingEff: .844},
	}
	presetCDNA3 = preset{
		name: "cdna3-xgmi", source: "mi300x_8gpu_allreduce_rccl",
		v: [numParams]float64{LaunchUS: 0, StepScale: 1, RingEff: .704},
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
