package nccl

import "math"

// graph is what NCCL's search yields for one pattern: the channels it found
// and the bandwidth of each inside the node and between nodes, GB/s.
type graph struct {
	channels     int
	intra, inter float64
}

// nominal bandwidth of one NVLink per direction, GB/s, by architecture.
func (a Arch) perLinkNominal() float64 {
	switch {
	case a == CDNA3:
		return 64
	case a >= 100:
		return 50
	case a == SM86:
		return 14.0625
	}
	return 25
}

// pciGBs turns a nominal x16 rate into the one NCCL's topology holds
// (15.75 -> 12, 31.5 -> 24, 63 -> 48, 121 -> 96).
func pciGBs(nominal float64) float64 {
	switch {
	case nominal >= 110:
		return 96
	case nominal >= 55:
		return 48
	case nominal >= 28:
		return 24
	case nominal >= 14:
		return 12
	}
	return nominal * 12 / 15.75
}

// linkTotal is the bandwidth of a GPU's links in NCCL's topology, GB/s.
func (s Shape) linkTotal() float64 {
	switch s.Link {
	case NVSwitch, Mesh:
		n := math.Max(1, math.Round(s.LinkGBs/s.Arch.perLinkNominal()))
		return n * s.Arch.nvlinkGBs()
	case PCIe:
		return pciGBs(s.LinkGBs)
	}
	return pciGBs(s.LinkGBs) / 2 // through host memory every byte crosses twice
}

// netGBs is the bandwidth of the path from a GPU to its NIC, GB/s.
func (s Shape) netGBs() float64 {
	pci := pciGBs(defaultLinkGBs(s.Arch, PCIe))
	if s.Arch.row() == 3 && s.NICGBs > 50 {
		pci = 96 // ConnectX-8 sits on PCIe 6
	}
	return math.Min(s.SlowNICGBs, pci)
}

// searchGraph returns the channels and bandwidths that the search of
// src/graph/search.cc reaches on a symmetric node: the highest listed speed
// first, a lower one only if it yields more in total and is above 0.49 of it;
// then channels are duplicated when wide. Tree raises its intra-node speed
// afterwards, while it stays below twice the inter-node one.
func (s Shape) searchGraph(a Algo) graph {
	g := float64(s.GPUsPerNode)
	inter := s.Nodes > 1
	total := s.linkTotal()
	limit := total
	if inter || a != Ring {
		if s.GPUsPerNode > 1 {
			limit = total * g / (g - 1) // one hop of g leaves the node, or is not there
		}
	}
	list := speeds(s.Arch, inter)
	if a == NVLS {
		return s.nvlsGraph(list, limit)
	}
	top := total
	if inter {
		top = s.netGBs()
	}
	best := graph{}
	for _, v := range list {
		if v > top+1e-9 {
			continue
		}
		if best.channels > 0 && v/best.inter <= .49 {
			break
		}
		n := maxChannels / 2
		if s.GPUsPerNode > 1 {
			n = min(n, int(limit/v+1e-9))
		}
		if inter {
			n = min(n, s.NICsPerNode*int(s.netGBs()/v+1e-9))
		}
		if n > 0 && float64(n)*v > float64(best.channels)*best.inter+1e-9 {
			best = graph{n, v, v}
		}
		if float64(best.channels)*best.inter >= total {
			break
		}
	}
	if best.channels == 0 {
		return graph{1, list[len(list)-1], list[len(list)-1]}
	}
	if best.intra >= 25 && !(s.Arch > SM80 && best.intra < 50 && best.channels > 4) {
		n := min(best.channels*2, maxChannels/2)
		d := float64((n + best.channels - 1) / best.channels)
		best = graph{n, best.intra / d, best.inter / d}
	}
	if a == Tree && inter {
		for i := len(list) - 1; i >= 0; i-- {
			if list[i] > best.intra && best.intra < 2*best.inter && float64(best.channels)*list[i] <= limit+1e-9 {
				best.intra = list[i]
			}
		}
	}
	return best
}

// nvlsGraph has one channel for each head: a GPU on one node, a NIC's GPU on
// several.
func (s Shape) nvlsGraph(list []float64, limit float64) graph {
	if !s.NVLS {
		return graph{}
	}
	n := min(s.GPUsPerNode, 32) // NCCL_MAX_NVLS_ARITY
	top := limit / float64(n)
	if s.Nodes > 1 {
		n = min(n, s.NICsPerNode)
		top = math.Min(s.netGBs(), limit/float64(n))
	}
	if s.GPUsPerNode > 32 {
		top = limit / 8 // heads share: the arity bounds them, not the links
	}
	for _, v := range list {
		if v <= top+1e-9 {
			return graph{n, v, v}
		}
	}
	return graph{}
}

// collChannels is the number of channels that collectives run on: the search's
// doubled (src/graph/connect.cc), within the bounds of the environment.
func (s Shape) collChannels(ring graph, e Env) int {
	n := min(maxChannels, 2*ring.channels)
	if s.Arch >= SM90 && s.Arch != CDNA3 && s.Nodes > 1 && ring.intra > 45 && n < 16 {
		n = min(maxChannels, 2*n)
	}
	if e.MaxChannels > 0 {
		n = min(n, e.MaxChannels)
	}
	return max(1, min(maxChannels, max(n, e.MinChannels)))
}
