package hybrid

import (
	"fmt"
	"slices"

	"github.com/simnet/simnet/fabric"
)

// Report returns what has been measured up to the kernel's now.
func (e *Engine) Report() *fabric.Report {
	now := e.k.Now()
	e.reap()
	for _, is := range e.islands { // of a run that was stopped, or is stuck
		if is.follows() {
			e.revive(is, min(now, is.birth+is.node.till))
		}
		is.run.wakeUp(now)
		e.last = max(e.last, is.run.live.Now())
		e.skipped += is.run.skipped
		e.events += is.run.live.Events()
		is.run.live.Release()
	}
	e.islands = nil
	r := e.pe.Report()
	r.Fidelity = "hybrid"
	if e.cfg.Exact {
		r.Fidelity = "packet"
	}
	r.End = max(now, e.last)
	r.PacketBytes = r.Counters.BytesDelivered - e.skipped - e.played
	r.Flows = make([]fabric.FlowRecord, len(e.flows))
	r.Counters.Flows, r.Counters.FlowsFinished = int64(len(e.flows)), 0
	for i := range e.flows {
		r.Flows[i] = e.flows[i].rec
		if r.Flows[i].FCT >= 0 {
			r.Counters.FlowsFinished++
		}
	}
	if e.skipped > 0 || e.played > 0 {
		r.Extrapolated = slices.Clone(extrapolated)
	}
	slices.Sort(r.Violations)
	slices.Sort(r.Notes)
	return r
}

// extrapolated names the counters that a skip or an episode played back adds to
// without packets.
var extrapolated = []string{
	"packets", "packet_hops", "ecn_marked", "cnps", "pfc_pauses", "pfc_resumes", "pfc_paused_s", "rate_cuts",
	"microbursts", "storms", "hottest_ports",
}

// Stats says in a line how the work was saved: for logs and benches.
func (e *Engine) Stats() string {
	return fmt.Sprintf("%d islands born, %d episodes remembered, %d simulated again, %d B skipped, %d B played back", e.born, e.memory.nodes, e.replays, e.skipped, e.played)
}
