package scenarios

import (
	"fmt"
	"strings"

	"github.com/simnet/simnet/fabric"
)

// trafficLeft reports whether a job of traffic has flows that have not arrived.
func (m *Machine) trafficLeft() bool {
	for _, g := range m.Traffic {
		if g.result().Unfinished {
			return true
		}
	}
	return false
}

// unfinished says why flows of r never arrived, "" if all did: the run was
// stopped, or something stands in their way.
func (m *Machine) unfinished(r *fabric.Report, interrupted bool) string {
	c := &r.Counters
	left := c.Flows - c.FlowsFinished
	if left == 0 && !m.trafficLeft() {
		return ""
	}
	var why []string
	add := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	for _, v := range r.Violations {
		if strings.HasPrefix(v, "PFC deadlock") {
			add("%s", v)
		}
	}
	down := m.linksDown()
	if len(down) > 0 {
		add("down at the end: %s", strings.Join(down, ", "))
	}
	if c.FlowsFailed > 0 {
		t := &m.Valid.Spec.Cluster.Transport
		add("%d were given up after %d retries (transport.retries) of %v (transport.rto)", c.FlowsFailed, t.Retries.V, t.RTO.V)
	}
	u := m.Valid.Spec.Run.Until
	switch {
	case interrupted:
		add("the run was interrupted")
	case u.Set() && m.Kernel.Now() >= u.V:
		add("run.until (%v) came first", u.V)
	case c.FlowsFailed > 0 && c.FlowsFailed < left:
		add("the others wait for those before them")
	case len(why) == 0:
		add("nothing is left to happen that would move them")
	}
	return strings.Join(why, "; ")
}

// linksDown names the links that the scenario's faults have left down, with
// since when.
func (m *Machine) linksDown() []string {
	now := m.Kernel.Now()
	var out []string
	faults := m.Valid.Spec.Faults
	for i := range faults {
		f := &faults[i]
		if f.State.V != "down" || f.At.V > now || f.Duration.Set() && f.At.V+f.Duration.V <= now {
			continue
		}
		over := false
		for j := range faults {
			g := &faults[j]
			over = over || g.Link.V == f.Link.V && g.State.V != "down" && g.At.V >= f.At.V && g.At.V <= now
		}
		if !over {
			out = append(out, fmt.Sprintf("%s since %v", f.Link.V, f.At.V))
		}
	}
	return out
}
