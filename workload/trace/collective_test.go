package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

const mb = 1_000_000

// TestRootedAndUneven: what one rank sends or gets inside an island goes one
// after the other at 100 GB/s after 2 us, between nodes each message at 10 GB/s
// after 1 us.
func TestRootedAndUneven(t *testing.T) {
	pair := func(bytes int64) sim.Time { return 2*us + (800 * sim.Gbps).TxTime(bytes) }
	flow := func(bytes int64) sim.Time { return us + wireRate.TxTime(bytes) }
	three := 3
	coll := func(op workload.Collective, root *int, bytes ...int64) []Op {
		var ops []Op
		for r, b := range bytes {
			ops = append(ops, Op{Rank: r, Kind: Collective, Collective: op, Bytes: b, Root: root})
		}
		return ops
	}
	split := func(parts ...[]int64) []Op {
		var ops []Op
		for r, p := range parts {
			var sum int64
			for _, b := range p {
				sum += b
			}
			ops = append(ops, Op{Rank: r, Kind: Collective, Collective: workload.AllToAll, Bytes: sum, Split: p})
		}
		return ops
	}
	for _, c := range []struct {
		name  string
		per   int
		ops   []Op
		want  sim.Time
		flows string
	}{
		{"gather: the root gets three", 4, coll(workload.Gather, nil, mb, mb, mb, mb), pair(3 * mb), ""},
		{"scatter: the root sends three", 4, coll(workload.Scatter, nil, mb, mb, mb, mb), pair(3 * mb), ""},
		{"gather of 1, 2, 3 MB to rank 3", 4, coll(workload.Gather, &three, mb, 2*mb, 3*mb, 9*mb), pair(6 * mb), ""},
		{"gather between nodes", 1, coll(workload.Gather, nil, 9*mb, mb, 2*mb, 0), flow(2 * mb), "1>0:1000000 2>0:2000000"},
		{"scatter from rank 3 between nodes", 1, coll(workload.Scatter, &three, mb, mb, 3*mb, 9*mb), flow(3 * mb), "3>0:1000000 3>1:1000000 3>2:3000000"},
		{"gather on two nodes of two: one inside, two across", 2, coll(workload.Gather, nil, mb, 50*mb, mb, mb), pair(50 * mb), "2>0:1000000 3>0:1000000"},
		// Rank 0 sends 5 MB and gets 4, 1 sends 3 and gets 4, 2 sends 3 and gets 3.
		{"all-to-all of unequal parts in an island", 3, split([]int64{0, 4 * mb, mb}, []int64{mb, 0, 2 * mb}, []int64{3 * mb, 0, 0}), pair(5 * mb), ""},
		// What 0 gets is the longest: 4 and 5 MB.
		{"all-to-all to one", 3, split([]int64{7 * mb, 0, 0}, []int64{4 * mb, 0, 0}, []int64{5 * mb, 0, 0}), pair(9 * mb), ""},
		{"all-to-all of unequal parts between nodes", 1, split([]int64{0, 4 * mb, mb}, []int64{mb, 0, 2 * mb}, []int64{3 * mb, 0, 0}), flow(4 * mb),
			"0>1:4000000 0>2:1000000 1>2:2000000 1>0:1000000 2>0:3000000"},
		{"all-to-all of unequal ranks, equal parts", 1, coll(workload.AllToAll, nil, 6*mb, 2*mb), flow(3 * mb), "0>1:3000000 1>0:1000000"},
		{"broadcast from rank 3", 1, coll(workload.Broadcast, &three, mb, mb, mb, mb), flow(mb), "3>0:1000000 0>1:1000000 1>2:1000000"},
		{"reduce to rank 0", 1, coll(workload.Reduce, new(int), mb, mb, mb), flow(mb), "1>2:1000000 2>0:1000000"},
		{"reduce to the last", 1, coll(workload.Reduce, nil, mb, mb, mb), flow(mb), "0>1:1000000 1>2:1000000"},
	} {
		g, w, err := play(t, cluster(4, c.per), Job{Name: "t", Ranks: len(c.ops), Ops: c.ops})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var flows []string
		for _, f := range w.flows {
			flows = append(flows, fmt.Sprintf("%d>%d:%d", f.Src, f.Dst, f.Bytes))
		}
		if got := g.Result().Makespans; !slices.Equal(got, []sim.Time{c.want}) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got := strings.Join(flows, " "); got != c.flows {
			t.Errorf("%s: flows %s, want %s", c.name, got, c.flows)
		}
	}
}

