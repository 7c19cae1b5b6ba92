package flow

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// placer adds up which links the queue pairs of one flow cross.
type placer struct {
	index []int32 // by link: its place in on while stamp matches
	stamp []uint32
	epoch uint32
	on    []incidence     // the links and how many queue pairs cross each
	path  []fabric.PortID // of all queue pairs, one after the other
	ends  []int           // where each ends
}

func (p *placer) init(links int) {
	p.index, p.stamp = make([]int32, links), make([]uint32, links)
}

func (p *placer) reset() {
	p.epoch++
	p.on, p.path, p.ends = p.on[:0], p.path[:0], p.ends[:0]
}

func (p *placer) cross(l, k int32) {
	if p.stamp[l] == p.epoch {
		p.on[p.index[l]].k += k
		return
	}
	p.stamp[l], p.index[l] = p.epoch, int32(len(p.on))
	p.on = append(p.on, incidence{link: l, k: k})
}

// StartGroup starts flows at the kernel's now; see fabric.Network.
func (e *Engine) StartGroup(fs []fabric.Flow) []fabric.FlowID {
	e.now = max(e.now, e.k.Now())
	ids := make([]fabric.FlowID, len(fs))
	e.coupling = false
	for i := range fs {
		e.coupling = e.coupling || len(fs[i].Upstream) > 0
	}
	if len(fs) > 1 {
		e.expect(len(fs))
	}
	slots := e.group[:0]
	for i := range fs {
		ids[i] = fabric.FlowID(e.recs.n)
		s := e.admit(&fs[i])
		if e.coupling {
			slots = append(slots, s)
		} else {
			e.launch(s, fs[i].Delay)
		}
	}
	e.group = slots
	if e.coupling {
		e.couple(fs, slots)
		for i, s := range slots {
			e.launch(s, fs[i].Delay)
		}
	}
	return ids
}

// launch lets slot s begin after delay.
func (e *Engine) launch(s int32, delay sim.Time) {
	if delay > 0 {
		e.cal.set(s, e.now+delay, onStart)
	} else {
		e.begin(s)
	}
}

// admit records a flow, finds its way and returns its slot.
func (e *Engine) admit(f *fabric.Flow) int32 {
	if f.Bytes <= 0 || f.Src == f.Dst || f.QPs < 0 || f.Lag < 0 || f.Slice < 0 || f.Delay < 0 || f.MaxRate < 0 {
		impossible(f)
	}
	s := e.slot()
	id := fabric.FlowID(e.recs.n)
	r := e.recs.add()
	r.start, r.bytes, r.src, r.dst, r.qps = e.now+f.Delay, f.Bytes, f.Src, f.Dst, int32(f.QPCount())
	r.pair, r.name = e.assign.Number(f), e.recs.intern(f.Job, f.Label)
	r.srcPort, r.dstPort, r.class, r.given = f.SrcPort, f.DstPort, f.Class, f.Path != nil
	if err := e.find(f, r); err != nil {
		panic("flow: " + err.Error())
	}
	var sh *shape
	if r.qps == 1 {
		sh = e.shape(f, e.place.path)
	} else {
		s := e.severalShape(f, int(r.qps))
		sh = &s
	}
	r.ideal = sh.ideal
	t := &e.slots[s]
	t.left, t.wire, t.rate, t.tail, t.done = sh.wire, sh.wire, 0, sh.tail, f.Done
	t.id, t.qps, t.state, t.relay, t.open, t.moved = id, r.qps, stPending, false, true, false
	if e.coupling {
		e.relays[s] = newRelay(f, sh)
	}
	e.sys.init(s, sh.level)
	e.sys.reserve(s, e.place.on)
	return s
}

func impossible(f *fabric.Flow) {
	panic(fmt.Sprintf("flow: flow %d -> %d of %d bytes, %d QPs, lag %d, slice %d, delay %v, limit %v", f.Src, f.Dst, f.Bytes, f.QPs, f.Lag, f.Slice, f.Delay, f.MaxRate))
}

// find leads the placer along the paths of flow f, recorded in r.
func (e *Engine) find(f *fabric.Flow, r *record) error {
	p := &e.place
	p.reset()
	if r.qps == 1 && e.egress[f.Src] < 0 && e.egress[f.Dst] < 0 && f.Path == nil {
		path, err := e.assign.Path(p.path, f, r.pair, 0)
		p.path = path
		for _, o := range path { // the shortest, so no link occurs twice
			p.on = append(p.on, incidence{link: int32(o), k: 1})
		}
		return err
	}
	for q := range int(r.qps) {
		from := len(p.path)
		path, err := e.assign.Path(p.path, f, r.pair, q)
		if err != nil {
			return err
		}
		p.path = path
		p.ends = append(p.ends, len(path))
		if g := e.g; g.Ports[path[from]].Node != f.Src || g.Ports[path[len(path)-1]].Peer != f.Dst {
			return fmt.Errorf("the path given does not lead from %s to %s", g.Nodes[f.Src].Name, g.Nodes[f.Dst].Name)
		}
		for _, o := range path[from:] {
			p.cross(int32(o), 1)
		}
	}
	if l := e.egress[f.Src]; l >= 0 {
		p.cross(l, r.qps)
	}
	if l := e.egress[f.Dst]; l >= 0 {
		p.cross(l+1, r.qps)
	}
	return nil
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
