package trace

import (
	"testing"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

func playLayers(t *testing.T, c *workload.Cluster, l Layers) (Result, *wire) {
	t.Helper()
	k := sim.NewKernel()
	w := &wire{k: k}
	p, err := NewLayers(k, w, c, l)
	if err != nil {
		t.Fatal(err)
	}
	p.Start()
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	r := p.Result()
	if r.Unfinished {
		t.Fatalf("unfinished: %v", p.Stuck(4))
	}
	for i := range r.Makespans {
		if r.Breakdown.Total() != r.Makespans[i] {
			t.Errorf("breakdown adds up to %v, makespan %d is %v", r.Breakdown.Total(), i, r.Makespans[i])
		}
	}
	return r, w
}

// TestLayers: two rows on two nodes of two GPUs, tensor parallel inside, data
// parallel across: the weight gradients' all-reduce of the last row runs under
// the backward of the first.
func TestLayers(t *testing.T) {
	const s = 8_000_000
	tp := Phase{Time: 100 * us, Collective: workload.AllReduce, Group: TP, Bytes: s}
	row := Row{Name: "layer", Forward: tp, InputGrad: tp, WeightGrad: Phase{Time: 50 * us, Collective: workload.AllReduce, Group: DP, Bytes: 2 * s}, Update: 10 * us}
	r, w := playLayers(t, cluster(4, 2), Layers{Name: "t", Parallel: workload.Parallel{TP: 2, DP: 2}, Rows: []Row{row, row}, Repeat: 2})
	inside := 2*2*us + (800 * sim.Gbps).TxTime(s) // 2(n-1)/n = 1
	ring := us + wireRate.TxTime(2*s)
	compute := 2*(100+100+50)*us + 2*10*us
	// The second ring waits for the first on the communicator's stream.
	exposed := 2*ring - (100*us + inside + 50*us) - 10*us
	if b := r.Breakdown; b.Compute != compute || b.TPComm != 4*inside || b.DPComm != exposed || b.Idle != 0 {
		t.Errorf("%+v, want compute %v, tp %v, dp %v", b, compute, 4*inside, exposed)
	}
	if len(w.flows) != 2*2*2*2 || w.flows[0].Label != "dp_all_reduce" || len(w.flows[0].Upstream) != 1 {
		t.Errorf("%d flows, the first %+v", len(w.flows), w.flows[0])
	}
}

// TestLayersPipeline: the bubble and the stage boundary in closed form.
func TestLayersPipeline(t *testing.T) {
	r, w := playLayers(t, cluster(3, 1), Layers{Name: "t", Parallel: workload.Parallel{PP: 3}, MicroBatches: 4, PPBytes: 10_000,
		Rows: []Row{{Forward: Phase{Time: 40 * us}, InputGrad: Phase{Time: 60 * us}}}})
	hop := us + wireRate.TxTime(40_000)
	// Inner stages send both ways, the outer ones once and then wait.
	if want := 100*us + 50*us + 2*hop; r.Makespans[0] != want || r.Breakdown.Bubble != 50*us {
		t.Errorf("%v with a bubble of %v, want %v and 50 us", r.Makespans[0], r.Breakdown.Bubble, want)
	}
	if want := hop * 4 / 3; r.Breakdown.PPComm != want || len(w.flows) != 4 || r.Messages != 4 {
		t.Errorf("pipeline communication %v, want %v; %d flows, %d messages", r.Breakdown.PPComm, want, len(w.flows), r.Messages)
	}
}

// TestLayersExperts: expert groups are runs of replicas, and what they hold in
// common is reduced across them.
func TestLayersExperts(t *testing.T) {
	const s = 8_000_000
	r, w := playLayers(t, cluster(4, 1), Layers{Name: "t", Parallel: workload.Parallel{DP: 4, EP: 2}, Rows: []Row{{
		Forward:    Phase{Collective: workload.AllToAll, Group: EP, Bytes: s},
		WeightGrad: Phase{Collective: workload.ReduceScatter, Group: DPEP, Bytes: s},
	}}})
	if want := 2*us + 2*wireRate.TxTime(s/2); r.Makespans[0] != want {
		t.Errorf("%v, want %v", r.Makespans[0], want)
	}
	pairs := map[string][][2]int{}
	for _, f := range w.flows {
		pairs[f.Label] = append(pairs[f.Label], [2]int{int(f.Src), int(f.Dst)})
	}
	for _, p := range pairs["ep_all_to_all"] {
		if p[0]/2 != p[1]/2 {
			t.Errorf("experts of %v in one group", p)
		}
	}
	for _, p := range pairs["dp_ep_reduce_scatter"] {
		if p[0]%2 != p[1]%2 {
			t.Errorf("replicas of the same experts: %v", p)
		}
	}
	if len(pairs["ep_all_to_all"]) != 4 || len(pairs["dp_ep_reduce_scatter"]) != 4 {
		t.Errorf("flows %v", pairs)
	}
}

// TestLayersInvalid holds the messages of layers that cannot be.
func TestLayersInvalid(t *testing.T) {
	ph := func(c workload.Collective, g string) []Row {
		return []Row{{Name: "l", Forward: Phase{Collective: c, Group: g, Bytes: 8}}}
	}
	for _, c := range []struct {
		l    Layers
		want string
	}{
		{Layers{Parallel: workload.Parallel{DP: 3, EP: 2}}, "parallel.ep: 2 does not divide dp 3"},
		{Layers{Parallel: workload.Parallel{DP: 8}}, "trace: 8 ranks on 4 GPUs"},
		{Layers{Rows: ph(workload.AllReduce, "pp")}, `row 0 (l): group "pp" is none of tp, dp, ep, dp_ep`},
		{Layers{Rows: ph("scan", TP)}, `row 0 (l): collective "scan" is not played, only all_reduce, reduce_scatter, all_gather, all_to_all, broadcast, reduce, gather, scatter, barrier`},
	} {
		k := sim.NewKernel()
		if _, err := NewLayers(k, &wire{k: k}, cluster(4, 1), c.l); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
