package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// Glide carries an island of DCQCN flows without packets. Every QP sends at the
// rate of its own DCQCN state, stepped by the same timers, byte counters and cuts
// as under packets, within its share of the NIC and what its relays have. A port
// that is sent no more than it can take passes everything on at once, and costs
// nothing until a rate changes. One that is sent more has a queue, first in first
// out, that is served in ticks; marks are drawn packet by packet from the queue
// that stands above Kmin and come back as CNPs after the way that they would
// travel. Flows start and finish within the glide: the last byte of a QP waits
// behind the queues that it meets on its way, and that way takes as long as a
// packet's.
//
// What a glide cannot tell are the places of single packets within a tick, and
// pauses or losses: where a queue grows so long that these may come, packets have
// to take over (Zhu et al., "ECN or Delay", CoNEXT 2016, section 3, use the same
// fluid for DCQCN).
type Glide struct {
	is    *Island
	c     *dcqcn
	now   sim.Time
	over  bool    // a queue has grown too long
	class uint8   // the queue at switches that all QPs use; 0: none yet
	ended []int32 // flows that have finished now

	qps        []glideQP
	hops       []glideHop // those of a QP follow one another
	ports      []glidePort
	flows      []glideFlow
	spareQPs   []int32
	spareFlows []int32
	spareHops  [maxHops + 1][]int32 // by length
	heap       []int32              // QPs with something to come, the earliest first
	live       int                  // QPs not finished

	busy    [maxLevel + 1][]int32 // ports that are ticked, by level
	ticking int                   // how many they are
	slice   sim.Time              // the least time that a slice of those that relay takes
	tickAt  sim.Time              // when the next tick ends; Never: none does
	stale   []int32               // NIC ports whose share has changed with what ACKs leave

	pay, frame float64 // payload of a packet and its bytes on the wire
	rate       float64 // what receivers get, without what goes by ticks
	rateAt     sim.Time
	moved      float64 // bytes that they have got
	poured     float64 // that they get in this tick, by ticks
	told       int64   // of their payload, as the telemetry has it
	delivered  int64   // payload of QPs that are done
	want       []float64
}

// glideQP is a QP. Bytes and rates are those of the wire, rates a picosecond.
type glideQP struct {
	qi, flow    int32 // flow: of Glide.flows
	hop, n      int32
	place       int32 // in the heap; -1: not there
	state       uint8
	rate        sim.Rate
	line        sim.Rate
	pace        float64
	send        float64  // what leaves the NIC
	at          sim.Time // up to when sent and quota are right
	sent, total float64  // since it came on board
	got         float64  // by the receiver
	gotRate     float64
	gotAt       sim.Time
	gotWas      float64  // gotRate before
	may         float64  // up to where it may send; +Inf: to its end
	blocked     bool     // it has, and waits
	stopAt      sim.Time // when it has, or may go on
	had         int64    // payload bytes sent and delivered when it came on board
	base        int64
	quota       float64  // payload until the byte counter turns
	due         sim.Time // when it sends the next packet, or has sent one since the pace is what it is
	applyAt     sim.Time // when rate becomes pace
	startAt     sim.Time
	soon        float64  // what it will send then, about
	endAt       sim.Time // when it has sent everything, as it goes
	quotaAt     sim.Time
	next        sim.Time    // of all these
	marks       []glideMark // on their way to the receiver, in order
	cnps        []sim.Time  // when CNPs on their way come, in order
	cnpAt       sim.Time    // the receiver sends none before
	ackRate     float64     // that the ports of its ACKs count with
	mean        float64     // what it has sent of late, if it relays others
	meanAt      sim.Time
	tail        int32 // the hop that its last byte has come to
	tailAt      sim.Time
	lat         sim.Time // of the last packet from the NIC's wire to the receiver, queues apart
	back        sim.Time // of a CNP
}

// The life of a QP in a glide.
const (
	qpWaits   uint8 = iota // it starts later
	qpSends                // it has bytes to send
	qpTrails               // its last byte is among the hops
	qpArrives              // and past all queues
	qpGone
)

// glideMark is a mark that comes to a receiver at a time, of a packet that port
// has sent when it was drawn.
type glideMark struct {
	at, drawn sim.Time
	port      int32
}

