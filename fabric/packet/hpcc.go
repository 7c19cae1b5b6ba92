package packet

import "github.com/simnet/simnet/sim"

// hpcc is HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM
// 2019, algorithm 1): every switch writes its queue, its transmitted bytes and
// the time into each data packet; the sender estimates the load of the most
// loaded link and sets rate and window so that it ends just below full.
type hpcc struct {
	base
	p  HPCCParams
	st []hpccState
}

const (
	// intHops is how many switches a packet can collect records from; Compat
	// has room for five (figure 7 of the paper).
	intHops = 8
	// intBytes is the INT of five hops: 8 B each and 2 B of count and path
	// (section 4.1).
	intBytes = 42
	// Units of the fields in Compat: 128 B, 80 B, 1 ns; and their widths.
	intByteUnit, intQueueUnit = 128, 80
	intByteBits, intTimeBits  = 20, 24
)

// intRecord is the telemetry of one packet.
type intRecord struct {
	n   int32
	hop [intHops]intHop
}

type intHop struct {
	at    int64 // ps; in Compat ns modulo 2^24
	bytes int64 // transmitted; in Compat in units, modulo 2^20
	queue int64 // bytes
	port  int32
}

type hpccState struct {
	seen   int64 // the rate was last updated for data sent before this
	rate   sim.Rate
	u      float64
	stage  int32
	last   intRecord
	perHop []hopState
}

type hopState struct {
	rate  sim.Rate
	u     float64
	stage int32
}

func (c *hpcc) grow(n int) { c.st = resize(c.st, n) }

func (c *hpcc) start(s *shard, qi int32) {
	c.st[qi] = hpccState{rate: s.snd[qi].rate, u: 1}
}

// stampINT adds the record of port oi, which sends packet ki now.
func (s *shard) stampINT(oi int32, o *port, ki int32) {
	r := &s.ints[ki]
	n := r.n
	r.n++
	if n >= intHops {
		return
	}
	h := &r.hop[n]
	*h = intHop{at: int64(s.now), bytes: o.txBytes, queue: int64(o.qbytes), port: oi}
	if s.compat {
		m := s.e.cfg.CC.HPCC.IntMulti
		h.at = h.at / 1000 & (1<<intTimeBits - 1)
		h.bytes = h.bytes / (intByteUnit * m) & (1<<intByteBits - 1)
		h.queue = h.queue / (intQueueUnit * m) * (intQueueUnit * m)
	}
}

// load returns the normalised load of hop i between two records, and the time
// between them.
func (c *hpcc) load(s *shard, f *sender, a, b *intHop) (float64, sim.Time) {
	var dt sim.Time
	var bytes int64
	if s.compat {
		dt = sim.Time((a.at-b.at)&(1<<intTimeBits-1)) * sim.Nanosecond
		bytes = (a.bytes - b.bytes) & (1<<intByteBits - 1) * intByteUnit * c.p.IntMulti
	} else {
		dt, bytes = sim.Time(a.at-b.at), a.bytes-b.bytes
	}
	line := float64(s.ports[a.port].rate)
	tx := float64(bytes*8) / (float64(dt/sim.Nanosecond) * 1e-9)
	if !s.compat {
		tx = float64(bytes) * 8e12 / float64(max(dt, 1))
	}
	q := float64(min(a.queue, b.queue)) * float64(f.line) / line / float64(f.maxWin)
	return float64(tx/line) + q, dt
}

func (c *hpcc) ack(s *shard, qi int32, a *ackInfo) {
	f, st := &s.snd[qi], &c.st[qi]
	fast := a.seq <= st.seen
	if fast && !c.p.FastReact {
		return
	}
	hops := a.ints.n
	limit := int32(intHops)
	if s.compat {
		limit = 5
	}
	if st.seen == 0 {
		st.seen = f.next
		st.last = *a.ints
		return
	}
	if hops <= limit && hops > 0 {
		c.update(s, qi, f, st, a.ints, fast)
	}
	if !fast && f.next > st.seen {
		st.seen = f.next
	}
}

// update computes the rate from the records of one ACK. A fast reaction
// changes the rate but not the reference that rates are computed from.
func (c *hpcc) update(s *shard, qi int32, f *sender, st *hpccState, r *intRecord, fast bool) {
	rtt := f.rtt
	if s.e.cfg.Window.Global {
		rtt = s.e.globalRTT
	}
	if c.p.MultiRate && st.perHop == nil {
		st.perHop = make([]hopState, intHops)
		for i := range st.perHop {
			st.perHop[i] = hopState{rate: f.line, u: 1}
		}
	}
	var most float64
	var span sim.Time
	any := false
	rate := f.line
	for i := range r.n {
		a, b := &r.hop[i], &st.last.hop[i]
		if c.p.SampleOnly && fast && a.queue == 0 {
			continue
		}
		any = true
		u, dt := c.load(s, f, a, b)
		*b = *a
		if c.p.MultiRate {
			h := &st.perHop[i]
			next, stage, load := c.rate(f, h.rate, h.stage, blend(h.u, u, dt, rtt))
			h.u = load
			if !fast {
				h.rate, h.stage = next, stage
			}
			rate = min(rate, next)
		} else if u > most {
			most, span = u, dt
		}
	}
	if !any {
		return
	}
	if !c.p.MultiRate {
		var stage int32
		rate, stage, st.u = c.rate(f, st.rate, st.stage, blend(st.u, most, span, rtt))
		if !fast {
			st.rate, st.stage = rate, stage
		}
	}
	if rate < f.rate {
		s.n.cuts++
	}
	c.change(s, qi, f, rate)
}

// blend is the moving average of the load over one round trip. It counts in
// nanoseconds, as the model does, where that is all the times have.
func blend(old, u float64, dt, rtt sim.Time) float64 {
	dt = min(dt, rtt)
	if dt%sim.Nanosecond == 0 && rtt%sim.Nanosecond == 0 {
		dt, rtt = dt/sim.Nanosecond, rtt/sim.Nanosecond
	}
	return (float64(old*float64(rtt-dt)) + float64(u*float64(dt))) / float64(rtt)
}

// rate applies multiplicative or additive adjustment to the reference rate.
func (c *hpcc) rate(f *sender, ref sim.Rate, stage int32, u float64) (sim.Rate, int32, float64) {
	k := u / c.p.Target
	if k >= 1 || stage >= int32(c.p.MaxStage) {
		ref, stage = sim.Rate(float64(ref)/k)+c.p.AI, 0
	} else {
		ref, stage = ref+c.p.AI, stage+1
	}
	return min(f.line, max(c.p.MinRate, ref)), stage, u
}

// change sets the rate; in Compat the pacing of the packet just sent follows.
func (c *hpcc) change(s *shard, qi int32, f *sender, rate sim.Rate) {
	if s.compat {
		f.avail += compatTime(int64(f.lastSize), rate) - compatTime(int64(f.lastSize), f.rate)
		s.compatSooner(f.port, f.avail)
	}
	s.setRate(qi, rate)
}
