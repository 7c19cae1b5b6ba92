package packet

import "github.com/simnet/simnet/sim"

// States of a sender.
const (
	stReady uint8 = 1 << iota // in the ready list of its port
	stTimer                   // an evReady is pending
	stDone                    // everything acknowledged, or failed
	stRTO                     // an evRTO is pending
	stBegun                   // started
)

// psShift is the binary point of sender.ps.
const psShift = 16

// sender is the sending side of a QP: four cache lines, of which a packet or
// an ACK needs the first two.
type sender struct {
	next  int64 // first byte not yet sent
	una   int64 // first byte not yet acknowledged
	limit int64 // bytes that may be sent: size, or what upstream flows allow
	avail sim.Time
	win   int64  // bytes in flight allowed; 0: no limit
	ps    uint64 // pacing in 2^-16 ps a byte; 0: line rate
	link  int32
	path  int32
	since uint16 // packets since the last that asked for an ACK
	every uint16
	state uint8
	q     uint8
	tries uint8
	hops  uint8

	size  int64
	high  int64 // highest byte ever sent
	quota int64 // bytes until the congestion control wants to know
	rtoAt sim.Time
	retx  int64 // selective repeat: 1 + the next hole to send again; 0: none
	rate  sim.Rate
	line  sim.Rate // of the NIC, or the flow's own cap
	port  int32
	flow  int32

	maxWin int64
	bdp    int64
	rtt    sim.Time // idle round trip of its path
	holes  int64    // end of the range in which holes count as lost
	sack   spans    // received out of order, as far as NACKs told

	pace     sim.Time // Compat: see paceTime
	paceRate sim.Rate
	paceSize int32
	lastSize int32
	flowlet  uint32 // gaps so far, where the routing wants to know
	_        [44]byte
}

// open reports whether the window lets another packet out.
func (f *sender) open() bool { return f.win == 0 || f.next-f.una < f.win }

func (f *sender) sendable() bool {
	return f.retx != 0 || f.next < f.limit && f.open()
}

// setRate changes the rate of QP qi.
func (s *shard) setRate(qi int32, r sim.Rate) {
	f := &s.snd[qi]
	if r == f.rate {
		return
	}
	f.rate = r
	if !s.compat {
		f.ps = pacing(r, s.ports[f.port].rate)
	}
	if s.e.cfg.Window.Variable && f.maxWin > 0 {
		f.win = s.scaledWindow(f)
	}
	s.traceRate(qi, f)
}

// scaledWindow is the window in proportion to the rate.
func (s *shard) scaledWindow(f *sender) int64 {
	return max(1, mulDiv(f.maxWin, int64(f.rate), int64(f.line)))
}

// pacing returns 2^16 picoseconds a byte at r, 0 if that is the line rate.
func pacing(r, line sim.Rate) uint64 {
	if r >= line {
		return 0
	}
	return uint64(8*sim.Second) << psShift / uint64(r)
}

// acked handles ACK ki at the sender.
func (s *shard) acked(ki int32) {
	k, b := &s.pkts[ki], &s.bodies[ki]
	qi := b.qp
	f := &s.snd[qi]
	if f.state&stDone != 0 {
		s.release(ki)
		return
	}
	info := &s.info
	*info = ackInfo{seq: b.seq, marked: b.aux, echo: k.flags()&flagEcho != 0}
	if b.seq > f.una {
		info.acked = b.seq - f.una
		f.una = b.seq
		if f.next < f.una {
			f.next = f.una
		}
		f.tries = 0
		f.rtoAt = s.now + s.e.cfg.Recovery.RTO
		if s.sacks != nil {
			f.sack.dropBelow(f.una)
			s.aimRetx(f)
		}
	}
	if s.stamps != nil {
		info.rtt = s.now - s.stamps[ki]
	}
	if s.ints != nil {
		info.ints = &s.ints[ki]
	}
	if k.what() == kindNack {
		s.nacked(f, ki)
	}
	if f.una >= f.size {
		f.state |= stDone
		if s.compat {
			s.finishQP(qi)
			if s.ints != nil { // the model's HPCC reacts to the last ACK too
				s.e.cc.ack(s, qi, info)
			}
		}
	} else if s.e.cc != nil {
		s.e.cc.ack(s, qi, info)
	}
	s.release(ki)
	if s.compat {
		s.compatWake(f.port)
		return
	}
	s.wake(qi)
}

// notified handles CNP ki at the sender.
func (s *shard) notified(ki int32) {
	qi := s.bodies[ki].qp
	s.release(ki)
	if s.snd[qi].state&stDone == 0 && s.e.cc != nil {
		s.e.cc.cnp(s, qi)
	}
}
