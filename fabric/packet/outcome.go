package packet

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Outcome is what an island has counted, with ports by the order in which it
// claimed them, flows by the order in which they joined, and times from its
// birth: it fits every island with the same history.
type Outcome struct {
	n      counters
	ports  []portMark
	rooms  []int64 // by port: the most its switch has buffered, once a switch
	start  sim.Time
	width  sim.Time
	bins   [binKinds][]int64
	bursts []burst
	lost   int64
	storms []fabric.Storm
}

// Outcome returns what the island has counted so far.
func (is *Island) Outcome() *Outcome {
	e, s := is.e, is.s
	o := &Outcome{n: s.n, ports: make([]portMark, len(is.ports)), rooms: make([]int64, len(is.ports))}
	for i, pi := range is.ports {
		p, b := &e.ports[pi], &is.base[i]
		m := portMark{
			p.txBytes - b.txBytes, p.txPkts - b.txPkts, p.maxq, p.ecn - b.ecn, p.drops - b.drops, p.pauses - b.pauses, p.pausedTime - b.paused,
		}
		for k := range e.nc {
			if p.paused>>(queueData+k)&1 != 0 {
				m.paused += s.now - e.pauses[pi*e.nc+k].since
			}
		}
		o.ports[i] = m
		if p.sw >= 0 {
			o.rooms[i] = e.switches[p.sw].max
		}
	}
	t := &s.tel
	if t.begun {
		o.start, o.width, o.bins = t.start-is.birth, t.width, t.v
	}
	o.lost = t.lost
	for _, b := range t.bursts {
		if b.end < 0 {
			b.end = s.now
		}
		b.port = int32(slices.Index(is.ports, b.port))
		b.start, b.end = b.start-is.birth, b.end-is.birth
		b.flows = is.joined(b.flows)
		o.bursts = append(o.bursts, b)
	}
	for i := range t.storms {
		if st := &t.storms[i]; st.open {
			s.endStorm(st)
		}
	}
	for _, st := range t.ended {
		st.Port = fabric.PortID(slices.Index(is.ports, int32(st.Port)))
		st.Start, st.End = st.Start-is.birth, st.End-is.birth
		st.Flows = is.joined(st.Flows)
		o.storms = append(o.storms, st)
	}
	return o
}

// joined turns indices of the engine's flows into places among the island's.
func (is *Island) joined(ids []fabric.FlowID) []fabric.FlowID {
	out := make([]fabric.FlowID, len(ids))
	for i, id := range ids {
		out[i] = fabric.FlowID(slices.Index(is.flows, int32(id)))
	}
	return out
}

// Apply adds an outcome to the engine's totals, as that of an island born at
// birth over the given links and flows, both in the order of their joining.
func (e *Engine) Apply(o *Outcome, birth sim.Time, links []fabric.LinkID, flows []fabric.FlowID) {
	s := e.shards[0]
	s.n.add(&o.n)
	for i, m := range o.ports {
		p := &e.ports[2*int32(links[i/2])+int32(i&1)]
		p.txBytes += m.txBytes
		p.txPkts += m.txPkts
		p.maxq = max(p.maxq, m.maxq)
		p.ecn += m.ecn
		p.drops += m.drops
		p.pauses += m.pauses
		p.pausedTime += m.paused
		if r := o.rooms[i]; r > 0 {
			d := &e.switches[e.swOf[p.node]]
			d.max = max(d.max, r)
		}
	}
	e.applyTelemetry(o, birth, links, flows)
}

func (e *Engine) applyTelemetry(o *Outcome, birth sim.Time, links []fabric.LinkID, flows []fabric.FlowID) {
	t := &e.shards[0].tel
	if !t.begun { // islands come in any order
		t.begun, t.width = true, t.c.RateBin
	}
	for k := range o.bins {
		for i, n := range o.bins[k] {
			at := birth + o.start + sim.Time(i)*o.width
			t.spread(k, at, at, n)
		}
	}
	port := func(i int32) int32 { return 2*int32(links[i/2]) + i&1 }
	named := func(ids []fabric.FlowID) []fabric.FlowID {
		out := make([]fabric.FlowID, len(ids))
		for i, id := range ids {
			out[i] = flows[id]
		}
		return out
	}
	t.lost += o.lost
	for _, b := range o.bursts {
		if len(t.bursts) >= t.c.MaxBursts {
			t.lost++
			continue
		}
		b.port, b.start, b.end, b.flows = port(b.port), b.start+birth, b.end+birth, named(b.flows)
		t.bursts = append(t.bursts, b)
	}
	for _, st := range o.storms {
		if len(t.ended) >= t.c.MaxStorms {
			break
		}
		st.Port, st.Start, st.End, st.Flows = fabric.PortID(port(int32(st.Port))), st.Start+birth, st.End+birth, named(st.Flows)
		t.ended = append(t.ended, st)
	}
}

func (a *counters) add(b *counters) {
	a.sent += b.sent
	a.got += b.got
	a.dropped += b.dropped
	a.dataHops += b.dataHops
	a.ackHops += b.ackHops
	a.delivered += b.delivered
	a.retxBytes += b.retxBytes
	a.marked += b.marked
	a.cnps += b.cnps
	a.cuts += b.cuts
	a.pauses += b.pauses
	a.resumes += b.resumes
	a.drops += b.drops
	a.losslessDrops += b.losslessDrops
	a.nacks += b.nacks
	a.timeouts += b.timeouts
	a.finished += b.finished
	a.failed += b.failed
	a.watchdogs += b.watchdogs
}

// foldQueue keeps the series of a queue among the engine's, which are those
// with the largest peaks.
func (t *telemetry) foldQueue(q *queueSeries) {
	least := -1
	for i := range t.queues {
		x := &t.queues[i]
		if x.port == q.port {
			for k, n := range q.max {
				if at := q.start + sim.Time(k)*q.width; n > 0 && at >= x.start {
					x.record(at, int32(n), t.c.MaxBins)
				}
			}
			return
		}
		if least < 0 || x.peak < t.queues[least].peak {
			least = i
		}
	}
	c := *q
	c.max = slices.Clone(q.max)
	switch {
	case len(t.queues) < t.c.MaxQueues:
		t.queues = append(t.queues, c)
	case least >= 0 && t.queues[least].peak < q.peak:
		t.queues[least] = c
	}
}

// Delivered returns the payload bytes that the island has delivered.
func (o *Outcome) Delivered() int64 { return o.n.delivered }

// Marked returns the packets that the island has marked.
func (o *Outcome) Marked() int64 { return o.n.marked }
