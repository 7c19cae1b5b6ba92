package nccl

import (
	"fmt"

	"github.com/simnet/simnet/sim"
)

// Shape is a cluster as NCCL sees it. Bandwidths are GB/s (1e9 bytes) in one
// direction; press figures of NVLink are sums of both and must be halved.
type Shape struct {
	Nodes       int
	GPUsPerNode int
	Arch        Arch
	// Link is the class of the path between two GPUs of a node, LinkGBs its
	// nominal bandwidth per GPU and direction (A100 300, H100 450, B200 900,
	// PCIe 5 x16 63). Zero takes the usual figure of Arch and Link.
	Link    Link
	LinkGBs float64
	// NVLS says that the NVSwitches reduce and multicast (sm90 and later).
	NVLS bool
	// DomainNodes is how many nodes share one NVLink domain (NVL72: 18); 0 and
	// 1 mean that NVLink ends at the node.
	DomainNodes int

	NICsPerNode int
	NICGBs      float64 // line rate, 400 Gb/s = 50
	// NICEff is goodput over line rate; 0 takes 0.98 (perftest, CX-7 400G:
	// 392 Gb/s). EFA 200G reaches 0.969.
	NICEff     float64
	NICLatency sim.Time // one way, small message; 0 takes 2.7 us (CX-7 NDR)
	// SlowNICGBs is the line rate of the slowest NIC where they differ: every
	// channel carries an equal share, so it gates them all. 0: all alike.
	SlowNICGBs float64
	// UnorderedNIC says that the NIC may write a message's bytes out of order:
	// LL and LL128 need order, so such transports (EFA before p5, TCPXO) run
	// Simple only.
	UnorderedNIC bool
	// RendezvousBytes is the largest message that the transport sends at once.
	// A larger one is announced, and the receiver reads it: two more flights,
	// and the channels of a NIC have one message each under way. 0: no such
	// transport. EFA with send/receive (p4d, p4de): one packet of about 8 KiB,
	// libfabric prov/efa/docs/efa_rdm_protocol_v4.md section 4.1, long-read.
	RendezvousBytes int64
	// NoGDR says that GPUs reach NICs through the host bridge only.
	NoGDR bool
	// SocketGBs is the link between the sockets that GPU traffic without P2P
	// crosses, in NCCL's figures (Skylake UPI 10, Sapphire Rapids 22); 0: the
	// GPUs share a socket.
	SocketGBs float64

	AMDHost bool
	// ProxyStep is added to every network hop, HostCall to every call: the
	// host side beyond what NCCL's constants hold. Both are usually 0; a single
	// process that launches on g GPUs in turn pays HostCall.
	ProxyStep sim.Time
	HostCall  sim.Time
}

// Ranks is the number of GPUs.
func (s Shape) Ranks() int { return s.Nodes * s.GPUsPerNode }

// defaultLinkGBs is nominal bandwidth per direction by class, from vendor data
// sheets (NVLink2 150, NVLink3 300, NVLink4 450, NVLink5 900; PCIe x16).
func defaultLinkGBs(a Arch, l Link) float64 {
	if l == PCIe || l == HostMemory {
		switch {
		case a == CDNA3 || a >= 90:
			return 63
		case a >= 80:
			return 31.5
		}
		return 15.75
	}
	switch {
	case a == CDNA3:
		return 448 // seven xGMI links of 64
	case a >= 100:
		return 900
	case a >= 90:
		return 450
	case a == SM86:
		return 56.25
	case a >= 80:
		return 300
	}
	return 150
}

// validate fills defaults, folds the nodes of an NVLink domain into one and
// rejects what cannot be.
func (s Shape) validate() (Shape, error) {
	switch {
	case s.Nodes < 1 || s.GPUsPerNode < 1:
		return s, fmt.Errorf("nccl: %d nodes of %d GPUs: both must be at least 1", s.Nodes, s.GPUsPerNode)
	case s.Arch == 0:
		return s, fmt.Errorf("nccl: the GPU architecture is missing (70, 80, 90, 100, ...)")
	case s.LinkGBs < 0 || s.NICGBs < 0 || s.SlowNICGBs < 0 || s.NICEff < 0 || s.NICEff > 1:
		return s, fmt.Errorf("nccl: negative bandwidth, or a NIC efficiency outside 0..1")
	case s.RendezvousBytes < 0:
		return s, fmt.Errorf("nccl: negative rendezvous size")
	case s.NICLatency < 0 || s.ProxyStep < 0 || s.HostCall < 0:
		return s, fmt.Errorf("nccl: negative latency")
	}
	if s.DomainNodes > 1 {
		d := min(s.DomainNodes, s.Nodes)
		if s.Nodes%d != 0 {
			return s, fmt.Errorf("nccl: %d nodes do not divide into NVLink domains of %d", s.Nodes, d)
		}
		s.Nodes, s.GPUsPerNode, s.NICsPerNode = s.Nodes/d, s.GPUsPerNode*d, s.NICsPerNode*d
		s.DomainNodes = 1
	}
	if s.Nodes > 1 && (s.NICsPerNode < 1 || s.NICGBs <= 0) {
		return s, fmt.Errorf("nccl: %d nodes need at least one NIC with a rate", s.Nodes)
	}
	if s.LinkGBs == 0 {
		s.LinkGBs = defaultLinkGBs(s.Arch, s.Link)
	}
	if s.NICEff == 0 {
		s.NICEff = 0.98
	}
	if s.NICLatency == 0 {
		s.NICLatency = 2700 * sim.Nanosecond // ib_write_lat, CX-7 NDR400: 2.68-2.84 us
	}
	if s.SlowNICGBs == 0 || s.SlowNICGBs > s.NICGBs {
		s.SlowNICGBs = s.NICGBs
	}
	if s.NVLS && (s.Link != NVSwitch || s.Arch.row() < 2 || s.Arch == CDNA3) {
		return s, fmt.Errorf("nccl: NVLS needs NVSwitch and sm90 or later (here %s, sm%d)", s.Link, s.Arch)
	}
	return s, nil
}

func us(t sim.Time) float64 { return float64(t) / float64(sim.Microsecond) }

func fromUS(x float64) sim.Time { return sim.Time(x*float64(sim.Microsecond) + 0.5) }
