package nccl

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
)

const fullLog = `# nThread 1 nGpus 1 minBytes 1024 maxBytes 4096 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
# nccl-tests version 2.17.6 nccl-headers=22707 nccl-library=22707
# Collective test starting: all_gather_perf
#  Rank  0 Group  0 Pid    100 on       node device  0 [0000:19:00] GPU
#  Rank  1 Group  0 Pid    101 on       node device  1 [0000:2d:00] GPU
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        1024           128     float    none      -1    12.50    0.08    0.04      0    12.25    0.08    0.04      0
        2048           256     float    none      -1    13.00    0.16    0.08      0    12.75    0.16    0.08    N/A
        4096           512     float    none      -1      oops    0.16    0.08      0    12.75    0.16    0.08    N/A
# Out of bounds values : 0 OK
`

func TestParseLogFull(t *testing.T) {
	l, err := ParseLog("full.log", strings.NewReader(fullLog))
	if err != nil {
		t.Fatal(err)
	}
	if l.Op != AllGather || !l.OpKnown || l.Ranks != 2 || l.Version != 22707 || len(l.Rows) != 2 {
		t.Fatalf("%+v", l)
	}
	r := l.Rows[1]
	if r.Bytes != 2048 || r.Count != 256 || r.Type != "float" || r.RedOp != "none" || r.Line != 11 ||
		r.OutOfPlace.TimeUS != 13 || r.InPlace.TimeUS != 12.75 {
		t.Errorf("%+v", r)
	}
	if len(l.Skipped) != 1 || !strings.Contains(l.Skipped[0], `full.log:12: "oops" is not a number`) {
		t.Errorf("skipped %q", l.Skipped)
	}
}

