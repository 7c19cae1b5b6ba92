package flow

import (
	"fmt"
	"math"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// placer adds up which links the queue pairs of one flow cross.
type placer struct {
	index     []int32 // by link: its place in links while stamp matches
	stamp     []uint32
	epoch     uint32
	links, ks []int32
	path      []fabric.PortID
}

func (p *placer) init(links int) {
	p.index, p.stamp = make([]int32, links), make([]uint32, links)
}

func (p *placer) reset() {
	p.epoch++
	p.links, p.ks = p.links[:0], p.ks[:0]
}

func (p *placer) cross(l, k int32) {
	if p.stamp[l] == p.epoch {
		p.ks[p.index[l]] += k
		return
	}
	p.stamp[l], p.index[l] = p.epoch, int32(len(p.links))
	p.links, p.ks = append(p.links, l), append(p.ks, k)
}

// StartGroup starts flows at the kernel's now; see fabric.Network.
func (e *Engine) StartGroup(fs []fabric.Flow) []fabric.FlowID {
	e.now = max(e.now, e.k.Now())
	ids := make([]fabric.FlowID, len(fs))
	slots := make([]int32, len(fs))
	coupled := false
	for i := range fs {
		ids[i] = fabric.FlowID(len(e.recs))
		slots[i] = e.admit(&fs[i])
		coupled = coupled || len(fs[i].Upstream) > 0
	}
	if coupled {
		e.couple(fs, slots)
	}
	for i, s := range slots {
		if fs[i].Delay > 0 {
			e.cal.set(s, e.now+fs[i].Delay, onStart)
		} else {
			e.begin(s)
		}
	}
	return ids
}

// admit records a flow, finds its way and returns its slot.
func (e *Engine) admit(f *fabric.Flow) int32 {
	if f.Bytes <= 0 || f.Src == f.Dst || f.QPs < 0 || f.Lag < 0 || f.Slice < 0 || f.Delay < 0 || f.MaxRate < 0 {
		panic(fmt.Sprintf("flow: flow %d -> %d of %d bytes, %d QPs, lag %d, slice %d, delay %v, limit %v", f.Src, f.Dst, f.Bytes, f.QPs, f.Lag, f.Slice, f.Delay, f.MaxRate))
	}
	s := e.slot()
	x := &e.slots[s]
	pair := e.assign.Number(f)
	ideal := e.route(s, f, pair)
	x.id, x.done, x.pair, x.given = fabric.FlowID(len(e.recs)), f.Done, pair, f.Path != nil
	e.heads[s] = header{f.Src, f.Dst, f.SrcPort, f.DstPort}
	e.asked = append(e.asked, ask{x.qps, f.SrcPort, f.DstPort, x.given})
	e.recs = append(e.recs, fabric.FlowRecord{
		Src: f.Src, Dst: f.Dst, Bytes: f.Bytes, Start: e.now + f.Delay, FCT: -1, Ideal: ideal,
		Class: f.Class, Job: f.Job, Label: f.Label,
	})
	return s
}

// slot returns an unused slot.
func (e *Engine) slot() int32 {
	if n := len(e.free); n > 0 {
		s := e.free[n-1]
		e.free = e.free[:n-1]
		return s
	}
	s := int32(len(e.slots))
	e.slots = append(e.slots, transfer{})
	e.relays = append(e.relays, relay{})
	e.heads = append(e.heads, header{})
	e.sys.grow(s)
	e.cal.grow(s)
	return s
}

// route places flow f in slot s and returns its ideal completion time: for one
// queue pair fabric.Ideal, for several the bytes of all at the rate that the
// links they share allow, and the longest path.
func (e *Engine) route(s int32, f *fabric.Flow, pair uint32) sim.Time {
	g, fr, p := e.g, e.cfg.Framing, &e.place
	n := f.QPCount()
	limit := f.MaxRate
	for _, h := range [2]fabric.NodeID{f.Src, f.Dst} {
		if l := g.Nodes[h].Limit; l > 0 && (limit == 0 || l < limit) {
			limit = l
		}
	}
	p.reset()
	var ideal, tail, pipe sim.Time
	var wire int64
	for q := range n {
		path, err := e.assign.Path(p.path[:0], f, pair, q)
		if err != nil {
			panic("flow: " + err.Error())
		}
		p.path = path
		if g.Ports[path[0]].Node != f.Src || g.Ports[path[len(path)-1]].Peer != f.Dst {
			panic(fmt.Sprintf("flow: the path given does not lead from %s to %s", g.Nodes[f.Src].Name, g.Nodes[f.Dst].Name))
		}
		size := f.QPBytes(q, n)
		w := fr.WireBytes(size)
		wire += w
		slowest := g.Ports[path[0]].Rate
		for _, o := range path {
			p.cross(int32(o), 1)
			slowest = min(slowest, g.Ports[o].Rate)
		}
		if n == 1 {
			ideal = fabric.Ideal(g, path, size, fr, limit)
		} else {
			tail = max(tail, fabric.Ideal(g, path, size, fr, 0)-slowest.TxTime(w))
		}
		pipe = max(pipe, fabric.Pipe(g, path, size, fr))
	}
	if l := e.egress[f.Src]; l >= 0 {
		p.cross(l, int32(n))
	}
	if l := e.egress[f.Dst]; l >= 0 {
		p.cross(l+1, int32(n))
	}
	level := math.Inf(1)
	for i, l := range p.links {
		level = min(level, e.nominal(l)/float64(p.ks[i]))
	}
	x := &e.slots[s]
	x.limit = math.Inf(1)
	if f.MaxRate > 0 {
		if m := bytesPerPs(f.MaxRate) / float64(n); m < level {
			level, x.limit = m, m
		}
	}
	rate := level * float64(n)
	x.wire, x.tail = float64(wire), tail
	alone := sim.Time(x.wire/rate + 0.5)
	if n > 1 {
		ideal = tail + alone
	} else if x.tail = ideal - alone; x.tail < 0 {
		x.tail, x.wire = 0, float64(ideal)*rate
	}
	x.left, x.rate, x.counted, x.qps = x.wire, 0, 0, int32(n)
	x.state, x.relay, x.open = stPending, false, true
	r := &e.relays[s]
	*r = relay{pipe: float64(pipe), scale: float64(f.Bytes) / x.wire, alone: rate, cycle: math.Inf(1), first: sim.Never}
	e.sys.vars[s] = variable{limit: x.limit, up: -1, down: -1, neck: neckNone}
	e.sys.reserve(s, p.links, p.ks)
	return ideal
}

// nominal returns the capacity of link l when all is well.
func (e *Engine) nominal(l int32) float64 {
	if int(l) < len(e.g.Ports) {
		return bytesPerPs(e.g.Ports[l].Rate)
	}
	return e.sys.links[l].cap
}

// begin lets slot s send.
func (e *Engine) begin(s int32) {
	f := &e.slots[s]
	f.state, f.last = stRunning, e.now
	e.dirty = true
	e.sys.enter(s)
	if f.relay && e.relays[s].lag == 0 && e.sys.vars[s].up >= 0 {
		e.shut(s)
	}
}
