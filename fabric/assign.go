package fabric

import "github.com/simnet/simnet/sim"

// Assigner gives the queue pairs of flows their headers and paths. Engines
// that use an Assigner over the same Routes, and start the same flows in the
// same order, see the same ECMP collisions.
type Assigner struct {
	r     *Routes
	pairs []pairCount // open addressing, a power of two
	used  int
}

type pairCount struct {
	pair uint64 // 0: unused; no flow leads from node 0 to itself
	n    uint32
}

// maxPairsAtFirst bounds what the largest networks set aside: 4 MiB.
const maxPairsAtFirst = 1 << 18

// NewAssigner returns an Assigner over r, with room for the peers of rings,
// trees and pipelines: four a host, in a table half full.
func NewAssigner(r *Routes) *Assigner {
	n := 64
	for r.g != nil && n < min(8*len(r.g.Hosts()), maxPairsAtFirst) {
		n *= 2
	}
	return &Assigner{r: r, pairs: make([]pairCount, n)}
}

// Number returns how many flows had the end points of f before, and counts f.
// It is the n of QPHeader.
func (a *Assigner) Number(f *Flow) uint32 {
	c := a.find(uint64(uint32(f.Src))<<32 | uint64(uint32(f.Dst)))
	n := c.n
	c.n++
	return n
}

func (a *Assigner) find(pair uint64) *pairCount {
	mask := uint64(len(a.pairs) - 1)
	for i := sim.Mix(pair) & mask; ; i = (i + 1) & mask {
		c := &a.pairs[i]
		if c.pair == pair {
			return c
		}
		if c.pair != 0 {
			continue
		}
		if a.used++; 2*a.used <= len(a.pairs) {
			c.pair = pair
			return c
		}
		old := a.pairs
		a.pairs, a.used = make([]pairCount, 2*len(old)), 0
		for _, o := range old {
			if o.pair != 0 {
				*a.find(o.pair) = o
			}
		}
		return a.find(pair)
	}
}

// Path appends to buf the ports that queue pair q of flow f takes, f being
// number n between its end points: the path that f brings, or else ECMP. It
// returns an error if the destination cannot be reached.
func (a *Assigner) Path(buf []PortID, f *Flow, n uint32, q int) ([]PortID, error) {
	if f.Path != nil {
		return append(buf, f.Path...), nil
	}
	if p, ok := a.r.quick(buf, f, n, q); ok {
		return p, nil
	}
	return a.r.Path(buf, f.Src, f.Dst, QPHeader(f, n, q))
}

// quick is Path between hosts with one link each to a switch, without copying
// next hops and with at most one pass over the header; false where that does
// not do.
func (r *Routes) quick(buf []PortID, f *Flow, n uint32, q int) ([]PortID, bool) {
	from, to := &r.single[f.Src], &r.single[f.Dst]
	if from.out < 0 || to.out < 0 || r.hasher.Kind == Murmur3 {
		return buf, false
	}
	was := len(buf)
	buf = append(buf, from.out)
	next := r.tables[to.group].next
	x, hashed := uint32(0), false
	for at := from.sw; at != to.sw; {
		set := r.sets[next[at]]
		h := set.first
		if set.n != 1 {
			if set.n == 0 {
				return buf[:was], false
			}
			if !hashed {
				x, hashed = r.hasher.digest(QPHeader(f, n, q)), true
			}
			h += int32(modulo(finalise(x^r.salt[at]), uint32(set.n)))
		}
		buf = append(buf, r.hops[h].port)
		at = r.hops[h].sw
	}
	return append(buf, to.out^1), true
}

// modulo is x % n; switches have a power of two of next hops as a rule, and a
// division takes as long as the rest of a hop.
func modulo(x, n uint32) uint32 {
	if n&(n-1) == 0 {
		return x & (n - 1)
	}
	return x % n
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
