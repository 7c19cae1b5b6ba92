package collectives

import (
	"fmt"
	"strings"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl"
)

// Harness is how a log's program calls NCCL, which adds to every call.
type Harness uint8

// The harnesses: one process a GPU (nothing added), one process that launches
// on all GPUs in turn (nccl-tests -g N), and PyTorch's all_reduce_bench.
const (
	PerGPU Harness = iota
	OneProcess
	Torch
	numHarnesses
)

// HarnessUS is what a harness adds to a call in us, fitted on the calibrate
// rows up to 512 KiB of the logs that use it; range 0 to 60.
var HarnessUS = [numHarnesses]float64{PerGPU: 0, OneProcess: 25.5, Torch: 21.5}

// Cluster is the machine of one log.
type Cluster struct {
	Family  string
	Shape   nccl.Shape
	Version string
	Env     map[string]string
	Harness Harness
	Note    string // what of it is not printed in the log, and why it is taken so
}

const (
	gbps400 = 50.0 // GB/s
	ns      = sim.Nanosecond
)

func h100(nodes int) nccl.Shape {
	return nccl.Shape{Nodes: nodes, GPUsPerNode: 8, Arch: nccl.SM90, NVLS: true, NICsPerNode: 8, NICGBs: gbps400}
}

func b200(nodes int) nccl.Shape {
	return nccl.Shape{Nodes: nodes, GPUsPerNode: 8, Arch: nccl.SM100, NVLS: true, NICsPerNode: 8, NICGBs: gbps400, NICLatency: 2760 * ns}
}

func gb300(nodes int) nccl.Shape {
	return nccl.Shape{Nodes: nodes, GPUsPerNode: 4, Arch: nccl.SM100, NVLS: true, NICsPerNode: 4, NICGBs: gbps400, DomainNodes: 18}
}

func a100(nodes, gpus int) nccl.Shape {
	return nccl.Shape{Nodes: nodes, GPUsPerNode: gpus, Arch: nccl.SM80}
}

func a40(gpus int) nccl.Shape {
	return nccl.Shape{Nodes: 1, GPUsPerNode: gpus, Arch: nccl.SM86, Link: nccl.Mesh}
}

// a3mega is the environment that the maker's guide for these machines sets
// (GPUDirect-TCPXO, plug-in profile of 2024-2025; the log does not print it).
var a3mega = map[string]string{
	"NCCL_ALGO": "Ring,Tree", "NCCL_PROTO": "Simple", "NCCL_NVLS_ENABLE": "0",
	"NCCL_BUFFSIZE": "8388608", "NCCL_P2P_NET_CHUNKSIZE": "524288", "NCCL_CROSS_NIC": "0",
}

