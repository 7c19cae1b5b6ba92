package results

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// Runs that are short of something still give a directory that can be read,
// plotted, reported and compared.
func TestEdgesOfRuns(t *testing.T) {
	g := syntheticGraph()
	for name, change := range map[string]func(*Run){
		"nothing": func(r *Run) {
			*r = Run{Fidelity: "packet", Graph: g, Report: &fabric.Report{}}
		},
		"stopped at once": func(r *Run) {
			r.Partial = true
			r.SimTime = 0
			r.Report.Flows = []fabric.FlowRecord{{Src: g.Hosts()[0], Dst: g.Hosts()[1], Bytes: 1, FCT: -1, Ideal: 1}}
			r.Jobs = []workload.Result{{Job: "train", Unfinished: true, GPUs: 8}}
			r.Crossings = nil
		},
		"two jobs": func(r *Run) {
			other := r.Jobs[0]
			other.Job, other.Unfinished, other.Steps = "other", true, nil
			r.Jobs = append(r.Jobs, other)
		},
		"empty and flat queues": func(r *Run) {
			r.Report.Queues = []fabric.QueueSeries{{Port: 0, Bin: sim.Microsecond}, {Port: 1, Bin: sim.Microsecond, Max: []int64{0, 0, 0}}, {Port: 2, Bin: sim.Microsecond, Max: []int64{7}}}
		},
		"no ideal times": func(r *Run) {
			for i := range r.Report.Flows {
				r.Report.Flows[i].Ideal = 0
			}
		},
		"names with commas and quotes": func(r *Run) {
			for i := range r.Report.Flows {
				r.Report.Flows[i].Label = `all,"reduce` + "\n"
			}
		},
		"more micro-batches than columns": func(r *Run) {
			j := &r.Jobs[0]
			j.Timeline = nil
			for i := range 30_000 {
				j.Timeline = append(j.Timeline, workload.Span{Kind: workload.SpanForward, Stage: int32(i % 4), Micro: int32(i), Start: sim.Time(i) * sim.Microsecond, End: sim.Time(i+3) * sim.Microsecond})
			}
		},
	} {
		r := synthetic("packet")
		change(r)
		dir := filepath.Join(t.TempDir(), "a")
		s, err := Write(r, dir, WriteOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := name == "stopped at once" || name == "two jobs"; s.Partial != want {
			t.Errorf("%s: partial %v", name, s.Partial)
		}
		d, err := Read(dir)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(d.Flows) != len(r.Report.Flows) {
			t.Errorf("%s: %d flows read back of %d", name, len(d.Flows), len(r.Report.Flows))
		}
		var b bytes.Buffer
		if err := WriteTable(&b, s, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s.Partial && !strings.Contains(b.String(), "PARTIAL") {
			t.Errorf("%s: the table does not say that the run is partial", name)
		}
		if err := Compare(d, d).Write(&b, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: a number is missing:\n%s", name, b.String())
		}
	}
}
