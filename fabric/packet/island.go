package packet

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Island is a set of flows that share links with no other flow, together with
// those links: it runs on a clock of its own, beside other islands, and may lag
// behind the kernel or be fast-forwarded. The buffer of a switch counts as the
// island's own; what other islands hold there does not lower its thresholds.
//
// Islands belong to an Engine that is not attached to a kernel: their owner
// starts flows, advances them and collects what has finished. Different islands
// may Run at once; everything else is for one goroutine.
type Island struct {
	e     *Engine
	s     *shard
	flows []int32 // of the engine, in the order in which they joined
	open  []int32 // those not known to be done, in the same order
	ports []int32 // both directions of each link, in the order of the claims
	base  []portMark
	nics  []int32
	slots []int32 // places in Engine.switches
	birth sim.Time
}

// portMark is what a port had counted when an island claimed it.
type portMark struct {
	txBytes            int64
	txPkts             uint32
	maxq               int32
	ecn, drops, pauses int64
	paused             sim.Time
}

// QPRoute is the way of one QP, by offsets that AddPath returned.
type QPRoute struct{ Fwd, Back int32 }

// IslandFlow is a flow to start on an island.
type IslandFlow struct {
	Flow   *fabric.Flow // Upstream counts from the start of the group
	ID     fabric.FlowID
	Number uint32 // of the flow between its end points
	QPs    []QPRoute
}

// AddPath stores a path for use in QPRoute.
func (e *Engine) AddPath(p []fabric.PortID) int32 { return e.addPath(p, true) }

// NewIsland returns an island without links. Only an engine without Compat,
// with ECMP routing, has islands.
func (e *Engine) NewIsland(birth sim.Time) *Island {
	if e.cfg.Compat || e.cfg.Routing.Mode != ECMP {
		panic("packet: islands need ECMP and no Compat")
	}
	if e.owner == nil {
		e.owner = make([]int32, len(e.ports))
		e.glideOf = make([]int32, len(e.ports))
		e.devices = int32(len(e.switches))
		e.islandTel = e.cfg.Telemetry
		e.islandTel.RateTraces = 0
	}
	var s *shard
	if n := len(e.idle); n > 0 {
		s = e.idle[n-1]
		e.idle = e.idle[:n-1]
	} else {
		a := e.cfg.CC.Algorithm
		s = &shard{e: e, island: true, w: newWheel(12, 9), arena: newArena(a == TIMELY || a == Swift, a == HPCC, e.cfg.Recovery.Mode == SelectiveRepeat)}
	}
	e.islands++
	s.id = e.islands
	s.tel.initLazy(&e.islandTel)
	return &Island{e: e, s: s, birth: birth}
}

// initLazy prepares the telemetry of an island, which grows with its use.
func (t *telemetry) initLazy(c *Telemetry) {
	*t = telemetry{c: c, byPort: map[int32]int32{}}
}

// Streams returns the states of the random streams of both ports of a link.
func (e *Engine) Streams(l fabric.LinkID) [2]uint64 {
	return [2]uint64{e.ports[2*l].rnd, e.ports[2*l+1].rnd}
}

// Claim gives the island a link, whole, with the states of its random streams.
// The link must be free.
func (is *Island) Claim(l fabric.LinkID, streams [2]uint64) {
	e := is.e
	for _, pi := range []int32{int32(2 * l), int32(2*l + 1)} {
		if e.owner[pi] != 0 {
			panic(fmt.Sprintf("packet: port %d claimed twice", pi))
		}
		e.owner[pi] = is.s.id
		o := &e.ports[pi]
		is.ports = append(is.ports, pi)
		is.base = append(is.base, portMark{o.txBytes, o.txPkts, o.maxq, o.ecn, o.drops, o.pauses, o.pausedTime})
		o.maxq = 0
		o.rnd = streams[pi&1]
		if o.host >= 0 {
			if !contains(is.nics, o.host) {
				is.nics = append(is.nics, o.host)
			}
		} else {
			o.sw = is.slot(e.swOf[o.node])
		}
	}
}

func contains(a []int32, x int32) bool {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] == x {
			return true
		}
	}
	return false
}

