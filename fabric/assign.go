package fabric

import "github.com/simnet/simnet/sim"

// Assigner gives the queue pairs of flows their headers and paths. Engines
// that use an Assigner over the same Routes, and start the same flows in the
// same order, see the same ECMP collisions.
type Assigner struct {
	r     *Routes
	pairs map[uint64]uint32
}

// NewAssigner returns an Assigner over r.
func NewAssigner(r *Routes) *Assigner { return &Assigner{r: r, pairs: map[uint64]uint32{}} }

// Number returns how many flows had the end points of f before, and counts f.
// It is the n of QPHeader.
func (a *Assigner) Number(f *Flow) uint32 {
	pair := uint64(uint32(f.Src))<<32 | uint64(uint32(f.Dst))
	n := a.pairs[pair]
	a.pairs[pair] = n + 1
	return n
}

// Path appends to buf the ports that queue pair q of flow f takes, f being
// number n between its end points: the path that f brings, or else ECMP. It
// returns an error if the destination cannot be reached.
func (a *Assigner) Path(buf []PortID, f *Flow, n uint32, q int) ([]PortID, error) {
	if f.Path != nil {
		return append(buf, f.Path...), nil
	}
	return a.r.Path(buf, f.Src, f.Dst, QPHeader(f, n, q))
}

// QPCount returns the number of queue pairs of f: QPs, at least one, and never
// more than there are bytes.
func (f *Flow) QPCount() int {
	return int(min(int64(max(1, f.QPs)), f.Bytes))
}

// QPBytes returns the payload that queue pair q of n carries: an even share,
// the remainder spread over the first ones.
func (f *Flow) QPBytes(q, n int) int64 {
	b := f.Bytes / int64(n)
	if int64(q) < f.Bytes%int64(n) {
		b++
	}
	return b
}

// Pipe returns the time from the first bit of a message of n bytes on the wire
// of path[0] until its first packet has been handled at the far end: store and
// forward on every hop, propagation, node latencies beyond the sender's.
func Pipe(g *Graph, path []PortID, n int64, f Framing) sim.Time {
	first := min(n, f.Payload) + f.Header
	var t sim.Time
	for _, p := range path {
		q := &g.Ports[p]
		t += q.Rate.TxTime(first) + q.Delay + g.Nodes[q.Peer].Latency
	}
	return t
}
