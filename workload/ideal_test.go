package workload

import (
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// idealNet is the smallest Network: every flow has a path of its own with fixed
// rate and latency; a relay pays the latency once per lag.
type idealNet struct {
	k       *sim.Kernel
	rate    sim.Rate
	latency sim.Time
	flows   []fabric.Flow
	bytes   map[string]int64
}

func (n *idealNet) SetLink(fabric.LinkID, fabric.LinkState) {}

func (n *idealNet) StartGroup(flows []fabric.Flow) []fabric.FlowID {
	ids := make([]fabric.FlowID, len(flows))
	for i, f := range flows {
		if f.Src == f.Dst || f.Bytes <= 0 {
			panic("workload: impossible flow")
		}
		rate := minRate(n.rate, f.MaxRate)
		d := f.Delay + n.latency + rate.TxTime(f.Bytes)
		if len(f.Upstream) > 0 {
			d += n.latency * sim.Time(ceilDiv(f.Bytes, f.Lag)-1)
		}
		done := f.Done
		n.k.After(d, func() { done.Arrive(n.k) })
		ids[i] = fabric.FlowID(len(n.flows))
		n.flows = append(n.flows, f)
		n.bytes[f.Label] += f.Bytes
	}
	return ids
}

// dgx returns a cluster of nodes with eight A100s and as many 200 Gb/s NICs.
func dgx(nodes int) *Cluster {
	c := &Cluster{
		Types: []GPUType{{
			Name: "a100", Peak: map[string]float64{"bf16": 312e12, "fp16": 312e12}, Memory: 80 << 30,
			MemoryBW: 2039 * 8 * sim.Gbps, Efficiency: 0.7, Launch: 20 * sim.Microsecond, SMs: 108,
		}},
		Scaleup:      Scaleup{Alpha: 3 * sim.Microsecond, BusBW: 230 * 8 * sim.Gbps, P2P: 250 * 8 * sim.Gbps},
		HostOverhead: 2 * sim.Microsecond,
	}
	for i := range nodes * 8 {
		c.GPUs = append(c.GPUs, GPU{Node: int32(i / 8), Local: int16(i % 8), NIC: fabric.NodeID(i), Island: int32(i / 8)})
	}
	return c
}

// gpt175 is GPT-3 175B as SC21 trains it.
func gpt175() Job {
	return Job{
		Name:     "train",
		Model:    Model{Name: "gpt3-175b", Layers: 96, Hidden: 12288, Heads: 96, Vocab: 51200, Seq: 2048, Tied: true, LearnedPositions: true},
		Parallel: Parallel{TP: 8, PP: 8, DP: 4},
		Batch:    Batch{Global: 96, Micro: 1}, Precision: "bf16", Recompute: RecomputeFull,
	}
}

func runJob(t *testing.T, c *Cluster, j Job) (Result, *idealNet) {
	t.Helper()
	k := sim.NewKernel()
	n := &idealNet{k: k, rate: 200 * sim.Gbps, latency: 5 * sim.Microsecond, bytes: map[string]int64{}}
	tr, err := New(k, n, c, j)
	if err != nil {
		t.Fatal(err)
	}
	tr.Start()
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	if w := k.Waiting(); len(w) > 0 {
		t.Fatalf("waiting at the end: %v", w)
	}
	res := tr.Result()
	if res.Unfinished {
		t.Fatal("unfinished")
	}
	var total sim.Time
	for _, s := range res.Steps {
		total += s
	}
	mean := total / sim.Time(len(res.Steps))
	if res.Breakdown.Total() != mean {
		t.Errorf("breakdown adds up to %v, the step takes %v", res.Breakdown.Total(), mean)
	}
	for _, s := range res.Stages {
		if s.Breakdown.Total() != mean {
			t.Errorf("stage %d: breakdown adds up to %v, the step takes %v", s.Stage, s.Breakdown.Total(), mean)
		}
	}
	return res, n
}

func TestStepAddsUp(t *testing.T) {
	res, n := runJob(t, dgx(32), gpt175())
	t.Logf("step %v: %+v", res.Steps, res.Breakdown)
	m := 24
	if want, got := int64(2*7*4*8*m)*2048*12288*2, n.bytes["pp_forward"]+n.bytes["pp_backward"]; got != want {
		t.Errorf("pipeline moved %d bytes, want %d", got, want)
	}
	if res.Breakdown.PPBubble <= 0 || res.Breakdown.Compute <= 0 || res.Breakdown.DPCommExposed <= 0 {
		t.Errorf("empty parts: %+v", res.Breakdown)
	}
}
