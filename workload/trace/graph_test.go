package trace

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

const us = sim.Microsecond

// wire is a network on which every flow takes its delay, 1 us, and its bytes at
// 10 GB/s, whatever else moves.
type wire struct {
	k     *sim.Kernel
	flows []fabric.Flow
}

const wireRate = 80 * sim.Gbps

func (w *wire) StartGroup(flows []fabric.Flow) []fabric.FlowID {
	ids := make([]fabric.FlowID, len(flows))
	for i, f := range flows {
		ids[i] = fabric.FlowID(len(w.flows))
		w.flows = append(w.flows, f)
		w.k.After(f.Delay+us+wireRate.TxTime(f.Bytes), func() { f.Done.Arrive(w.k) })
	}
	return ids
}

func (w *wire) SetLink(fabric.LinkID, fabric.LinkState) {}

// cluster is n GPUs, per an island and node, each with a NIC of its own:
// 100 GB/s and 2 us inside, no host overhead.
func cluster(n, per int) *workload.Cluster {
	c := &workload.Cluster{
		Types:   []workload.GPUType{{Name: "gpu", MemoryBW: 8000 * sim.Gbps, Efficiency: 1}},
		Scaleup: workload.Scaleup{Alpha: 2 * us, BusBW: 800 * sim.Gbps, P2P: 800 * sim.Gbps},
	}
	for i := range n {
		c.GPUs = append(c.GPUs, workload.GPU{Node: int32(i / per), Local: int16(i % per), Island: int32(i / per), NIC: fabric.NodeID(i)})
	}
	return c
}

// play runs j on c and returns the player and the network.
func play(t testing.TB, c *workload.Cluster, j Job) (*Graph, *wire, error) {
	t.Helper()
	k := sim.NewKernel()
	w := &wire{k: k}
	g, err := New(k, w, c, j)
	if err != nil {
		t.Fatal(err)
	}
	g.Start()
	return g, w, k.Run()
}

func makespan(t testing.TB, c *workload.Cluster, ranks int, ops []Op) (sim.Time, Result) {
	t.Helper()
	g, _, err := play(t, c, Job{Name: "t", Ranks: ranks, Ops: ops})
	if err != nil {
		t.Fatal(err)
	}
	r := g.Result()
	if r.Unfinished || len(r.Makespans) != 1 {
		t.Fatalf("unfinished: %v", g.Stuck(4))
	}
	if got := r.Breakdown.Total(); got != r.Makespans[0] {
		t.Errorf("breakdown adds up to %v, makespan is %v", got, r.Makespans[0])
	}
	return r.Makespans[0], r
}

