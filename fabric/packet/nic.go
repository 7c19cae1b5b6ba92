package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// nic is one host.
type nic struct {
	node     int32
	ackEvery uint16
	ackData  bool // ACKs travel in the data class
	ackObeys bool // and obey its pause
	interval sim.Time
	delay    sim.Time

	// The limit over all ports (PCIe), in each direction.
	limit          sim.Rate
	txFree, rxFree sim.Time
	txRem, rxRem   uint64
	rxHigh, rxLow  sim.Time // backlog that pauses and resumes the upstream
	rxPaused       bool
	draining       bool

	// Compat: QPs in the order of their creation, the one served last, and the
	// pending look at the queue.
	list   []int32
	last   int32
	nextAt sim.Time
	gen    int32
	due    bool
}

func newNIC(n *fabric.Node, c *NIC, node int32) nic {
	buf := c.RxBuffer
	if buf == 0 {
		buf = 1 << 20
	}
	x := nic{
		node: node, ackEvery: uint16(c.AckEvery), ackData: c.AckInData, ackObeys: c.AckInData && !c.AckIgnoresPause,
		interval: c.CNPInterval, delay: c.CNPDelay, limit: n.Limit,
	}
	if x.limit > 0 {
		x.rxHigh, x.rxLow = x.limit.TxTime(buf*3/4), x.limit.TxTime(buf/2)
	}
	return x
}

// hostDequeue starts the next frame of a host's port, which is free: control
// first, then the QPs that are ready, in turn.
func (s *shard) hostDequeue(oi int32, o *port) {
	if s.compat {
		s.compatDequeue(oi, o)
		return
	}
	for o.freeAt <= s.now { // a QP at the head may have nothing to send any more
		m := o.ready &^ o.paused
		if m == 0 {
			return
		}
		q := s.pick(oi, o, m)
		if q < queueData {
			s.transmit(oi, o, s.pop(oi, o, q))
			break
		}
		if s.e.limited {
			if n := &s.e.nics[o.host]; n.limit > 0 && n.txFree > s.now {
				o.pending = true
				s.push(n.txFree, evTx, oi, o.first())
				return
			}
		}
		s.sendQP(oi, o, q)
	}
	if !o.pending && o.ready&^o.paused != 0 {
		o.pending = true
		s.push(o.freeAt, evTx, oi, o.first())
	}
}

// sendQP sends the next packet of the first ready QP of queue q.
func (s *shard) sendQP(oi int32, o *port, q uint8) {
	u := s.queue(oi, o, q)
	qi := u.head
	f := &s.snd[qi]
	u.head = f.link
	if u.head < 0 {
		s.emptied(oi, o, q)
	}
	f.state &^= stReady
	if !f.sendable() {
		return
	}
	ki := s.newData(qi, f)
	size := int64(s.pkts[ki].size)
	s.transmit(oi, o, ki)
	if s.e.limited {
		if n := &s.e.nics[o.host]; n.limit > 0 {
			var t sim.Time
			t, n.txRem = divTime(uint64(size), uint64(n.limit), n.txRem)
			n.txFree = s.now + t
		}
	}
	// A token bucket one packet deep: what a packet waited for the port is not
	// lost, but never more than one comes early.
	gap := sim.Time(uint64(size) * f.ps >> psShift)
	f.avail = max(f.avail, s.now-gap) + gap
	if !f.sendable() {
		return
	}
	if f.avail > o.freeAt {
		f.state |= stTimer
		s.push(f.avail, evReady, qi, 0)
		return
	}
	s.appendQP(oi, o, qi, f)
}

// appendQP puts QP qi at the end of the ready list of its class.
func (s *shard) appendQP(oi int32, o *port, qi int32, f *sender) {
	u := s.queue(oi, o, f.q)
	f.link = -1
	if u.head < 0 {
		u.head = qi
		o.ready |= 1 << f.q
	} else {
		s.snd[u.tail].link = qi
	}
	u.tail = qi
	f.state |= stReady
}

