package hybrid

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// Engine is a fabric.Simulator that moves packets where something changes.
type Engine struct {
	k   *sim.Kernel
	g   *fabric.Graph
	r   *fabric.Routes
	cfg Config
	pe  *packet.Engine

	flows   []flow
	conns   map[connKey]*conn
	pairs   *fabric.Assigner
	owner   []*island // by link
	islands []*island // alive, by age
	live    []*island // those that are
	changed bool      // since live, floor and known were taken
	floor   sim.Time  // of the others: the earliest thing to happen
	known   sim.Time  // and the earliest completion that is known
	run     []*island // of the present round, and how far each may go
	until   []sim.Time
	born    int32
	memory  memory
	seen    []uint32 // by link: mark of a search
	mark    uint32
	pathBuf []fabric.PortID

	last    sim.Time // of the events of islands that are gone
	lossy   bool     // a link has bit errors
	faulty  bool     // a link has changed: nothing is remembered any more
	events  uint64   // of islands that are gone
	replays int64    // histories simulated again
	skipped int64    // payload bytes moved without packets
	played  int64    // payload bytes of episodes played back
}

// flow is what the engine keeps of every flow.
type flow struct {
	rec  fabric.FlowRecord
	done *sim.Event
}

// New returns an engine over g and its routes r. The caller attaches it to k.
// It returns an error if cfg is invalid or does not fit the graph.
func New(k *sim.Kernel, g *fabric.Graph, r *fabric.Routes, cfg Config) (*Engine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	pe, err := packet.New(k, g, r, cfg.Packet)
	if err != nil {
		return nil, err
	}
	e := &Engine{k: k, g: g, r: r, cfg: cfg, pe: pe, conns: map[connKey]*conn{}, pairs: fabric.NewAssigner(r)}
	e.owner = make([]*island, len(g.Links))
	e.seen = make([]uint32, len(g.Links))
	for i := range g.Links {
		e.lossy = e.lossy || g.Links[i].BER > 0
	}
	e.memory.init()
	return e, nil
}

// Next returns the time of the earliest thing that may happen.
func (e *Engine) Next() sim.Time {
	e.survey()
	t := e.floor
	for _, is := range e.live {
		t = min(t, is.nextAt)
	}
	return t
}

// survey looks at all islands again if one has changed: which of them are live,
// and when the others have something to do.
func (e *Engine) survey() {
	if !e.changed {
		return
	}
	e.changed = false
	e.live = e.live[:0]
	e.floor, e.known = sim.Never, sim.Never
	for _, is := range e.islands {
		if !is.follows() {
			e.live = append(e.live, is)
			is.look(e)
			continue
		}
		e.known = min(e.known, is.pendingEnd())
		if n := is.node; n.leader == nil || is.cursor < len(n.ends) {
			e.floor = min(e.floor, is.next())
		}
	}
}

// Events returns the number of packet events handled.
func (e *Engine) Events() uint64 {
	n := e.events
	for _, is := range e.islands {
		n += is.events()
	}
	return n
}

// Advance moves the islands on, none beyond limit, and returns when flows have
// completed that the kernel waits for; see sim.Engine.
func (e *Engine) Advance(limit sim.Time) {
	for range roundsPerAdvance {
		e.survey()
		if e.floor <= limit {
			e.prepare(limit)
			e.survey()
		}
		e.round(limit)
		if e.deliver(limit) || e.Next() > limit {
			return
		}
	}
}

// roundsPerAdvance is how many rounds pass before the kernel may report
// progress.
const roundsPerAdvance = 1000

// round lets every island run as far as it may. No island passes the earliest
// time at which another could complete a flow that the kernel waits for, since
// that may start flows anywhere.
func (e *Engine) round(limit sim.Time) {
	first, second := e.known, sim.Never
	var leader *island
	for _, is := range e.live {
		if t := is.lowAt; t < first {
			first, second, leader = t, first, is
		} else if t < second {
			second = t
		}
	}
	e.run, e.until = e.run[:0], e.until[:0]
	for _, is := range e.live {
		bound := min(limit, first)
		if is == leader {
			bound = min(limit, second)
		}
		if is.nextAt <= bound && is.runnable() {
			e.run = append(e.run, is)
			e.until = append(e.until, bound)
		}
	}
	e.parallel(e.run, e.until)
	for _, is := range e.run {
		is.look(e)
		if is.idle || is.node != nil && is.pendingEnd() != sim.Never {
			e.changed = true
		}
	}
	if e.floor <= min(limit, first) {
		e.rest(min(limit, first))
	}
}

// rest marks the islands that follow a finished episode to its end by t.
func (e *Engine) rest(t sim.Time) {
	for _, is := range e.islands {
		if is.follows() && is.node.complete() && is.cursor == len(is.node.ends) && is.birth+is.node.idleAt <= t {
			is.idle, e.changed = true, true
		}
	}
}

// deliver hands the earliest completions to the kernel if nothing can come
// before them, and reports whether the kernel has been touched.
func (e *Engine) deliver(limit sim.Time) bool {
	if e.changed {
		e.reap()
	}
	e.survey()
	t := e.known
	for _, is := range e.live {
		t = min(t, is.pendingEnd())
	}
	if t == sim.Never || t > limit {
		return false
	}
	for _, is := range e.live {
		if is.lowAt < t {
			return false
		}
	}
	var ids []fabric.FlowID
	for _, is := range e.islands {
		if is.pendingEnd() == t {

			ids = is.take(ids)
			is.fresh = true
		}
	}
	e.changed = true
	slices.Sort(ids)
	touched := false
	for _, id := range ids {
		f := &e.flows[id]
		if f.rec.FCT >= 0 {
			continue
		}
		f.rec.FCT = t - f.rec.Start
		if f.done != nil {
			if !touched {
				e.k.AdvanceTo(t)
				touched = true
			}
			f.done.Arrive(e.k)
		}
	}
	e.reap()
	return touched
}
