package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got); run with -update only if the change is understood:\n%s", name, d)
	}
}

func TestSummaryAndTableAreGolden(t *testing.T) {
	for _, fidelity := range []string{"flow", "packet"} {
		s := Summarize(synthetic(fidelity))
		golden(t, "summary-"+fidelity+".json", mustJSON(s))
		var b bytes.Buffer
		if err := WriteTable(&b, s, "out/a"); err != nil {
			t.Fatal(err)
		}
		golden(t, "table-"+fidelity+".txt", b.Bytes())
	}
}

// What the flow engine does not model is absent and named, not zero.
func TestSummaryLeavesOutWhatIsNotModelled(t *testing.T) {
	var raw struct {
		Network map[string]any
	}
	if err := json.Unmarshal(mustJSON(Summarize(synthetic("flow"))), &raw); err != nil {
		t.Fatal(err)
	}
	for _, k := range packetKeys {
		if _, ok := raw.Network[k]; ok {
			t.Errorf("network.%s is in a flow summary", k)
		}
	}
	raw.Network = nil
	if err := json.Unmarshal(mustJSON(Summarize(synthetic("packet"))), &raw); err != nil {
		t.Fatal(err)
	}
	for _, k := range packetKeys {
		if _, ok := raw.Network[k]; !ok {
			t.Errorf("network.%s is missing in a packet summary", k)
		}
	}
}

func TestBreakdownAddsUp(t *testing.T) {
	r := synthetic("flow")
	st := Summarize(r).Step
	if gap := math.Abs(st.BreakdownS.Total()-st.MeanS) / st.MeanS; gap > 1e-9 {
		t.Errorf("breakdown misses the step time by %g of it", gap)
	}
	r.Jobs[0].Breakdown.Compute += r.Jobs[0].Steps[0] / 500
	if w := Summarize(r).Warnings; len(w) != 1 || !strings.Contains(w[0], "breakdown adds up") {
		t.Errorf("a gap of 0.2 %% gives warnings %q", w)
	}
}

// hashes returns the digest of each file under dir.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		m[filepath.ToSlash(rel)] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSameRunGivesSameBytes(t *testing.T) {
	var all []map[string]string
	for _, procs := range []int{1, 2} {
		old := runtime.GOMAXPROCS(procs)
		dir := filepath.Join(t.TempDir(), "a")
		_, err := Write(synthetic("packet"), dir, WriteOptions{})
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, hashes(t, dir))
	}
	if d := cmp.Diff(all[0], all[1]); d != "" {
		t.Errorf("GOMAXPROCS 1 and 2 differ:\n%s", d)
	}
	for _, name := range []string{"summary.json", "run.json", "effective.yaml", "flows.csv", "ports.parquet", "timeline.json", "report.html"} {
		if all[0][name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	r := synthetic("packet")
	dir := filepath.Join(t.TempDir(), "a")
	s, err := Write(r, dir, WriteOptions{NoPlots: true, NoReport: true})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(mustJSON(s)), string(mustJSON(d.Summary))); diff != "" {
		t.Error(diff)
	}
	for i := range r.Report.Flows {
		f, g := &r.Report.Flows[i], &d.Flows[i]
		if f.Start != g.Start || f.FCT != g.FCT && g.FCT != -1 || f.Ideal != g.Ideal || f.Bytes != g.Bytes || f.Label != g.Label {
			t.Fatalf("flow %d: %+v read back as %+v", i, f, g)
		}
	}
	if len(d.Queues) != len(r.Report.Queues) {
		t.Fatalf("%d queues read, %d written", len(d.Queues), len(r.Report.Queues))
	}
	for i := range d.Queues {
		if diff := cmp.Diff(r.Report.Queues[i].Max, d.Queues[i].Max); diff != "" || d.Queues[i].Kmin != r.Report.Queues[i].Kmin {
			t.Errorf("queue %d: %s", i, diff)
		}
	}
	if diff := cmp.Diff(r.Report.Bins.CNPs, d.Bins.CNPs); diff != "" || d.Bins.Bin != r.Report.Bins.Bin {
		t.Error(diff)
	}
	if len(d.Spans) != len(r.Jobs[0].Timeline) {
		t.Fatalf("%d spans read, %d written", len(d.Spans), len(r.Jobs[0].Timeline))
	}
	for i, s := range r.Jobs[0].Timeline {
		if g := d.Spans[i]; g.Start != s.Start || g.End != s.End || g.Stage != int(s.Stage) || g.Micro != int(s.Micro) || g.Kind != string(s.Kind) {
			t.Fatalf("span %+v read back as %+v", s, g)
		}
	}
	if len(d.Rates) != 4 || len(d.Rates[0].At) != len(r.Report.Rates[0].At) {
		t.Errorf("%d rate series read", len(d.Rates))
	}
}

func TestWriteRefusesAndKeepsOthersFiles(t *testing.T) {
	light := WriteOptions{NoPlots: true, NoReport: true}
	base := t.TempDir()
	dir := filepath.Join(base, "a")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := synthetic("flow")
	if _, err := Write(r, dir, light); err == nil || !strings.Contains(err.Error(), "not a run of simnet") {
		t.Fatalf("a directory of somebody else's files was taken: %v", err)
	}
	if e, _ := os.ReadDir(base); len(e) != 1 {
		t.Errorf("%d entries beside the refused directory", len(e)-1)
	}
	light.Force = true
	for range 2 { // the second time it is a run with a stranger's file in it
		if _, err := Write(r, dir, light); err != nil {
			t.Fatal(err)
		}
		light.Force = false
		if b, err := os.ReadFile(notes); err != nil || string(b) != "mine" {
			t.Errorf("the stranger's file: %q, %v", b, err)
		}
		if _, err := Read(dir); err != nil {
			t.Error(err)
		}
	}
	// A packet run has files that the flow run after it has not.
	if _, err := Write(synthetic("packet"), dir, light); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(r, dir, light); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "network.csv")); err == nil {
		t.Error("network.csv of the run before is still there")
	}
}

// An error while the files are made leaves what was there, and nothing else.
func TestWriteIsAtomic(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "deep", "a")
	fail := errors.New("disk full")
	broken := func(tmp string) error {
		if err := os.WriteFile(filepath.Join(tmp, "summary.json"), []byte("half"), 0o644); err != nil {
			return err
		}
		return fail
	}
	if err := replaceDir(dir, false, broken); !errors.Is(err, fail) {
		t.Fatal(err)
	}
	if e, _ := os.ReadDir(base); len(e) != 0 {
		t.Errorf("%v left behind", e)
	}
	if _, err := Write(synthetic("flow"), dir, WriteOptions{NoPlots: true, NoReport: true}); err != nil {
		t.Fatal(err)
	}
	before := hashes(t, base)
	if err := replaceDir(dir, false, broken); !errors.Is(err, fail) {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, hashes(t, base)); d != "" {
		t.Errorf("a failed write changed the run:\n%s", d)
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "not a run directory") {
		t.Error(err)
	}
	run := filepath.Join(dir, "a")
	if _, err := Write(synthetic("flow"), run, WriteOptions{NoPlots: true, NoReport: true}); err != nil {
		t.Fatal(err)
	}
	f := filepath.Join(run, "flows.csv")
	data, err := os.ReadFile(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f, bytes.Replace(data, []byte(",52428800,"), []byte(",many,"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(run); err == nil || !strings.Contains(err.Error(), `flows.csv:2: "many" is not a whole number`) {
		t.Error(err)
	}
}
