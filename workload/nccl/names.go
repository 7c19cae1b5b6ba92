package nccl

import (
	"fmt"
	"strings"
)

// Collective is an operation as nccl-tests names them.
type Collective uint8

// The operations. AllToAll and SendRecv are groups of point-to-point calls.
const (
	AllReduce Collective = iota
	AllGather
	ReduceScatter
	Broadcast
	Reduce
	AllToAll
	SendRecv
	numCollectives
)

var collectiveNames = [numCollectives]string{"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "sendrecv"}

// String returns the nccl-tests name: all_reduce, alltoall, sendrecv.
func (c Collective) String() string { return collectiveNames[c] }

// ParseCollective reads an nccl-tests name, with or without "_perf".
func ParseCollective(s string) (Collective, error) {
	t := strings.TrimSuffix(strings.ToLower(s), "_perf")
	for i, n := range collectiveNames {
		if n == t || strings.ReplaceAll(n, "_", "") == strings.ReplaceAll(t, "_", "") {
			return Collective(i), nil
		}
	}
	return 0, fmt.Errorf("unknown collective %q: known are %s", s, strings.Join(collectiveNames[:], ", "))
}

// BusFactor is busbw/algbw for n ranks (nccl-tests doc/PERFORMANCE.md).
func (c Collective) BusFactor(n int) float64 {
	if n < 2 {
		return 1
	}
	switch c {
	case AllReduce:
		return 2 * float64(n-1) / float64(n)
	case AllGather, ReduceScatter, AllToAll:
		return float64(n-1) / float64(n)
	}
	return 1
}

// Algo is an NCCL algorithm; P2P marks grouped send/recv, which has none.
type Algo uint8

// The algorithms in the order of NCCL's tables.
const (
	Tree Algo = iota
	Ring
	CollNetDirect
	CollNetChain
	NVLS
	NVLSTree
	PAT
	P2P
	numAlgos = 7
)

var algoNames = [...]string{"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT", "P2P"}

// String returns NCCL's name of the algorithm.
func (a Algo) String() string { return algoNames[a] }

// Proto is an NCCL protocol.
type Proto uint8

// The protocols in the order of NCCL's tables.
const (
	LL Proto = iota
	LL128
	Simple
	numProtos = 3
)

var protoNames = [numProtos]string{"LL", "LL128", "Simple"}

// String returns NCCL's name of the protocol.
func (p Proto) String() string { return protoNames[p] }

// Arch is a GPU's compute capability times ten.
type Arch int

// The architectures that the tuner tables distinguish; CDNA3 (MI300X, RCCL) is
// measured only and uses the sm90 rows where a table is needed.
const (
	SM70  Arch = 70  // V100
	SM80  Arch = 80  // A100
	SM86  Arch = 86  // A40, RTX 30
	SM89  Arch = 89  // L40, RTX 40
	SM90  Arch = 90  // H100, H200
	SM100 Arch = 100 // B200, GB200, B300
	SM120 Arch = 120 // RTX PRO 6000 class
	CDNA3 Arch = 942 // MI300X
)

// row is the generation row of NCCL's tables.
func (a Arch) row() int {
	switch {
	case a == CDNA3:
		return 2
	case a >= 100:
		return 3
	case a >= 90:
		return 2
	case a >= 80:
		return 1
	}
	return 0
}

// nvlinkGBs is NCCL's bandwidth of one NVLink, per direction (topo.h, v2.27.7).
func (a Arch) nvlinkGBs() float64 {
	switch {
	case a == CDNA3:
		return 48 // one xGMI link, 64 GB/s nominal per direction less protocol
	case a >= 100:
		return 40.1
	case a >= 90:
		return 20.6
	case a == SM86:
		return 12
	}
	return 20
}

// Link is the class of the path between two GPUs of a node.
type Link uint8

// The classes. Mesh is direct NVLink without a switch (hybrid cube mesh,
// bridges, xGMI); HostMemory is the SHM transport through system memory.
const (
	NVSwitch Link = iota
	Mesh
	PCIe
	HostMemory
)

var linkNames = [...]string{"nvswitch", "mesh", "pcie", "host-memory"}

// String returns the class in lower case.
func (l Link) String() string { return linkNames[l] }

// hardware rows of the latency tables.
const (
	hwNVLink = iota
	hwPCI
	hwNet
	numHW
)

func (l Link) hw() int {
	if l == NVSwitch || l == Mesh {
		return hwNVLink
	}
	return hwPCI
}
