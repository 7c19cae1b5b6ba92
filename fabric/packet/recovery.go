package packet

// outOfOrder handles data packet ki of pay bytes that is not the next of QP qi.
func (s *shard) outOfOrder(qi int32, r *receiver, ki int32, pay int64) {
	k, seq := &s.pkts[ki], s.bodies[ki].seq
	if seq < r.next { // a duplicate: tell the sender where we are
		s.sendAck(kindAck, r, ki)
		return
	}
	x := span{seq, seq + pay}
	reorders := s.e.cfg.Routing.Mode != ECMP
	if reorders || s.e.cfg.Recovery.Mode == SelectiveRepeat {
		r.ooo.add(x)
		if reorders && s.e.cfg.Recovery.Mode == GoBackN {
			// Disorder says nothing about loss; the timeout finds it.
			if k.flags()&flagAckReq != 0 {
				s.sendAck(kindAck, r, ki)
			} else {
				s.release(ki)
			}
			return
		}
		if s.sacks != nil {
			s.sacks[ki] = x
		}
		s.n.nacks++
		s.sendAck(kindNack, r, ki)
		return
	}
	every := s.e.cfg.Recovery.NackInterval
	if r.gap == r.next && (every == 0 || s.now < r.nackAt+every) {
		s.release(ki)
		return
	}
	r.gap, r.nackAt = r.next, s.now
	s.n.nacks++
	s.sendAck(kindNack, r, ki)
}

// nacked handles NACK ki at the sender.
func (s *shard) nacked(f *sender, ki int32) {
	if s.e.cfg.Recovery.Mode == GoBackN {
		f.next = max(f.una, min(f.next, s.bodies[ki].seq))
		return
	}
	x := s.sacks[ki]
	if x.hi <= f.una {
		return
	}
	f.sack.add(x)
	if f.retx == 0 {
		f.retx = 1 + max(f.una, f.holes)
	}
	f.holes = max(f.holes, x.lo)
	s.aimRetx(f)
}

// aimRetx points f.retx at the next hole, or clears it.
func (s *shard) aimRetx(f *sender) {
	if f.retx == 0 {
		return
	}
	h, ok := f.sack.hole(max(f.retx-1, f.una), f.holes)
	if !ok {
		f.retx = 0
		return
	}
	f.retx = 1 + h.lo
}

// nextRetx returns the next packet to send again and moves on. f.retx is not
// zero.
func (s *shard) nextRetx(f *sender) (seq, pay int64) {
	h, _ := f.sack.hole(max(f.retx-1, f.una), f.holes)
	pay = min(h.hi-h.lo, s.e.payload)
	f.retx = 1 + h.lo + pay
	s.aimRetx(f)
	return h.lo, pay
}

// rto fires the retransmission timer of QP qi: if nothing was acknowledged for
// the timeout, what is outstanding is sent again.
func (s *shard) rto(qi int32) {
	f := &s.snd[qi]
	f.state &^= stRTO
	if f.state&stDone != 0 || f.una == f.next {
		return
	}
	if s.now < f.rtoAt {
		f.state |= stRTO
		s.push(f.rtoAt, evRTO, qi, 0)
		return
	}
	if int(f.tries) >= s.e.cfg.Recovery.RetryLimit {
		f.state |= stDone
		s.fail(qi)
		return
	}
	f.tries++
	s.n.timeouts++
	f.rtoAt = s.now + s.e.cfg.Recovery.RTO
	f.state |= stRTO
	s.push(f.rtoAt, evRTO, qi, 0)
	if s.e.cfg.Recovery.Mode == SelectiveRepeat {
		f.retx, f.holes = 1+f.una, f.next
		s.aimRetx(f)
	} else {
		f.next = f.una
	}
	if s.e.cc != nil {
		s.e.cc.timeout(s, qi)
	}
	s.wake(qi)
}

// fail gives up on the flow of QP qi.
func (s *shard) fail(qi int32) {
	fl := &s.e.flows[s.snd[qi].flow]
	if !fl.failed {
		fl.failed = true
		s.n.failed++
		s.active--
	}
}
