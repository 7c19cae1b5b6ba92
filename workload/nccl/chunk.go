package nccl

// channelsAndChunks fills channels, threads, chunk and slice as
// src/enqueue.cc does from the algorithm and protocol in ch.
func (t *Tuner) channelsAndChunks(c Collective, bytes int64, ch *Choice) {
	s := t.shape
	nt, threshold := int64(simpleThreads), int64(simpleThreshold)
	switch ch.Proto {
	case LL:
		nt, threshold = llThreads, llThreshold
		if ch.Algo == Ring {
			threshold *= int64(s.Ranks())
		}
	case LL128:
		nt, threshold = ll128Threads, ll128Threshold
	}
	if t.env.NThreads > 0 && ch.Proto != LL128 {
		nt = int64(t.env.NThreads)
	} else if ch.Proto == Simple && ch.Algo == Ring && t.graphs[Ring].intra*float64(t.graphs[Ring].channels) <= pciBW {
		nt = 256
	}
	if v := t.env.ThreadThresholds[ch.Proto]; v > 0 && (ch.Algo == Ring || ch.Algo == Tree) {
		threshold = v
	}
	nc := int64(t.channels)
	switch ch.Algo {
	case NVLS, NVLSTree:
		nc, nt = int64(t.nvls().channels), nvlsThreads
	default:
		for nc >= 2 && bytes < nc*nt*threshold {
			nc--
		}
		for bytes < nc*nt*threshold && nt%128 == 0 {
			nt /= 2
		}
		if ch.Proto == Simple {
			switch ch.Algo {
			case Ring:
				nt += warp // a warp of its own for synchronisation
			case Tree:
				nt += 4 * warp
			}
		}
		if nt < 3*warp {
			nt = 3 * warp
		}
	}
	if ch.Algo == Tree || ch.Algo == PAT {
		nt = nvlsThreads
	}
	ch.Channels, ch.NThreads = int(nc), int(nt)
	ch.ChunkBytes, ch.SliceBytes = t.chunk(c, bytes, nc, ch.Algo, ch.Proto)
}

func (t *Tuner) buffer(p Proto) int64 {
	if b := t.env.BuffSize[p]; b > 0 {
		return b
	}
	return [...]int64{LL: buffSizeLL, LL128: buffSizeLL128, Simple: buffSizeSimple}[p]
}

// chunk returns chunk and slice in bytes of data.
func (t *Tuner) chunk(c Collective, bytes, nc int64, a Algo, p Proto) (chunk, slice int64) {
	step := t.buffer(p) / ncclSteps
	chunkSteps, sliceSteps := int64(1), int64(1)
	if p == Simple && a == Ring && (c == AllReduce || c == AllGather || c == ReduceScatter) {
		chunkSteps, sliceSteps = ringChunkSteps, ringSliceSteps
	}
	chunk = step * chunkSteps
	switch p {
	case LL:
		chunk /= 2
	case LL128:
		chunk = chunk / 16 * 15 // 15 of 16 words of a line are data
	}
	s := t.shape
	ppn := int64(s.GPUsPerNode)
	heads := int64(t.heads())
	log := int64(log2(int64(s.Nodes)))
	shrink := func(limit, least int64) {
		for bytes/(nc*chunk) < limit && chunk > least {
			chunk /= 2
		}
	}
	switch {
	case a == NVLS:
		chunk = min(chunk, t.nvls().chunk)
		for _, r := range []struct{ k, to int64 }{{64, 64 << 10}, {8, 32 << 10}, {2, 16 << 10}} {
			if bytes < r.k*nc*heads*chunk && chunk > r.to {
				chunk = r.to
			}
		}
	case a == NVLSTree:
		chunk = t.nvls().treeChunk
		for _, r := range []struct{ k, to int64 }{{32, 256 << 10}, {16, 128 << 10}, {4, 64 << 10}, {1, 32 << 10}} {
			if bytes < r.k*nc*heads*chunk && chunk > r.to {
				chunk = r.to
			}
		}
	case a == Tree && p == Simple && t.env.DynamicChunk > 0:
		chunk = min(chunk, t.env.DynamicChunk)
	case a == Tree && p == Simple && t.version < 22003:
		// In 2.18.3 and gone in 2.20.3, which keeps one step.
		depth := ppn - 1 + log
		shrink(depth*8, 128<<10)
		shrink(depth*4, 64<<10)
		shrink(depth, 32<<10)
	case a == Tree && p == LL128:
		n := float64(1+log) + .1*float64(ppn)
		shrink(int64(n*64/float64(ppn)), 128<<10)
		shrink(int64(n*16/float64(ppn)), 32<<10)
	case a == PAT:
		for chunk*nc*16 > bytes && chunk > 64<<10 {
			chunk /= 2
		}
	}
	chunk = max(16, chunk/16*16)
	return chunk, max(16, chunk/chunkSteps*sliceSteps)
}
