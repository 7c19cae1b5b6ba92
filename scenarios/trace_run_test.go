package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
)

// alone is eight nodes of one GPU and one 100 Gb/s NIC on one switch; jobs
// follow.
const alone = `
cluster:
  nodes: 8
  node: {preset: dgx-a100-80gb, gpus: 1, nics: 1, nvlink: {island: 1}}
  fabric: {topology: star, link: {rate: 100Gbps, length: 2m}, switch: tomahawk5}
  transport: {congestion_control: none, ecn: {enabled: false}}
jobs:
`

// collective is a trace in which eight ranks issue one collective.
func collective(op, bytes string) string {
	var b strings.Builder
	b.WriteString("  - name: t\n    trace:\n      format: chakra\n      operations:\n")
	for r := range 8 {
		fmt.Fprintf(&b, "        - {rank: %d, op: collective, collective: %s, bytes: %s}\n", r, op, bytes)
	}
	return b.String()
}

// TestCollectivesBetweenNodes: at both fidelities every collective of a trace
// takes its bytes at line rate and a few microseconds a step; small ones too,
// whose share of a rank is less than a slice of NCCL's buffer.
func TestCollectivesBetweenNodes(t *testing.T) {
	const rate = 100 * sim.Gbps
	for _, c := range []struct {
		op, bytes string
		wire      int64 // bytes a rank sends
		steps     sim.Time
	}{
		{"all_reduce", "8KB", 14_000, 14}, {"all_reduce", "1MB", 1_750_000, 14}, {"all_reduce", "64MB", 112_000_000, 14},
		{"all_gather", "125KB", 875_000, 7}, {"reduce_scatter", "1MB", 875_000, 7}, {"all_to_all", "8MB", 7_000_000, 1},
		{"broadcast", "16MB", 16_000_000, 7}, {"reduce", "16MB", 16_000_000, 7},
		{"gather", "2MB", 14_000_000, 1}, {"scatter", "2MB", 14_000_000, 1}, // through the root's NIC
	} {
		var took [2]sim.Time
		for i, fidelity := range []string{"flow", "packet"} {
			_, o := run(t, alone+collective(c.op, c.bytes), "run.fidelity="+fidelity)
			took[i] = o.Traces[0].Makespans[0]
			lo := rate.TxTime(c.wire)
			if c.op == "broadcast" || c.op == "reduce" { // the last member waits for a slice a hop
				c.steps = 7 * (1 + rate.TxTime(1<<20)/(6*sim.Microsecond))
			}
			if hi := lo + lo/20 + c.steps*6*sim.Microsecond; took[i] < lo || took[i] > hi {
				t.Errorf("%s of %s at %s fidelity: %v, want %v to %v", c.op, c.bytes, fidelity, took[i], lo, hi)
			}
		}
		tolerance := 0.05
		if c.bytes == "8KB" { // latency alone, which a flow's single rate pays a little too often
			tolerance = 0.3
		}
		if d := float64(took[0])/float64(took[1]) - 1; d < -tolerance || d > tolerance {
			t.Errorf("%s of %s: flow %v, packet %v", c.op, c.bytes, took[0], took[1])
		}
	}
}

// TestTracesShareTheMachine: traces, training and traffic run side by side; each
// trace gets GPUs of its own, and starts when it is told to.
func TestTracesShareTheMachine(t *testing.T) {
	pair := func(name, extra string) string {
		return fmt.Sprintf(`  - name: %s
    %s
    trace:
      format: goal
      operations:
        - {rank: 0, op: send, to: 1, bytes: 1MB}
        - {rank: 1, op: recv, from: 0, bytes: 1MB}
`, name, extra)
	}
	_, o := run(t, alone+pair("a", "placement: {nodes: [6, 7]}")+pair("b", "start: 1ms")+"  - {name: c, traffic: {pattern: ring, bytes: 1KB, repeat: 3}}\n", "run.fidelity=flow")
	if len(o.Traces) != 2 || len(o.Traffic) != 1 || o.Partial {
		t.Fatalf("%d traces, %d jobs of traffic, partial %v", len(o.Traces), len(o.Traffic), o.Partial)
	}
	if o.Traces[0].Makespans[0] == 0 || o.End < sim.Millisecond+o.Traces[1].Makespans[0] {
		t.Errorf("makespans %v and %v, the end is at %v", o.Traces[0].Makespans, o.Traces[1].Makespans, o.End)
	}
	at := map[string][2]string{}
	m, _ := run(t, alone+pair("a", "placement: {nodes: [6, 7]}")+pair("b", "start: 1ms"), "run.fidelity=flow")
	for _, f := range o.Report.Flows {
		if f.Label == "send" {
			at[f.Job] = [2]string{m.Graph.Nodes[f.Src].Name, m.Graph.Nodes[f.Dst].Name}
		}
	}
	if fmt.Sprint(at) != "map[a:[node6/nic0 node7/nic0] b:[node0/nic0 node1/nic0]]" {
		t.Errorf("flows %v", at)
	}
}

// TestTraceWindow: a window opens on the messages of a trace.
func TestTraceWindow(t *testing.T) {
	_, o := run(t, alone+collective("all_to_all", "8MB"), "run={fidelity: packet, window: {phases: [all_to_all], bytes_per_rank: 100KB}}")
	if o.Coverage < 0.09 || o.Coverage > 0.11 || o.Traces[0].Unfinished {
		t.Errorf("%.3f of the bytes were packets, want a tenth", o.Coverage)
	}
}
