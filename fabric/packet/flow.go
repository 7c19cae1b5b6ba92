package packet

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Values of paths that are not ports.
const (
	pathEnd   = -1 // the peer is the destination
	routeHere = -2 // the switch decides for each packet
	noRoute   = -3 // the destination cannot be reached
)

// flow is a message, with its relays.
type flow struct {
	rec    fabric.FlowRecord
	done   *sim.Event
	qp     int32 // its first QP
	qps    int32
	left   int32 // QPs not yet finished
	failed bool
	fixed  bool // paths were given: no rerouting
	up     []int32
	down   []int32
	lag    int64
	slice  int64
	notify int64 // delivered bytes at which relays hear of more
	cap    sim.Rate
	srcN   uint32 // its number among the flows of its end points
	sport  uint16
	dport  uint16
}

// StartGroup starts flows at the kernel's now; see fabric.Network.
func (e *Engine) StartGroup(fs []fabric.Flow) []fabric.FlowID {
	ids := make([]fabric.FlowID, len(fs))
	base := int32(len(e.flows))
	now := e.k.Now()
	for i := range fs {
		ids[i] = fabric.FlowID(base) + fabric.FlowID(i)
		e.addFlow(&fs[i], base, now)
	}
	for i := range fs {
		for _, u := range fs[i].Upstream {
			d := &e.flows[base+int32(u)]
			d.down = append(d.down, base+int32(i))
		}
	}
	s := e.shards[0]
	s.attach(e)
	s.active += len(fs)
	for i := range fs {
		fi := base + int32(i)
		f := &e.flows[fi]
		e.initRelay(fi)
		if e.cfg.Compat {
			if i > 0 && f.rec.Start < e.flows[fi-1].rec.Start {
				panic("packet: Compat wants flows sorted by start")
			}
			continue
		}
		s.push(f.rec.Start+e.g.Nodes[f.rec.Src].Latency, evStart, fi, 0)
	}
	if e.cfg.Compat && len(fs) > 0 && e.nextStart == int(base) {
		s.push(e.flows[base].rec.Start, evChain, 0, 0)
	}
	return ids
}

// addFlow records a flow and creates its QPs.
func (e *Engine) addFlow(f *fabric.Flow, base int32, now sim.Time) {
	g := e.g
	if f.Bytes <= 0 || f.Src == f.Dst || f.Class > 7 || e.queueOf[f.Class] == 0 || f.QPs < 0 || f.Lag < 0 || f.Slice < 0 {
		panic(fmt.Sprintf("packet: flow %d -> %d of %d bytes, class %d, %d QPs, lag %d, slice %d", f.Src, f.Dst, f.Bytes, f.Class, f.QPs, f.Lag, f.Slice))
	}
	n := int32(max(1, f.QPs))
	if int64(n) > f.Bytes {
		n = int32(f.Bytes)
	}
	pair := uint64(uint32(f.Src))<<32 | uint64(uint32(f.Dst))
	fi := int32(len(e.flows))
	x := flow{
		rec:  fabric.FlowRecord{Src: f.Src, Dst: f.Dst, Bytes: f.Bytes, Start: now + f.Delay, FCT: -1, Class: f.Class, QPs: uint8(f.QPCount()), SrcPort: f.SrcPort, Job: f.Job, Label: f.Label},
		done: f.Done, qp: int32(len(e.snd)), qps: n, left: n, lag: f.Lag, slice: f.Slice, cap: f.MaxRate,
		srcN: e.pairs[pair], sport: f.SrcPort, dport: f.DstPort, fixed: f.Path != nil,
	}
	e.pairs[pair]++
	for _, u := range f.Upstream {
		x.up = append(x.up, base+int32(u))
	}
	var ideal sim.Time
	for q := range n {
		size := f.Bytes / int64(n)
		if int64(q) < f.Bytes%int64(n) {
			size++
		}
		hd := fabric.QPHeader(f, x.srcN, int(q))
		fwd := e.buf[:0]
		var err error
		if f.Path != nil {
			fwd = append(fwd, f.Path...)
		} else if fwd, err = e.r.Path(fwd, f.Src, f.Dst, hd); err != nil {
			panic("packet: " + err.Error())
		}
		e.buf = fwd
		if g.Ports[fwd[0]].Node != f.Src || g.Ports[fwd[len(fwd)-1]].Peer != f.Dst {
			panic(fmt.Sprintf("packet: the path given does not lead from %s to %s", g.Nodes[f.Src].Name, g.Nodes[f.Dst].Name))
		}
		ideal = max(ideal, e.ideal(fwd, size, f.MaxRate/sim.Rate(n)))
		path := e.addPath(fwd, f.Path != nil)
		rtt := e.roundTrip(fwd)
		line := g.Ports[fwd[0]].Rate
		hops := len(fwd)
		back := e.buf2[:0]
		if f.AckPath != nil {
			back = append(back, f.AckPath...)
		} else if back, err = e.r.Path(back, f.Dst, f.Src, hd.Reverse()); err != nil {
			panic("packet: " + err.Error())
		}
		e.buf2 = back
		ack := e.addPath(back, f.AckPath != nil)
		e.addQP(fi, size, path, ack, f, n, line, rtt, hops)
	}
	x.rec.Ideal = max(ideal, e.sharedIdeal(int32(len(e.snd))-n, n))
	e.flows = append(e.flows, x)
}

