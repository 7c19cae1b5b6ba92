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
	deficit    int32
}

// port is the sending end of one direction of a link: three cache lines, of
// which forwarding needs the first.
type port struct {
	freeAt  sim.Time // end of the frame on the wire
	psByte  int64    // picoseconds a byte; 0: look it up (txSlow)
	reach   sim.Time // from the last bit sent to its handling by the peer
	txBytes int64
	txPkts  uint32
	q0      int32 // its queue 0
	sw      int32 // index of its switch; -1 at a host
	qbytes  int32 // data of all classes at a switch
	watch   int32 // qbytes beyond which the telemetry looks; see watch.go
	mark    int16 // index of its marking profile; -1: none
	ready   uint16
	paused  uint16
	rr      uint8
	pending bool // an evTx is due
	lossy   bool // has a bit-error rate
	down    bool
	cut     bool // the peer forwards a packet once its header is in
	_       [1]byte

	rnd    uint64 // random bits for marking and bit errors
	rem    uint64 // remainder of the serializer
	rate   sim.Rate
	prop   sim.Time // propagation alone
	kill   sim.Time // what arrives until then was lost with the link
	serial int32    // first entry of its serialization table (Compat)
	node   int32
	peer   int32
	host   int32 // index of its NIC; -1 at a switch
	maxq   int32

	ecn, drops, pauses int64
	pausedTime         sim.Time
	ber                float64
	_                  [20]byte
}

// build fills the flat arrays from the graph.
func (e *Engine) build() error {
	g, c := e.g, &e.cfg
	nq := e.classMap()
	e.nc = int32(nq - queueData)
	nq = (nq + 3) &^ 3 // whole cache lines
	e.nq = int32(nq)
	e.ports = huge(make([]port, len(g.Ports)))
	e.queues = huge(make([]queue, len(g.Ports)*nq))
	e.accounts = huge(make([]account, len(g.Ports)*int(e.nc)))
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
		q0: i * e.nq, sw: e.swOf[q.Node], host: e.nicOf[q.Node], node: int32(q.Node), peer: int32(q.Peer),
		prop: q.Delay, reach: q.Delay + g.Nodes[q.Peer].Latency, mark: -1,
		rnd: sim.StreamSource(e.cfg.Seed, "port/"+g.PortName(fabric.PortID(i))).Uint64(),
		ber: g.Links[q.Link].BER, watch: watchFloor,
	}
	o.lossy = o.ber > 0
	e.setPortRate(o, q.Rate)
}

// setPortRate gives a port a rate, nominal or degraded.
func (e *Engine) setPortRate(o *port, r sim.Rate) {
	o.rate, o.rem, o.psByte, o.serial = r, 0, 0, -1
	if e.cfg.Compat {
		o.serial = e.serialTable(r)
	} else if ps := int64(8 * sim.Second); ps%int64(r) == 0 {
		o.psByte = ps / int64(r)
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

// append adds packet ki to queue q of o.
func (s *shard) append(o *port, q uint8, ki int32) {
	u := &s.queues[o.q0+int32(q)]
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

// pop removes the first packet of queue q of o.
func (s *shard) pop(o *port, q uint8) int32 {
	u := &s.queues[o.q0+int32(q)]
	ki := u.head
	k := &s.pkts[ki]
	u.head = k.next
	u.bytes -= int32(k.size)
	if u.head < 0 {
		o.ready &^= 1 << q
		u.deficit = 0
	}
	return ki
}

// random returns 32 random bits of the stream of o.
func (o *port) random() uint32 {
	o.rnd += 0x9e3779b97f4a7c15
	return uint32(sim.Mix(o.rnd) >> 32)
}
