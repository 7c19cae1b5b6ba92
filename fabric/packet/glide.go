package packet

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// Glide carries an island of DCQCN flows over a stretch in which no port is far
// overloaded, without packets. Every QP sends at the rate of its own DCQCN state,
// stepped by the same timers, byte counters and cuts as under packets, within
// its share of the NIC and what its relays have; every port serves its queue
// as a fluid; marks are drawn packet by packet from the queue that stands above
// Kmin, and come back as CNPs after the way that they would travel. Time goes in
// ticks, shorter than any round trip under congestion.
//
// What a glide cannot tell are the places of single packets: within a tick all
// of them are spread evenly, and a queue serves its QPs in proportion to what
// each has in it (Zhu et al., "ECN or Delay", CoNEXT 2016, section 3, use the
// same fluid for DCQCN).
type Glide struct {
	is    *Island
	c     *dcqcn
	from  sim.Time // the island's clock
	now   sim.Time
	done  bool // a QP is about to end, or a queue has grown too long
	busy  bool // a queue stands, or relays wait
	qps   []glideQP
	hops  []glideHop // those of a QP follow one another
	ports []glidePort
	flows []glideFlow
	pay   float64 // payload of a packet
	frame float64 // its bytes on the wire
	ticks int64
	n     counters // since it began
	told  int64    // bytes delivered, as the telemetry has them
	moved float64  // bytes sent
	steps uint64   // events: ticks of queues and changes of rates
	nic   []float64
}

// glideQP is a QP that sends. Bytes are payload, rates bytes of the wire a
// picosecond.
type glideQP struct {
	qi, fi    int32 // fi: of flows
	hop, n    int32
	rate      sim.Rate
	pace      float64
	mean      float64  // of the pace, in this tick
	due       sim.Time // when it sends the next packet, or has sent one since the pace is what it is
	line      sim.Rate
	send      float64 // what leaves the NIC
	sent, got float64 // since the glide began
	left      float64 // until its last packets
	next      sim.Time
	cnps      [8]sim.Time // on their way, in order
	waiting   int
	cnpAt     sim.Time // none before
	quota     float64
}

// glideHop is one port on the way of a QP.
type glideHop struct {
	port, qp int32
	in, held float64 // rate of arrival; bytes in the queue
	had      float64 // in the queue when the glide began, as packets
	left     float64 // packets that left in this tick
	part     float64 // of a packet that has not been drawn for
	last     int64   // on landing: where the packets in the queue and beyond end
	lat      sim.Time
}

// glidePort is a port that QPs leave through, in order downstream.
type glidePort struct {
	pi           int32
	full, rate   float64 // of the link; what ACKs leave of it
	acks         float64
	q, max       float64
	kmin, limit  float64 // limit: beyond, packets take over
	m            *marking
	ins          []int32 // its hops
	rnd          uint64
	marks        int64
	host, markIn bool
}

// glideFlow is a flow in progress and the flows that it relays.
type glideFlow struct {
	fi          int32
	first, n    int32 // of Glide.qps
	qps         float64
	up          []int32 // of Glide.flows
	lag, slice  float64
	bytes, room float64 // room: up to where each QP may send by now
}

// glideTick is the length of a tick: the shortest time between two cuts of a QP
// (CNPInterval of ConnectX), below the round trip through any queue that marks.
const glideTick = 4 * sim.Microsecond

// glideOver is how much more than a port's rate its QPs may send when a glide
// begins: beyond, queues grow by packets until DCQCN has cut.
const glideOver = 1.05

// port describes port pi.
func (g *Glide) port(pi int32) glidePort {
	e := g.is.e
	o := &e.ports[pi]
	p := glidePort{pi: pi, full: wireRate(o.rate), host: o.sw < 0, rnd: o.rnd}
	p.rate = p.full
	if o.sw >= 0 {
		p.markIn = e.switches[o.sw].markIn
	}
	if o.mark >= 0 {
		p.m = &e.markings[o.mark]
		p.kmin = float64(p.m.kmin)
		p.limit = min(float64(p.m.kmax), g.roomFor(o, pi))
	}
	return p
}

// roomFor returns half of what one queue may fill alone before the switch of o
// pauses its upstream or drops.
func (g *Glide) roomFor(o *port, pi int32) float64 {
	e := g.is.e
	if o.sw < 0 {
		return math.Inf(1)
	}
	d := &e.switches[o.sw]
	a := &e.accounts[(pi^1)*e.nc]
	alpha := float64(d.egressAlpha) / alphaOne
	switch {
	case a.lossless && a.fixed != 0:
		return float64(a.fixed) / 2
	case a.lossless:
		alpha = float64(a.alpha) / alphaOne
	case d.egressLimit != 0:
		return float64(d.egressLimit) / 2
	}
	return alpha / (1 + alpha) * float64(d.pool) / 2
}

// wireRate returns bytes a picosecond.
func wireRate(r sim.Rate) float64 { return float64(r) / 8 / float64(sim.Second) }
