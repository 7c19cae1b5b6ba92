package flow

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// record is the outcome of a flow, and what finding its paths again needs:
// 64 bytes without pointers.
type record struct {
	start, fct, ideal sim.Time
	bytes             int64
	src, dst          fabric.NodeID
	qps               int32
	pair              uint32 // number among the flows of its end points
	name              int32  // index into records.names
	srcPort, dstPort  uint16
	class             fabric.Class
	given             bool // its path was given
}

// records holds one record a flow in chunks that never move.
type records struct {
	chunks [][]record
	n      int
	names  []name
	index  map[name]int32
	last   int32
}

type name struct{ job, label string }

// recordsPerChunk makes chunks of a quarter of a MiB.
const recordsPerChunk = 1 << 12

// add appends an empty record.
func (r *records) add() *record {
	c, i := r.n/recordsPerChunk, r.n%recordsPerChunk
	if c == len(r.chunks) {
		r.extend()
	}
	r.n++
	return &r.chunks[c][i]
}

// extend adds a chunk.
func (r *records) extend() {
	c := make([]record, recordsPerChunk)
	clear(c)
	r.chunks = append(r.chunks, c)
}

func (r *records) at(id fabric.FlowID) *record {
	return &r.chunks[id/recordsPerChunk][id%recordsPerChunk]
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