// TestRootsDisagree: ranks that name different roots are told apart.
func TestRootsDisagree(t *testing.T) {
	one := 1
	_, _, err := play(t, cluster(2, 1), Job{Name: "t", Ranks: 2, Ops: []Op{
		{Rank: 0, Kind: Collective, Collective: workload.Gather, Bytes: 8, Root: new(int)}, {Rank: 1, Kind: Collective, Collective: workload.Gather, Bytes: 8, Root: &one}}})
	if err == nil || !strings.Contains(err.Error(), "another root") {
		t.Errorf("got %v", err)
	}
}

// TestRendezvous: a message above Eager leaves when its receive begins, and
// its sender waits until then.
func TestRendezvous(t *testing.T) {
	ops := []Op{{Rank: 0, Kind: Send, Peer: 1, Bytes: 2 * mb}, {Rank: 1, Kind: Compute, Time: 300 * us}, {Rank: 1, Kind: Recv, Peer: 0, Bytes: 2 * mb, After: []int{1}}}
	msg := us + wireRate.TxTime(2*mb) // 201 us
	for _, c := range []struct {
		eager           int64
		span, senderEnd sim.Time
	}{
		{0, 300*us + msg, 300*us + msg},
		{2 * mb, 300 * us, msg},
		{2*mb - 1, 300*us + msg, 300*us + msg},
	} {
		g, _, err := play(t, cluster(2, 1), Job{Name: "t", Ranks: 2, Ops: ops, Eager: c.eager})
		if err != nil {
			t.Fatal(err)
		}
		r := g.Result()
		i := slices.IndexFunc(r.Timeline, func(s Span) bool { return s.Kind == "send" })
		if r.Makespans[0] != c.span || r.Timeline[i].End != c.senderEnd {
			t.Errorf("eager %d: %v, the send ends at %v; want %v and %v", c.eager, r.Makespans[0], r.Timeline[i].End, c.span, c.senderEnd)
		}
	}
	// A receive that was there first costs nothing.
	early := []Op{{Rank: 0, Kind: Compute, Time: 40 * us}, {Rank: 0, Kind: Send, Peer: 1, Bytes: 2 * mb, After: []int{0}}, {Rank: 1, Kind: Recv, Peer: 0, Bytes: 2 * mb}}
	if got, _ := makespan(t, cluster(2, 1), 2, early); got != 40*us+msg {
		t.Errorf("receive first: %v, want %v", got, 40*us+msg)
	}
}

// TestRendezvousDeadlock: two ranks that both send before they receive hang as
// they would in NCCL, and are told why; small messages pass.
func TestRendezvousDeadlock(t *testing.T) {
	exchange := func(bytes int64) []Op {
		return []Op{{Rank: 0, Kind: Send, Peer: 1, Bytes: bytes}, {Rank: 0, Kind: Recv, Peer: 1, Bytes: bytes, After: []int{0}},
			{Rank: 1, Kind: Send, Peer: 0, Bytes: bytes}, {Rank: 1, Kind: Recv, Peer: 0, Bytes: bytes, After: []int{2}}}
	}
	if got, _ := makespan(t, cluster(2, 1), 2, exchange(mb)); got != us+wireRate.TxTime(mb) {
		t.Errorf("1 MB each way: %v", got)
	}
	g, _, err := play(t, cluster(2, 1), Job{Name: "t", Ranks: 2, Ops: exchange(2 * mb)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"rank 0 waits in send (operation 0) of 2000000 B for a receive of rank 1, tag 0 (more than the 1048576 B that leave without one)",
		"rank 1 waits in send (operation 2) of 2000000 B for a receive of rank 0, tag 0 (more than the 1048576 B that leave without one)",
	}
	if got := g.Stuck(4); !slices.Equal(got, want) || !g.Result().Unfinished {
		t.Errorf("stuck %q, want %q", got, want)
	}
}
