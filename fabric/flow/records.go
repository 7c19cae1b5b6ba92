package flow

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// record is what a flow was to do, and what finding its paths again needs: 56
// bytes without pointers. When it was done stands apart, see chunk.
type record struct {
	start, ideal     sim.Time
	bytes            int64
	src, dst         fabric.NodeID
	qps              int32
	pair             uint32 // number among the flows of its end points
	name             int32  // index into records.names
	srcPort, dstPort uint16
	class            fabric.Class
	given            bool // its path was given
}

// records holds one record a flow in chunks that never move.
type records struct {
	chunks []*chunk
	n      int
	names  []name
	index  map[name]int32
	last   int32
}

type name struct{ job, label string }

// recordsPerChunk makes chunks of a quarter of a MiB.
const recordsPerChunk = 1 << 12

// chunk keeps apart what is written when a flow starts and when it ends, so that
// its end touches eight bytes that its neighbours touch too.
type chunk struct {
	flows [recordsPerChunk]record
	ends  [recordsPerChunk]sim.Time // of delivery; 0: not known yet
}

// add appends an empty record.
func (r *records) add() *record {
	c, i := r.n/recordsPerChunk, r.n%recordsPerChunk
	if c == len(r.chunks) {
		r.extend()
	}
	r.n++
	return &r.chunks[c].flows[i]
}

// extend adds a chunk.
func (r *records) extend() { r.chunks = append(r.chunks, new(chunk)) }

func (r *records) at(id fabric.FlowID) *record {
	return &r.chunks[id/recordsPerChunk].flows[id%recordsPerChunk]
}

// end returns when flow id is delivered, to be set once.
func (r *records) end(id fabric.FlowID) *sim.Time {
	return &r.chunks[id/recordsPerChunk].ends[id%recordsPerChunk]
}

// intern returns the index of a pair of names.
func (r *records) intern(job, label string) int32 {
	n := name{job, label}
	if len(r.names) > 0 && r.names[r.last] == n {
		return r.last
	}
	if r.index == nil {
		r.index = map[name]int32{}
	}
	i, ok := r.index[n]
	if !ok {
		i = int32(len(r.names))
		r.names = append(r.names, n)
		r.index[n] = i
	}
	r.last = i
	return i
}

// flow rebuilds what of the flow its paths depend on.
func (x *record) flow() fabric.Flow {
	return fabric.Flow{Src: x.src, Dst: x.dst, Bytes: x.bytes, QPs: int(x.qps), SrcPort: x.srcPort, DstPort: x.dstPort}
}