// slot returns the island's own copy of switch real.
func (is *Island) slot(real int32) int32 {
	e := is.e
	for _, x := range is.slots {
		if e.switches[x].node == e.switches[real].node {
			return x
		}
	}
	d := e.switches[real]
	d.shared, d.used, d.max, d.fluid = 0, 0, 0, 0
	x := int32(len(e.switches))
	if n := len(e.freeSlots); n > 0 {
		x = e.freeSlots[n-1]
		e.freeSlots = e.freeSlots[:n-1]
		e.switches[x] = d
	} else {
		e.switches = append(e.switches, d)
	}
	is.slots = append(is.slots, x)
	return x
}

// Next returns the time of the island's earliest event, Never if none.
func (is *Island) Next() sim.Time { return is.s.w.peek() }

// Now returns the island's clock.
func (is *Island) Now() sim.Time { return is.s.now }

// Run handles events up to limit, until flows finish, or until a batch is
// done; it returns the flows that finished, all at Now, by the order in which
// they joined. The slice is valid until the next Run.
func (is *Island) Run(limit sim.Time) []int32 {
	s := is.s
	s.attach(is.e)
	s.ended = s.ended[:0]
	s.run(limit)
	return s.ended
}

// FlowID returns the number that the owner gave to a flow which Run returned.
func (is *Island) FlowID(fi int32) fabric.FlowID { return is.e.extOf[fi] }

// Idle reports whether nothing of the island can happen any more except timers
// without effect: all flows are done and no packet is on its way, or whatever is
// left waits for ever.
func (is *Island) Idle() bool { return is.s.active == 0 && is.s.live == 0 || is.s.w.n == 0 }

// Active returns the number of flows that have neither finished nor failed.
func (is *Island) Active() int { return is.s.active }

// Size returns the number of ports and flows that a sample looks at.
func (is *Island) Size() int { return len(is.ports) + len(is.open) }

// Events returns the number of events handled.
func (is *Island) Events() uint64 { return is.s.events }

// Birth returns the time that NewIsland was given.
func (is *Island) Birth() sim.Time { return is.birth }

// owns reports whether port p is the shard's.
func (s *shard) owns(p int32) bool { return !s.island || s.e.owner[p] == s.id }

// SetLink changes the state of a link of the island at time now. Where it goes
// down or comes up the flows take the routes of now, which may use any link: the
// island has to own them all.
func (is *Island) SetLink(l fabric.LinkID, st fabric.LinkState, now sim.Time) {
	s := is.s
	s.attach(is.e)
	s.now = now
	if !s.setLink(l, st) {
		return
	}
	for _, fi := range is.flows {
		s.reroute(fi)
	}
	s.attach(is.e)
}

// SetFreeLink changes the state of a link that no island owns.
func (e *Engine) SetFreeLink(l fabric.LinkID, st fabric.LinkState) {
	e.shards[0].setLink(l, st)
}

// Down reports whether a link is down.
func (e *Engine) Down(l fabric.LinkID) bool { return e.ports[2*l].is(oddDown) }

// EarliestEnd returns a time before which no flow for which wanted reports true
// can finish: what is missing of it has to cross its last link.
func (is *Island) EarliestEnd(wanted func(fabric.FlowID) bool) sim.Time {
	e := is.e
	least := sim.Never
	for _, fi := range is.open {
		f := &e.flows[fi]
		if f.left == 0 || f.failed || !wanted(e.extOf[fi]) {
			continue
		}
		t := is.s.now
		if e.snd[f.qp].state&stBegun == 0 {
			t = max(t, f.rec.Start)
		}
		most := sim.Time(0)
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			if missing := e.snd[qi].size - e.rcv[qi].next - e.payload; missing > 0 {
				most = max(most, e.g.Ports[e.paths[e.rcv[qi].path]].Rate.TxTime(missing))
			}
		}
		least = min(least, t+most)
	}
	return least
}

// Finished calls fn for every flow that has finished, by the order of joining.
func (is *Island) Finished(fn func(fabric.FlowID)) {
	for _, fi := range is.flows {
		if is.e.flows[fi].left == 0 {
			fn(is.e.extOf[fi])
		}
	}
}
