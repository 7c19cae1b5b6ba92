package scenarios

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// run loads, builds and runs a scenario of the given text.
func run(t *testing.T, text string, sets ...string) (*Machine, *Outcome) {
	t.Helper()
	v, err := Parse("test.yaml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	m, err := v.Build(BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Run(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Report.Violations) > 0 {
		t.Fatal(o.Report.Violations)
	}
	return m, o
}

// star is eight nodes on one switch, one 100 Gb/s NIC each, no congestion
// control; jobs follow.
const star = `
cluster:
  nodes: 8
  node: {preset: dgx-a100-80gb, nics: 1}
  fabric: {topology: star, link: {rate: 100Gbps, length: 2m}, switch: tomahawk5}
  transport: {congestion_control: none, ecn: {enabled: false}}
run: {fidelity: packet}
jobs:
`

// TestPatterns: each pattern makes the flows that it says, at both fidelities.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		traffic string
		flows   int
		bytes   int64
		rounds  int
	}{
		{"{pattern: incast, bytes: 1MB}", 7, 7e6, 1},
		{"{pattern: incast, bytes: 1MB, targets: 2, fan_in: 3, repeat: 2}", 12, 12e6, 2},
		{"{pattern: permutation, bytes: 1MB, repeat: 2, interval: 1ms}", 16, 16e6, 2},
		{"{pattern: all-to-all, bytes: 1MB, group: 4}", 24, 24e6, 1},
		{"{pattern: ring, bytes: 1MB}", 8, 8e6, 1},
		{"{pattern: all-reduce, bytes: 8MB, group: 4, members: strided, stagger: 10us}", 8, 8 * 12e6, 1},
		{"{pattern: flows, flows: [{src: node0/nic0, dst: node1/nic0, bytes: 1MB}, {src: node2/nic0, dst: node1/nic0, bytes: 2MB, start: 50us, label: late}]}", 2, 3e6, 1},
		{"{pattern: ring, bytes: 1MB, nodes: [0, 2, 4], qps: 4}", 3, 3e6, 1},
	} {
		for _, fidelity := range []string{"flow", "packet"} {
			_, o := run(t, star+"  - traffic: "+c.traffic+"\n", "run.fidelity="+fidelity)
			n := o.Report.Counters
			if len(o.Report.Flows) != c.flows || n.FlowsFinished != int64(c.flows) || n.BytesDelivered != c.bytes || len(o.Traffic[0].Rounds) != c.rounds || o.Traffic[0].Unfinished {
				t.Errorf("%s %s: %d flows, %d finished, %d bytes, %+v; want %d flows, %d bytes, %d rounds", fidelity, c.traffic,
					len(o.Report.Flows), n.FlowsFinished, n.BytesDelivered, o.Traffic[0], c.flows, c.bytes, c.rounds)
			}
			for _, f := range o.Report.Flows {
				if f.FCT < f.Ideal || f.Ideal <= 0 {
					t.Errorf("%s %s: a flow takes %v, ideally %v", fidelity, c.traffic, f.FCT, f.Ideal)
				}
			}
		}
	}
}

// TestPoissonLoad: the offered load is what was asked for.
func TestPoissonLoad(t *testing.T) {
	_, o := run(t, star+"  - traffic: {pattern: poisson, load: 30%, sizes: websearch, duration: 40ms}\n", "run.fidelity=flow")
	offered := float64(o.Report.Counters.BytesDelivered) * 8 / (8 * 100e9 * 0.040)
	if offered < 0.24 || offered > 0.36 || o.Traffic[0].Unfinished {
		t.Errorf("offered load %.3f over %d flows, want about 0.30", offered, len(o.Report.Flows))
	}
}

// TestWindow: the head of a relay group moves as packets, the rest follows, and
// a flow's record joins both; the completion time is that of either engine
// alone where nothing is lost to contention.
func TestWindow(t *testing.T) {
	text := star + "  - traffic: {pattern: all-reduce, bytes: 32MB}\n  - {start: 1ms, traffic: {pattern: ring, bytes: 1MB}}\n"
	_, whole := run(t, text)
	m, o := run(t, text, "run.window={phases: [all_reduce], bytes_per_rank: 4MB}")
	if o.Report.PacketBytes != 8*4e6 || o.Report.Counters.BytesDelivered != whole.Report.Counters.BytesDelivered {
		t.Errorf("%d bytes as packets of %d, want 32000000 of %d", o.Report.PacketBytes, o.Report.Counters.BytesDelivered, whole.Report.Counters.BytesDelivered)
	}
	if want := float64(o.Report.PacketBytes) / float64(o.Report.Counters.BytesDelivered); o.Coverage != want || whole.Coverage != 1 {
		t.Errorf("coverage %v, want %v; without a window %v", o.Coverage, want, whole.Coverage)
	}
	for i, f := range o.Report.Flows {
		w := whole.Report.Flows[i]
		if f.Src != w.Src || f.Dst != w.Dst || f.Bytes != w.Bytes || f.Label != w.Label || f.Job != w.Job || f.Ideal != w.Ideal {
			t.Errorf("flow %d: %+v with the window, %+v without", i, f, w)
		}
		if d := float64(f.FCT)/float64(w.FCT) - 1; f.FCT < f.Ideal || d < -0.01 || d > 0.02 {
			t.Errorf("flow %d %s: %v with the window, %v without", i, f.Label, f.FCT, w.FCT)
		}
	}
	if len(m.Sims) != 2 || o.Report.Counters.FlowsFinished != 16 {
		t.Errorf("%d engines, %d flows finished", len(m.Sims), o.Report.Counters.FlowsFinished)
	}
}

