package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/simnet/simnet/sim"
)

// Bounds of what a page carries, so that it opens at once.
const (
	reportQueues = 8
	reportRates  = 12
	reportSpans  = 20_000
	reportPoints = 4_000 // of one curve
	reportCDF    = 500
)

// reportData is the JSON that the page's script draws from. Times are in
// seconds.
type reportData struct {
	Queues []reportQueue `json:"queues,omitempty"`
	Bins   *reportBins   `json:"bins,omitempty"`
	Rates  []reportRate  `json:"rates,omitempty"`
	CDF    []reportCurve `json:"cdf,omitempty"`
	Storms []reportStorm `json:"storms,omitempty"`
	// Focus is the stretch that the queues are first shown in; nil shows all.
	Focus    []float64       `json:"focus,omitempty"`
	Timeline *reportTimeline `json:"timeline,omitempty"`
}

type reportQueue struct {
	Port  string  `json:"port"`
	Start float64 `json:"start"`
	Bin   float64 `json:"bin"`
	Max   []int64 `json:"max"`
	Kmin  int64   `json:"kmin"`
	Kmax  int64   `json:"kmax"`
	XOFF  int64   `json:"xoff"`
}

type reportBins struct {
	Start     float64 `json:"start"`
	Bin       float64 `json:"bin"`
	CNPs      []int64 `json:"cnps"`
	Pauses    []int64 `json:"pauses"`
	ECN       []int64 `json:"ecn"`
	Delivered []int64 `json:"delivered"`
}

type reportRate struct {
	Name string    `json:"name"`
	At   []float64 `json:"at"`
	Rate []int64   `json:"rate"`
}

type reportCurve struct {
	Name string    `json:"name"`
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
}

type reportStorm struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

type reportTimeline struct {
	Length float64 `json:"length"`
	Kinds  []struct {
		Name   string `json:"name"`
		Colour string `json:"colour"`
	} `json:"kinds"`
	Rows []reportRow `json:"rows"`
}

type reportRow struct {
	Stage int       `json:"stage"`
	From  []float64 `json:"from"`
	To    []float64 `json:"to"`
	Kind  []int     `json:"kind"`
	Micro []int     `json:"micro,omitempty"`
}

// fold merges bins until there are at most reportPoints, by maximum or sum.
func fold(v []int64, join func(a, b int64) int64) ([]int64, int) {
	k := (len(v) + reportPoints - 1) / reportPoints
	if k <= 1 {
		return v, 1
	}
	out := make([]int64, 0, len(v)/k+1)
	for i := 0; i < len(v); i += k {
		m := v[i]
		for _, x := range v[i+1 : min(i+k, len(v))] {
			m = join(m, x)
		}
		out = append(out, m)
	}
	return out, k
}

func larger(a, b int64) int64 { return max(a, b) }
func sum(a, b int64) int64    { return a + b }