func TestParseLogVariants(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"mpirun tag", "[1,0]<stdout>: 1048576 262144 float sum -1 100.0 10.49 18.35 0 99.0 10.59 18.54 0\n"},
		{"srun label", "0:      1048576        262144     float     sum      -1    100.0   10.49   18.35      0    99.00   10.59   18.54      0\n"},
		{"without wrong", "1048576 262144 float sum -1 100.0 10.49 18.35 99.0 10.59 18.54\n"},
		{"trimmed", "1_048_576 100.0 10.49 18.35\n"},
	} {
		l, err := ParseLog(c.name, strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r := l.Rows[0]
		if r.Bytes != 1048576 || r.OutOfPlace.TimeUS != 100 || r.OutOfPlace.BusGBs != 18.35 || l.Ranks != 8 {
			t.Errorf("%s: %+v ranks %d", c.name, r, l.Ranks)
		}
		if c.name != "trimmed" && r.InPlace.TimeUS != 99 {
			t.Errorf("%s: in place %+v", c.name, r.InPlace)
		}
		if c.name == "trimmed" && !math.IsNaN(r.InPlace.TimeUS) {
			t.Errorf("trimmed: in place %+v", r.InPlace)
		}
	}
	for _, bad := range []string{"", "hello\n", "1024 12\n", "1024 -1 0.0 0.0\n"} {
		if _, err := ParseLog("bad.log", strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "bad.log: no nccl-tests rows") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestTableLayout holds the printed table to nccl-tests' own columns.
func TestTableLayout(t *testing.T) {
	var b bytes.Buffer
	head := TableHead{Op: AllReduce, Ranks: 8, Lines: []string{"nThread 1 nGpus 1"}}
	err := WriteTable(&b, head, []TableRow{
		{8, 13670 * sim.Nanosecond, 13030 * sim.Nanosecond},
		{16 << 20, 123800 * sim.Nanosecond, 123 * sim.Microsecond},
		{4 << 30, 15749 * sim.Microsecond, 15754 * sim.Microsecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"           8             2     float     sum      -1    13.67    0.00    0.00      0    13.03    0.00    0.00      0",
		"    16777216       4194304     float     sum      -1    123.8  135.52  237.16      0    123.0  136.40  238.70      0",
		"  4294967296    1073741824     float     sum      -1    15749  272.71  477.25      0    15754  272.63  477.10      0",
	}
	lines := strings.Split(b.String(), "\n")
	for i, w := range want {
		if lines[i+5] != w {
			t.Errorf("line %d\ngot  %q\nwant %q", i, lines[i+5], w)
		}
	}
	if err := WriteTable(&b, TableHead{Op: AllReduce, Ranks: 8, Type: "float128"}, nil); err == nil {
		t.Error("an unknown type passes")
	}
}

// TestTableRoundTrip prints the model's table and reads it back.
func TestTableRoundTrip(t *testing.T) {
	m := model(t, dgxH100(2, 8), nil)
	for op := AllReduce; op < numCollectives; op++ {
		var rows []TableRow
		for _, size := range Sweep(op, 16, 8, 1<<30, 2, 4) {
			d, _ := m.Time(op, size)
			rows = append(rows, TableRow{size, d, d})
		}
		var b bytes.Buffer
		if err := WriteTable(&b, TableHead{Op: op, Ranks: 16, Lines: []string{op.String() + "_perf"}}, rows); err != nil {
			t.Fatal(err)
		}
		l, err := ParseLog(op.String(), &b)
		if err != nil {
			t.Fatal(err)
		}
		if l.Op != op || len(l.Rows) != len(rows) {
			t.Fatalf("%v: read %v with %d of %d rows", op, l.Op, len(l.Rows), len(rows))
		}
		for i, r := range l.Rows {
			if want := us(rows[i].OutOfPlace); r.Bytes != rows[i].Bytes || math.Abs(r.OutOfPlace.TimeUS-want) > .006*want {
				t.Errorf("%v: %+v, printed %g us", op, r, want)
			}
		}
	}
}

func TestCalibrateLogs(t *testing.T) {
	truth := model(t, dgxA100(1), nil)
	if err := truth.Cal.Set(RingEff, .7, "test"); err != nil {
		t.Fatal(err)
	}
	l := &Log{Name: "mine.log", Op: AllReduce, Ranks: 8}
	for b := int64(8); b <= 8<<30; b *= 2 {
		d, _ := truth.Time(AllReduce, b)
		l.Rows = append(l.Rows, LogRow{Bytes: b, OutOfPlace: Measured{TimeUS: us(d)}})
	}
	res, err := CalibrateLogs([]LogOn{{l, dgxA100(1), DefaultEnv()}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Cal.V(RingEff); math.Abs(got-.7) > .01 {
		t.Errorf("ring_eff %g, made with 0.7", got)
	}
	var b bytes.Buffer
	if err := res.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "collective_calibration:\n") || !strings.Contains(b.String(), "ring_eff: 0.7") {
		t.Errorf("fragment:\n%s", b.String())
	}
	c := CalibrationFor(SM80, NVSwitch)
	if err := c.Override(map[string]float64{"ring_eff": .7}, "fragment"); err != nil || c.V(RingEff) != .7 {
		t.Errorf("override: %v %g", err, c.V(RingEff))
	}
	if err := c.Override(map[string]float64{"ring_ef": .7}, ""); err == nil || !strings.Contains(err.Error(), "did you mean ring_eff") {
		t.Errorf("override of an unknown name: %v", err)
	}
	if err := c.Override(map[string]float64{"ring_eff": 2}, ""); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("override out of range: %v", err)
	}
	l.Ranks = 16
	if _, err := CalibrateLogs([]LogOn{{l, dgxA100(1), DefaultEnv()}}, 0); err == nil || !strings.Contains(err.Error(), "16 ranks") {
		t.Errorf("ranks that differ: %v", err)
	}
}

// TestParseSharedLogs reads every raw log of the shared baselines.
func TestParseSharedLogs(t *testing.T) {
	files, err := filepath.Glob("../../../shared/baselines/collectives/raw/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("../shared is absent")
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		l, err := ParseLog(filepath.Base(f), bytes.NewReader(text))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(l.Rows) < 2 || l.Ranks < 2 || len(l.Skipped) > 0 {
			t.Errorf("%s: %d rows, %d ranks, skipped %q", f, len(l.Rows), l.Ranks, l.Skipped)
		}
	}
}
