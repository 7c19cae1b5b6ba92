package results

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// congestionFindings is about what marking, rate control and PFC did.
func congestionFindings(r *Run, s *Summary) []Finding {
	c := &r.Report.Counters
	var f []Finding
	f = append(f, stormFindings(r)...)
	f = append(f, burstFinding(r)...)
	if c.Packets > 0 && c.ECNMarked > 0 {
		text := fmt.Sprintf("%s of data packets were marked, %s CNPs came back and senders cut their rate %s times",
			humanPercent(float64(c.ECNMarked)/float64(c.Packets)), humanCount(c.CNPs), humanCount(c.RateCuts))
		f = append(f, Finding{Kind: "ecn", Text: text, Knob: "ecn.kmin, kmax, pmax"})
	}
	if c.PFCPauses > 0 {
		f = append(f, pauseFinding(r))
	}
	return f
}

// portStorms is what the storms of one port came to.
type portStorms struct {
	storms []*fabric.Storm
	cnps   int64
	total  sim.Time
	lost   float64 // seconds of the bandwidth before
	worst  *fabric.Storm
	flows  []fabric.FlowID
}

// stormFindings joins the storms of each port and orders ports by the bandwidth
// lost there. Storms that lowered nothing are counted, not described.
func stormFindings(r *Run) []Finding {
	var ports []portStorms
	for i := range r.Report.Storms {
		st := &r.Report.Storms[i]
		k := slices.IndexFunc(ports, func(p portStorms) bool { return p.storms[0].Port == st.Port })
		if k < 0 {
			k = len(ports)
			ports = append(ports, portStorms{worst: st})
		}
		p := &ports[k]
		p.storms = append(p.storms, st)
		p.cnps += st.CNPs
		p.total += st.End - st.Start
		if st.Before > 0 {
			p.lost += (st.End - st.Start).Seconds() * max(0, 1-depth(st))
		}
		if depth(st) < depth(p.worst) {
			p.worst = st
		}
		for _, id := range st.Flows {
			if !slices.Contains(p.flows, id) {
				p.flows = append(p.flows, id)
			}
		}
	}
	calm := 0
	kept := slices.DeleteFunc(ports, func(p portStorms) bool {
		if depth(p.worst) > 0.9 {
			calm += len(p.storms)
			return true
		}
		return false
	})
	slices.SortStableFunc(kept, func(a, b portStorms) int { return cmp.Compare(b.lost, a.lost) })
	var f []Finding
	for i, p := range kept {
		if i == maxQueueFindings {
			f = append(f, Finding{Kind: "storm", Text: fmt.Sprintf("%d more ports had CNP storms that lowered their bandwidth", len(kept)-i)})
			break
		}
		f = append(f, p.finding(r))
	}
	if calm > 0 {
		f = append(f, Finding{Kind: "ecn", Text: fmt.Sprintf("%d CNP storms did not lower the effective bandwidth of their ports by a tenth", calm)})
	}
	return f
}

// depth is the lowest bandwidth of a storm and its aftermath over that before, 1
// if that is unknown. Rates collapse while the queue that made the marks still
// drains at line rate, so the bottom comes after the last CNP as a rule.
func depth(s *fabric.Storm) float64 {
	if s.Before <= 0 {
		return 1
	}
	return min(s.During, s.After) / s.Before
}

func (p *portStorms) finding(r *Run) Finding {
	name, w := r.Graph.PortName(p.worst.Port), p.worst
	text := fmt.Sprintf("CNP storm at %s, %s after the start, for %s: %s CNPs; effective bandwidth", name, humanInstant(w.Start), humanTime(w.End-w.Start), humanCount(w.CNPs))
	if n := len(p.storms); n > 1 {
		text = fmt.Sprintf("%d CNP storms at %s, %s in all with %s CNPs; in the deepest, %s after the start, effective bandwidth", n, name, humanTime(p.total), humanCount(p.cnps), humanInstant(w.Start))
	}
	was := ""
	if ramp(r, w) {
		was = " (the start-up ramp of its flows, no steady rate)"
	}
	text += fmt.Sprintf(" fell by %s: %s before%s, %s during, %s at the lowest after", humanPercent(1-depth(w)), humanRate(w.Before), was, humanRate(w.During), humanRate(w.After))
	if who := labelsOf(r, p.flows); who != "" {
		text += "; flows: " + who
	}
	if r.Control != "" {
		text += "; senders: " + r.Control
	}
	cost := round6(p.lost)
	return Finding{Kind: "storm", Where: name, Text: text, CostS: &cost,
		Knob: "ecn.kmin and kmax up or pmax down, DCQCN's rate increase, another hash seed or more QPs, staggered collectives"}
}

// ramp reports whether all flows of a storm had begun less than two windows
// before it: what the port carried in the window before is then their start-up.
func ramp(r *Run, s *fabric.Storm) bool {
	for _, id := range s.Flows {
		if int(id) < len(r.Report.Flows) && r.Report.Flows[id].Start < s.Start-2*s.Window {
			return false
		}
	}
	return len(s.Flows) > 0
}

// humanInstant prints a point of time with enough digits to find it.
func humanInstant(t sim.Time) string {
	if t >= sim.Second {
		return exactSeconds(t)
	}
	return humanTime(t)
}

