package packet

import "github.com/simnet/simnet/sim"

// The kinds of event.
const (
	evTx       uint8 = iota // port Target may send, probably what Arg says; see port.first
	evArrive                // packet Arg arrives, bound for port Target or another value of paths
	evWhole                 // the same, of a packet that could not be cut through
	evReady                 // the pacing of QP Target allows the next packet
	evStart                 // flow Target starts
	evStart2                // Compat: the second step of a start
	evChain                 // Compat: the next flows in order of start
	evNext                  // Compat: host port Target looks again, generation Arg
	evTimer                 // congestion control timer of QP Target; Arg is which and generation
	evRTO                   // retransmission timeout of QP Target
	evCNP                   // the CNP of QP Target is due
	evDeliver               // packet Arg has passed the PCIe limit of the host of port Target
	evDrained               // the receive buffer of NIC Target has room again
	evRefresh               // account Target repeats its pause, generation Arg
	evExpire                // the pause of (port, class) Target ends, generation Arg
	evWatchdog              // (port, class) Target has been paused for long, generation Arg
)

// shard is a part of the network that shares no port, QP or packet with
// another: it has its own clock, wheel and arena over the flat arrays that all
// shards share.
type shard struct {
	e *Engine
	arena
	w      *wheel
	now    sim.Time
	seq    uint64
	events uint64
	compat bool
	faults bool // a link has been down: packets in flight may be lost
	yield  bool // the kernel has been touched: return
	island bool // of an Island: completions go to ended, not to the kernel
	active int  // flows neither finished nor failed
	ended  []int32
	id     int32     // of the island, from 1; 0: the shard of all ports
	stuck  bool      // a deadlock has been found
	lines  []uintptr // cache lines to ask for
	late   []int32   // ports that will send a control frame soon, ^QPs that will a CNP; see lookAhead

	// The shared arrays.
	ports    []port
	queues   []queue
	accounts []account
	xoff     []bool
	switches []device
	paths    []int32
	snd      []sender
	rcv      []receiver
	nq, nc   int32

	n    counters
	info ackInfo // of the ACK being handled
	tel  telemetry
}

// attach refreshes the shard's view of arrays that grow.
func (s *shard) attach(e *Engine) {
	s.ports, s.queues, s.switches = e.ports, e.queues, e.switches
	s.accounts, s.xoff = e.accounts, e.xoff
	s.paths, s.snd, s.rcv = e.paths, e.snd, e.rcv
	s.nq, s.nc = e.nq, e.nc
}

// push schedules an event that goes before arrivals of the same instant.
func (s *shard) push(at sim.Time, kind uint8, target, arg int32) {
	s.seq++
	s.w.push(at, s.seq&(1<<seqBits-1)<<kindBits|uint64(kind), target, arg)
}

// pushArrive schedules the arrival of packet ki over port pi, bound for port oi.
// Arrivals of one instant are ordered by a hash of pi and time, so that no input of a switch is always the first; in
// Compat by the order of scheduling.
func (s *shard) pushArrive(at sim.Time, kind uint8, pi, oi, ki int32) {
	s.seq++
	key := s.seq&(1<<seqBits-1)<<kindBits | uint64(kind)
	if !s.compat {
		h := (uint64(at) ^ uint64(pi)<<40 ^ s.e.tieSeed) * 0x9e3779b97f4a7c15
		h ^= h >> 29
		h = h * 0xbf58476d1ce4e5b9 >> (64 - tieBits)
		key |= max(h, 1) << tieShift
	}
	s.w.push(at, key, oi, ki)
}

// batch is how many events a shard handles before the kernel may report
// progress: about 20 ms of work.
const batch = 1 << 18

// run handles events up to limit, until the kernel has been touched or a batch
// is done.
func (s *shard) run(limit sim.Time) {
	s.yield = false
	s.late = s.late[:0] // between runs an island may have lost the ports
	n := 0
	for ; n < batch && !s.yield; n++ {
		w := s.w
		if w.pos >= w.stop {
			if w.peek() == sim.Never {
				break
			}
			w.stop = len(w.run)
			if w.n >= lookMin {
				s.lookAhead()
			}
		}
		ev := w.run[w.pos]
		at := w.base + sim.Time(ev.key>>offShift)
		if at > limit {
			break
		}
		w.pos++
		w.n--
		w.last, s.now = at, at
		switch ev.kind() {
		case evTx:
			s.dequeue(ev.target)
		case evArrive:
			s.arrive(ev.target, ev.arg)
		default:
			s.rare(&ev)
		}
		s.checkInvariants(n)
	}
	s.events += uint64(n)
}

func (s *shard) rare(ev *event) {
	t, arg := ev.target, ev.arg
	switch ev.kind() {
	case evWhole:
		s.whole(t, arg)
	case evReady:
		s.snd[t].state &^= stTimer
		s.wake(t)
	case evStart:
		if s.compat {
			s.push(s.now, evStart2, t, 0)
			return
		}
		s.startFlow(t)
	case evStart2:
		s.startFlow(t)
	case evChain:
		s.chain()
	case evNext:
		s.compatNext(t, arg)
	case evTimer:
		if s.snd[t].state&stDone == 0 {
			s.e.cc.timer(s, t, uint32(arg))
		}
	case evRTO:
		s.rto(t)
	case evCNP:
		s.sendCNP(t)
	case evDeliver:
		s.deliver(t, arg)
	case evDrained:
		s.drained(t)
	case evRefresh:
		s.refresh(t, uint32(arg))
	case evExpire:
		s.expire(t, uint32(arg))
	case evWatchdog:
		s.watchdog(t, uint32(arg))
	}
}