// clusterOf returns the machine of a log.
func clusterOf(log string, nodes int) (Cluster, error) {
	switch log {
	case "h100_8gpu_allreduce_nvls_dgxc":
		return Cluster{Family: "h100-node", Shape: h100(1), Version: "2.27.7"}, nil
	case "h100_8gpu_allreduce_290":
		return Cluster{Family: "h100-node", Shape: h100(1), Version: "2.23.4", Harness: OneProcess}, nil
	case "h100_8gpu_allreduce_a3high":
		return Cluster{Family: "h100-node", Shape: h100(1), Version: "2.18.3",
			Env:  map[string]string{"NCCL_NVLS_ENABLE": "0", "NCCL_MAX_NCHANNELS": "12"},
			Note: "the maker's guide for these machines sets NCCL_MAX_NCHANNELS=12"}, nil
	case "h200_8gpu_allreduce_stas":
		return Cluster{Family: "h100-node", Shape: h100(1), Version: "2.27.7", Harness: Torch}, nil
	case "b200_8gpu_allreduce_stas":
		return Cluster{Family: "b200-node", Shape: b200(1), Version: "2.27.7", Harness: Torch}, nil
	case "a100_8gpu_allreduce_stas":
		return Cluster{Family: "a100-node", Shape: a100(1, 8), Version: "2.18.3", Harness: OneProcess}, nil
	case "a100_4gpu_allreduce_nvswitch":
		return Cluster{Family: "a100-node", Shape: a100(1, 4), Version: "2.16.2"}, nil
	case "a40_2gpu_allreduce_nv4":
		return Cluster{Family: "a40-bridge", Shape: a40(2), Version: "2.16.2"}, nil
	case "mi300x_8gpu_allreduce_rccl":
		return Cluster{Family: "mi300x-node", Shape: nccl.Shape{Nodes: 1, GPUsPerNode: 8, Arch: nccl.CDNA3, Link: nccl.Mesh}, Version: "2.27.7",
			Env: map[string]string{"NCCL_ALGO": "Ring"}, Note: "RCCL: NCCL's ring tables stand in for its own"}, nil
	case "gb300_4gpu_allreduce_oci", "gb300_4gpu_alltoall_oci":
		return Cluster{Family: "gb300-node", Shape: gb300(1), Version: "2.28.7"}, nil
	case "gb300_8gpu_allreduce_oci", "gb300_8gpu_alltoall_oci":
		return Cluster{Family: "gb300-nvlink-domain", Shape: gb300(2), Version: "2.28.7"}, nil
	case "gb200_72gpu_allreduce_coreweave":
		s := gb300(18)
		return Cluster{Family: "gb200-nvl72", Shape: s, Version: "2.26.2"}, nil
	case "h100_16gpu_allreduce_ndr_309":
		return Cluster{Family: "h100-2node", Shape: h100(2), Version: "2.27.7"}, nil
	case "h100_64gpu_allreduce_ndr_tuned_tail_309":
		return Cluster{Family: "h100-2node-ring", Shape: h100(2), Version: "2.27.7",
			Env:  map[string]string{"NCCL_ALGO": "Ring", "NCCL_MIN_CTAS": "24", "NCCL_IB_QPS_PER_CONNECTION": "2"},
			Note: "settings from the command line of this log in its thread"}, nil
	case "h100_32gpu_allreduce_ndr_309":
		return Cluster{Family: "h100-4node", Shape: h100(4), Version: "2.27.7"}, nil
	case "h100_16gpu_allreduce_gcp_a3mega":
		s := h100(2)
		s.NICGBs, s.NICLatency, s.UnorderedNIC = 25, 10*sim.Microsecond, true
		return Cluster{Family: "a3mega-2node", Shape: s, Version: "2.23.4", Env: a3mega,
			Note: "NIC latency 10 us: no source found for TCPXO, a host-driven TCP path"}, nil
	case "a100_16gpu_allreduce_oci_roce":
		s := a100(2, 8)
		s.NICsPerNode, s.NICGBs, s.AMDHost = 16, 12.5, true
		return Cluster{Family: "a100-2node", Shape: s, Version: "2.18.3"}, nil
	case "p4de_2node_allreduce_aws":
		s := a100(2, 8)
		s.NICsPerNode, s.NICGBs, s.NICEff, s.UnorderedNIC = 4, 12.5, .969, true
		s.NICLatency, s.RendezvousBytes = 15500*ns, 8<<10
		return Cluster{Family: "p4de-2node", Shape: s, Version: "2.18.3",
			Note: "EFA: 15.5 us is the launch figure of its maker for MPI; efficiency of perftest on EFA 200G; no LL over SRD on p4; messages above one packet of 8 KiB by rendezvous"}, nil
	case "rtx6000d_16gpu_allreduce_pcie_cx8":
		return Cluster{Family: "rtx6000d-2node", Version: "2.30.3",
			Shape: nccl.Shape{Nodes: 2, GPUsPerNode: 8, Arch: nccl.SM120, Link: nccl.PCIe, NICsPerNode: 8, NICGBs: gbps400}}, nil
	case "h100_16gpu_allreduce_misconf_290":
		s := h100(2)
		s.SlowNICGBs = 12.5
		return Cluster{Family: "negative", Shape: s, Version: "2.23.4", Harness: OneProcess,
			Note: "cause taken as one 100 Gb/s port among the eight selected: every channel carries an equal share. Two of eight NICs gives the same bandwidth"}, nil
	case "a100_4gpu_allreduce_p2p_disabled":
		return Cluster{Family: "negative", Shape: a100(1, 4), Version: "2.16.2", Env: map[string]string{"NCCL_P2P_DISABLE": "1"}}, nil
	case "a40_2gpu_allreduce_node_nop2p":
		return Cluster{Family: "negative", Shape: a40(2), Version: "2.16.2", Env: map[string]string{"NCCL_P2P_DISABLE": "1"}}, nil
	case "a40_4gpu_allreduce_sys_nop2p":
		s := a40(4)
		s.SocketGBs = 10
		return Cluster{Family: "negative", Shape: s, Version: "2.16.2", Env: map[string]string{"NCCL_P2P_DISABLE": "1"}}, nil
	}
	switch {
	case strings.HasPrefix(log, "h100_") && strings.HasSuffix(log, "nodes_scan"):
		fam := "h100-scan"
		if nodes == 4 {
			fam = "h100-scan-anchor"
		}
		return Cluster{Family: fam, Shape: h100(nodes), Version: "2.18.3", Note: "NCCL version not stated; the paper is of 2024"}, nil
	case strings.HasPrefix(log, "b200_"):
		c := Cluster{Family: "b200-node", Shape: b200(nodes), Version: "2.30.7", Note: "NCCL version not stated; the report is of May 2026"}
		op := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(log, "b200_"), "_8gpu"), "_16gpu")
		if nodes > 1 {
			c.Family = "b200-2node-" + strings.TrimSuffix(op, "_v2tuned")
		} else if op == "sendrecv" {
			c.Family = "b200-node-sendrecv"
		}
		if strings.HasSuffix(op, "_v2tuned") {
			c.Env = map[string]string{"NCCL_P2P_NET_CHUNKSIZE": "524288"}
			c.Note = "settings of the second run not stated: a 512 KiB network chunk explains its send/recv rate without a fitted number"
		}
		return c, nil
	}
	return Cluster{}, fmt.Errorf("no cluster for log %q", log)
}

// Model builds the model of the cluster, its harness's overhead included.
func (c Cluster) Model() (*nccl.Model, error) { return c.model(HarnessUS[c.Harness]) }
