package nccl

// p2pChannels is how many channels a pair of ranks uses: two for each NVLink
// between them inside a node, two to a NIC (src/graph/paths.cc), halved while
// all peers do not fit the channels there are.
func (t *Tuner) p2pChannels() (intra, net, all int) {
	s := t.shape
	all = pow2Up(t.channels)
	if t.env.MaxP2PChannels > 0 {
		all = min(all, t.env.MaxP2PChannels)
	}
	all = max(all, t.env.MinP2PChannels)
	intra = 2
	if s.Link.hw() == hwNVLink {
		intra = min(all, pow2Up(2*max(1, int(s.linkTotal()/s.Arch.nvlinkGBs()+.5))))
	}
	net = 2
	if t.env.ChannelsPerNetPeer > 0 {
		return intra, t.env.ChannelsPerNetPeer, all
	}
	for net > 1 && net*s.Ranks() > 4*all {
		net /= 2
	}
	return intra, net, all
}

// chooseP2P describes grouped send/recv.
func (t *Tuner) chooseP2P(c Collective, bytes int64) Choice {
	s := t.shape
	intra, net, _ := t.p2pChannels()
	ch := Choice{Algo: P2P, Proto: Simple, NThreads: simpleThreads, Channels: intra}
	per := bytes
	if c == AllToAll {
		per = bytes / int64(s.Ranks())
	}
	if per <= p2pLLThreshold && !(s.Nodes > 1 && s.UnorderedNIC) {
		ch.Proto = LL
	}
	switch {
	case s.Nodes > 1:
		ch.Channels, ch.ChunkBytes = net, t.p2pNetChunk()
		ch.PXN = !t.env.PXNDisabled && s.Link == NVSwitch && s.NICsPerNode > 1 && t.version >= 21212
	case s.Link.hw() == hwNVLink:
		ch.ChunkBytes = first(t.env.P2PNVLChunk, p2pNVLChunk)
	default:
		ch.ChunkBytes = first(t.env.P2PPCIChunk, p2pPCIChunk)
	}
	ch.SliceBytes = ch.ChunkBytes
	return ch
}

// p2pLLThreshold is NCCL_P2P_LL_THRESHOLD, bytes to one peer at or below which
// LL is used (src/enqueue.cc).
const p2pLLThreshold = 16384

func (t *Tuner) p2pNetChunk() int64 { return first(t.env.P2PNetChunk, p2pNetChunk) }

func first(a, b int64) int64 {
	if a > 0 {
		return a
	}
	return b
}

func pow2Up(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}
