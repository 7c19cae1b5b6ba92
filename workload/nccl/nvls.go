package nccl

// nvlsPlan is what NCCL sets up for NVLS and NVLSTree, whatever the size.
type nvlsPlan struct {
	channels         int
	chunk, treeChunk int64 // bytes; the ceiling of each algorithm
}

// nvls is the plan of src/transport/nvls.cc and src/enqueue.cc: 16 channels on
// sm90; on sm100 32, from 2.27 on 24 inside one NVLink domain. The table for
// several nodes of sm100 that 2.30 adds is not taken (docs/validation.md).
func (t *Tuner) nvls() nvlsPlan {
	s, e := t.shape, t.env
	p := nvlsPlan{channels: 16, chunk: first(e.NVLSChunk, nvlsChunk)}
	switch {
	case s.Arch.row() < 3:
	case s.Nodes > 1 || t.version < 22703:
		p.channels = 32
	default:
		p.channels = 24
	}
	switch {
	case e.NVLSTreeMaxChunk > 0:
		p.treeChunk = min(p.chunk, e.NVLSTreeMaxChunk)
	case s.Nodes >= 4:
		p.treeChunk = min(p.chunk, nvlsTreeChunk4)
	default:
		p.treeChunk = p.chunk
	}
	if e.NVLSChannels > 0 {
		p.channels = e.NVLSChannels
	}
	if e.MaxChannels > 0 {
		p.channels = min(p.channels, e.MaxChannels)
	}
	p.channels = max(p.channels, e.MinChannels)
	return p
}

// heads is how many GPUs of a node or NVLink domain reduce and multicast.
func (t *Tuner) heads() int { return max(1, t.graphs[NVLS].channels) }
