package nccl

import (
	"fmt"

	"github.com/simnet/simnet/sim"
)

// Choice is what NCCL would run for one call.
type Choice struct {
	Algo       Algo
	Proto      Proto
	Channels   int
	ChunkBytes int64    // what one channel moves in one step
	SliceBytes int64    // what is signalled at once; a chunk is one or two slices
	NThreads   int      // a CTA
	PXN        bool     // inter-node sends leave by a rail peer's NIC
	Time       sim.Time // the tuner's own estimate; 0 for point-to-point
}

// String prints "Ring/LL128 16ch chunk 576000".
func (c Choice) String() string {
	return fmt.Sprintf("%s/%s %dch chunk %d", c.Algo, c.Proto, c.Channels, c.ChunkBytes)
}

// Tuner is NCCL's table of latency and bandwidth for one communicator.
type Tuner struct {
	shape    Shape
	env      Env
	version  Version
	graphs   [numAlgos]graph
	channels int                                          // of collectives
	lat      [numCollectives][numAlgos][numProtos]float64 // us
	bw       [numCollectives][numAlgos][numProtos]float64 // GB/s of algorithm bandwidth, 0: not available
}

// NewTuner builds the table as src/graph/tuning.cc of version v does. It
// fails if the shape cannot be or the environment contradicts it.
func NewTuner(s Shape, v Version, e Env) (*Tuner, error) {
	if e.MNNVLDisabled {
		s.DomainNodes = 0
	}
	s, err := s.validate()
	if err != nil {
		return nil, err
	}
	if s, err = e.apply(s); err != nil {
		return nil, err
	}
	t := &Tuner{shape: s, env: e, version: v}
	if v == 0 {
		t.version = DefaultVersion
	}
	for a := range numAlgos {
		switch Algo(a) {
		case Ring, PAT:
			t.graphs[a] = s.searchGraph(Ring)
		case Tree:
			t.graphs[a] = s.searchGraph(Tree)
		case NVLS, NVLSTree:
			t.graphs[a] = s.searchGraph(NVLS)
		}
	}
	t.channels = s.collChannels(t.graphs[Ring], e)
	for c := AllReduce; c <= Reduce; c++ {
		ok := false
		for a := range Algo(numAlgos) {
			for p := range Proto(numProtos) {
				if !t.available(c, a, p) {
					continue
				}
				t.lat[c][a][p] = t.latency(c, a, p, t.assumed())
				t.bw[c][a][p] = t.bandwidth(c, a, p)
				ok = ok || t.bw[c][a][p] > 0
			}
		}
		if !ok && s.Ranks() > 1 {
			return nil, fmt.Errorf("nccl: NCCL_ALGO and NCCL_PROTO leave no way to run %s on %d nodes of %d GPUs", c, s.Nodes, s.GPUsPerNode)
		}
	}
	return t, nil
}

// available says whether NCCL would consider the combination at all.
func (t *Tuner) available(c Collective, a Algo, p Proto) bool {
	s := t.shape
	if t.version < algoSince[a] || t.graphs[a].channels == 0 {
		return false
	}
	switch a {
	case CollNetDirect, CollNetChain:
		return false // no in-network reduction is modelled
	case Tree:
		if c != AllReduce {
			return false
		}
	case NVLS:
		if p != Simple || s.Nodes > 1 || c == Broadcast || c == Reduce || t.graphs[a].channels < 2 {
			return false
		}
	case NVLSTree:
		if p != Simple || s.Nodes == 1 || c != AllReduce || t.graphs[a].channels < 2 {
			return false
		}
	case PAT:
		if p != Simple || s.GPUsPerNode != 1 || s.Nodes < 2 || (c != AllGather && c != ReduceScatter) || t.env.PATDisabled {
			return false
		}
	}
	if !t.env.algoAllowed(c, a) {
		return false
	}
	forced, allowed := t.env.protoAllowed(c, p)
	if !allowed {
		return false
	}
	if p != Simple && s.Nodes > 1 && s.UnorderedNIC {
		return false
	}
	if p == LL128 && !forced {
		// Only over NVLink inside, and over a NIC below the same PCIe switch.
		if s.Link.hw() != hwNVLink || (s.Nodes > 1 && s.NoGDR) {
			return false
		}
	}
	return true
}

// estimate is NCCL's time in us for bytes, or a negative number if the
// combination is off.
func (t *Tuner) estimate(c Collective, a Algo, p Proto, bytes int64) float64 {
	bw, lat := t.bw[c][a][p], t.lat[c][a][p]
	if bw <= 0 {
		return -1
	}
	last := 23
	if t.version >= 23007 {
		last = 24
	}
	if i := log2(bytes >> 6); i >= 0 && i < last && c == AllReduce {
		f := 1.0
		if i < 23 {
			f = treeCorrection[p][i]
		} else if p == Simple {
			f = .9
		}
		if a == Tree || (a == NVLSTree && t.version >= 23007 && t.shape.Arch.row() == 3) {
			bw *= f
		}
	}
	if a == Ring && p == Simple && t.shape.Nodes > 1 && c == AllReduce &&
		bytes/int64(t.channels*t.shape.Ranks()) >= 64 {
		if t.shape.Arch < SM80 {
			lat *= 1.9
		} else {
			lat *= 1.4
		}
	}
	return lat + float64(bytes)/(1000*bw)
}

// Estimate is the tuner's own time for one combination, and false if NCCL
// would not consider it.
func (t *Tuner) Estimate(c Collective, a Algo, p Proto, bytes int64) (sim.Time, bool) {
	if a >= numAlgos || c > Reduce {
		return 0, false
	}
	e := t.estimate(c, a, p, bytes)
	if e < 0 {
		return 0, false
	}
	return fromUS(e), true
}

// Choose returns what NCCL runs for a collective of bytes (as nccl-tests
// counts them: the larger of the send and receive buffers).
func (t *Tuner) Choose(c Collective, bytes int64) Choice {
	if c == AllToAll || c == SendRecv {
		return t.chooseP2P(c, bytes)
	}
	best, at := -1.0, Choice{Algo: Ring, Proto: Simple}
	for a := range Algo(numAlgos) {
		for p := range Proto(numProtos) {
			if e := t.estimate(c, a, p, bytes); e >= 0 && (best < 0 || e < best) {
				best, at.Algo, at.Proto = e, a, p
			}
		}
	}
	if best > 0 {
		at.Time = fromUS(best)
	}
	t.channelsAndChunks(c, bytes, &at)
	return at
}

func log2(x int64) int {
	n := -1
	for ; x > 0; x >>= 1 {
		n++
	}
	return n
}
