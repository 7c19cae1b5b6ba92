package flow

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Config is everything about the engine that is not in the graph.
type Config struct {
	// Seed is not used: nothing here is random. It is part of the report's
	// identity in callers that set it for every engine.
	Seed    uint64
	Framing fabric.Framing
	// Batch is the span within which transfers that end are taken off the
	// network together; their own completion times stay exact. 0 means 1 ns.
	Batch sim.Time
	// AckEvery is the number of data packets that one ACK answers; 0 leaves
	// ACKs out. They take Framing.Ack / (AckEvery * packet) of a port while the
	// other direction of its cable carries data, as if that were at full rate:
	// half a percent at four packets of 4 KiB, and never more than that wrong.
	AckEvery int
}

// defaultBatch is 100 bits at 100 Gbps: far below one packet.
const defaultBatch = sim.Nanosecond

// What a slot of the calendar waits for.
const (
	onStart   uint8 = iota // its Delay has passed
	onEnd                  // its last byte is on the wire
	onBind                 // its slack is used up
	onOpen                 // its upstreams' first bytes arrive
	onDeliver              // its last byte has arrived
)

// State of a slot.
const (
	stFree uint8 = iota
	stPending
	stRunning
	stTail // on the wire, not delivered yet
)

// transfer is a flow that has not been delivered, by slot; the solver's
// variable of the same index is its rate.
type transfer struct {
	left  float64  // wire bytes not sent at time last
	rate  float64  // bytes a picosecond
	wire  float64  // wire bytes in all
	last  sim.Time // when left and rate were set
	tail  sim.Time // from the end of the transfer to delivery
	done  *sim.Event
	id    fabric.FlowID
	qps   int32
	state uint8
	relay bool // has or had edges
	open  bool // false: a relay that has nothing to send yet
	moved bool // listed in Engine.counted
}

// Engine is a flow-level fabric.Simulator over one graph.
type Engine struct {
	k   *sim.Kernel
	g   *fabric.Graph
	r   *fabric.Routes
	cfg Config

	sys    system
	cal    calendar
	assign *fabric.Assigner
	down   []bool  // by link
	egress []int32 // by node: link of its send limit, -1 if none
	now    sim.Time
	dirty  bool

	slots  []transfer
	relays []relay // by slot
	free   []int32
	recs   records

	tx       []int64           // by port: wire bytes of transfers that have ended or left
	counted  map[int32]float64 // by slot, of flows that a fault has moved: share of wire that earlier paths have carried
	events   uint64
	buf      []int32
	group    []int32 // slots of the group being started
	coupling bool    // it has relays
	place    placer
	shapes   shapes
	rounds   int
}

// New returns an engine over g and its routes r. The caller attaches it to k.
func New(k *sim.Kernel, g *fabric.Graph, r *fabric.Routes, cfg Config) (*Engine, error) {
	if cfg.Framing.Payload <= 0 || cfg.Framing.Header < 0 {
		return nil, fmt.Errorf("flow: packets of %d B payload and %d B header", cfg.Framing.Payload, cfg.Framing.Header)
	}
	if cfg.Batch < 0 {
		return nil, fmt.Errorf("flow: batch of %v", cfg.Batch)
	}
	if cfg.AckEvery < 0 {
		return nil, fmt.Errorf("flow: an ACK every %d packets", cfg.AckEvery)
	}
	if cfg.Batch == 0 {
		cfg.Batch = defaultBatch
	}
	e := &Engine{k: k, g: g, r: r, cfg: cfg, assign: fabric.NewAssigner(r)}
	e.down = make([]bool, len(g.Links))
	e.counted = map[int32]float64{}
	e.tx = make([]int64, len(g.Ports))
	e.sys.links = make([]link, 0, len(g.Ports)+len(g.Nodes)/4)
	e.sys.apart = make([]aside, 0, len(g.Ports)+len(g.Nodes)/4)
	for i := range g.Ports {
		e.sys.addLink(bytesPerPs(g.Ports[i].Rate))
	}
	e.sys.ports = int32(len(g.Ports))
	if cfg.AckEvery > 0 {
		e.sys.ack = float64(cfg.Framing.Ack) / float64(int64(cfg.AckEvery)*(cfg.Framing.Payload+cfg.Framing.Header))
	}
	e.egress = make([]int32, len(g.Nodes))
	for i := range g.Nodes {
		e.egress[i] = -1
		n := &g.Nodes[i]
		if n.Limit <= 0 {
			continue
		}
		var sum sim.Rate
		for _, p := range g.PortsOf(fabric.NodeID(i)) {
			sum += g.Ports[p].Rate
		}
		if n.Limit < sum {
			e.egress[i] = int32(len(e.sys.links))
			c := bytesPerPs(n.Limit)
			e.sys.addLink(c)
			e.sys.addLink(c)
		}
	}
	e.sys.pool = make([]user, 0, firstUsers*len(e.sys.links))
	for i := range e.sys.links {
		e.sys.widen(&e.sys.links[i])
	}
	e.provide(min(flowsPerHost*len(g.Hosts()), maxAtFirst))
	e.recs.extend()
	e.place.init(len(e.sys.links))
	e.shapes.init(g)
	return e, nil
}

