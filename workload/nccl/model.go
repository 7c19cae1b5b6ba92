package nccl

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// Model predicts what nccl-tests measures on an otherwise idle cluster:
//
//	T = host call + latency + fill*S/(S+loop) + S/B
//
// latency is NCCL's own count of steps with the node's steps rescaled; B is
// the narrowest of link, NIC and channels for the algorithm that the tuner
// picks; fill is what the pipeline loses until every channel and rank has its
// first chunk (loop bytes in all).
type Model struct {
	*Tuner
	Cal Calibration
}

// NewModel makes the model of a cluster. Version 0 is DefaultVersion.
func NewModel(s Shape, v Version, e Env) (*Model, error) {
	t, err := NewTuner(s, v, e)
	if err != nil {
		return nil, err
	}
	return &Model{t, CalibrationFor(t.shape.Arch, t.shape.Link)}, nil
}

// Time returns the time of one call and what NCCL would run. bytes is the size
// that nccl-tests prints: the whole buffer of all_reduce, the gathered result
// of all_gather, the input of reduce_scatter and alltoall, one message of
// sendrecv. It panics if bytes is negative.
func (m *Model) Time(c Collective, bytes int64) (sim.Time, Choice) {
	if bytes < 0 {
		panic("nccl: negative size")
	}
	ch := m.Choose(c, max(bytes, 1))
	return m.TimeOf(c, bytes, ch), ch
}

// TimeOf returns the time of one call with a given choice.
func (m *Model) TimeOf(c Collective, bytes int64, ch Choice) sim.Time {
	return m.PartsOf(c, bytes, ch).Total()
}

// localCopyGBs is a copy within one GPU's memory, used only for groups of one
// rank (HBM of any supported GPU exceeds 2 * 700 GB/s read and write).
const localCopyGBs = 700

// firstChunk is the chunk with which a pipeline starts on every channel and
// rank: 128 KiB, NCCL's smallest full-speed step (NVLS and P2P chunk).
const firstChunk = 128 << 10

// saturate grows from 0 to 1 as size passes the bytes of one loop.
func saturate(size, loop float64) float64 { return size / (size + loop) }

// collParts is the time of a collective in us: latency, fill, wire.
func (m *Model) collParts(c Collective, size float64, ch Choice) (latency, fill, wire float64) {
	x := m.crossing(c, size, ch)
	h := m.hops(ch.Proto, x.message)
	latency = m.Cal.V(LaunchUS) + m.latency(c, ch.Algo, ch.Proto, h)
	if c == Broadcast || c == Reduce {
		latency = m.Cal.V(LaunchUS) + m.chainLatency(ch.Proto, h)
	}
	b := m.Bandwidth(c, int64(size), ch)
	wire = math.Max(size/(1000*b), m.crossUS(x, m.hiddenUS(x, ch, latency)))
	if ch.Proto != Simple {
		return latency, 0, wire
	}
	nc, n := float64(ch.Channels), float64(m.shape.Ranks())
	switch {
	case ch.Algo == NVLS, ch.Algo == NVLSTree:
		fill = m.nvlsFill(size, ch)
	case ch.Algo == Tree:
		fill = m.Cal.V(TreeFill) * m.treeFill(size, ch)
	case c == Broadcast || c == Reduce:
		// Each hop repeats the first chunk of every channel.
		fill = (n - 1) * math.Min(float64(ch.ChunkBytes), size/nc) * nc / (1000 * b)
	default:
		fill = m.Cal.V(RingFillUS) * saturate(size, nc*n*firstChunk)
	}
	return latency, fill, wire
}

// nvlsFill is what a pipeline of stages loses before it is full, us: a loop a
// stage, one stage inside the node at its bandwidth, and one for each level of
// the tree of nodes at that of the whole, since the network gets its bytes from
// the node.
func (m *Model) nvlsFill(size float64, ch Choice) float64 {
	plan := m.nvls()
	chunk, key, node, levels := plan.chunk, NVLSFill, m.nvlsAlg(), 0.0
	if ch.Algo == NVLSTree {
		chunk, key, node, levels = plan.treeChunk, NVLSTreeFill, m.Cal.V(NVLSTreeEff)*node, float64(log2(int64(m.shape.Nodes)))
	}
	loop := float64(ch.Channels) * float64(m.shape.GPUsPerNode) * float64(chunk)
	stages := 1/node + levels/m.Bandwidth(AllReduce, int64(size), ch)
	return m.Cal.V(key) * stages * loop / 1000 * saturate(size, loop)
}

