package results

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Thresholds of what is worth a sentence about uplinks. Our own.
const (
	imbalanceWorth = 1.25 // hottest uplink over the mean of its switch
	quietPort      = 0.2  // utilisation below which nobody waits
	busyPort       = 0.85 // utilisation that makes a port a bottleneck
	lostWorth      = 1e-3 // of the simulated time
	maxImbalances  = 3
)

const hashKnob = "nccl.NCCL_IB_QPS_PER_CONNECTION up (more entropy), another routing.hash or routing.seed, adaptive routing or packet spraying"

// uplinkFindings compares the ports of each switch that lead to the tier above:
// equal load is what routing is meant to give.
func uplinkFindings(r *Run, busy sim.Time) []Finding {
	if r.Crossings != nil && crossingsHold(r) {
		return collisionFindings(r)
	}
	type group struct {
		port       fabric.PortID // the hottest
		mean, most float64       // utilisation
		n          int
	}
	var skewed []group
	full, ups := 0, 0
	for id := range r.Graph.Nodes {
		var g group
		for _, p := range uplinksOf(r.Graph, fabric.NodeID(id)) {
			u := utilisation(r, p, busy)
			ups++
			if u > busyPort {
				full++
			}
			g.n++
			g.mean += u
			if g.n == 1 || u > g.most {
				g.port, g.most = p, u
			}
		}
		if g.n < 2 || g.most < quietPort {
			continue
		}
		if g.mean /= float64(g.n); g.most > imbalanceWorth*g.mean {
			skewed = append(skewed, g)
		}
	}
	slices.SortStableFunc(skewed, func(a, b group) int { return cmp.Compare(b.most, a.most) })
	var f []Finding
	for i, g := range skewed {
		if i == maxImbalances {
			f = append(f, Finding{Kind: "imbalance", Text: fmt.Sprintf("%d more switches spread their uplink traffic unevenly", len(skewed)-i), Knob: hashKnob})
			break
		}
		rest := (g.mean*float64(g.n) - g.most) / float64(g.n-1)
		f = append(f, Finding{Kind: "imbalance", Where: r.Graph.PortName(g.port), Knob: hashKnob,
			Text: fmt.Sprintf("Port %s carried %s of its line rate while flows ran, %s %s", r.Graph.PortName(g.port), humanPercent(g.most), others(g.n-1), humanPercent(rest))})
	}
	if ups > 0 && full*2 > ups {
		f = append(f, Finding{
			Kind: "oversubscription",
			Text: fmt.Sprintf("%d of %d uplinks run above %s: capacity, not hashing, is short", full, ups, humanPercent(busyPort)),
			Knob: "cluster.fabric.oversubscription, spines, nodes_per_leaf, placement",
		})
	}
	return f
}

func others(n int) string {
	if n == 1 {
		return "the other uplink of its switch"
	}
	return fmt.Sprintf("the other %d uplinks of its switch on average", n)
}

// crossingsHold checks the given crossings against what the ports counted: the
// payload of finished runs must be close to, and below, the wire bytes. Where
// it is not (faults, spraying, fixed paths), names would be wrong.
func crossingsHold(r *Run) bool {
	if len(r.Report.Ports) < len(r.Graph.Ports) {
		return false
	}
	var payload, wire int64
	for id := range r.Graph.Nodes {
		for _, p := range uplinksOf(r.Graph, fabric.NodeID(id)) {
			var port int64
			for _, c := range r.Crossings(p) {
				if r.Report.Flows[c.Flow].FCT >= 0 {
					port += c.Bytes
				}
			}
			if port > r.Report.Ports[p].TxBytes {
				return false
			}
			payload, wire = payload+port, wire+r.Report.Ports[p].TxBytes
		}
	}
	return float64(payload) > 0.8*float64(wire) && payload > 0
}

// collision is a collective whose flows met at one uplink of a switch.
type collision struct {
	port  fabric.PortID
	ups   int
	label string
	job   string
	of    share
	part  float64  // of the collective's bytes over the switch's uplinks
	rate  float64  // utilisation while its flows ran
	rest  float64  // mean utilisation of the other uplinks over the same span
	lost  sim.Time // what an even spread would have saved on this port
}