// addPath appends a path to paths and returns where it starts.
func (e *Engine) addPath(p []fabric.PortID, fixed bool) int32 {
	at := int32(len(e.paths))
	if !fixed && e.cfg.Routing.Mode != ECMP && len(p) > 1 {
		e.paths = append(e.paths, int32(p[0]), routeHere)
		return at
	}
	for _, x := range p {
		e.paths = append(e.paths, int32(x))
	}
	e.paths = append(e.paths, pathEnd)
	return at
}

func (e *Engine) addQP(fi int32, size int64, path, ack int32, f *fabric.Flow, n int32, line sim.Rate, rtt sim.Time, hops int) {
	q := e.queueOf[f.Class]
	dst := &e.nics[e.nicOf[f.Dst]]
	sq := sender{
		size: size, limit: size, flow: fi, path: path, port: e.paths[path], link: -1, q: q,
		every: dst.ackEvery, quota: 1<<63 - 1, line: line, rate: line, rtt: rtt, hops: uint8(hops),
	}
	if f.MaxRate > 0 {
		sq.line = min(line, max(1, f.MaxRate/sim.Rate(n)))
		sq.rate = sq.line
	}
	if !e.cfg.Compat {
		sq.ps = pacing(sq.rate, line)
	}
	sq.bdp = sq.line.Bytes(rtt)
	sq.maxWin = e.windowOf(&sq)
	sq.win = sq.maxWin
	rq := receiver{size: size, path: ack, flow: fi, by: -1, gap: -1, node: e.nicOf[f.Dst], q: queueControl, cnpGap: dst.interval, cnpLag: dst.delay}
	if dst.ackData || e.cfg.Compat {
		rq.q = q
	}
	e.snd = append(e.snd, sq)
	e.rcv = append(e.rcv, rq)
	if e.cc != nil {
		e.cc.grow(len(e.snd))
	}
}

// startFlow lets the QPs of flow fi send.
func (s *shard) startFlow(fi int32) {
	f := &s.e.flows[fi]
	for qi := f.qp; qi < f.qp+f.qps; qi++ {
		x := &s.snd[qi]
		x.state |= stBegun
		x.avail = s.now
		if s.e.cc != nil {
			s.e.cc.start(s, qi)
		}
		s.traceRate(qi, x)
		if s.compat {
			n := &s.e.nics[s.ports[x.port].host]
			n.list = append(n.list, qi)
		}
		s.wake(qi)
	}
}

// finishQP counts QP qi as complete.
func (s *shard) finishQP(qi int32) {
	fi := s.snd[qi].flow
	f := &s.e.flows[fi]
	if f.left--; f.left > 0 {
		return
	}
	f.rec.FCT = s.now - f.rec.Start
	s.active--
	s.n.finished++
	if s.island {
		s.ended = append(s.ended, fi)
		s.yield = true
		return
	}
	if f.done != nil {
		s.e.k.AdvanceTo(s.now)
		f.done.Arrive(s.e.k)
		s.yield = true
	}
}

// progress counts bytes of QP qi that have arrived in order.
func (s *shard) progress(qi int32, r *receiver, before int64) {
	d := r.next - before
	s.n.delivered += d
	s.tel.count(s.now, binDelivered, d)
	if s.now >= s.tel.tickAt {
		s.tick()
	}
	if r.relays {
		s.relay(&s.e.flows[r.flow])
	}
	if !s.compat && r.next == r.size {
		s.finishQP(qi)
	}
}
