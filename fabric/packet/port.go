package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Queues 0 and 1 of every port; data classes follow.
const (
	queueMAC     = 0
	queueControl = 1
	queueData    = 2
)

// queue is a list of packets; at a host, from queueData on, of QPs that are
// ready to send.
type queue struct {
	head, tail int32
	bytes      int32
}

// port is the sending end of one direction of a link: three cache lines, of
// which forwarding in the first data class needs the first.
type port struct {
	freeAt  sim.Time // end of the frame on the wire
	reach   sim.Time // from the last bit sent to its handling by the peer
	txBytes int64
	txPkts  uint32
	psByte  int32 // picoseconds a byte; 0: look it up (txSlow)
	sw      int32 // index of its switch; -1 at a host
	data    queue // number queueData
	qbytes  int32 // data of all classes at a switch
	watch   int32 // qbytes beyond which the telemetry looks; see watch.go
	mark    int16 // index of its marking profile; -1: none
	ready   uint16
	paused  uint16
	pending bool // an evTx is due
	odd     uint8

	rnd    uint64 // random bits for marking and bit errors
	ecn    int64
	rem    uint64 // remainder of the serializer
	rate   sim.Rate
	prop   sim.Time // propagation alone
	serial int32    // first entry of its serialization table (Compat)
	node   int32
	peer   int32
	host   int32 // index of its NIC; -1 at a switch
	maxq   int32
	rr     uint8 // the class served last
	_      [3]byte

	kill          sim.Time // what arrives until then was lost with the link
	drops, pauses int64
	pausedTime    sim.Time
	ber           float64
	_             [24]byte
}

// What is odd about a port.
const (
	oddLossy uint8 = 1 << iota // has a bit-error rate
	oddDown
	oddCut // the peer forwards a packet once its header is in
)

// first names what the port will probably send next, for lookAhead: a packet at
// a switch, -2 minus a QP at a host, -1 if nothing waits in the first data class.
func (o *port) first() int32 {
	if o.sw < 0 && o.data.head >= 0 {
		return -2 - o.data.head
	}
	return o.data.head
}

func (o *port) is(what uint8) bool { return o.odd&what != 0 }

func (o *port) setOdd(what uint8, on bool) {
	o.odd &^= what
	if on {
		o.odd |= what
	}
}

// queue returns queue q of port oi.
func (e *Engine) queue(oi int32, q uint8) *queue {
	return queueOf(&e.ports[oi], e.queues, oi, e.nq, q)
}

func (s *shard) queue(oi int32, o *port, q uint8) *queue {
	return queueOf(o, s.queues, oi, s.nq, q)
}

// queueOf finds the first data class in its port and the others in queues, where
// they leave no gap.
func queueOf(o *port, queues []queue, oi, nq int32, q uint8) *queue {
	switch {
	case q == queueData:
		return &o.data
	case q > queueData:
		q--
	}
	return &queues[oi*(nq-1)+int32(q)]
}

// build fills the flat arrays from the graph.
func (e *Engine) build() error {
	g, c := e.g, &e.cfg
	nq := e.classMap()
	e.nc = int32(nq - queueData)
	e.nq = int32(nq)
	e.ports = huge(make([]port, len(g.Ports)))
	e.queues = huge(make([]queue, len(g.Ports)*(nq-1)))
	e.deficits = make([]int32, len(g.Ports)*int(e.nc))
	e.accounts = huge(make([]account, len(g.Ports)*int(e.nc)))
	e.xoff = make([]bool, len(e.accounts))
	e.pauses = make([]pauseState, len(g.Ports)*int(e.nc))
	for i := range e.queues {
		e.queues[i] = queue{head: -1, tail: -1}
	}
	e.swOf = make([]int32, len(g.Nodes))
	e.nicOf = make([]int32, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		e.swOf[i], e.nicOf[i] = -1, -1
		if n.Kind.Host() {
			if int(n.Class) >= len(c.NICs) {
				return classError(n, "NICs", len(c.NICs))
			}
			e.nicOf[i] = int32(len(e.nics))
			e.nics = append(e.nics, newNIC(n, &c.NICs[n.Class], int32(i)))
			e.limited = e.limited || n.Limit > 0
		} else {
			if int(n.Class) >= len(c.Switches) {
				return classError(n, "Switches", len(c.Switches))
			}
			e.swOf[i] = int32(len(e.switches))
			e.switches = append(e.switches, device{node: int32(i)})
		}
	}
	for i := range g.Ports {
		e.buildPort(int32(i))
	}
	return e.buildMMU()
}

