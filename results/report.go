package results

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"image/color"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/simnet/simnet/results/chart"
)

// uPlot 1.6.32 (https://github.com/leeoniya/uPlot), MIT; its licence goes into
// every page.
var (
	//go:embed assets/uPlot.iife.min.js
	uplotJS string
	//go:embed assets/uPlot.min.css
	uplotCSS string
	//go:embed assets/uPlot-LICENSE.txt
	uplotLicense string
	//go:embed assets/report.js
	reportJS string
	//go:embed assets/report.css
	reportCSS string
	//go:embed assets/report.html
	reportHTML string
)

var reportTemplate = template.Must(template.New("report").Parse(reportHTML))

// Report makes DIR/report.html, one page that needs nothing else, from the
// directory's data alone.
func Report(dir string) error {
	d, err := Read(dir)
	if err != nil {
		return err
	}
	return d.report()
}

func (d *Dir) report() error {
	page, err := d.page()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := reportTemplate.Execute(&b, page); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	// A reader never sees half a page.
	path := filepath.Join(d.Path, "report.html")
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, b.Bytes(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return err
	}
	return nil
}

// page is what the template shows.
type page struct {
	S                                                 *Summary
	Context, Fidelity, SimTime, QueueBin, BinWidth    string
	TimelineNote                                      string
	Sections                                          []struct{ ID, Name string }
	Tiles                                             []tile
	Bars                                              []barRow
	BarLegend, SpanLegend                             []legendItem
	HasTimeline, HasQueues, HasBins, HasRates, HasCDF bool
	Tables                                            []reportTable
	Effective                                         string
	Data, UPlotJS, JS                                 template.JS
	UPlotCSS, CSS                                     template.CSS
}

type tile struct{ Name, Value string }

type legendItem struct{ Name, Colour string }

type barRow struct {
	Name  string
	Parts []barPart
}

type barPart struct{ Width, Colour, Ink, Title, Text string }

func (d *Dir) page() (*page, error) {
	s := d.Summary
	p := &page{
		S: s, Context: strings.TrimPrefix(d.context(), s.Scenario+" · "), Fidelity: fidelityLine(s), SimTime: humanSeconds(s.SimTimeS), Effective: string(d.Effective),
		UPlotJS: template.JS("/*! uPlot\n" + uplotLicense + "*/\n" + uplotJS), JS: template.JS(reportJS), UPlotCSS: template.CSS(uplotCSS), CSS: template.CSS(reportCSS),
		Tiles: tiles(s), Tables: d.tables(),
	}
	p.bars(s)
	data, err := json.Marshal(d.reportData(p)) // escapes <, > and &: safe inside a script element
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	p.Data = template.JS(data)
	control := "Goodput"
	if s.Network.CNPs != nil {
		control = "Congestion control"
	}
	for _, x := range []struct {
		show     bool
		id, name string
	}{
		{len(s.Findings) > 0, "findings", "Findings"}, {len(p.Bars) > 0, "step", "Step"}, {p.HasTimeline, "stages", "Stages"},
		{p.HasQueues, "buffers", "Queues"}, {p.HasBins, "control", control}, {p.HasRates, "senders", "Rates"},
		{p.HasCDF, "fct", "Completion times"}, {true, "tables", "Tables"}, {len(d.Effective) > 0, "scenario", "Scenario"},
	} {
		if x.show {
			p.Sections = append(p.Sections, struct{ ID, Name string }{x.id, x.name})
		}
	}
	return p, nil
}

func tiles(s *Summary) []tile {
	var t []tile
	if st := s.Step; st != nil {
		t = append(t, tile{"step time", humanSeconds(st.MeanS)}, tile{"tokens/s", humanCount(int64(st.TokensPerS + 0.5))},
			tile{"TFLOP/s per GPU", digits(st.TFLOPsPerGPU)}, tile{"MFU", humanPercent(st.MFU)})
	}
	if c := s.Scaling; c != nil {
		t = append(t, tile{fmt.Sprintf("efficiency against %s GPUs", humanCount(int64(c.ReferenceGPUs))), humanPercent(c.Efficiency)},
			tile{"GPUs wasted", humanCount(int64(c.GPUsWasted + 0.5))})
	}
	t = append(t, traceTiles(s)...)
	n := &s.Network
	t = append(t, tile{"flows", humanCount(n.Flows)}, tile{"delivered", humanBytes(n.BytesDelivered)})
	if q := n.FCTSlowdown; q != nil {
		t = append(t, tile{"FCT slowdown p99", humanRatio(q.P99)})
	}
	if n.Packets != nil {
		t = append(t, tile{"CNPs", humanCount(*n.CNPs)}, tile{"PFC pauses", humanCount(*n.PFCPauses)},
			tile{"drops", humanCount(*n.Drops)}, tile{"largest queue", humanBytes(*n.MaxQueueBytes)})
	}
	return t
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

func (p *page) bars(s *Summary) {
	if s.Step == nil || s.Step.MeanS <= 0 {
		return
	}
	rows := []Stage{{Stage: -1, BreakdownS: s.Step.BreakdownS}}
	if len(s.Step.Stages) > 1 {
		rows = append(rows, s.Step.Stages...)
	}
	top := 0.0
	for _, r := range rows {
		top = max(top, r.BreakdownS.Total())
	}
	used := map[string]bool{}
	for _, r := range rows {
		row := barRow{Name: "mean"}
		if r.Stage >= 0 {
			row.Name = fmt.Sprintf("stage %d", r.Stage)
		}
		for _, part := range r.BreakdownS.parts() {
			if part.value <= 0 {
				continue
			}
			used[part.key] = true
			c := partColours[part.key]
			share := humanPercent(part.value / r.BreakdownS.Total())
			b := barPart{Width: strconv.FormatFloat(part.value/top*100, 'f', 3, 64), Colour: hex(c), Ink: chart.Ink(c),
				Title: partNames[part.key] + ": " + humanSeconds(part.value) + ", " + share}
			if part.value/top > 0.04 {
				b.Text = share
			}
			row.Parts = append(row.Parts, b)
		}
		p.Bars = append(p.Bars, row)
	}
	for _, part := range s.Step.BreakdownS.parts() {
		if used[part.key] {
			p.BarLegend = append(p.BarLegend, legendItem{partNames[part.key], hex(partColours[part.key])})
		}
	}
}
