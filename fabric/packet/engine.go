package packet

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Engine is a packet-level fabric.Simulator over one graph.
type Engine struct {
	k   *sim.Kernel
	g   *fabric.Graph
	r   *fabric.Routes
	cfg Config

	shards []*shard

	// Flat arrays over all shards.
	ports    []port
	queues   []queue      // nq - 1 a port: all but the first data class
	deficits []int32      // of round robin, nc a port
	accounts []account    // nc a port
	xoff     []bool       // by account: the upstream has been told to pause
	pauses   []pauseState // nc a port
	switches []device
	nics     []nic
	markings []marking
	kmin     int32 // the smallest of them
	flows    []flow
	snd      []sender
	rcv      []receiver
	paths    []int32

	swOf, nicOf []int32 // by node
	nq, nc      int32
	queueOf     [8]uint8 // by class; 0: not enabled
	classOf     []fabric.Class
	firstDWRR   uint8
	quantum     [queueData + 8]int32
	ecnMask     uint16

	cc                   controller // nil: none
	usesCNP              bool
	payload, header, ack int64
	response             sim.Time
	tieSeed              uint64
	globalBDP            int64
	globalRTT            sim.Time
	serial               []sim.Time
	serialRate           []sim.Rate

	pairs     map[uint64]uint32
	buf, buf2 []fabric.PortID
	nextStart int        // Compat: the first flow not yet started
	mu        sync.Mutex // of notes and cycles: islands run at once
	notes     []string
	noted     map[string]bool
	watches   []watch // by port
	deadlocks int64
	cycles    []string
	anyCut    bool     // some switch cuts through
	limited   bool     // some host has a limit over all its ports
	slack     sim.Time // of Ideal: a rounding a hop where a rate is no whole number of ps a byte

	// Islands; see island.go.
	owner     []int32 // by port: id of the island, 0 if free
	glideOf   []int32 // by port: its place in the glide of its island, from 1; 0: none
	islands   int32   // ids given so far
	devices   int32   // number of real switches; the islands' copies follow
	idle      []*shard
	freeSlots []int32
	freeFlows map[int32][]int32 // by number of QPs
	extOf     []fabric.FlowID   // by flow: the owner's number
	islandTel Telemetry
	cutOff    int64 // data packets in flight where islands were released, at the end of a run
	cutPauses int64 // and pauses
}

// New returns an engine over g and its routes r. The caller attaches it to k.
// It returns an error if cfg is invalid or does not fit the graph.
func New(k *sim.Kernel, g *fabric.Graph, r *fabric.Routes, cfg Config) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("packet: %w", err)
	}
	e := &Engine{k: k, g: g, r: r, cfg: cfg, pairs: map[uint64]uint32{}, noted: map[string]bool{}, freeFlows: map[int32][]int32{}}
	if cfg.CC.Algorithm == HPCC {
		if !cfg.Compat {
			e.cfg.Framing.Header += intBytes
			e.cfg.Framing.Ack += intBytes
		}
		if w := &e.cfg.Window; w.Bytes == 0 && !w.BDP {
			*w = Window{BDP: true, Variable: true}
		}
	}
	f := &e.cfg.Framing
	e.payload, e.header, e.ack = f.Payload, f.Header, f.Ack
	e.tieSeed = sim.Mix(cfg.Seed ^ 0x7465696b65797321)
	if !cfg.Compat {
		e.response = cfg.PFC.Response
	}
	if err := e.build(); err != nil {
		return nil, fmt.Errorf("packet: %w", err)
	}
	for i, c := range e.classOf {
		k := &cfg.Classes[c]
		if k.ECN {
			e.ecnMask |= 1 << (queueData + i)
		}
		e.quantum[queueData+i] = int32(k.Weight) * int32(e.maxSize())
	}
	if e.cfg.Window.Global {
		e.globalBDP, e.globalRTT = e.longestPair()
	}
	e.cc, e.usesCNP = newController(e)
	s := &shard{
		e: e, compat: cfg.Compat, w: newWheel(e.wheelSize()),
		arena: newArena(cfg.CC.Algorithm == TIMELY || cfg.CC.Algorithm == Swift, cfg.CC.Algorithm == HPCC, cfg.Recovery.Mode == SelectiveRepeat),
	}
	s.tel.init(&e.cfg.Telemetry)
	s.attach(e)
	e.shards = []*shard{s}
	e.watches = make([]watch, len(e.ports))
	for i := range e.watches {
		e.watches[i] = watch{series: -1, burst: -1}
		s.setWatch(int32(i), &e.ports[i])
	}
	return e, nil
}