// of reports whether q is in progress for a flow: the place of one that is done
// may be another's.
func (q *glideQP) of(flow int32) bool { return q.flow == flow && q.state != qpGone }

// glideHop is one port on the way of a QP.
type glideHop struct {
	port, qp int32
	place    int32 // in glidePort.ins
	fed      bool  // what comes is known by ticks, since a port before is ticked
	in       float64
	at       sim.Time // up to when got is right, of a busy port
	got      float64  // bytes since the last tick
	held     float64  // in the queue
	kept     float64  // of that, what glidePort.stored counts of the port before
	out      float64  // in this tick
	next     float64  // of what its port sends in the time that marks are drawn for
	part     float64  // of a packet that has not been drawn for
	seq      int64    // on landing: where the packets here and beyond end
	ahead    sim.Time // from here to the receiver
}

// glidePort is a port that QPs leave through.
type glidePort struct {
	pi, level   int32
	host        bool
	busy        bool
	markIn      bool
	full, acks  float64 // of the link; what ACKs take of it
	in, pass    float64 // what comes, and what of it is not by ticks
	soon        float64 // what QPs will send that have not started
	q           float64
	stored      float64 // of what it has sent, in the buffer of the next switch
	kmin, limit float64 // limit: beyond, the buffer is looked at
	m           *marking
	woke        sim.Time // when it became busy
	since       sim.Time // when its tick began
	nextAt      sim.Time // when it ends
	lasted      sim.Time // the tick before
	marked      sim.Time // up to when marks have been drawn
	grew        float64  // how fast they took the queue to grow
	owed        float64  // by how much more they should have seen in the tick before
	ins         []int32
	fifo        []glideSlice
	cells       []glideCell
	first, cell int     // the slice and the cell that are served next
	flying      float64 // on landing: packets on its wire
	tx          float64
	txAt        sim.Time
}

// glideSlice is what has come to a queue in one tick, glideCell what of it is of
// one hop; hop is -1 once its QP is gone.
type glideSlice struct {
	n     int32
	bytes float64
}

type glideCell struct {
	hop   int32
	bytes float64
}

// glideFlow is a flow in progress and the flows that it relays. Bytes are payload.
type glideFlow struct {
	fi         int32
	qps        []int32 // those in progress are among these
	up, down   []int32 // of Glide.flows: what it relays, what relays it
	lag, slice float64
}

const (
	maxHops  = 16 // on the way of a QP, else it goes by packets
	maxLevel = 64 // the longest chain of ports in a fabric without loops of waiting
)

// glideSlack is by how much a rate may seem to exceed a port's, being a sum of floats.
const glideSlack = 1 + 1e-9

// wireRate returns bytes a picosecond.
func wireRate(r sim.Rate) float64 { return float64(r) / 8 / float64(sim.Second) }

// NewGlide returns a glide of an island without flows.
func (is *Island) NewGlide(now sim.Time) *Glide {
	e := is.e
	return &Glide{
		is: is, c: e.cc.(*dcqcn), now: now, tickAt: sim.Never, rateAt: now, slice: sim.Never,
		pay: float64(e.payload), frame: float64(e.payload + e.header),
	}
}

// port returns the place of port pi among the glide's.
func (g *Glide) port(pi int32) int32 {
	e := g.is.e
	if i := e.glideOf[pi]; i > 0 {
		return i - 1
	}
	o := &e.ports[pi]
	p := glidePort{lasted: glideTick, pi: pi, full: wireRate(o.rate), host: o.sw < 0, txAt: g.now, limit: math.Inf(1), kmin: math.Inf(1)}
	if o.sw >= 0 {
		p.markIn = e.switches[o.sw].markIn
		p.limit = e.roomFor(o, pi) / 2
	}
	if o.mark >= 0 && e.ecnMask>>g.class&1 != 0 {
		p.m = &e.markings[o.mark]
		p.kmin = float64(p.m.kmin)
	}
	g.ports = append(g.ports, p)
	e.glideOf[pi] = int32(len(g.ports))
	return int32(len(g.ports) - 1)
}

// free is what ACKs leave of a port.
func (p *glidePort) free() float64 { return p.full - p.acks }
