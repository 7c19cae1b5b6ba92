package flow

import (
	"math"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// shape is what follows from the kinds of port on a path and the size of a
// flow of one queue pair: thousands of flows have the same.
type shape struct {
	kinds [maxKinds]uint8
	bytes int64
	limit sim.Rate // Flow.MaxRate

	ideal, tail, pipe sim.Time
	wire              float64 // bytes to move through the fluid model
	level             float64 // own limit of the level; +Inf if the path is slower
	alone             float64 // rate on an idle network
}

// Paths longer than maxKinds, and networks of more than 255 kinds of port, do
// without remembered shapes.
const maxKinds = 16

// portKind is all that a port contributes to the time of a flow alone.
type portKind struct {
	rate              sim.Rate
	delay             sim.Time
	latency, peer     sim.Time
	limit, peersLimit sim.Rate
}

// of reports whether s is the shape that key asks for.
func (s *shape) of(key *shape) bool {
	return s.bytes == key.bytes && s.limit == key.limit && s.kinds == key.kinds
}

// shapes remembers shapes in a small table, each in the place that its hash
// gives it.
type shapes struct {
	kind  []uint8 // by port; 0: not classified
	table [1024]shape
	last  [maxKinds + 1]*shape // by length of the path: the shape found last
}

func (t *shapes) init(g *fabric.Graph) {
	t.kind = make([]uint8, len(g.Ports))
	index := map[portKind]uint8{}
	for i := range g.Ports {
		q := &g.Ports[i]
		a, b := &g.Nodes[q.Node], &g.Nodes[q.Peer]
		k := portKind{q.Rate, q.Delay, a.Latency, b.Latency, a.Limit, b.Limit}
		id, ok := index[k]
		if !ok && len(index) < 255 {
			id = uint8(len(index) + 1)
			index[k] = id
		}
		t.kind[i] = id
	}
}

// shape returns the shape of flow f of one queue pair on path. It is valid
// until the next call.
func (e *Engine) shape(f *fabric.Flow, path []fabric.PortID) *shape {
	t := &e.shapes
	key := shape{bytes: f.Bytes, limit: f.MaxRate}
	known := len(path) <= maxKinds
	if known {
		for i, p := range path {
			k := t.kind[p]
			known = known && k != 0
			key.kinds[i] = k
		}
		if s := t.last[len(path)]; known && s != nil && s.of(&key) {
			return s
		}
	}
	h := uint64(f.Bytes)*0x9e3779b97f4a7c15 ^ uint64(f.MaxRate)
	for _, k := range key.kinds {
		h = (h ^ uint64(k)) * 0x100000001b3
	}
	s := &t.table[sim.Mix(h)%uint64(len(t.table))]
	if known {
		t.last[len(path)] = s
		if s.of(&key) {
			return s
		}
	}
	*s = key
	if !known {
		s.bytes = 0 // matches no flow
	}
	g := e.g
	limit := f.MaxRate
	rate := math.Inf(1)
	for _, h := range [2]fabric.NodeID{f.Src, f.Dst} {
		if l := g.Nodes[h].Limit; l > 0 {
			rate = min(rate, bytesPerPs(l))
			if limit == 0 || l < limit {
				limit = l
			}
		}
	}
	for _, p := range path {
		rate = min(rate, bytesPerPs(g.Ports[p].Rate))
	}
	s.level = math.Inf(1)
	if f.MaxRate > 0 {
		if m := bytesPerPs(f.MaxRate); m < rate {
			rate, s.level = m, m
		}
	}
	s.alone = rate
	s.ideal = fabric.Ideal(g, path, f.Bytes, e.cfg.Framing, limit)
	s.pipe = fabric.Pipe(g, path, f.Bytes, e.cfg.Framing)
	s.wire = float64(e.cfg.Framing.WireBytes(f.Bytes))
	if s.tail = s.ideal - sim.Time(s.wire/rate+0.5); s.tail < 0 {
		s.tail, s.wire = 0, float64(s.ideal)*rate
	}
	return s
}

// severalShape is shape for a flow of n > 1 queue pairs, whose links the placer
// holds: the bytes of all at the rate that the links they share allow, and the
// longest path. The first paths of the flow follow one another in e.place.path.
func (e *Engine) severalShape(f *fabric.Flow, n int) shape {
	g, p := e.g, &e.place
	s := shape{level: math.Inf(1)}
	var wire int64
	for q, at := 0, 0; q < n; q++ {
		path := p.path[at:p.ends[q]]
		at = p.ends[q]
		size := f.QPBytes(q, n)
		w := e.cfg.Framing.WireBytes(size)
		wire += w
		slowest := g.Ports[path[0]].Rate
		for _, o := range path {
			slowest = min(slowest, g.Ports[o].Rate)
		}
		s.tail = max(s.tail, fabric.Ideal(g, path, size, e.cfg.Framing, 0)-slowest.TxTime(w))
		s.pipe = max(s.pipe, fabric.Pipe(g, path, size, e.cfg.Framing))
	}
	level := math.Inf(1)
	for _, c := range p.on {
		level = min(level, e.nominal(c.link)/float64(c.k))
	}
	if f.MaxRate > 0 {
		if m := bytesPerPs(f.MaxRate) / float64(n); m < level {
			level, s.level = m, m
		}
	}
	s.alone = level * float64(n)
	s.wire = float64(wire)
	s.ideal = s.tail + sim.Time(s.wire/s.alone+0.5)
	return s
}

// nominal returns the capacity of link l when all is well.
func (e *Engine) nominal(l int32) float64 {
	if int(l) < len(e.g.Ports) {
		return bytesPerPs(e.g.Ports[l].Rate)
	}
	return e.sys.links[l].cap
}
