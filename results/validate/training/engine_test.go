package training

import (
	"fmt"
	"math"
	"testing"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// The ideal network, and the single replica that stands for all, are short cuts
// for what the flow engine does on a non-blocking switch with every replica:
// the steps agree within a thousandth.
func TestShortCutsAreTheFlowEngineOnAStar(t *testing.T) {
	want := map[string]bool{"39B on 512": true, "70B on 768": true, "16B on 192": true, "30b seq 2048 on 32 h10080gb": true, "DP_32x1x1_64_1536x16 megatron": true,
		"2D_2x8x1_16_2304x24 megatron": true}
	n := 0
	for _, r := range Rows() {
		if !want[r.Name] {
			continue
		}
		n++
		j := r.choices()[0]
		ideal, err := r.runOnce(j, r.Platform.Fit)
		if err != nil {
			t.Fatal(err)
		}
		full, err := overStar(&r, j)
		if err != nil {
			t.Fatal(err)
		}
		d := full.Steps[0].Seconds()/ideal.Steps[0].Seconds() - 1
		t.Logf("%s: %v, flow engine %v, %+.2f %%", r.Name, ideal.Steps[0], full.Steps[0], 100*d)
		if math.Abs(d) > .001 {
			t.Errorf("%s: %v, flow engine %v", r.Name, ideal.Steps[0], full.Steps[0])
		}
	}
	if n != len(want) {
		t.Errorf("%d of %d rows found", n, len(want))
	}
}

func overStar(r *Row, j workload.Job) (*workload.Result, error) {
	j = r.complete(j, r.Platform.Fit)
	j.Symmetric = false
	c := r.Platform.Cluster(r.GPUs, r.Platform.Fit)
	k := sim.NewKernel()
	e, err := r.Platform.star(k, c)
	if err != nil {
		return nil, err
	}
	t, err := workload.New(k, e, c, j)
	if err != nil {
		return nil, err
	}
	t.Start()
	if err := k.Run(); err != nil {
		return nil, err
	}
	res := t.Result()
	if res.Unfinished {
		return nil, fmt.Errorf("step did not finish: %v", k.Waiting())
	}
	return &res, nil
}