func (e *Engine) buildPort(i int32) {
	g := e.g
	q := &g.Ports[i]
	o := &e.ports[i]
	*o = port{
		data: queue{head: -1, tail: -1}, sw: e.swOf[q.Node], host: e.nicOf[q.Node], node: int32(q.Node), peer: int32(q.Peer),
		prop: q.Delay, reach: q.Delay + g.Nodes[q.Peer].Latency, mark: -1,
		rnd: sim.StreamSource(e.cfg.Seed, "port/"+g.PortName(fabric.PortID(i))).Uint64(),
		ber: g.Links[q.Link].BER, watch: watchFloor,
	}
	o.setOdd(oddLossy, o.ber > 0)
	e.setPortRate(o, q.Rate)
}

// setPortRate gives a port a rate, nominal or degraded.
func (e *Engine) setPortRate(o *port, r sim.Rate) {
	o.rate, o.rem, o.psByte, o.serial = r, 0, 0, -1
	if e.cfg.Compat {
		o.serial = e.serialTable(r)
	} else if ps := int64(8 * sim.Second); ps%int64(r) == 0 && ps/int64(r) < 1<<31 {
		o.psByte = int32(ps / int64(r))
	} else {
		e.slack = 8
	}
}

// classMap numbers the queues: strict classes first, the highest class first,
// then the weighted ones. It returns the number of queues of a port.
func (e *Engine) classMap() int {
	nq := queueData
	for i := range e.queueOf {
		e.queueOf[i] = 0
	}
	add := func(i int) {
		e.queueOf[i] = uint8(nq)
		e.classOf = append(e.classOf, fabric.Class(i))
		nq++
	}
	for i := 7; i >= 0; i-- {
		if k := &e.cfg.Classes[i]; k.Enabled && k.Strict {
			add(i)
		}
	}
	e.firstDWRR = uint8(nq)
	for i := range e.cfg.Classes {
		if k := &e.cfg.Classes[i]; k.Enabled && !k.Strict {
			add(i)
		}
	}
	return nq
}

// append adds packet ki to queue q of port oi.
func (s *shard) append(oi int32, o *port, q uint8, ki int32) {
	u := s.queue(oi, o, q)
	k := &s.pkts[ki]
	k.next = -1
	if u.head < 0 {
		u.head = ki
		o.ready |= 1 << q
	} else {
		s.pkts[u.tail].next = ki
	}
	u.tail = ki
	u.bytes += int32(k.size)
}

// pop removes the first packet of queue q of port oi.
func (s *shard) pop(oi int32, o *port, q uint8) int32 {
	u := s.queue(oi, o, q)
	ki := u.head
	k := &s.pkts[ki]
	u.head = k.next
	u.bytes -= int32(k.size)
	if u.head < 0 {
		s.emptied(oi, o, q)
	}
	return ki
}

// emptied notes that queue q of port oi holds nothing any more.
func (s *shard) emptied(oi int32, o *port, q uint8) {
	o.ready &^= 1 << q
	if s.nc > 1 && q >= queueData {
		s.e.deficits[oi*s.nc+int32(q)-queueData] = 0
	}
}

// random returns 32 random bits of the stream of o.
func (o *port) random() uint32 {
	o.rnd += 0x9e3779b97f4a7c15
	return uint32(sim.Mix(o.rnd) >> 32)
}
