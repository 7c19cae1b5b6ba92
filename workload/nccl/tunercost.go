package nccl

import "math"

func (t *Tuner) scale() int { return min(t.shape.Nodes-1, 2) }

func steps(c Collective, n int) float64 {
	switch c {
	case AllReduce:
		return 2 * float64(n-1)
	case AllGather, ReduceScatter:
		return float64(n - 1)
	}
	return float64(n)
}

// bandwidth is the algorithm bandwidth in GB/s that the tuner assumes.
func (t *Tuner) bandwidth(c Collective, a Algo, p Proto) float64 {
	s, g := t.shape, t.graphs[a]
	b := &bandwidthTables[t.version.table()]
	row, sc, n := s.Arch.row(), t.scale(), float64(s.Ranks())
	nch := float64(g.channels)
	per := g.intra
	if s.Nodes > 2 {
		per = g.inter
	}
	llRow := row
	if s.Nodes > 1 {
		llRow = 0
		if s.AMDHost {
			llRow = 1
		}
	}
	if a == NVLS || a == NVLSTree {
		per = t.nvlsPerChannel(c, a, b.nvlsTreeCh[row][sc])
	}
	bus := nch * per
	switch a {
	case Ring:
		switch p {
		case LL:
			bus = math.Min(b.llMax[llRow][sc], bus*.5)
		case LL128:
			bus *= .92
			if m := b.ringLL128Ch[row][sc]; m > 0 {
				bus = math.Min(bus, nch*m)
			}
		}
	case Tree:
		bus = math.Min(bus*.92, nch*b.treeCh[row][sc])
		switch p {
		case LL:
			bus = math.Min(bus/3.8, b.llMax[llRow][sc])
		case LL128:
			if s.Nodes == 1 {
				bus *= 7. / 9
			} else {
				bus *= 120. / 128
			}
			if m := b.treeLL128Ch[row][sc]; m > 0 {
				bus = math.Min(bus, nch*m)
			}
		}
	case PAT:
		bus *= .75
	}
	if a != Ring && (c == AllGather || c == ReduceScatter) {
		return bus
	}
	switch a {
	case Ring:
		return bus * n / steps(c, s.Ranks())
	case NVLS, NVLSTree:
		if t.version >= 23007 {
			return bus * n / steps(c, s.Ranks())
		}
		return bus * 5 / 6
	}
	return bus / 2
}

// nvlsPerChannel is the bus bandwidth of one NVLS channel: the narrower of the
// node and the network up to 2.29, with an efficiency from 2.30.
func (t *Tuner) nvlsPerChannel(c Collective, a Algo, ceiling float64) float64 {
	s, g := t.shape, t.graphs[a]
	ppn := float64(s.GPUsPerNode)
	if t.version >= 23007 {
		nch := float64(g.channels)
		intra := g.intra * nvlsEfficiency[s.Arch.row()] * (nch - 1) / nch
		if c == AllReduce {
			intra *= 2
		} else {
			intra *= (ppn - 1) / ppn
		}
		if a == NVLS {
			return math.Min(intra, g.inter*2)
		}
		inter := g.inter
		if s.Nodes <= 2 {
			inter *= 2
		}
		return math.Min(math.Min(intra, inter), ceiling)
	}
	if a == NVLSTree {
		if s.Nodes <= 2 {
			return math.Min(g.intra, g.inter)
		}
		return math.Min(g.intra, g.inter/2)
	}
	if c == AllReduce {
		return math.Min(g.intra, g.inter)
	}
	return math.Min(g.intra*(ppn-1)/ppn, g.inter*.9)
}

// hops is what the steps of an algorithm cost beyond NCCL's table.
type hops struct {
	intra     float64 // factor on a step inside the node
	net       float64 // us added to a network hop
	flush     float64 // us added to it once more after the last byte of Simple
	crossings int     // network hops on the way of one chunk once around the ring
}

// assumed is what the tuner itself takes: the IB and socket transports report
// a NIC latency of zero (v2.27.7 src/transport/net_ib.cc, net_socket.cc: "Not
// set"), and a chunk passes every network hop of the ring but one.
func (t *Tuner) assumed() hops { return hops{intra: 1, crossings: t.shape.Nodes - 1} }

// latency is the latency in us of the steps that NCCL counts.
func (t *Tuner) latency(c Collective, a Algo, p Proto, h hops) float64 {
	s := t.shape
	l := &latencyTables[t.version.table()]
	hw := s.Link.hw()
	intra := l.step[hw][a][p] * h.intra
	net := l.step[hwNet][a][p]
	if s.GPUsPerNode == 1 {
		net = l.step[hwNet][Tree][p]
	}
	net += h.net
	if p == Simple {
		net += h.flush
	}
	ppn, log := float64(s.GPUsPerNode), math.Floor(math.Log2(float64(s.Nodes)))
	lat := l.base[a][p]
	switch a {
	case Ring:
		n := steps(c, s.Ranks())
		if c == Broadcast || c == Reduce {
			// Pipelined: one step of latency on the same channels.
			if s.Nodes > 1 {
				return lat + net
			}
			return lat + intra
		}
		var inter float64
		if s.Nodes > 1 {
			o := t.netOverhead()
			if p == Simple {
				o *= 3
			}
			intra = math.Max(intra, o)
			inter = float64(h.crossings)
			if c == AllReduce {
				inter *= 2
			}
		}
		return lat + (n-inter)*intra + inter*net
	case Tree:
		return lat + 2*((ppn-1)*intra+log*net)
	case NVLS:
		return intra
	case NVLSTree:
		return lat + intra + 2*log*net
	case PAT:
		return lat + log*net/3.5 + float64(s.Ranks())*2.8
	}
	return lat
}

func (t *Tuner) netOverhead() float64 {
	if t.env.NetOverhead >= 0 {
		return t.env.NetOverhead
	}
	if t.shape.AMDHost {
		return netOverheadAMD
	}
	return netOverheadIntl
}
