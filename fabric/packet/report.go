package packet

import (
	"cmp"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Report returns what has been measured up to the kernel's now.
func (e *Engine) Report() *fabric.Report {
	r := &fabric.Report{Fidelity: "packet"}
	var n counters
	s := e.shards[0]
	n = s.n
	c := &r.Counters
	*c = fabric.Counters{
		Flows: int64(len(e.flows)), FlowsFinished: n.finished, FlowsFailed: n.failed, BytesDelivered: n.delivered, Packets: n.sent,
		DataHops: n.dataHops, AckHops: n.ackHops, ECNMarked: n.marked, CNPs: n.cnps, PFCPauses: n.pauses,
		PFCResumes: n.resumes, Drops: n.drops, RetransmittedBytes: n.retxBytes, RateCuts: n.cuts, NACKs: n.nacks,
		Timeouts: n.timeouts, PFCWatchdogs: n.watchdogs,
	}
	now := max(e.k.Now(), s.now)
	r.PacketBytes, r.End = n.delivered, now
	r.Flows = make([]fabric.FlowRecord, len(e.flows))
	for i := range e.flows {
		r.Flows[i] = e.flows[i].rec
	}
	r.Ports = make([]fabric.PortStats, len(e.ports))
	for i := range e.ports {
		o := &e.ports[i]
		p := fabric.PortStats{
			TxBytes: o.txBytes, TxPackets: int64(o.txPkts), MaxQueue: int64(o.maxq), ECNMarked: o.ecn, Drops: o.drops,
			Pauses: o.pauses, Paused: o.pausedTime,
		}
		for k := range e.nc {
			if o.paused>>(queueData+k)&1 != 0 {
				p.Paused += now - e.pauses[int32(i)*e.nc+k].since
			}
		}
		c.PFCPausedTime += p.Paused
		c.MaxQueueBytes = max(c.MaxQueueBytes, p.MaxQueue)
		r.Ports[i] = p
	}
	for i := range e.switches {
		c.MaxBufferBytes = max(c.MaxBufferBytes, e.switches[i].max)
	}
	e.reportTelemetry(r, s, now)
	if s.active > 0 {
		if cycle := e.findCycle(s); cycle != nil {
			e.nameDeadlock(s, cycle)
		}
	}
	c.Deadlocks = e.deadlocks
	r.Violations, r.Notes = e.violations(now), slices.Clone(e.notes)
	return r
}

func (e *Engine) reportTelemetry(r *fabric.Report, s *shard, now sim.Time) {
	t := &s.tel
	if t.begun {
		r.Bins = fabric.Bins{Start: t.start, Bin: t.width, CNPs: t.v[binCNPs], Pauses: t.v[binPauses], ECN: t.v[binECN], Delivered: t.v[binDelivered]}
	}
	for i := range t.queues {
		q := &t.queues[i]
		x := fabric.QueueSeries{Port: fabric.PortID(q.port), Start: q.start, Bin: q.width, Max: q.max}
		o := &e.ports[q.port]
		if o.mark >= 0 {
			m := &e.markings[o.mark]
			x.Kmin, x.Kmax = int64(m.kmin), int64(m.kmax)
		}
		x.XOFF = e.typicalXOFF(o)
		r.Queues = append(r.Queues, x)
	}
	slices.SortFunc(r.Queues, func(a, b fabric.QueueSeries) int { return cmp.Compare(a.Port, b.Port) })
	r.Rates = t.rates
	for i := range t.bursts {
		b := &t.bursts[i]
		end := b.end
		if end < 0 {
			end = now
		}
		r.Bursts = append(r.Bursts, fabric.Burst{Port: fabric.PortID(b.port), Start: b.start, Duration: end - b.start, Peak: int64(b.peak), Flows: b.flows})
	}
	r.BurstsLost = t.lost
	t.tickAt = 0
	s.tick() // the last window, as far as it went
	for i := range t.storms {
		if st := &t.storms[i]; st.open {
			s.endStorm(st)
		}
	}
	r.Storms = t.ended
	slices.SortStableFunc(r.Storms, func(a, b fabric.Storm) int { return cmp.Compare(a.Start, b.Start) })
}

// typicalXOFF returns the XOFF threshold of an ingress of the switch of o
// while its buffer is empty; 0 if nothing there is lossless.
func (e *Engine) typicalXOFF(o *port) int64 {
	if o.sw < 0 {
		return 0
	}
	for _, p := range e.g.PortsOf(fabric.NodeID(o.node)) {
		for k := range e.nc {
			if a := &e.accounts[int32(p^1)*e.nc+k]; a.lossless {
				if a.fixed != 0 {
					return int64(a.fixed)
				}
				return e.switches[o.sw].pool * int64(a.alpha) >> alphaBits
			}
		}
	}
	return 0
}
