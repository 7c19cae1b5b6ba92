package scenarios

import "testing"

// The step reduces gradients by the algorithm that NCCL_ALGO forces, and else
// by the tuner's: rings for large buffers, trees for buckets that many nodes
// share.
func TestAlgorithmOfGradients(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want string
	}{
		{nil, ""},
		{[]string{"jobs.train.nccl={NCCL_ALGO: Tree}"}, "tree"},
		{[]string{"jobs.train.nccl={NCCL_ALGO: 'allreduce:tree'}"}, "tree"},
		{[]string{"jobs.train.nccl={NCCL_ALGO: ^Tree}"}, ""},
		{[]string{"jobs.train.nccl={NCCL_ALGO: 'allgather:tree'}"}, ""},
		{[]string{"jobs.train.parallel={tp: 8, dp: 32, overlap_grad_reduce: true, bucket: 1MB}", "cluster.nodes=32", "jobs.train.batch.global=64"}, "tree"},
		{[]string{"jobs.train.parallel={tp: 8, dp: 32, overlap_grad_reduce: true, bucket: 1MB}", "cluster.nodes=32", "jobs.train.batch.global=64", "jobs.train.nccl={NCCL_ALGO: Ring}"}, ""},
	} {
		v, err := Load(small, c.sets)
		if err != nil {
			t.Errorf("%v: %v", c.sets, err)
			continue
		}
		if got := v.Jobs[0].Training.Transport.Algorithm; got != c.want {
			t.Errorf("%v: %q, want %q", c.sets, got, c.want)
		}
	}
}

// A forced tree moves as much as a ring, in flows up and down along both trees of
// each rail.
func TestForcedTreeRuns(t *testing.T) {
	count := func(sets ...string) (flows int, bytes int64) {
		v, err := Load(small, append(sets, "cluster.nodes=8", "jobs.train.parallel={tp: 8, pp: 2, dp: 4}"))
		if err != nil {
			t.Fatal(err)
		}
		o := runOf(t, v)
		for i := range o.Report.Flows {
			if f := &o.Report.Flows[i]; f.Label == "dp_all_reduce" {
				flows++
				bytes += f.Bytes
			}
		}
		if len(o.Report.Violations) > 0 {
			t.Fatal(o.Report.Violations)
		}
		return flows, bytes
	}
	rf, rb := count("jobs.train.nccl={NCCL_ALGO: Ring}")
	tf, tb := count("jobs.train.nccl={NCCL_ALGO: Tree}")
	// Over m nodes m flows a ring and 4(m-1) a pair of trees; 2(m-1) S in all.
	if rf != 2*8*4 || tf != 2*8*4*3 || tb < rb || tb > rb+int64(tf) {
		t.Errorf("ring: %d flows of %d B, trees: %d of %d B", rf, rb, tf, tb)
	}
}