// reportData collects the curves and tells the page which there are.
func (d *Dir) reportData(p *page) *reportData {
	r := &reportData{}
	hot := slices.DeleteFunc(slices.Clone(d.Queues), func(q Queue) bool { return len(q.Max) == 0 })
	slices.SortStableFunc(hot, func(a, b Queue) int { return cmp.Compare(slices.Max(b.Max), slices.Max(a.Max)) })
	for _, q := range hot[:min(len(hot), reportQueues)] {
		v, k := fold(q.Max, larger)
		bin := q.Bin * sim.Time(k)
		r.Queues = append(r.Queues, reportQueue{q.Port, q.Start.Seconds(), bin.Seconds(), v, q.Kmin, q.Kmax, q.XOFF})
		p.HasQueues, p.QueueBin = true, humanTime(bin)
	}
	if p.HasQueues && slices.Max(hot[0].Max) > 0 {
		if from, to, remark := busySpan(hot[:min(len(hot), queueCurves)]); remark != "" {
			r.Focus = []float64{from.Seconds(), to.Seconds()}
		}
	}
	if b := &d.Bins; b.Bin > 0 && len(b.Delivered) > 0 {
		x := &reportBins{}
		k := 1
		x.CNPs, _ = fold(b.CNPs, sum)
		x.Pauses, _ = fold(b.Pauses, sum)
		x.ECN, _ = fold(b.ECN, sum)
		x.Delivered, k = fold(b.Delivered, sum)
		bin := b.Bin * sim.Time(k)
		x.Start, x.Bin = b.Start.Seconds(), bin.Seconds()
		r.Bins, p.HasBins, p.BinWidth = x, true, humanTime(bin)
	}
	for _, s := range d.Rates[:min(len(d.Rates), reportRates)] {
		x := reportRate{Name: s.Name}
		step := (len(s.At) + reportPoints - 1) / reportPoints
		for i := 0; i < len(s.At); i += step {
			x.At, x.Rate = append(x.At, s.At[i].Seconds()), append(x.Rate, s.Rate[i])
		}
		r.Rates, p.HasRates = append(r.Rates, x), true
	}
	for _, g := range d.slowdowns() {
		c := reportCurve{Name: g.name, X: []float64{round6(g.x[0])}, Y: []float64{0}}
		x, y := cdf(g.x, reportCDF)
		for k := range x {
			if a, last := round6(x[k]), len(c.X)-1; a == c.X[last] {
				c.Y[last] = round6(y[k]) // equal once rounded
			} else {
				c.X, c.Y = append(c.X, a), append(c.Y, round6(y[k]))
			}
		}
		r.CDF, p.HasCDF = append(r.CDF, c), true
	}
	for _, s := range d.Summary.Network.Storms {
		r.Storms = append(r.Storms, reportStorm{s.StartS, s.EndS})
	}
	r.Timeline = d.reportTimeline(p)
	return r
}

func (d *Dir) reportTimeline(p *page) *reportTimeline {
	spans, stages, from, to := d.firstReplica()
	if to <= from {
		return nil
	}
	t := &reportTimeline{Length: (to - from).Seconds(), Rows: make([]reportRow, stages)}
	for _, k := range spanColours {
		t.Kinds = append(t.Kinds, struct {
			Name   string `json:"name"`
			Colour string `json:"colour"`
		}{k.name, hex(k.colour)})
	}
	seen := make([]bool, len(spanColours))
	byStage := make([][]Span, stages)
	for _, s := range spans {
		byStage[s.Stage] = append(byStage[s.Stage], s)
	}
	for stage, row := range byStage {
		o := &t.Rows[stage]
		o.Stage = stage
		add := func(a, b float64, kind int) {
			o.From, o.To, o.Kind = append(o.From, a), append(o.To, b), append(o.Kind, kind)
			seen[kind] = true
		}
		if len(spans) > reportSpans {
			scale := t.Length / timelineColumns
			for _, c := range rasterize(row, from, to) {
				add(float64(c.from)*scale, float64(c.to)*scale, c.kind)
			}
			continue
		}
		for _, s := range row {
			if k := spanKind(s.Kind); k >= 0 {
				add((s.Start - from).Seconds(), (s.End - from).Seconds(), k)
				o.Micro = append(o.Micro, s.Micro)
			}
		}
	}
	for i, k := range spanColours {
		if seen[i] {
			p.SpanLegend = append(p.SpanLegend, legendItem{k.name, hex(k.colour)})
		}
	}
	p.HasTimeline = true
	p.TimelineNote = fmt.Sprintf("%s, from %s on.", spans[0].Process, humanTime(from))
	return t
}

// slowdownGroup is the sorted slowdowns of one collective.
type slowdownGroup struct {
	name  string
	bytes int64
	x     []float64
}

// slowdowns groups the finished flows by collective, the largest traffic first.
func (d *Dir) slowdowns() []slowdownGroup {
	index := map[string]int{}
	var groups []slowdownGroup
	for i := range d.Flows {
		r := &d.Flows[i]
		if math.IsNaN(r.Slowdown) {
			continue
		}
		k, ok := index[r.Label]
		if !ok {
			k = len(groups)
			index[r.Label] = k
			groups = append(groups, slowdownGroup{name: cmp.Or(r.Label, "flows")})
		}
		groups[k].bytes += r.Bytes
		groups[k].x = append(groups[k].x, max(1, r.Slowdown))
	}
	slices.SortStableFunc(groups, func(a, b slowdownGroup) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, g := range groups {
		slices.Sort(g.x)
	}
	return groups
}