// Next returns the time of the earliest event.
func (e *Engine) Next() sim.Time { return e.shards[0].w.peek() }

// Advance handles events up to limit; see sim.Engine.
func (e *Engine) Advance(limit sim.Time) { e.shards[0].run(limit) }

// Events returns the number of events handled.
func (e *Engine) Events() uint64 {
	var n uint64
	for _, s := range e.shards {
		n += s.events
	}
	return n
}

// roundTrip returns the time from sending a full packet over an idle path to
// its ACK.
func (e *Engine) roundTrip(path []fabric.PortID) sim.Time {
	var t sim.Time
	for _, p := range path {
		q := &e.g.Ports[p]
		if e.cfg.Compat {
			t += 2*q.Delay + sim.Time(e.payload*1e9*8/int64(q.Rate))*sim.Nanosecond
		} else {
			t += 2*(q.Delay+e.g.Nodes[q.Peer].Latency) + q.Rate.TxTime(e.payload+e.header) + q.Rate.TxTime(e.ack)
		}
	}
	return t
}

// windowOf returns the window of a new QP; 0 if there is no limit.
func (e *Engine) windowOf(f *sender) int64 {
	w := &e.cfg.Window
	switch {
	case w.BDP && w.Global:
		return e.globalBDP * w.factor() / 100
	case w.BDP:
		return max(f.bdp*w.factor()/100, e.payload)
	}
	return w.Bytes
}

func (w *Window) factor() int64 {
	if w.Factor == 0 {
		return 100
	}
	return w.Factor
}

// ideal returns the completion time of size bytes alone on path.
func (e *Engine) ideal(path []fabric.PortID, size int64, limit sim.Rate) sim.Time {
	if e.cfg.Routing.Mode != ECMP {
		return e.idealAny(path, size)
	}
	if e.anyCut {
		return e.idealCut(path, size)
	}
	return fabric.Ideal(e.g, path, size, e.cfg.Framing, limit)
}

// note remembers a message for the report, once.
func (e *Engine) note(format string, args ...any) {
	m := fmt.Sprintf(format, args...)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.noted[m] && len(e.notes) < maxNotes {
		e.noted[m] = true
		e.notes = append(e.notes, m)
	}
}

// maxNotes bounds the report's lists: beyond that they repeat.
const maxNotes = 100

// headroomShort notes a drop in a lossless class.
func (e *Engine) headroomShort(oi int32) {
	e.note("lossless packet dropped on its way to %s: headroom too small", e.g.PortName(fabric.PortID(oi)))
}

func classError(n *fabric.Node, what string, have int) error {
	return fmt.Errorf("node %s has class %d, but %s has %d entries", n.Name, n.Class, what, have)
}

// BufferError is returned by New for a switch whose ports reserve its buffer.
type BufferError struct {
	Node         fabric.NodeID
	Name         string
	Buffer, Pool int64 // bytes: of the switch, and left to share
}

func (e *BufferError) Error() string {
	return fmt.Sprintf("switch %s: a buffer of %d B leaves %d B to share once reserved and headroom are set aside", e.Name, e.Buffer, e.Pool)
}

func rateError(r sim.Rate) error {
	return fmt.Errorf("no ECN thresholds for links of %v: Compat wants every rate listed", r)
}

// divTime returns the picoseconds that bytes take at rate and the remainder,
// to be passed with the next bytes.
func divTime(bytes, rate, rem uint64) (sim.Time, uint64) {
	hi, lo := bits.Mul64(bytes, uint64(8*sim.Second))
	lo, c := bits.Add64(lo, rem, 0)
	q, m := bits.Div64(hi+c, lo, rate)
	return sim.Time(q), m
}

// mulDiv returns a*b/c for values that are not negative.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}

// wheelSize chooses the buckets of the wheel: about eighty packets each with
// all ports busy, over a span that serialization and propagation rarely exceed.
func (e *Engine) wheelSize() (shift, lg uint) {
	perSecond := 0.0
	for i := range e.ports {
		perSecond += float64(e.ports[i].rate) / float64(8*(e.payload+e.header))
	}
	shift = 12
	for shift > 4 && perSecond*1e-12*float64(uint(1)<<shift) > 80 {
		shift--
	}
	return shift, max(8, 22-shift)
}