// burstFinding names the port with the highest peak and counts the others.
func burstFinding(r *Run) []Finding {
	b := r.Report.Bursts
	if len(b) == 0 {
		return nil
	}
	top := slices.MaxFunc(b, func(x, y fabric.Burst) int {
		if c := cmp.Compare(x.Peak, y.Peak); c != 0 {
			return c
		}
		return cmp.Compare(y.Start, x.Start)
	})
	same := 0
	for i := range b {
		if b[i].Port == top.Port {
			same++
		}
	}
	text := fmt.Sprintf("%s micro-bursts, %d of them at %s, where the queue reached %s in a burst of %s, %s after the start",
		humanCount(int64(len(b))+r.Report.BurstsLost), same, r.Graph.PortName(top.Port), humanBytes(top.Peak), humanTime(top.Duration), humanInstant(top.Start))
	if who := labelsOf(r, top.Flows); who != "" {
		text += "; flows: " + who
	}
	return []Finding{{Kind: "microburst", Where: r.Graph.PortName(top.Port), Text: text,
		Knob: "staggered collectives, more QPs, a larger buffer, ecn.kmin down"}}
}

// labelsOf counts flows by label, the most frequent first: "4 dp_all_reduce (a->b, ...)".
func labelsOf(r *Run, ids []fabric.FlowID) string {
	type group struct {
		label string
		n     int
		first string
	}
	var g []group
	for _, id := range ids {
		if int(id) >= len(r.Report.Flows) {
			continue
		}
		f := &r.Report.Flows[id]
		label := cmp.Or(f.Label, "unnamed")
		i := slices.IndexFunc(g, func(x group) bool { return x.label == label })
		if i < 0 {
			i = len(g)
			g = append(g, group{label: label, first: r.Graph.Nodes[f.Src].Name + "->" + r.Graph.Nodes[f.Dst].Name})
		}
		g[i].n++
	}
	slices.SortStableFunc(g, func(a, b group) int { return cmp.Compare(b.n, a.n) })
	text := ""
	for i, x := range g {
		if i == 3 {
			break
		}
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d %s (%s", x.n, x.label, x.first)
		if x.n > 1 {
			text += ", ..."
		}
		text += ")"
	}
	return text
}

func pauseFinding(r *Run) Finding {
	rep, c := r.Report, &r.Report.Counters
	worst, hosts := -1, 0
	var hostTime sim.Time
	for i := range rep.Ports {
		if rep.Ports[i].Pauses == 0 {
			continue
		}
		if worst < 0 || rep.Ports[i].Paused > rep.Ports[worst].Paused {
			worst = i
		}
		if r.Graph.Nodes[r.Graph.Ports[i].Node].Kind.Host() {
			hosts++
			hostTime += rep.Ports[i].Paused
		}
	}
	text := fmt.Sprintf("%s PFC pauses, %s in all", humanCount(c.PFCPauses), humanTime(c.PFCPausedTime))
	where := ""
	if worst >= 0 {
		where = r.Graph.PortName(fabric.PortID(worst))
		text += fmt.Sprintf("; longest at %s (%s)", where, humanTime(rep.Ports[worst].Paused))
	}
	if hosts > 0 {
		text += fmt.Sprintf("; %d host ports were stopped for %s, victims of queues they did not fill included", hosts, humanTime(hostTime))
	}
	if c.PFCWatchdogs > 0 {
		text += fmt.Sprintf("; %s times a queue was paused for longer than pfc.watchdog allows", humanCount(c.PFCWatchdogs))
	}
	knob := "ecn.kmin down, so that marking acts before XOFF"
	if c.ECNMarked == 0 {
		text += "; nothing was marked: PFC alone holds the senders"
		knob = "turn ECN on, or ecn.kmin below XOFF"
	}
	return Finding{Kind: "pfc", Where: where, Text: text, Knob: knob + "; pfc.alpha up, a larger buffer"}
}

// lossFindings is about drops, retransmission and deadlock.
func lossFindings(r *Run, s *Summary) []Finding {
	c := &r.Report.Counters
	var f []Finding
	if c.Deadlocks > 0 {
		f = append(f, Finding{Kind: "deadlock", Text: fmt.Sprintf("%d PFC deadlocks: pauses wait for each other in a cycle", c.Deadlocks),
			Knob: "up-down routing, pfc watchdog"})
	}
	if c.FlowsFailed > 0 {
		f = append(f, Finding{Kind: "loss", Text: fmt.Sprintf("%s flows were given up after their last retry", humanCount(c.FlowsFailed)),
			Knob: "NCCL_IB_RETRY_CNT, NCCL_IB_TIMEOUT, the fault that cut them off"})
	}
	if c.Drops == 0 && c.RetransmittedBytes == 0 {
		return f
	}
	text := fmt.Sprintf("%s packets were dropped and %s sent again (%d timeouts)", humanCount(c.Drops), humanBytes(c.RetransmittedBytes), c.Timeouts)
	worst := -1
	for i := range r.Report.Ports {
		if d := r.Report.Ports[i].Drops; d > 0 && (worst < 0 || d > r.Report.Ports[worst].Drops) {
			worst = i
		}
	}
	where := ""
	if worst >= 0 {
		where = r.Graph.PortName(fabric.PortID(worst))
		text += fmt.Sprintf("; most at %s (%s)", where, humanCount(r.Report.Ports[worst].Drops))
	}
	return append(f, Finding{Kind: "loss", Where: where, Text: text,
		Knob: "pfc on, more headroom, a larger buffer, selective repeat instead of go-back-N, NCCL_IB_TIMEOUT"})
}
