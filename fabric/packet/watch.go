package packet

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// watchFloor is the egress queue in bytes from which a port may get a queue
// series: a few packets, so that idle ports cost nothing.
const watchFloor = 16 << 10

// queueSeries is the egress queue of one port over time.
type queueSeries struct {
	port  int32
	start sim.Time
	width sim.Time
	max   []int64
	peak  int32
}

// burst is an excursion of one port's queue above its threshold.
type burst struct {
	port       int32
	start, end sim.Time // end < 0: still open
	peak       int32
	flows      []fabric.FlowID
}

// threshold of a port above which a burst starts; 0: never.
func (s *shard) burstAt(o *port) int32 {
	if b := s.tel.c.BurstBytes; b > 0 {
		return int32(b)
	}
	if o.mark >= 0 {
		return s.e.markings[o.mark].kmax
	}
	return 0
}

// watchQueue records the queue of port oi, longer than o.watch after packet ki
// was added.
func (s *shard) watchQueue(oi int32, o *port, ki int32) {
	s.noteQueue(oi, o, func(b *burst) {
		if len(b.flows) > 0 {
			s.burstFlow(b, s.bodies[ki].qp)
			return
		}
		for q := uint8(queueData); q < uint8(s.nq); q++ {
			for i := s.queue(oi, o, q).head; i >= 0; i = s.pkts[i].next {
				s.burstFlow(b, s.bodies[i].qp)
			}
		}
	})
}

// noteQueue records the queue of port oi, longer than o.watch; name adds the flows
// in it to a burst.
func (s *shard) noteQueue(oi int32, o *port, name func(*burst)) {
	o.maxq = max(o.maxq, o.qbytes)
	if o.watch != 0 { // neither a series nor a burst: see setWatch
		if from := s.watchFrom(o); o.qbytes <= from {
			o.watch = min(from, o.maxq)
			return
		}
	}
	w := s.e.watches[oi]
	if w.series < 0 {
		w.series = s.claimSeries(oi, o)
	}
	if w.series >= 0 {
		s.tel.queues[w.series].record(s.now, o.qbytes, s.tel.c.MaxBins)
	}
	at := s.burstAt(o)
	switch {
	case w.burst >= 0:
		b := &s.tel.bursts[w.burst]
		b.peak = max(b.peak, o.qbytes)
		name(b)
	case at > 0 && o.qbytes > at && !w.lost:
		if len(s.tel.bursts) >= s.tel.c.MaxBursts {
			s.tel.lost++
			w.lost = true
			break
		}
		w.burst = int32(len(s.tel.bursts))
		s.tel.bursts = append(s.tel.bursts, burst{port: oi, start: s.now, end: -1, peak: o.qbytes})
		name(&s.tel.bursts[w.burst])
	}
	s.e.watches[oi] = w
	s.setWatch(oi, o)
}

// watch is what the telemetry holds for a port.
type watch struct {
	series, burst int32 // -1: none
	lost          bool  // in a burst beyond the bound
}

// setWatch chooses the queue length from which the port calls again.
func (s *shard) setWatch(oi int32, o *port) {
	w := &s.e.watches[oi]
	if w.series >= 0 || w.burst >= 0 || w.lost {
		o.watch = 0
		return
	}
	o.watch = min(s.watchFrom(o), o.maxq)
}

// watchFrom returns the queue length beyond which a port with neither a series
// nor a burst may get one.
func (s *shard) watchFrom(o *port) int32 {
	next := int32(1<<31 - 1)
	if s.tel.c.MaxQueues > 0 && s.tel.c.MaxBins > 0 && s.tel.c.QueueBin > 0 {
		next = watchFloor
		if len(s.tel.queues) >= s.tel.c.MaxQueues {
			next = max(next, s.tel.coldest+s.tel.coldest/4)
		}
	}
	if at := s.burstAt(o); at > 0 && s.tel.c.MaxBursts > 0 {
		next = min(next, at)
	}
	return next
}

// watchDrain records a departure from a queue of before bytes.
func (s *shard) watchDrain(oi int32, o *port, before int32) {
	w := &s.e.watches[oi]
	if w.series >= 0 {
		s.tel.queues[w.series].record(s.now, before, s.tel.c.MaxBins)
	}
	if (w.burst >= 0 || w.lost) && o.qbytes < s.burstAt(o)/2 {
		if w.burst >= 0 {
			s.tel.bursts[w.burst].end = s.now
		}
		w.burst, w.lost = -1, false
		s.setWatch(oi, o)
	}
}

// claimSeries gives port oi a queue series: a free one, or that of the port
// with the smallest peak if oi's queue is clearly longer. -1: none.
func (s *shard) claimSeries(oi int32, o *port) int32 {
	t := &s.tel
	if t.c.MaxQueues == 0 || t.c.MaxBins == 0 || t.c.QueueBin == 0 || o.qbytes <= watchFloor {
		return -1
	}
	fresh := queueSeries{port: oi, start: s.now - s.now%t.c.QueueBin, width: t.c.QueueBin}
	if len(t.queues) < t.c.MaxQueues {
		t.queues = append(t.queues, fresh)
		s.cool()
		return int32(len(t.queues) - 1)
	}
	s.cool()
	if o.qbytes <= t.coldest+t.coldest/4 {
		return -1
	}
	for i := range t.queues {
		if q := &t.queues[i]; q.peak == t.coldest {
			old := q.port
			fresh.max = q.max[:0]
			*q = fresh
			q.peak = o.qbytes
			s.e.watches[old].series = -1
			s.setWatch(old, &s.ports[old])
			s.cool()
			return int32(i)
		}
	}
	return -1
}

// cool recomputes the smallest peak.
func (s *shard) cool() {
	t := &s.tel
	t.coldest = 1<<31 - 1
	for i := range t.queues {
		t.coldest = min(t.coldest, t.queues[i].peak)
	}
}

// record notes a queue of n bytes at now.
func (q *queueSeries) record(now sim.Time, n int32, bins int) {
	q.peak = max(q.peak, n)
	i := int((now - q.start) / q.width)
	for i >= bins {
		q.max = foldMax(q.max)
		q.width *= 2
		i = int((now - q.start) / q.width)
	}
	for len(q.max) <= i {
		q.max = append(q.max, 0)
	}
	q.max[i] = max(q.max[i], int64(n))
}

// burstFlow adds the flow of QP qi to b, up to the bound.
func (s *shard) burstFlow(b *burst, qi int32) {
	id := fabric.FlowID(s.snd[qi].flow)
	if len(b.flows) < s.tel.c.BurstFlows && !slices.Contains(b.flows, id) {
		b.flows = append(b.flows, id)
	}
}