// TestFaults: a link that fails in mid-flow holds its flow up, one that comes
// back lets it go on.
func TestFaults(t *testing.T) {
	text := star + "  - traffic: {pattern: flows, flows: [{src: node0/nic0, dst: node1/nic0, bytes: 10MB}]}\n"
	for _, fidelity := range []string{"flow", "packet"} {
		_, o := run(t, text, "run.fidelity="+fidelity)
		before := o.Report.Flows[0].FCT
		_, o = run(t, text, "run.fidelity="+fidelity, "faults=[{at: 200us, link: node0/nic0-leaf0, state: degraded, rate: 50Gbps, duration: 200us}]")
		after := o.Report.Flows[0].FCT
		// Half the rate for 200 us costs 100 us.
		if d := after - before - 100*sim.Microsecond; d < -5*sim.Microsecond || d > 5*sim.Microsecond {
			t.Errorf("%s: %v with a degraded link, %v without", fidelity, after, before)
		}
	}
}

// TestTwoJobs: jobs get GPUs of their own, and their flows keep their names.
func TestTwoJobs(t *testing.T) {
	text := `
cluster:
  nodes: 4
  node: dgx-a100-80gb
  fabric: {topology: leaf-spine, nodes_per_leaf: 2, spines: 4}
jobs:
  - {name: a, model: gpt2-355m, parallel: {tp: 4, dp: 4}, batch: {global: 8}}
  - {name: b, start: 1ms, model: gpt2-355m, parallel: {tp: 4, dp: 4}, batch: {global: 8}, placement: random}
`
	m, o := run(t, text)
	if len(o.Results) != 2 || o.Results[0].Job != "a" || o.Results[1].Job != "b" {
		t.Fatalf("results %+v", o.Results)
	}
	used := map[fabric.NodeID]string{}
	for _, f := range o.Report.Flows {
		for _, n := range []fabric.NodeID{f.Src, f.Dst} {
			if j := used[n]; j != "" && j != f.Job {
				t.Fatalf("%s carries flows of jobs %s and %s", m.Graph.Nodes[n].Name, j, f.Job)
			}
			used[n] = f.Job
		}
	}
	if b := m.Valid.Jobs[1].Training.Placement; len(b) != 16 {
		t.Errorf("job b is placed on %v", b)
	}
	v, err := Parse("test.yaml", []byte(text), []string{"jobs.b.parallel.dp=5", "jobs.b.batch.global=10"})
	if err == nil || !strings.Contains(err.Error(), "needs 20 GPUs, but 16 are free") {
		t.Errorf("%v, %v", v, err)
	}
}

// TestUntil: a run that is cut short is partial and says so.
func TestUntil(t *testing.T) {
	_, o := run(t, star+"  - traffic: {pattern: ring, bytes: 100MB}\n", "run.until=1ms")
	if !o.Partial && !o.Traffic[0].Unfinished || o.End != sim.Millisecond || o.Report.Counters.FlowsFinished != 0 {
		t.Errorf("partial %v, end %v, %d flows finished", o.Partial, o.End, o.Report.Counters.FlowsFinished)
	}
}

// TestDeterminism: the same scenario gives the same report, whatever the number
// of threads, and another seed another one.
func TestDeterminism(t *testing.T) {
	text := func(seed int) string {
		return fmt.Sprintf("seed: %d\n", seed) + `
cluster:
  nodes: 8
  node: {preset: dgx-a100-80gb, nics: 2}
  fabric: {topology: leaf-spine, nodes_per_leaf: 2, spines: 2, oversubscription: 2}
jobs:
  - {name: t, model: gpt2-124m, parallel: {tp: 4, pp: 2, dp: 4}, batch: {global: 8}, nccl: {NCCL_IB_QPS_PER_CONNECTION: 2}}
  - {traffic: {pattern: poisson, load: 20%, sizes: hadoop, duration: 1ms}}
run: {fidelity: packet}
`
	}
	_, a := run(t, text(1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, b := run(t, text(1))
	_, c := run(t, text(2))
	if !reflect.DeepEqual(a.Report, b.Report) || !reflect.DeepEqual(a.Results, b.Results) {
		t.Error("two runs differ")
	}
	if reflect.DeepEqual(a.Report.Flows, c.Report.Flows) {
		t.Error("another seed changes nothing")
	}
}

// TestFileTopology: a star read from a file is the star that is built.
func TestFileTopology(t *testing.T) {
	text := strings.Replace(star, "topology: star, link: {rate: 100Gbps, length: 2m}", "topology: file, file: testdata/star8.txt", 1) + "  - traffic: {pattern: incast, bytes: 1MB}\n"
	_, a := run(t, text)
	_, b := run(t, star+"  - traffic: {pattern: incast, bytes: 1MB}\n")
	if len(a.Report.Flows) != 7 {
		t.Fatalf("%d flows", len(a.Report.Flows))
	}
	for i := range a.Report.Flows {
		if a.Report.Flows[i].FCT != b.Report.Flows[i].FCT {
			t.Errorf("flow %d: %v from the file, %v built", i, a.Report.Flows[i].FCT, b.Report.Flows[i].FCT)
		}
	}
}

// runOf builds and runs a scenario.
func runOf(t testing.TB, v *Valid) *Outcome {
	t.Helper()
	m, err := v.Build(BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Run(nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
