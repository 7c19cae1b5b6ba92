package packet

import "github.com/simnet/simnet/sim"

// controller is a congestion control. It is called for ACKs, CNPs, timers and
// spent byte quotas, never for a packet on its way. Each keeps its state by QP.
type controller interface {
	// grow makes room for n QPs.
	grow(n int)
	// start prepares QP qi, which is about to send.
	start(s *shard, qi int32)
	ack(s *shard, qi int32, a *ackInfo)
	cnp(s *shard, qi int32)
	// timer is called for what setTimer has scheduled, with the same tag.
	timer(s *shard, qi int32, tag uint32)
	// bytes is called when sender.quota has been used up.
	bytes(s *shard, qi int32)
	// timeout is called when the retransmission timer fires.
	timeout(s *shard, qi int32)
}

// ackInfo is what an ACK says.
type ackInfo struct {
	seq    int64 // received in order so far
	acked  int64 // newly acknowledged bytes
	marked int32 // packets with a mark since the ACK before
	echo   bool  // Compat: stands for a CNP
	rtt    sim.Time
	ints   *intRecord
}

// base is a controller that does nothing, to be embedded.
type base struct{}

func (base) grow(int)                    {}
func (base) start(*shard, int32)         {}
func (base) ack(*shard, int32, *ackInfo) {}
func (base) cnp(*shard, int32)           {}
func (base) timer(*shard, int32, uint32) {}
func (base) bytes(s *shard, qi int32)    { s.snd[qi].quota = 1<<63 - 1 }
func (base) timeout(*shard, int32)       {}

// newController returns the congestion control that the configuration selects
// and whether receivers send CNPs for it.
func newController(e *Engine) (controller, bool) {
	switch e.cfg.CC.Algorithm {
	case DCQCN:
		if e.cfg.Compat {
			return &dcqcnCompat{p: e.cfg.CC.DCQCN}, true
		}
		return &dcqcn{p: e.cfg.CC.DCQCN}, true
	case DCTCP:
		return &dctcp{p: e.cfg.CC.DCTCP}, false
	case HPCC:
		return &hpcc{p: e.cfg.CC.HPCC}, false
	case TIMELY:
		return &timely{p: e.cfg.CC.TIMELY}, false
	case Swift:
		return &swift{p: e.cfg.CC.Swift}, false
	}
	return nil, false
}

// setTimer schedules a call of timer for QP qi.
func (s *shard) setTimer(qi int32, at sim.Time, tag uint32) {
	s.push(at, evTimer, qi, int32(tag))
}

// resize returns a of length n, grown by half at a time.
func resize[T any](a []T, n int) []T {
	if n <= cap(a) {
		return a[:n]
	}
	b := make([]T, n, n+n/2)
	copy(b, a)
	return b
}
