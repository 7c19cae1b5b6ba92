package flow

import (
	"cmp"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// usage is what is remembered of a port.
type usage struct {
	tx    int64    // wire bytes of transfers that have ended or left
	qps   int32    // most queue pairs at once while the port was full
	full  bool     // full since
	at    sim.Time // when qps was reached first
	since sim.Time
	total sim.Time // time spent full before since
}

// observe notes which ports the last solve has filled or relieved.
func (e *Engine) observe() {
	for _, l := range e.sys.touched {
		e.note(l)
	}
	for _, l := range e.sys.eased {
		e.note(l)
	}
}

func (e *Engine) note(li int32) {
	if int(li) >= len(e.usage) {
		return
	}
	p, l := &e.usage[li], &e.sys.links[li]
	if l.full && l.qps > p.qps {
		p.qps, p.at = l.qps, e.now
	}
	if l.full != p.full {
		e.toggle(p)
	}
}

func (e *Engine) toggle(p *usage) {
	if p.full {
		p.total += e.now - p.since
	}
	p.full, p.since = !p.full, e.now
}

// account adds the bytes of slot s, times share, to the ports of its path: of
// the whole transfer if share is 1.
func (e *Engine) account(s int32, share float64) {
	f := &e.slots[s]
	x := &e.sys.vars[s]
	whole := float64(f.wire * share)
	for _, c := range e.sys.incs[x.first : x.first+x.n] {
		if int(c.link) >= len(e.usage) {
			continue
		}
		b := int64(whole)
		if c.k != f.qps {
			b = b * int64(c.k) / int64(f.qps)
		}
		p := &e.usage[c.link]
		p.tx += b
		if p.full && len(e.sys.links[c.link].users) == 1 {
			e.toggle(p)
		}
	}
}

// Report returns what happened up to the kernel's now. Packets, queues, marks
// and pauses are not modelled and stay zero; ACKs do not count as TxBytes.
func (e *Engine) Report() *fabric.Report {
	e.now = max(e.now, e.k.Now())
	r := &fabric.Report{Fidelity: "flow", End: e.now, Flows: make([]fabric.FlowRecord, e.recs.n), Ports: make([]fabric.PortStats, len(e.g.Ports))}
	tx := make([]int64, len(e.usage))
	for i := range tx {
		tx[i] = e.usage[i].tx
	}
	delivered := e.delivered
	for s := range e.slots {
		f := &e.slots[s]
		if f.state != stRunning {
			continue
		}
		x := &e.sys.vars[s]
		sent := e.wireSent(f)
		delivered += int64(sent / f.wire * float64(e.recs.at(f.id).bytes))
		sent -= float64(f.counted * f.wire)
		for _, c := range e.sys.incs[x.first : x.first+x.n] {
			if int(c.link) < len(tx) {
				tx[c.link] += int64(sent * float64(c.k) / float64(f.qps))
			}
		}
	}
	for i := range r.Flows {
		x := e.recs.at(fabric.FlowID(i))
		n := &e.recs.names[x.name]
		fct := x.fct
		// A flow that nobody waits for has no event of its own at the end.
		if x.start+fct > e.now && len(e.cal.heap) > 0 {
			fct = -1
		}
		if fct >= 0 {
			r.Counters.FlowsFinished++
		}
		r.Flows[i] = fabric.FlowRecord{
			Src: x.src, Dst: x.dst, Bytes: x.bytes, Start: x.start, FCT: fct, Ideal: x.ideal,
			Class: x.class, QPs: uint8(max(1, x.qps)), SrcPort: x.srcPort, Job: n.job, Label: n.label,
		}
	}
	r.Bins = bins(r.Flows)
	r.Counters.Flows = int64(e.recs.n)
	r.Counters.BytesDelivered = delivered
	for i := range r.Ports {
		r.Ports[i].TxBytes = tx[i]
	}
	return r
}

// Contention is one port that held flows back.
type Contention struct {
	Port fabric.PortID
	// Full is how long the port had no capacity left.
	Full sim.Time
	// QPs is the largest number of queue pairs that shared it while it was
	// full, first reached at At; Flows are those of the flows on their way then
	// that cross it, at most maxSharers of them.
	QPs   int32
	At    sim.Time
	Flows []fabric.FlowID
}

// maxSharers bounds the flows listed of one port.
const maxSharers = 32

// Contended returns the n ports that were full the longest with more than one
// queue pair on them, worst first. Call it at the end.
func (e *Engine) Contended(n int) []Contention {
	var all []Contention
	for i := range e.usage {
		p := &e.usage[i]
		if p.qps < 2 {
			continue
		}
		full := p.total
		if p.full {
			full += max(e.now, e.k.Now()) - p.since
		}
		all = append(all, Contention{Port: fabric.PortID(i), Full: full, QPs: p.qps, At: p.at})
	}
	slices.SortFunc(all, func(a, b Contention) int {
		return cmp.Or(cmp.Compare(b.Full, a.Full), cmp.Compare(b.QPs, a.QPs), cmp.Compare(a.Port, b.Port))
	})
	all = all[:min(n, len(all))]
	e.sharers(all)
	return all
}

// sharers fills in the flows of each port of cs. Paths are found again from the
// headers; flows moved by a fault since, and those with a given path, are
// missing.
func (e *Engine) sharers(cs []Contention) {
	var path []fabric.PortID
	for id := range e.recs.n {
		x := e.recs.at(fabric.FlowID(id))
		if x.given {
			continue
		}
		f := x.flow()
		for i := range cs {
			c := &cs[i]
			if len(c.Flows) == maxSharers || x.start > c.At || x.fct >= 0 && x.start+x.fct < c.At {
				continue
			}
			for q := range int(x.qps) {
				path, _ = e.assign.Path(path[:0], &f, x.pair, q)
				if slices.Contains(path, c.Port) {
					c.Flows = append(c.Flows, fabric.FlowID(id))
					break
				}
			}
		}
	}
}
