package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/simnet/simnet/results/chart"
)

// Plot makes the figures of a run directory from its data alone, under
// DIR/plots; figures that were there before go.
func Plot(dir string) error {
	d, err := Read(dir)
	if err != nil {
		return err
	}
	return d.plot()
}

func (d *Dir) plot() error {
	out := filepath.Join(d.Path, "plots")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, g := range figures {
		base := filepath.Join(out, g.name)
		f := g.make(d)
		if f == nil {
			for _, ext := range []string{".png", ".svg"} {
				if err := os.Remove(base + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
			continue
		}
		if f.Footer == "" {
			f.Footer = d.footer()
		}
		if err := f.Save(base); err != nil {
			return err
		}
	}
	return nil
}

// figures are those of a run; make returns nil if the run has no data for it.
var figures = []struct {
	name string
	make func(*Dir) *chart.Figure
}{
	{"step_breakdown", (*Dir).breakdownFigure},
	{"timeline", (*Dir).timelineFigure},
	{"queues", (*Dir).queuesFigure},
	{"congestion", (*Dir).congestionFigure},
	{"fct_slowdown", (*Dir).slowdownFigure},
	{"flow_rates", (*Dir).ratesFigure},
	{"storms", (*Dir).stormsFigure},
}

// context names the run in a figure's second line.
func (d *Dir) context() string {
	s := d.Summary
	var parts []string
	if s.Scenario != "" {
		parts = append(parts, s.Scenario)
	}
	if s.GPUs > 0 {
		parts = append(parts, humanCount(int64(s.GPUs))+" GPUs")
	}
	parts = append(parts, s.Fidelity+" fidelity")
	if c := s.Detail.PacketCoverage; s.Fidelity != "flow" && c < 1 {
		parts = append(parts, humanPercent(c)+" of bytes as packets")
	}
	if s.Partial {
		parts = append(parts, "PARTIAL run")
	}
	return strings.Join(parts, " · ")
}

func (d *Dir) footer() string {
	s := d.Summary
	sha := s.SHA256
	if len(sha) > 12 {
		sha = sha[:12]
	}
	return fmt.Sprintf("simnet %s · scenario %s · seed %d", s.Simnet, sha, s.Seed)
}