// collisionFindings names, by collective, the uplinks where more flows met than
// an even spread would have put there. It reports each collective once, with
// the port that lost most time, and counts the others.
func collisionFindings(r *Run) []Finding {
	type key struct{ job, label string }
	var keys []key
	for i := range r.Report.Flows {
		k := key{r.Report.Flows[i].Job, r.Report.Flows[i].Label}
		if len(keys) == 0 || keys[len(keys)-1] != k && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	var worst []collision
	count := make([]int, len(keys))
	for ki, k := range keys {
		var top collision
		for id := range r.Graph.Nodes {
			c, ok := collisionAt(r, fabric.NodeID(id), k.job, k.label)
			if !ok {
				continue
			}
			count[ki]++
			if c.lost > top.lost {
				top = c
			}
		}
		if float64(top.lost) > lostWorth*float64(r.SimTime) {
			top.job, top.label = k.job, k.label
			worst = append(worst, top)
		}
	}
	slices.SortStableFunc(worst, func(a, b collision) int { return cmp.Compare(b.lost, a.lost) })
	var f []Finding
	for _, c := range worst[:min(len(worst), maxImbalances)] {
		n := count[slices.Index(keys, key{c.job, c.label})]
		f = append(f, c.finding(r, n))
	}
	return f
}

// collisionAt looks for the uplink of one switch that carried more of a
// collective than the others.
func collisionAt(r *Run, n fabric.NodeID, job, label string) (collision, bool) {
	up := uplinksOf(r.Graph, n)
	if len(up) < 2 {
		return collision{}, false
	}
	c := collision{ups: len(up)}
	var total int64
	for _, p := range up {
		s := shareOf(r, p, job, label)
		total += s.bytes
		if s.bytes > c.of.bytes {
			c.port, c.of = p, s
		}
	}
	if total == 0 || c.of.span <= 0 || c.of.qps < 2 {
		return c, false
	}
	c.part = float64(c.of.bytes) / float64(total)
	line := func(p fabric.PortID, bytes int64) float64 {
		return float64(bytes) * 8 / (float64(r.Graph.Ports[p].Rate) * c.of.span.Seconds())
	}
	c.rate = line(c.port, c.of.bytes)
	c.rest = line(c.port, total-c.of.bytes) / float64(len(up)-1)
	fair := float64(total) / float64(len(up)) / float64(c.of.bytes)
	c.lost = sim.Time(float64(c.of.span) * (1 - fair) * min(1, c.rate))
	// A port that was not full held nobody up, unless its flows are late all the
	// same: rate control keeps a congested port below its line rate.
	return c, 1/fair > imbalanceWorth && (c.rate > busyPort || c.rate > quietPort && c.of.slow > slowTail)
}

func (c *collision) finding(r *Run, switches int) Finding {
	name := c.label
	if name == "" {
		name = "flow"
	}
	what := fmt.Sprintf("%d %s flows", len(c.of.flows), name)
	switch {
	case len(c.of.flows) == 1:
		what = fmt.Sprintf("%d queue pairs of one %s flow", c.of.qps, name)
	case c.of.qps > len(c.of.flows):
		what = fmt.Sprintf("%d queue pairs of %d %s flows", c.of.qps, len(c.of.flows), name)
	}
	text := fmt.Sprintf("Port %s carried %s (%s), %s of what went over the %d uplinks of its switch: hash collision. It was %s utilised while they ran, %s %s.",
		r.Graph.PortName(c.port), what, pairsOf(r, c.of.flows), humanPercent(c.part), c.ups, humanPercent(c.rate), others(c.ups-1), humanPercent(c.rest))
	if x, ok := slowdownElsewhere(r, c); ok && c.of.slow > 1.05*x {
		text += fmt.Sprintf(" They took %s times their ideal time, the others of %s %s.", humanRatio(c.of.slow), name, humanRatio(x))
	}
	if switches > 1 {
		text += fmt.Sprintf(" In all %d switches spread %s unevenly.", switches, name)
	}
	return Finding{Kind: "collision", Where: r.Graph.PortName(c.port), Text: text, Knob: hashKnob}
}

// pairsOf names the first few distinct pairs of flows.
func pairsOf(r *Run, ids []fabric.FlowID) string {
	var pairs []string
	seen := map[[2]fabric.NodeID]bool{}
	for _, id := range ids {
		f := &r.Report.Flows[id]
		k := [2]fabric.NodeID{f.Src, f.Dst}
		if seen[k] {
			continue
		}
		seen[k] = true
		if len(pairs) < 3 {
			pairs = append(pairs, r.Graph.Nodes[f.Src].Name+"->"+r.Graph.Nodes[f.Dst].Name)
		}
	}
	text := ""
	for i, p := range pairs {
		if i > 0 {
			text += ", "
		}
		text += p
	}
	if n := len(seen) - len(pairs); n > 0 {
		text += fmt.Sprintf(" and %d more pairs", n)
	}
	return text
}

// slowdownElsewhere is the mean slowdown of the collective's flows that do not
// cross the port.
func slowdownElsewhere(r *Run, c *collision) (float64, bool) {
	here := map[fabric.FlowID]bool{}
	for _, id := range c.of.flows {
		here[id] = true
	}
	var total float64
	n := 0
	for i := range r.Report.Flows {
		f := &r.Report.Flows[i]
		if f.Job != c.job || f.Label != c.label || here[fabric.FlowID(i)] {
			continue
		}
		if x, ok := slowdown(f); ok {
			total += x
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return total / float64(n), true
}