// treeFill is the time of one chunk of every channel through the tree: up and
// down the chain of GPUs of a node at the tree's bandwidth, and over the
// network, us.
func (m *Model) treeFill(size float64, ch Choice) float64 {
	all := math.Min(float64(ch.ChunkBytes)*float64(ch.Channels), size)
	hops := 2 * float64(m.shape.GPUsPerNode-1)
	t := hops * all / (1000 * m.treeIntra())
	if m.shape.Nodes > 1 {
		t += 2 * float64(log2(int64(m.shape.Nodes))) * all / (1000 * m.netGBsTotal(ch.Channels))
	}
	return t
}

// Bandwidth is the algorithm bandwidth in GB/s towards which large messages
// tend with the given choice.
func (m *Model) Bandwidth(c Collective, bytes int64, ch Choice) float64 {
	n := m.shape.Ranks()
	switch ch.Algo {
	case NVLS:
		return m.nvlsAlg()
	case NVLSTree:
		b := m.Cal.V(NVLSTreeEff) * m.nvlsAlg()
		return math.Min(b, m.netGBsTotal(ch.Channels)/m.treeLoad())
	case Tree:
		b := math.Min(m.treeIntra(), m.netGBsTotal(m.channels)/m.treeLoad())
		switch ch.Proto {
		case LL128:
			return b * m.Cal.V(TreeLL128)
		case LL:
			return m.llBandwidth(c, Tree, bytes)
		}
		return b
	case PAT:
		return m.netGBsTotal(ch.Channels) * float64(n) / float64(n-1)
	}
	bus := m.ringBus()
	switch ch.Proto {
	case LL:
		return m.llBandwidth(c, Ring, bytes)
	case LL128:
		bus = math.Min(bus*.92, math.Max(1, float64(m.channels)*m.Cal.V(ChannelGBs)*.92))
	}
	switch c {
	case Broadcast, Reduce:
		return bus
	}
	return bus * float64(n) / steps(c, n)
}

// llBandwidth is NCCL's own figure for LL, with its tree correction: LL is
// bound by stores and flags, not by links, and the tuner's table was measured.
func (m *Model) llBandwidth(c Collective, a Algo, bytes int64) float64 {
	b := m.bw[c][a][LL]
	if i := log2(bytes >> 6); a == Tree && i >= 0 && i < 23 {
		b *= treeCorrection[LL][i]
	}
	return b
}

// ringBus is the ring's bus bandwidth: inside a node the
// link, between nodes also the NICs; n-1 of n hops of a ring with nodes stay
// on the link.
func (m *Model) ringBus() float64 {
	s := m.shape
	intra := m.linkBus()
	b := intra
	if s.Nodes > 1 {
		if g := float64(s.GPUsPerNode); g > 1 && s.Link.hw() == hwNVLink {
			b = intra * g / (g - 1)
		}
		if s.GPUsPerNode == 1 {
			b = math.Inf(1)
		}
		b = math.Min(b, m.nicGBsTotal())
	}
	return math.Min(b, float64(m.channels)*m.Cal.V(ChannelGBs))
}

// linkBus is the ring bus bandwidth inside a node.
func (m *Model) linkBus() float64 {
	if s := m.shape; s.Link == HostMemory {
		b := s.LinkGBs * m.Cal.V(HostShare)
		if pci := pciGBs(s.LinkGBs); s.SocketGBs > 0 && s.SocketGBs < pci {
			b *= s.SocketGBs / pci
		}
		return b
	}
	return m.shape.LinkGBs * m.Cal.V(RingEff)
}

// treeIntra is Tree's algorithm bandwidth inside a node.
func (m *Model) treeIntra() float64 {
	if m.shape.GPUsPerNode == 1 {
		return math.Inf(1)
	}
	return m.linkBus() * m.Cal.V(TreeRatio)
}

// nvlsAlg is NVLS algorithm bandwidth: every GPU sends and receives S, and its
// share S/n once more; all-gather and reduce-scatter use one direction of the
// links as fully.
func (m *Model) nvlsAlg() float64 {
	n := float64(m.shape.GPUsPerNode)
	wire := m.shape.LinkGBs * m.Cal.V(NVLSEff)
	return wire / (1 + 1/n)
}