// TestClosedForms: small graphs take what pencil and paper say.
func TestClosedForms(t *testing.T) {
	msg := us + wireRate.TxTime(10_000) // 2 us
	local := 2*us + (800 * sim.Gbps).TxTime(10_000)
	const s = 8_000_000
	coll := func(op workload.Collective, bytes int64, ranks int) []Op {
		var ops []Op
		for r := range ranks {
			ops = append(ops, Op{Rank: r, Kind: Collective, Collective: op, Bytes: bytes})
		}
		return ops
	}
	bus := func(bytes int64) sim.Time { return (800 * sim.Gbps).TxTime(bytes) }
	for _, c := range []struct {
		name  string
		per   int // GPUs a node
		ranks int
		ops   []Op
		want  sim.Time
	}{
		{"one stream runs one computation at a time", 1, 1, []Op{{Kind: Compute, Time: 3 * us}, {Kind: Compute, Time: 4 * us}}, 7 * us},
		{"two streams run beside one another", 1, 1, []Op{{Kind: Compute, Time: 3 * us}, {Kind: Compute, Time: 4 * us, Stream: 1}}, 4 * us},
		{"after waits for the end", 1, 1, []Op{{Kind: Compute, Time: 3 * us}, {Kind: Compute, Time: 4 * us, Stream: 1, After: []int{0}}}, 7 * us},
		{"after_start waits for the beginning", 1, 1, []Op{{Kind: Compute, Time: 3 * us}, {Kind: Compute, Time: 5 * us},
			{Kind: Compute, Time: 4 * us, Stream: 1, AfterStart: []int{1}}}, 8 * us},
		{"memory at the rate of HBM", 1, 1, []Op{{Kind: Memory, Bytes: 1_000_000}}, us},
		{"a message between nodes", 1, 2, []Op{{Rank: 0, Kind: Send, Peer: 1, Bytes: 10_000}, {Rank: 1, Kind: Recv, Peer: 0, Bytes: 10_000}}, msg},
		{"a message inside a node", 2, 2, []Op{{Rank: 0, Kind: Send, Peer: 1, Bytes: 10_000}, {Rank: 1, Kind: Recv, Peer: 0, Bytes: 10_000}}, local},
		{"a message to oneself is a copy", 1, 1, []Op{{Kind: Send, Peer: 0, Bytes: 500_000}, {Kind: Recv, Peer: 0, Bytes: 500_000}}, us},
		{"a late receive ends when it begins", 1, 2, []Op{{Rank: 0, Kind: Send, Peer: 1, Bytes: 10_000}, {Rank: 1, Kind: Compute, Time: 9 * us},
			{Rank: 1, Kind: Recv, Peer: 0, Bytes: 10_000, After: []int{1}}}, 9 * us},
		{"ping-pong", 1, 2, []Op{{Rank: 0, Kind: Send, Peer: 1, Bytes: 10_000}, {Rank: 1, Kind: Recv, Peer: 0, Bytes: 10_000},
			{Rank: 1, Kind: Send, Peer: 0, Bytes: 10_000, After: []int{1}}, {Rank: 0, Kind: Recv, Peer: 1, Bytes: 10_000}}, 2 * msg},
		{"all-reduce in an island", 4, 4, coll(workload.AllReduce, s, 4), 6*2*us + bus(s*6/4)},
		{"all-gather in an island, bytes of one input", 4, 4, coll(workload.AllGather, s/4, 4), 3*2*us + bus(s*3/4)},
		{"reduce-scatter in an island", 4, 4, coll(workload.ReduceScatter, s, 4), 3*2*us + bus(s*3/4)},
		{"all-to-all in an island", 4, 4, coll(workload.AllToAll, s, 4), 2*us + bus(s*3/4)},
		{"broadcast in an island", 4, 4, coll(workload.Broadcast, s, 4), 3*2*us + bus(s)},
		{"all-reduce between nodes", 1, 4, coll(workload.AllReduce, s, 4), us + wireRate.TxTime(s*6/4)},
		{"all-to-all between nodes", 1, 4, coll(workload.AllToAll, s, 4), us + wireRate.TxTime(s/4)},
		{"one rank alone", 1, 1, coll(workload.AllReduce, s, 1), 0},
	} {
		if got, _ := makespan(t, cluster(c.ranks, c.per), c.ranks, c.ops); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestBreakdown: a rank that computes 6 us while 2 us of a message pass, and
// its peer that waits.
func TestBreakdown(t *testing.T) {
	_, r := makespan(t, cluster(2, 1), 2, []Op{
		{Rank: 0, Kind: Compute, Time: 6 * us}, {Rank: 0, Kind: Send, Peer: 1, Bytes: 10_000}, {Rank: 1, Kind: Recv, Peer: 0, Bytes: 10_000},
	})
	if b := r.Breakdown; b.Compute != 3*us || b.Comm != us || b.Idle != 2*us || r.Overlapped != us {
		t.Errorf("mean over ranks: %+v, overlapped %v", b, r.Overlapped)
	}
	if fmt.Sprint(r.Timeline) != "[{0 send send (operation 1) 0ps 2us} {1 recv recv (operation 2) 0ps 2us} {0 compute compute (operation 0) 0ps 6us}]" {
		t.Errorf("timeline %v", r.Timeline)
	}
	if r.Messages != 1 || r.Bytes != 10_000 {
		t.Errorf("%d messages, %d bytes", r.Messages, r.Bytes)
	}
}

// TestRing: a ring all-reduce written out as messages over four nodes takes
// 2(n-1) messages of S/n one after the other.
func TestRing(t *testing.T) {
	const n, share = 4, 10_000
	var ops []Op
	last := make([]int, n)
	for step := range 2 * (n - 1) {
		for r := range n {
			var after []int
			if step > 0 {
				after = []int{last[r]}
			}
			ops = append(ops, Op{Rank: r, Kind: Send, Peer: (r + 1) % n, Bytes: share, Tag: int64(step), After: after})
		}
		for r := range n {
			ops = append(ops, Op{Rank: r, Kind: Recv, Peer: (r + n - 1) % n, Bytes: share, Tag: int64(step)})
			last[r] = len(ops) - 1
		}
	}
	if got, want := first(makespan(t, cluster(n, 1), n, ops)), 6*2*us; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func first(d sim.Time, _ Result) sim.Time { return d }

// TestMatching: who gets which message, told by how long it takes.
func TestMatching(t *testing.T) {
	big, small := Op{Rank: 0, Kind: Send, Peer: 1, Bytes: 100_000}, Op{Rank: 0, Kind: Send, Peer: 1, Bytes: 10_000}
	tagged := func(o Op, tag int64) Op { o.Tag = tag; return o }
	recv := func(peer int, tag int64) Op { return Op{Rank: 1, Kind: Recv, Peer: peer, Tag: tag, Bytes: 100_000} }
	after := func(o Op, i int) Op { o.After = []int{i}; return o }
	work := Op{Rank: 1, Kind: Compute, Time: 50 * us}
	for _, c := range []struct {
		name string
		ops  []Op // the last is a computation after one receive
		want sim.Time
	}{
		{"messages do not overtake one another", []Op{big, small, recv(0, 0), recv(0, 0), after(work, 2)}, 61 * us},
		{"nor for any rank", []Op{big, small, recv(Any, Any), recv(Any, Any), after(work, 2)}, 61 * us},
		{"the tag decides", []Op{tagged(big, 1), tagged(small, 2), recv(0, 2), recv(0, 1), after(work, 2)}, 52 * us},
		{"any tag takes the first", []Op{tagged(big, 1), tagged(small, 2), recv(0, Any), recv(0, 2), after(work, 2)}, 61 * us},
	} {
		if got, _ := makespan(t, cluster(2, 1), 2, c.ops); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestStuck: what never comes is named with rank and label.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		name  string
		ranks int
		ops   []Op
		want  string
	}{
		{"a message nobody sends", 2, []Op{{Rank: 1, Name: "r1", Kind: Recv, Peer: 0, Bytes: 8, Tag: 3}},
			"rank 1 waits in recv r1 for 8 B from rank 0, tag 3: no send matches"},
		{"another tag", 2, []Op{{Rank: 0, Name: "s", Kind: Send, Peer: 1, Bytes: 8, Tag: 4}, {Rank: 1, Name: "r", Kind: Recv, Peer: Any, Bytes: 8, Tag: 3}},
			"rank 1 waits in recv r for 8 B from any rank, tag 3: no send matches (rank 0 has sent send s with tag 4)"},
		{"each waits for the other", 2, []Op{
			{Rank: 0, Name: "r0", Kind: Recv, Peer: 1}, {Rank: 0, Name: "s0", Kind: Send, Peer: 1, After: []int{0}},
			{Rank: 1, Name: "r1", Kind: Recv, Peer: 0}, {Rank: 1, Name: "s1", Kind: Send, Peer: 0, After: []int{2}}},
			"rank 0 waits in recv r0 for 0 B from rank 1, tag 0: no send matches (send s1 of rank 1 would, but waits itself)|" +
				"rank 1 waits in recv r1 for 0 B from rank 0, tag 0: no send matches (send s0 of rank 0 would, but waits itself)"},
		{"a collective that one rank leaves out", 3, []Op{
			{Rank: 0, Kind: Collective, Collective: workload.AllReduce, Bytes: 8}, {Rank: 1, Name: "ar", Kind: Collective, Collective: workload.AllReduce, Bytes: 8}},
			"rank 0 waits in all_reduce (operation 0) of group all ranks: rank 2 has issued 0 of its collectives, it 1|" +
				"rank 1 waits in all_reduce ar of group all ranks: rank 2 has issued 0 of its collectives, it 1"},
	} {
		g, _, err := play(t, cluster(c.ranks, 1), Job{Name: "t", Ranks: c.ranks, Ops: c.ops})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := strings.Join(g.Stuck(9), "|"); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		if !g.Result().Unfinished {
			t.Errorf("%s: counts as finished", c.name)
		}
	}
}

// TestDisagree: members of a group must issue the same collectives.
func TestDisagree(t *testing.T) {
	_, _, err := play(t, cluster(2, 1), Job{Name: "t", Ranks: 2, Ops: []Op{
		{Rank: 0, Kind: Collective, Collective: workload.AllReduce, Bytes: 8, Group: "g"},
		{Rank: 1, Name: "x", Kind: Collective, Collective: workload.AllGather, Bytes: 8, Group: "g"},
	}})
	if want := "job t: rank 1, all_gather x, issues all_gather of 16 B where others of its group have all_reduce of 8 B"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestInvalid holds the messages of operations that cannot be.
func TestInvalid(t *testing.T) {
	one := 1
	for _, c := range []struct {
		op   Op
		want string
	}{
		{Op{Rank: 2, Kind: Compute}, "operation 0: rank 2 does not exist, there are 2, counted from 0"},
		{Op{Kind: Send, Peer: Any, Name: "s"}, "operation 0: send s goes to any rank; only a recv may leave the other end open"},
		{Op{Kind: Recv, Peer: 7, Name: "r"}, "operation 0: recv r names rank 7, there are 2, counted from 0"},
		{Op{Kind: "jump"}, `operation 0: kind "jump" is not known`},
		{Op{Kind: Compute, Time: -1}, "operation 0: compute (operation 0) has a negative time, size, stream, NIC or tag"},
		{Op{Kind: Compute, After: []int{5}}, "operation 0: compute (operation 0) comes after operation 5, which does not exist"},
		{Op{Kind: Compute, Name: "c", AfterStart: []int{0}}, "operation 0: compute c waits for itself: what it comes after forms a cycle"},
		{Op{Kind: Collective, Collective: "scan"}, `operation 0: collective "scan" is not played, only all_reduce, reduce_scatter, all_gather, all_to_all, broadcast, reduce, gather, scatter, barrier`},
		{Op{Kind: Collective, Collective: workload.AllReduce, Root: new(int), Name: "c"}, "operation 0: all_reduce c has a root; only broadcast, reduce, gather and scatter do"},
		{Op{Kind: Collective, Collective: workload.Gather, Group: "g", Root: &one, Name: "c"}, "operation 0: gather c has root 1, which is not in its group"},
		{Op{Kind: Collective, Collective: workload.Gather, Bytes: 8, Split: []int64{8}, Name: "c"}, "operation 0: gather c is split by rank; only all_to_all is"},
		{Op{Kind: Collective, Collective: workload.AllToAll, Bytes: 8, Split: []int64{8, 1}, Name: "c"}, "operation 0: all_to_all c is split into parts of 9 B in all, but has 8"},
		{Op{Kind: Collective, Collective: workload.AllToAll, Bytes: 8, Split: []int64{8}, Name: "c"}, "operation 0: all_to_all c is split over 1 ranks, its group has 2"},
	} {
		k := sim.NewKernel()
		if _, err := New(k, &wire{k: k}, cluster(2, 1), Job{Ranks: 2, Ops: []Op{c.op}}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestLongestPath: computations on streams of their own take the longest path
// of a random graph.
func TestLongestPath(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "n")
		ops := make([]Op, n)
		end := make([]sim.Time, n)
		var want sim.Time
		for i := range ops {
			ops[i] = Op{Rank: rapid.IntRange(0, 2).Draw(rt, "rank"), Kind: Compute, Stream: i, Time: sim.Time(rapid.IntRange(0, 9).Draw(rt, "time")) * us}
			var begin sim.Time
			for d := range i {
				switch rapid.IntRange(0, 5).Draw(rt, "edge") {
				case 0:
					ops[i].After = append(ops[i].After, d)
					begin = max(begin, end[d])
				case 1:
					ops[i].AfterStart = append(ops[i].AfterStart, d)
					begin = max(begin, end[d]-ops[d].Time)
				}
			}
			end[i] = begin + ops[i].Time
			want = max(want, end[i])
		}
		g, _, err := play(t, cluster(3, 1), Job{Ranks: 3, Ops: ops, Repeat: 2})
		if err != nil {
			rt.Fatal(err)
		}
		if got := fmt.Sprint(g.Result().Makespans); got != fmt.Sprint([]sim.Time{want, want}) {
			rt.Fatalf("%s, want twice %v", got, want)
		}
	})
}
