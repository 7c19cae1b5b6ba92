package packet

import "github.com/simnet/simnet/sim"

// receiver is the receiving side of a QP: two cache lines, of which a packet in
// order needs the first.
type receiver struct {
	next   int64    // bytes received in order
	size   int64    // of the QP
	cnpAt  sim.Time // no CNP before
	ooo    spans    // received beyond next
	path   int32    // of the ACKs
	marked int32    // packets with a mark since the last ACK
	by     int32    // port that marked last
	q      uint8
	cnpDue bool
	relays bool // its flow has relays that wait for it
	_      [1]byte

	flow   int32
	node   int32    // index of the NIC
	nackAt sim.Time // when the last NACK was sent
	gap    int64    // the offset that it asked for, open while that is next
	cnpGap sim.Time // of its NIC: between CNPs, and how long one takes to make
	cnpLag sim.Time
	_      [24]byte
}

// deliver handles packet ki at the host that port pi leads to.
func (s *shard) deliver(pi, ki int32) {
	k := &s.pkts[ki]
	switch k.what() {
	case kindAck, kindNack:
		s.acked(ki)
		return
	case kindCNP:
		s.notified(ki)
		return
	}
	body := &s.bodies[ki]
	qi := body.qp
	r := &s.rcv[qi]
	pay := int64(k.size) - s.e.header
	ecn := k.flags()&flagECN != 0
	if ecn {
		r.marked++
		r.by = body.aux
		if s.e.usesCNP {
			if s.compat {
				k.set(flagEcho)
				s.countCNP(r)
			} else if s.now >= r.cnpAt && !r.cnpDue {
				s.startCNP(qi, r)
			}
		}
	}
	s.n.got++
	if body.seq != r.next {
		s.outOfOrder(qi, r, ki, pay)
		return
	}
	before := r.next
	r.next += pay
	if len(r.ooo) > 0 {
		r.next = r.ooo.advance(r.next)
	}
	s.progress(qi, r, before)
	if k.flags()&flagAckReq == 0 && !s.compat {
		s.release(ki)
		return
	}
	s.sendAck(kindAck, r, ki)
}

// sendAck turns data packet ki into the ACK or NACK that answers it.
func (s *shard) sendAck(kind uint8, r *receiver, ki int32) {
	k := &s.pkts[ki]
	k.kind = kind | k.kind&(flagEcho<<4)
	s.bodies[ki].seq = r.next
	if s.compat {
		r.marked = min(r.marked, 1)
	}
	s.bodies[ki].aux = r.marked
	r.marked = 0
	k.size = uint16(s.e.ack)
	k.q = r.q
	k.path = r.path + 1
	oi := s.paths[r.path]
	o := &s.ports[oi]
	s.append(oi, o, queueControl, ki)
	if s.compat {
		s.compatWake(oi)
		return
	}
	if o.paused>>queueControl&1 == 0 {
		s.arm(oi, o)
	}
}

// startCNP schedules a congestion notification for QP qi.
func (s *shard) startCNP(qi int32, r *receiver) {
	r.cnpAt = s.now + r.cnpGap
	if r.cnpLag == 0 {
		s.sendCNP(qi)
		return
	}
	r.cnpDue = true
	s.push(s.now+r.cnpLag, evCNP, qi, 0)
}

// sendCNP sends a congestion notification for QP qi.
func (s *shard) sendCNP(qi int32) {
	r := &s.rcv[qi]
	r.cnpDue = false
	s.countCNP(r)
	ki := s.alloc()
	s.pkts[ki] = packet{path: r.path + 1, in: -1, size: uint16(s.e.ack), kind: kindCNP, q: queueControl}
	s.bodies[ki] = body{qp: qi}
	oi := s.paths[r.path]
	o := &s.ports[oi]
	s.append(oi, o, queueControl, ki)
	if o.paused>>queueControl&1 == 0 {
		s.arm(oi, o)
	}
}

func (s *shard) countCNP(r *receiver) {
	s.n.cnps++
	s.tel.count(s.now, binCNPs, 1)
	if r.by >= 0 {
		s.storm(r)
	}
}
