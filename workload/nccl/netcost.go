package nccl

import "math"

// nicGBsTotal is what the NICs of a node carry in one direction.
func (m *Model) nicGBsTotal() float64 {
	s := m.shape
	return float64(s.NICsPerNode) * math.Min(s.SlowNICGBs*s.NICEff, s.netGBs()*nicPathEff)
}

// nicPathEff lets a NIC slightly exceed NCCL's PCIe figure: 48 GB/s of PCIe 5
// in its topology, 49 measured with GPUDirect (h100_16gpu_allreduce_ndr_309
// and perftest at 392 Gb/s).
const nicPathEff = 1.03

// netGBsTotal is nicGBsTotal bounded by what nc channels drive.
func (m *Model) netGBsTotal(nc int) float64 {
	if m.shape.Nodes < 2 {
		return math.Inf(1)
	}
	return math.Min(m.nicGBsTotal(), float64(nc)*m.Cal.V(ChannelGBs))
}

// crossing is what one call sends from a node in one direction.
type crossing struct {
	bytes   float64 // in all
	message float64 // bytes posted at once
	conns   float64 // connections that carry them, over all NICs
	flush   bool    // the receiver flushes a message before it is used: Simple
}

// crossing returns what a call with the given choice sends from a node.
func (m *Model) crossing(c Collective, size float64, ch Choice) crossing {
	nc, n := float64(max(1, ch.Channels)), float64(m.shape.Ranks())
	x := crossing{bytes: size, conns: nc, flush: ch.Proto == Simple}
	switch ch.Algo {
	case Ring:
		part := size / nc
		if c != Broadcast && c != Reduce {
			x.bytes *= steps(c, int(n)) / n
			part /= n
		}
		slices := math.Max(1, float64(ch.ChunkBytes/ch.SliceBytes))
		x.message = math.Min(float64(ch.SliceBytes), part/slices)
	case NVLSTree:
		x.bytes *= m.treeLoad()
		x.conns *= float64(m.heads())
		x.message = math.Min(float64(ch.ChunkBytes), size/x.conns)
	case PAT:
		x.bytes *= (n - 1) / n
		x.message = math.Min(float64(ch.ChunkBytes), size/nc)
	default:
		x.bytes *= m.treeLoad()
		x.message = math.Min(float64(ch.ChunkBytes), size/nc)
	}
	return x
}

// crossUS is the time of a crossing on the NICs in us, beyond the hidden us of
// waiting for messages that the latency of the algorithm holds already. With a
// rendezvous the channels of a NIC run in step, one message each under way: a
// round of them takes the flight of a read and then their bytes. Otherwise the
// streams of a NIC each wait for the message before, as in send/recv, and
// every pair of channels brings as many streams as a peer of send/recv has.
func (m *Model) crossUS(x crossing, hidden float64) float64 {
	s := m.shape
	if s.Nodes < 2 || x.message <= 0 {
		return 0
	}
	line := x.bytes / (1000 * m.nicGBsTotal())
	switch {
	case m.rendezvous(x.message):
		rounds := x.bytes / (x.message * x.conns)
		return line + math.Max(0, rounds*us(s.NICLatency)-hidden)
	case x.flush:
		_, pair, _ := m.p2pChannels()
		inTurn := x.bytes / x.message * float64(pair) / (m.Cal.V(NICStreams) * x.conns) // messages of one stream
		one := x.message / 1000 / m.streamGBs(x.message)
		return math.Max(line, inTurn*one-hidden)
	}
	return line
}

// hiddenUS is how much of the waiting for messages the latency holds: in a
// ring every step, since a NIC sends its next chunk while the one before goes
// on around the ring; elsewhere the flight of the first message.
func (m *Model) hiddenUS(x crossing, ch Choice, latency float64) float64 {
	switch {
	case ch.Algo == Ring:
		return math.Max(0, latency-m.Cal.V(LaunchUS)-latencyTables[m.version.table()].base[Ring][ch.Proto])
	case m.rendezvous(x.message):
		return us(m.shape.NICLatency)
	}
	return m.flightUS(x.message)
}

// streamGBs is what one stream of a NIC reaches with messages of that size: a
// message is posted, travels, and is flushed before its slot takes the next.
func (m *Model) streamGBs(message float64) float64 {
	line := m.nicGBsTotal() / float64(m.shape.NICsPerNode)
	return message / (message/line + 1000*m.flightUS(message))
}

// flightUS is the time of an empty message of a stream, posting included.
func (m *Model) flightUS(message float64) float64 {
	t := us(m.shape.NICLatency) + us(m.shape.ProxyStep) + m.netOverhead()
	if m.rendezvous(message) {
		t += 2 * us(m.shape.NICLatency)
	}
	return t
}

// rendezvous says whether the transport announces a message of that size.
func (m *Model) rendezvous(message float64) bool {
	r := m.shape.RendezvousBytes
	return r > 0 && message > float64(r)
}

// hops is what the steps of a call cost on this cluster. A chunk that starts
// in the middle of a node passes all network hops of the ring on its way, one
// more than the tuner counts; under Simple the slices of a chunk overlap and
// its count is kept.
func (m *Model) hops(p Proto, message float64) hops {
	s := m.shape
	h := hops{intra: 1, net: us(s.NICLatency + s.ProxyStep), crossings: s.Nodes}
	if s.GPUsPerNode == 1 || p == Simple {
		h.crossings--
	}
	h.flush = h.net
	if m.rendezvous(message) {
		h.net += 2 * us(s.NICLatency) // announcement, read request, then the data
	}
	if p == LL {
		h.intra = m.Cal.V(StepScale)
	}
	return h
}

// chainLatency is the latency of the chain of n-1 hops that broadcast and
// reduce are: the tuner counts one, a message has to pass them all.
func (m *Model) chainLatency(p Proto, h hops) float64 {
	s, l := m.shape, &latencyTables[m.version.table()]
	inter := float64(s.Nodes - 1)
	if p == Simple {
		h.net += h.flush
	}
	return l.base[Ring][p] + (float64(s.Ranks()-1)-inter)*l.step[s.Link.hw()][Ring][p]*h.intra +
		inter*(l.step[hwNet][Ring][p]+h.net)
}

// treeLoad is how many times the payload leaves a node in a double binary
// tree: once with two nodes, where each is the other's only neighbour, else
// twice for the busiest (up to the parent, down to the children).
func (m *Model) treeLoad() float64 {
	if m.shape.Nodes <= 2 {
		return 1
	}
	return 2
}
