package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWarnings: a key without effect, and a doubtful choice, is said aloud.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want string
	}{
		{nil, ""}, // its ecn describes the machine: a note
		{[]string{"cluster.routing.policy=spray"}, "--set cluster.routing.policy=spray: routing.policy: spray has no effect at flow fidelity, where each flow stays on the path that its hash gives (ecmp)"},
		{[]string{"jobs.train.nccl={NCCL_IB_TIMEOUT: 10}"}, "--set jobs.train.nccl={NCCL_IB_TIMEOUT: 10}: NCCL_IB_TIMEOUT has no effect at flow fidelity, which knows no packets"},
		{[]string{"jobs.train.nccl={NCCL_IB_SPLIT_DATA_ON_QPS: 1}"}, "--set jobs.train.nccl={NCCL_IB_SPLIT_DATA_ON_QPS: 1}: NCCL_IB_SPLIT_DATA_ON_QPS has no effect on a training step here; simnet nccl-test follows it"},
		{[]string{"jobs.train.compression={kind: none, ratio: 0.1}"}, "--set jobs.train.compression={kind: none, ratio: 0.1}: compression.ratio has no effect with kind none: it is the share of the elements that topk keeps"},
		{[]string{"observe.queues=2us"}, "--set observe.queues=2us: at flow fidelity, where rates are max-min shares, these keys have no effect: observe.queues"},
		{[]string{"run.tolerance=2%"}, "--set run.tolerance=2%: run.tolerance has no effect at flow fidelity: it is hybrid's"},
		{[]string{"jobs=[{traffic: {pattern: permutation, bytes: 1MB}}]", "cluster.node.gpu.sms=50", "cluster.node.nvlink.p2p=10GB/s"}, "--set cluster.node.gpu.sms=50: no job trains, so that these keys have no effect: cluster.node.gpu.sms"},
		{[]string{"run.fidelity=packet"}, ""},
		{[]string{"jobs.train.parallel={tp: 16, dp: 2}"}, "--set jobs.train.parallel={tp: 16, dp: 2}: tensor-parallel groups of 16 reach beyond the NVLink islands of 8; their collectives take slower paths in every layer"},
		{[]string{"run.fidelity=packet", "jobs.train.nccl={NCCL_DEBUG: INFO}"}, "NCCL_DEBUG is known but not modelled: it changes nothing here"},
		{[]string{"run.fidelity=packet", "jobs.train.nccl={NCCL_PROTO: Simple}"}, "--set jobs.train.nccl={NCCL_PROTO: Simple}: NCCL_PROTO has no effect on a training step here; simnet nccl-test follows it"},
		{[]string{"run.fidelity=packet", "jobs.train.nccl={NCCL_ALGO: Ring}"}, ""},
		{[]string{"run.fidelity=packet", "jobs.train.nccl={NCCL_ALGO: PAT}"}, "--set jobs.train.nccl={NCCL_ALGO: PAT}: NCCL_ALGO: PAT leaves NCCL no way to all-reduce over 2 nodes with 1 of the group's GPUs each: the step takes rings"},
		{[]string{"run.fidelity=packet", "jobs.train.nccl={NCCL_ALGO: Tree}", "jobs.train.parallel.zero=1"}, "--set jobs.train.nccl={NCCL_ALGO: Tree}: NCCL_ALGO: Tree has no effect on the step: with ZeRO gradients are reduced and scattered, which NCCL does in rings"},
		{[]string{"run.fidelity=packet", "jobs.train.nccl={NCCL_ALGO: Tree}", "jobs.train.parallel={tp: 8, dp: 1}"}, "--set jobs.train.nccl={NCCL_ALGO: Tree}: NCCL_ALGO: Tree has no effect on the step: gradients are reduced inside NVLink domains, whose cost has no algorithm here"},
		{[]string{"run.fidelity=packet", "cluster.routing={fields: [src_ip, dst_ip]}", "jobs.train.nccl={NCCL_IB_QPS_PER_CONNECTION: 4}"},
			"--set jobs.train.nccl={NCCL_IB_QPS_PER_CONNECTION: 4}: more queue pairs spread nothing while routing.fields leaves udp_src_port out"},
		{[]string{"run.fidelity=packet", "cluster.transport.ecn.enabled=false"}, "--set cluster.transport.ecn.enabled=false: dcqcn never slows a flow down without ecn"},
		{[]string{"run.fidelity=packet", "cluster.transport.pfc={enabled: false, alpha: 1/4}"}, "--set cluster.transport.pfc={enabled: false, alpha: 1/4}: pfc.alpha has no effect without PFC"},
		{[]string{"run.fidelity=packet", "cluster.transport.congestion_control={algorithm: dcqcn, byte_counter: 0B, hyper_increase: 1Gbps}"},
			"--set cluster.transport.congestion_control={algorithm: dcqcn, byte_counter: 0B, hyper_increase: 1Gbps}: hyper_increase has no effect while byte_counter is 0B: it needs both the timer and the counter past fast recovery"},
		{[]string{"jobs=[{traffic: {pattern: permutation, bytes: 1MB}}]", "run.steps=3"}, "--set run.steps=3: run.steps has no effect: no job trains; traffic repeats by its own key repeat"},
		{[]string{"jobs=[{traffic: {pattern: permutation, bytes: 1MB}}]", "cluster.node.host_overhead=9us"}, "--set cluster.node.host_overhead=9us: node.host_overhead has no effect: flows of traffic begin at the NIC"},
		{[]string{"cluster.fabric.link.bit_error_rate=1e-9"}, "--set cluster.fabric.link.bit_error_rate=1e-9: at flow fidelity, where rates are max-min shares, these keys have no effect: cluster.fabric.link.bit_error_rate"},
		{[]string{"cluster.node.nvlink.bandwidth=100GB/s"}, "--set cluster.node.nvlink.bandwidth=100GB/s: nvlink.bandwidth moves the choices of simnet nccl-test alone; the step follows nvlink.bus_bandwidth and p2p, which are the preset's (dgx-a100-80gb)"},
		{[]string{"cluster.transport.kind=infiniband"}, "--set cluster.transport.kind=infiniband: transport: infiniband is modelled by the bytes of its headers alone: no credits, no virtual lanes"},
		{[]string{"cluster.fabric.switch=trident3", "cluster.nodes=32", "cluster.fabric.nodes_per_leaf=32", "cluster.fabric.spines=1"},
			"leaf0 has 257 ports of 51.4Tbps in all, more than the 3.2Tbps of its model (trident3)"},
		{[]string{"cluster.fabric={topology: star}", "cluster.routing.hash=crc16"}, "--set cluster.routing.hash=crc16: routing has no effect: no switch has more than one next hop to choose from"},
	} {
		v, err := Load(small, c.sets)
		if err != nil {
			t.Errorf("%v: %v", c.sets, err)
			continue
		}
		m, err := v.Build(BuildOptions{})
		if err != nil {
			t.Errorf("%v: %v", c.sets, err)
			continue
		}
		all := append(slices.Clone(v.Warnings), m.Warnings...)
		if c.want == "" && len(all) == 0 || c.want != "" && slices.Contains(all, c.want) {
			continue
		}
		t.Errorf("%v: warnings\n%s\nwant %q", c.sets, strings.Join(all, "\n"), c.want)
	}
}