// bytesPerPs converts a rate to the solver's unit.
func bytesPerPs(r sim.Rate) float64 { return float64(r) / (8 * float64(sim.Second)) }

// Next returns the time of the earliest event.
func (e *Engine) Next() sim.Time {
	if e.dirty {
		return e.now
	}
	return e.cal.peek()
}

// Events returns the number of starts, ends, deliveries and changes of a
// relay's state handled, each flow counted.
func (e *Engine) Events() uint64 { return e.events }

// yieldEvery bounds what Advance does before the kernel can report progress.
const yieldEvery = 1 << 14

// Advance handles events up to limit; see sim.Engine.
func (e *Engine) Advance(limit sim.Time) {
	for until := e.events + yieldEvery; e.events < until; {
		if e.dirty {
			if e.now > limit {
				return
			}
			e.settle()
		}
		t := e.cal.peek()
		if t > limit || t == sim.Never {
			return
		}
		e.now = t
		if e.instant(t, limit) {
			return
		}
	}
}

// instant handles everything due at t and reports whether a kernel event has
// been scheduled.
func (e *Engine) instant(t, limit sim.Time) (fired bool) {
	window := min(t+e.cfg.Batch, limit)
	for len(e.cal.heap) > 0 {
		h := e.cal.heap[0]
		if h.at > t && (h.at > window || e.cal.entries[h.id].kind != onEnd) {
			break
		}
		slots, at, kind := e.cal.take(e.buf[:0])
		e.buf = slots
		e.events += uint64(len(slots))
		switch kind {
		case onDeliver:
			for _, s := range slots {
				fired = e.deliver(s) || fired
			}
		case onEnd:
			e.dirty = true
			for _, s := range slots {
				e.end(s, at)
			}
		default:
			e.dirty = true
			for _, s := range slots {
				switch kind {
				case onStart:
					e.begin(s)
				case onBind:
					e.rounds = 0
					e.schedule(s)
				case onOpen:
					e.unlock(s)
				}
			}
		}
	}
	return fired
}

// end takes slot s, whose transfer is over at time at, off the network.
func (e *Engine) end(s int32, at sim.Time) {
	f := &e.slots[s]
	if f.relay && e.early(s, at) {
		return
	}
	share := 1.0
	if f.moved {
		share -= e.counted[s]
		delete(e.counted, s)
	}
	e.account(s, share)
	e.sys.remove(s)
	*e.recs.end(f.id) = at + f.tail
	f.left, f.last, f.state = 0, at, stTail
	if f.relay {
		e.finished(s)
	}
	if f.done == nil && e.sys.vars[s].down < 0 {
		e.release(s)
		return
	}
	e.cal.set(s, max(at+f.tail, e.now), onDeliver)
}

// deliver completes slot s and reports whether that fired its event.
func (e *Engine) deliver(s int32) bool {
	f := &e.slots[s]
	for id := e.sys.vars[s].down; id >= 0; id = e.sys.vars[s].down {
		e.satisfied(id)
	}
	done := f.done
	e.release(s)
	if done == nil {
		return false
	}
	e.k.AdvanceTo(e.now)
	done.Arrive(e.k)
	return done.Fired()
}
