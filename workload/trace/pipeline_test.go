package trace

import (
	"testing"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// rowsOf is an iteration as AICB writes it: head, micro-batches of the layers,
// tail.
func rowsOf(head []Row, micro []Row, m int, tail []Row) []Row {
	rows := append([]Row(nil), head...)
	for range m {
		rows = append(rows, micro...)
	}
	return append(rows, tail...)
}

func TestFindMicroRows(t *testing.T) {
	named := func(names ...string) []Row {
		var rows []Row
		for _, n := range names {
			rows = append(rows, Row{Name: n})
		}
		return rows
	}
	layers := named("embedding", "attention", "mlp", "attention", "mlp")
	for _, c := range []struct {
		rows []Row
		m    int
		want microRows
	}{
		{rowsOf(named("grads", "norm"), layers, 3, named("loss", "optimizer")), 3, microRows{2, 5}},
		{rowsOf(named("grads"), layers, 1, nil), 1, microRows{0, 6}},
		{layers, 4, microRows{}},
		{named("layer", "layer", "layer", "layer"), 2, microRows{0, 2}},
		{rowsOf(nil, layers, 3, nil)[:14], 3, microRows{}},
	} {
		if got := findMicroRows(c.rows, c.m); got != c.want {
			t.Errorf("%d rows, %d micro-batches: %+v, want %+v", len(c.rows), c.m, got, c.want)
		}
	}
}

// TestPipelineByHand: two stages, two micro-batches, 40 us forward, 60 us
// backward, 2 us a boundary. The last stage begins its forwards at 42 and 142
// us, its backwards at 82 and 182, and ends at 242; the first waits from 80 to
// 144 (62 us of them before the boundary leaves) and from 204 to 244 (38), and
// ends at 304.
func TestPipelineByHand(t *testing.T) {
	micro := []Row{{Name: "layer", Forward: Phase{Time: 40 * us}, InputGrad: Phase{Time: 60 * us}}}
	r, w := playLayers(t, cluster(2, 1), Layers{Name: "t", Parallel: workload.Parallel{PP: 2}, MicroBatches: 2, PPBytes: 10_000, Rows: rowsOf(nil, micro, 2, nil), Repeat: 2})
	if r.Makespans[0] != 304*us || r.Makespans[1] != 304*us {
		t.Fatalf("%v, want 304 us twice", r.Makespans)
	}
	// Stage 0 waits 62 + 38 us, stage 1 40 at the start and 62 at the end.
	if b := r.Breakdown; b.Compute != 200*us || b.Bubble != 101*us || b.PPComm != 3*us || b.Idle != 0 {
		t.Errorf("%+v", b)
	}
	if r.Messages != 8 || len(w.flows) != 8 || w.flows[0].Label != "pp_forward" || w.flows[0].Bytes != 10_000 {
		t.Errorf("%d messages, %d flows", r.Messages, len(w.flows))
	}
}

// TestPipelineClosedForm: without communication 1F1B takes
// (m + p - 1)(F + B), of which a stage computes m of them; collectives of a
// stage lengthen its slots.
func TestPipelineClosedForm(t *testing.T) {
	const p, m, s = 3, 4, 8_000_000
	layer := Row{Name: "layer", Forward: Phase{Time: 40 * us}, InputGrad: Phase{Time: 50 * us}, WeightGrad: Phase{Time: 10 * us}}
	r, _ := playLayers(t, cluster(p, 1), Layers{Name: "t", Parallel: workload.Parallel{PP: p}, MicroBatches: m, Rows: rowsOf(nil, []Row{layer}, m, nil)})
	if want := (m + p - 1) * 100 * us; r.Makespans[0] != want || r.Breakdown.Bubble != (p-1)*100*us || r.Breakdown.Compute != m*100*us {
		t.Errorf("%v, %+v; want %v", r.Makespans[0], r.Breakdown, want)
	}
	// Two nodes of two: tensor parallel inside, data parallel none.
	inside := 2*2*us + (800 * sim.Gbps).TxTime(s)
	layer.Forward.Collective, layer.Forward.Group, layer.Forward.Bytes = workload.AllReduce, TP, s
	r, _ = playLayers(t, cluster(4, 2), Layers{Name: "t", Parallel: workload.Parallel{TP: 2, PP: 2}, MicroBatches: m, Rows: rowsOf(nil, []Row{layer}, m, nil)})
	if want := (m + 1) * (100*us + inside); r.Makespans[0] != want || r.Breakdown.TPComm != m*inside {
		t.Errorf("%v, %+v; want %v", r.Makespans[0], r.Breakdown, want)
	}
}

// TestPipelineHeadAndTail: what stands before and after the micro-batches runs
// once: 7 us ahead, 2 us of loss, and the gradients' collective and its update
// at the very end.
func TestPipelineHeadAndTail(t *testing.T) {
	const s = 8_000_000
	grads := Row{Name: "grads", Forward: Phase{Time: 7 * us}, WeightGrad: Phase{Collective: workload.AllReduce, Group: DP, Bytes: s}, Update: 5 * us}
	layer := Row{Name: "layer", Forward: Phase{Time: 40 * us}, InputGrad: Phase{Time: 60 * us}}
	loss := Row{Name: "loss", Forward: Phase{Time: 2 * us}}
	r, w := playLayers(t, cluster(4, 1), Layers{Name: "t", Parallel: workload.Parallel{PP: 2, DP: 2}, MicroBatches: 2, Rows: rowsOf([]Row{grads}, []Row{layer}, 2, []Row{loss})})
	ring := us + wireRate.TxTime(s) // two ranks: 2(n-1)/n = 1
	// Both stages begin their micro-batches at 7 us; the first ends them at
	// 7 + 3*100.
	if want := (7+300+2+5)*us + ring; r.Makespans[0] != want || r.Breakdown.DPComm != ring {
		t.Errorf("%v, %+v; want %v", r.Makespans[0], r.Breakdown, want)
	}
	if len(w.flows) != 4 {
		t.Errorf("%d flows, want one ring of two for each stage", len(w.flows))
	}
}