// TestNotes: what a file says of the machine and a fidelity does not follow is a
// note; the bandwidth of a pair is missed once the run has ended.
func TestNotes(t *testing.T) {
	v, err := Load(small, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "at flow fidelity, where rates are max-min shares, these keys have no effect: cluster.transport.ecn"
	if len(v.Notes) != 1 || v.Notes[0] != want {
		t.Errorf("notes %q, want %q", v.Notes, want)
	}
	for set, want := range map[string]bool{"jobs.train.parallel={tp: 8, pp: 2, dp: 2}": true, "jobs.train.parallel={tp: 2, pp: 8, dp: 2}": false} {
		v, err := Load(small, []string{set, "cluster.node.nvlink.p2p=50GB/s"})
		if err != nil {
			t.Fatal(err)
		}
		o := runOf(t, v)
		if got := strings.Contains(strings.Join(o.Warnings, "\n"), "nvlink.p2p has had no effect"); got != want {
			t.Errorf("%s: warnings %q", set, o.Warnings)
		}
	}
}

// TestInsideNodesNote: where packets are asked for, what never is one is named;
// a run without traffic inside nodes, and flow fidelity, have nothing to say.
func TestInsideNodesNote(t *testing.T) {
	pair := func(island int) string {
		return fmt.Sprintf(`
cluster:
  nodes: 2
  node: {preset: dgx-a100-80gb, gpus: 2, nics: 2, nvlink: {island: %d}}
  fabric: {topology: star, link: {rate: 100Gbps, length: 2m}, switch: tomahawk5}
jobs:
  - name: t
    trace:
      format: goal
      operations:
        - {rank: 0, op: send, to: 1, bytes: 8KB}
        - {rank: 1, op: recv, from: 0, bytes: 8KB}
`, island)
	}
	for _, c := range []struct {
		fidelity string
		island   int
		want     bool
	}{{"packet", 2, true}, {"hybrid", 2, true}, {"flow", 2, false}, {"packet", 1, false}} {
		_, o := run(t, pair(c.island), "run.fidelity="+c.fidelity)
		got := slices.ContainsFunc(o.Notes, func(n string) bool {
			return strings.HasPrefix(n, "at "+c.fidelity+" fidelity too, what GPUs of one NVLink domain or node exchange")
		})
		if got != c.want {
			t.Errorf("%s, islands of %d: notes %q, want the note: %v", c.fidelity, c.island, o.Notes, c.want)
		}
	}
}
