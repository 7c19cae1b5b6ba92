package workload

import (
	"slices"
	"testing"

	"github.com/simnet/simnet/sim"
)

// The prediction equals what the step then starts.
func TestTrafficIsWhatTheStepMoves(t *testing.T) {
	for name, change := range map[string]func(*Job){
		"plain":       func(*Job) {},
		"overlapped":  func(j *Job) { j.Parallel.OverlapGrad = true },
		"interleaved": func(j *Job) { j.Parallel.VirtualStages = 3 },
		"zero 1":      func(j *Job) { j.Parallel.ZeRO, j.Parallel.OverlapParam = 1, true },
		"fsdp": func(j *Job) {
			j.Parallel = Parallel{DP: 256, FSDP: true}
			j.Batch.Global, j.SkipMemoryCheck = 256, true
		},
		"zero 3 by matrix": func(j *Job) {
			j.Parallel = Parallel{DP: 256, ZeRO: 3, Prefetch: -1, UnitsPerLayer: 4, Regather: true}
			j.Batch.Global, j.SkipMemoryCheck = 256, true
		},
	} {
		j := variant(change)
		_, n := runJob(t, dgx(32), j)
		tr, err := New(sim.NewKernel(), nil, dgx(32), j)
		if err != nil {
			t.Fatal(err)
		}
		want := tr.Traffic()
		var bytes int64
		for _, f := range n.flows {
			bytes += f.Bytes
		}
		if int64(len(n.flows)) != want.Flows {
			t.Errorf("%s: %d flows, predicted %d", name, len(n.flows), want.Flows)
		}
		if d := float64(bytes)/float64(want.Bytes) - 1; d < -1e-5 || d > 1e-5 {
			t.Errorf("%s: %d bytes, predicted %d", name, bytes, want.Bytes)
		}
	}
}

func TestPlacement(t *testing.T) {
	c := dgx(2)
	for policy, want := range map[string][]int{
		"linear": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		"rail":   {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15},
		"island": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	} {
		got, err := Place(c, policy, 16, 1)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", policy, got, err)
		}
	}
	a, _ := Place(c, "random", 16, 1)
	b, _ := Place(c, "random", 16, 1)
	d, _ := Place(c, "random", 16, 2)
	if !slices.Equal(a, b) || slices.Equal(a, d) {
		t.Errorf("random: %v, %v with one seed, %v with another", a, b, d)
	}
	if _, err := Place(c, "best", 16, 1); err == nil {
		t.Error("no error for an unknown policy")
	}
}
