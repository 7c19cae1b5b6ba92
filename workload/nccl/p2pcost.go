package nccl

import "math"

// Bytes of one message that a channel takes at most before another is added,
// and below which it gets no channel of its own: 32 steps and 1/8 step of
// 512 KiB (src/enqueue.cc).
const (
	p2pMaxPart = 16 << 20
	p2pMinPart = 64 << 10
)

// p2pParts is the time of a group of send/recv: alltoall, or sendrecv's ring in
// which rank r sends to r+1, in us: latency, fill, wire.
func (m *Model) p2pParts(c Collective, size float64, ch Choice) (latency, fill, wire float64) {
	s := m.shape
	n, g := float64(s.Ranks()), float64(s.GPUsPerNode)
	link := s.LinkGBs * m.Cal.V(P2PEff)
	if s.Link == HostMemory {
		link = m.linkBus()
	}
	l := &latencyTables[m.version.table()]
	// One step: launch, flag, and the network's hop when a node is left.
	latency = m.Cal.V(LaunchUS) + l.base[Ring][LL] + m.Cal.V(StepScale)*l.step[s.Link.hw()][Ring][LL]
	if s.Nodes > 1 {
		latency += l.step[hwNet][Ring][LL] + us(s.NICLatency) + us(s.ProxyStep)
		if ch.Proto == Simple {
			latency += us(s.NICLatency) // flush
		}
	}
	switch c {
	case SendRecv:
		wire = size / (1000 * m.sendRecvGBs(size, link))
	default:
		inside, outside := size*(g-1)/n, size*(n-g)/n
		latency += m.Cal.V(PeerUS) * (n - 1)
		if g > 1 {
			wire = inside / (1000 * link)
		}
		if s.Nodes > 1 {
			nic := m.nicStreamGBs() * float64(s.NICsPerNode) / g
			wire = math.Max(wire, outside/(1000*nic))
		}
	}
	if ch.Proto == Simple {
		intra, _, _ := m.p2pChannels()
		fill = m.Cal.V(P2PFillUS) * saturate(size, float64(intra)*n*firstChunk)
	}
	return latency, fill, wire
}

// nicStreamGBs is what one NIC reaches under grouped send/recv.
func (m *Model) nicStreamGBs() float64 {
	line := m.nicGBsTotal() / float64(m.shape.NICsPerNode)
	return math.Min(line, m.Cal.V(NICStreams)*m.streamGBs(float64(m.p2pNetChunk())))
}

// sendRecvGBs is the rate of one message of size bytes to one peer. Inside a
// node the channels of a peer grow with the message; between nodes the NIC's
// stream bounds it.
func (m *Model) sendRecvGBs(size, link float64) float64 {
	s := m.shape
	intra, net, all := m.p2pChannels()
	if s.Nodes > 1 {
		intra = net // the least over all peers
		all = max(all, net*s.Ranks())
	}
	least := intra
	for least > 1 && least*s.Ranks() > all {
		least /= 2
	}
	nc := math.Min(float64(least), math.Ceil(size/p2pMinPart))
	nc = math.Max(nc, math.Min(float64(intra), math.Ceil(size/p2pMaxPart)))
	b := math.Min(link, math.Max(1, nc)*m.Cal.V(ChannelGBs))
	if s.Nodes > 1 {
		b = math.Min(b, m.nicStreamGBs())
	}
	return b
}
