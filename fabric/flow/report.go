package flow

import (
	"fmt"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// account adds the bytes of slot s, times share, to the ports of its path: of
// the whole transfer if share is 1.
func (e *Engine) account(s int32, share float64) {
	f := &e.slots[s]
	whole := int64(f.wire * share)
	for _, c := range e.sys.on(s) {
		if int(c.link) >= len(e.tx) {
			continue // the limit of a host
		}
		b := whole
		if c.k != f.qps {
			b = b * int64(c.k) / int64(f.qps)
		}
		e.tx[c.link] += b
	}
}

// Report returns what happened up to the kernel's now. Packets, queues, marks
// and pauses are not modelled and stay zero; ACKs do not count as TxBytes.
func (e *Engine) Report() *fabric.Report {
	e.now = max(e.now, e.k.Now())
	r := &fabric.Report{Fidelity: "flow", End: e.now, Flows: make([]fabric.FlowRecord, e.recs.n), Ports: make([]fabric.PortStats, len(e.g.Ports))}
	tx := slices.Clone(e.tx)
	var delivered int64
	for s := range e.slots {
		f := &e.slots[s]
		if f.state == stTail { // its end is known, but has not come
			delivered -= e.recs.at(f.id).bytes
		}
		if f.state != stRunning {
			continue
		}
		sent := e.wireSent(f)
		delivered += int64(sent / f.wire * float64(e.recs.at(f.id).bytes))
		sent -= float64(e.counted[int32(s)] * f.wire)
		for _, c := range e.sys.on(int32(s)) {
			if int(c.link) < len(tx) {
				tx[c.link] += int64(sent * float64(c.k) / float64(f.qps))
			}
		}
	}
	for i := range r.Flows {
		x := e.recs.at(fabric.FlowID(i))
		n := &e.recs.names[x.name]
		fct := sim.Time(-1)
		if end := *e.recs.end(fabric.FlowID(i)); end > 0 {
			delivered += x.bytes
			// A flow that nobody waits for has no event of its own at the end.
			if end <= e.now || len(e.cal.heap) == 0 {
				fct = end - x.start
				r.Counters.FlowsFinished++
			}
		}
		r.Flows[i] = fabric.FlowRecord{
			Src: x.src, Dst: x.dst, Bytes: x.bytes, Start: x.start, FCT: fct, Ideal: x.ideal,
			Class: x.class, QPs: uint8(max(1, x.qps)), SrcPort: x.srcPort, Job: n.job, Label: n.label,
		}
	}
	r.Bins = bins(r.Flows)
	r.Notes = e.stalled()
	r.Counters.Flows = int64(e.recs.n)
	r.Counters.BytesDelivered = delivered
	for i := range r.Ports {
		r.Ports[i].TxBytes = tx[i]
	}
	return r
}

// stalled tells of the flows that are waiting for a way to their destination.
func (e *Engine) stalled() []string {
	n, first := 0, fabric.FlowID(0)
	for s := range e.slots {
		if f := &e.slots[s]; (f.state == stRunning || f.state == stPending) && e.sys.vars[s].size == 0 {
			if n++; n == 1 || f.id < first {
				first = f.id
			}
		}
	}
	if n == 0 {
		return nil
	}
	x := e.recs.at(first)
	return []string{fmt.Sprintf("flows without a way to their destination, since links are down: %d, the first %s of job %s from %s to %s",
		n, e.recs.names[x.name].label, e.recs.names[x.name].job, e.g.Nodes[x.src].Name, e.g.Nodes[x.dst].Name)}
}
