package engines

import (
	"fmt"
	"slices"
	"time"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/sim"
)

// Again is the packet engine with other seeds of its ECN marks and the same
// paths: what chance leaves, below which no error says anything.
const Again = "packet again"

// measured is what one run of one engine gave for one case.
type measured struct {
	fct      map[flowKey]sim.Time
	steps    []sim.Time // mean step of each training job
	finish   sim.Time   // when the last flow arrived
	counters fabric.Counters
	events   uint64
	wall     time.Duration
	broken   []string // invariants, unfinished flows
}

// flowKey names a flow whatever the order in which flows start, which differs
// between engines where jobs or stages run beside each other.
type flowKey struct {
	job, label string
	src, dst   fabric.NodeID
	nth        int // among the flows with the same names, in order of start
}

// measure runs one case on one engine, and gives up after limit of wall time,
// even if the engine does not heed the request to stop. The packets' random
// numbers, which mark and break ties, are those of the scenario's seed + draw;
// paths and arrivals are the scenario's in every draw.
func measure(c Case, fidelity string, draw int, limit time.Duration) (*measured, error) {
	v, err := load(c.Name, fidelity)
	if err != nil {
		return nil, err
	}
	v.Packet.Seed += uint64(draw)
	m, err := v.Build(scenarios.BuildOptions{Threads: 1})
	if err != nil {
		return nil, err
	}
	type result struct {
		o   *scenarios.Outcome
		err error
	}
	ended := make(chan result, 1)
	go func() {
		o, err := m.Run(nil)
		ended <- result{o, err}
	}()
	var o *scenarios.Outcome
	select {
	case x := <-ended:
		if x.err != nil {
			return nil, x.err
		}
		o = x.o
	case <-time.After(limit):
		m.Stop()
		return nil, fmt.Errorf("not done after %v", limit)
	}
	r := &measured{counters: o.Report.Counters, events: o.Events, wall: o.Wall, fct: map[flowKey]sim.Time{}}
	r.broken = append(r.broken, o.Report.Violations...)
	if o.Partial {
		r.broken = append(r.broken, "stopped before its end")
	}
	seen := map[flowKey]int{}
	for _, i := range byStart(o.Report.Flows) {
		f := &o.Report.Flows[i]
		k := flowKey{job: f.Job, label: f.Label, src: f.Src, dst: f.Dst}
		n := seen[k]
		seen[k]++
		k.nth = n
		if f.FCT < 0 {
			r.broken = append(r.broken, fmt.Sprintf("flow %d never arrived", i))
			continue
		}
		r.fct[k] = f.FCT
		r.finish = max(r.finish, f.Start+f.FCT)
	}
	for i := range o.Results {
		var total sim.Time
		for _, t := range o.Results[i].Steps {
			total += t
		}
		if n := sim.Time(len(o.Results[i].Steps)); n > 0 {
			r.steps = append(r.steps, total/n)
		}
	}
	return r, nil
}

// byStart returns the indices of flows in order of start, then of number.
func byStart(flows []fabric.FlowRecord) []int {
	ids := make([]int, len(flows))
	for i := range ids {
		ids[i] = i
	}
	slices.SortStableFunc(ids, func(a, b int) int { return int(min(1, max(-1, flows[a].Start-flows[b].Start))) })
	return ids
}
