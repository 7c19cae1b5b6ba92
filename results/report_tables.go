package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// reportTable is a table of the page; the first Left columns are words.
type reportTable struct {
	Title string
	Head  []string
	Left  int
	Rows  [][]string
}

const slowestFlows = 20

func (d *Dir) tables() []reportTable {
	n := &d.Summary.Network
	t := traceTables(d.Summary)
	if c := n.ByCollective; len(c) > 0 {
		x := reportTable{Title: "Collectives", Left: 1, Head: []string{"collective", "flows", "bytes", "in progress", "slowdown p50", "p95", "p99", "max"}}
		for _, c := range c {
			row := []string{collectiveName(c), humanCount(c.Flows), humanBytes(c.Bytes), humanSeconds(c.ActiveS)}
			if q := c.FCTSlowdown; q != nil {
				row = append(row, humanRatio(q.P50), humanRatio(q.P95), humanRatio(q.P99), humanRatio(q.Max))
			} else {
				row = append(row, "-", "-", "-", "-")
			}
			x.Rows = append(x.Rows, row)
		}
		t = append(t, x)
	}
	if n.Packets != nil {
		t = append(t, reportTable{Title: "Network", Left: 1, Head: []string{"what", "total"}, Rows: [][]string{
			{"data packets sent", humanCount(*n.Packets)}, {"packet-hops (data and ACKs)", humanCount(*n.PacketHops)},
			{"packets marked by ECN", humanCount(*n.ECNMarked)}, {"CNPs", humanCount(*n.CNPs)}, {"rate cuts", humanCount(*n.RateCuts)},
			{"PFC pauses", humanCount(*n.PFCPauses)}, {"time paused, summed over ports and classes", humanSeconds(*n.PFCPausedS)},
			{"packets dropped", humanCount(*n.Drops)}, {"bytes sent again", humanBytes(*n.RetransmittedBytes)},
			{"NACKs", humanCount(*n.NACKs)}, {"timeouts", humanCount(*n.Timeouts)},
			{"largest egress queue", humanBytes(*n.MaxQueueBytes)}, {"fullest switch buffer", humanBytes(*n.MaxBufferBytes)},
			{"micro-bursts", humanCount(*n.MicroburstsTotal)},
		}})
	}
	if len(n.HottestPorts) > 0 {
		x := reportTable{Title: "Hottest ports", Left: 1, Head: []string{"port", "utilisation", "sent"}}
		if n.Packets != nil {
			x.Head = append(x.Head, "max queue", "ECN marks", "pauses")
		}
		for _, p := range n.HottestPorts {
			row := []string{p.Port, humanPercent(p.Utilisation), humanBytes(p.TxBytes)}
			if p.MaxQueueBytes != nil {
				row = append(row, humanBytes(*p.MaxQueueBytes), humanCount(*p.ECNMarked), humanCount(*p.PFCPauses))
			}
			x.Rows = append(x.Rows, row)
		}
		t = append(t, x)
	}
	if len(n.Storms) > 0 {
		x := reportTable{Title: "CNP storms", Left: 1, Head: []string{"port", "from", "to", "CNPs", "bandwidth before", "during", "after"}}
		if n.Control != "" {
			x.Title += ", senders: " + n.Control
		}
		for _, s := range n.Storms {
			before := humanRate(s.Before)
			if s.Ramp {
				before += " (start-up ramp)"
			}
			x.Rows = append(x.Rows, []string{s.Port, humanSeconds(s.StartS), humanSeconds(s.EndS), humanCount(s.CNPs), before, humanRate(s.During), humanRate(s.After)})
		}
		t = append(t, x)
	}
	if len(n.Microbursts) > 0 {
		x := reportTable{Title: "Micro-bursts, the highest", Left: 2, Head: []string{"port", "flows", "start", "duration", "peak"}}
		top := slices.Clone(n.Microbursts)
		slices.SortStableFunc(top, func(a, b Microburst) int { return cmp.Compare(b.PeakBytes, a.PeakBytes) })
		for _, b := range top[:min(len(top), slowestFlows)] {
			flows := b.Flows
			more := ""
			if len(flows) > 3 {
				more = fmt.Sprintf(" and %d more", len(flows)-3)
				flows = flows[:3]
			}
			x.Rows = append(x.Rows, []string{b.Port, strings.Join(flows, ", ") + more, humanSeconds(b.StartS), humanSeconds(b.DurationS), humanBytes(b.PeakBytes)})
		}
		t = append(t, x)
	}
	if x := d.slowest(); len(x.Rows) > 0 {
		t = append(t, x)
	}
	return t
}

func collectiveName(c Collective) string {
	name := cmp.Or(c.Collective, "flows")
	if c.Job != "" {
		name = c.Job + ": " + name
	}
	return name
}

// slowest lists the flows with the largest slowdown.
func (d *Dir) slowest() reportTable {
	var ids []int
	for i := range d.Flows {
		if !math.IsNaN(d.Flows[i].Slowdown) {
			ids = append(ids, i)
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(d.Flows[b].Slowdown, d.Flows[a].Slowdown) })
	x := reportTable{Title: "Slowest flows against their ideal time", Left: 3, Head: []string{"flow", "from", "to", "bytes", "start", "took", "ideal", "slowdown"}}
	for _, i := range ids[:min(len(ids), slowestFlows)] {
		f := &d.Flows[i]
		x.Rows = append(x.Rows, []string{fmt.Sprintf("%d %s", i, f.Label), f.Src, f.Dst, humanBytes(f.Bytes), humanTime(f.Start), humanTime(f.FCT), humanTime(f.Ideal), humanRatio(f.Slowdown)})
	}
	return x
}