// wake lets QP qi send if it can.
func (s *shard) wake(qi int32) {
	f := &s.snd[qi]
	if s.compat {
		s.compatWake(f.port)
		return
	}
	if f.state&(stReady|stTimer|stDone) != 0 || !f.sendable() {
		return
	}
	o := &s.ports[f.port]
	if f.avail > s.now && f.avail > o.freeAt {
		f.state |= stTimer
		s.push(f.avail, evReady, qi, 0)
		return
	}
	s.appendQP(f.port, o, qi, f)
	if o.paused>>f.q&1 == 0 {
		s.arm(f.port, o)
	}
}

// newData builds the next data packet of QP qi.
func (s *shard) newData(qi int32, f *sender) int32 {
	seq, pay := f.next, min(s.e.payload, f.limit-f.next)
	var flags uint8
	if f.retx != 0 {
		seq, pay = s.nextRetx(f)
		flags = flagRetx
		s.n.retxBytes += pay
	} else {
		f.next += pay
		if f.high < f.next {
			f.high = f.next
		} else {
			flags = flagRetx
			s.n.retxBytes += pay
		}
	}
	if f.since++; f.since >= f.every || f.next == f.limit || !f.open() {
		f.since = 0
		flags |= flagAckReq
	}
	if gap := s.e.cfg.Routing.FlowletGap; gap > 0 && s.now > f.avail+gap {
		f.flowlet++
	}
	ki := s.alloc()
	s.pkts[ki] = packet{path: f.path + 1, in: -1, size: uint16(pay + s.e.header), kind: kindData | flags<<4, q: f.q}
	s.bodies[ki] = body{seq: seq, qp: qi, aux: -1}
	if s.stamps != nil {
		s.stamps[ki] = s.now
	}
	if s.ints != nil {
		s.ints[ki].n = 0
	}
	s.n.sent++
	if f.quota -= pay; f.quota < 0 {
		s.e.cc.bytes(s, qi)
	}
	if f.state&stRTO == 0 && s.e.cfg.Recovery.RTO > 0 {
		f.state |= stRTO
		f.rtoAt = s.now + s.e.cfg.Recovery.RTO
		s.push(f.rtoAt, evRTO, qi, 0)
	}
	return ki
}

// receive hands packet ki to the host it is for, at once or through its PCIe
// limit.
func (s *shard) receive(pi, ki int32) {
	if !s.e.limited {
		s.deliver(pi, ki)
		return
	}
	n := &s.e.nics[s.e.nicOf[s.ports[pi].peer]]
	if n.limit == 0 {
		s.deliver(pi, ki)
		return
	}
	t, rem := divTime(uint64(s.pkts[ki].size), uint64(n.limit), n.rxRem)
	n.rxRem = rem
	n.rxFree = max(n.rxFree, s.now) + t
	s.push(n.rxFree, evDeliver, pi, ki)
	if !n.rxPaused && n.rxFree-s.now > n.rxHigh {
		n.rxPaused = true
		s.pauseHost(n, true)
	}
	if n.rxPaused && !n.draining {
		n.draining = true
		s.push(n.rxFree-n.rxLow, evDrained, s.e.nicOf[n.node], 0)
	}
}

// drained resumes the upstream of NIC ni once its backlog is low.
func (s *shard) drained(ni int32) {
	n := &s.e.nics[ni]
	n.draining = false
	if n.rxFree-n.rxLow > s.now {
		n.draining = true
		s.push(n.rxFree-n.rxLow, evDrained, ni, 0)
		return
	}
	n.rxPaused = false
	s.pauseHost(n, false)
}

// pauseHost pauses or resumes the lossless classes of all links into n.
func (s *shard) pauseHost(n *nic, on bool) {
	for _, p := range s.e.g.PortsOf(fabric.NodeID(n.node)) {
		for c := range s.nc {
			if s.e.cfg.Classes[s.e.classOf[c]].Lossless {
				s.sendPause(int32(p^1)*s.nc+c, uint8(c)+queueData, on)
			}
		}
	}
}
