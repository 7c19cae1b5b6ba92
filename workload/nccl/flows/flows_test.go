package flows

import (
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/flow"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl"
)

// net is nodes with NICs of 400 Gb/s on one switch, 500 ns away.
type net struct {
	g      *fabric.Graph
	routes *fabric.Routes
	nics   []fabric.NodeID // of every GPU, one each
}

const hop = 500 * sim.Nanosecond

var framing = fabric.RoCEv2(4096)

func star(nodes, gpus int) net {
	n := net{g: &fabric.Graph{}}
	sw := n.g.AddNode(fabric.Node{Name: "switch", Kind: fabric.Switch})
	for i := range nodes * gpus {
		h := n.g.AddNode(fabric.Node{Name: fmt.Sprint("nic", i), Kind: fabric.NIC})
		n.g.AddLink(h, sw, 400*sim.Gbps, hop)
		n.nics = append(n.nics, h)
	}
	n.g.Freeze()
	n.routes = fabric.NewRoutes(n.g, fabric.RouteOptions{})
	return n
}

func planner(t interface{ Fatal(...any) }, n net, nodes, gpus int, vars map[string]string) *Planner {
	env, _, err := nccl.ParseEnv(vars)
	if err != nil {
		t.Fatal(err)
	}
	s := nccl.Shape{Nodes: nodes, GPUsPerNode: gpus, Arch: nccl.SM90, NVLS: gpus > 1, NICsPerNode: gpus, NICGBs: 50}
	m, err := nccl.NewModel(s, 0, env)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(m, n.nics, Options{Routes: n.routes, Framing: framing})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run moves flows and returns when the last has arrived.
func run(t interface{ Fatal(...any) }, n net, engine string, fs []fabric.Flow) sim.Time {
	k := sim.NewKernel()
	var e fabric.Simulator
	var err error
	if engine == "packet" {
		c := packet.DefaultConfig()
		c.Framing, c.CC.Algorithm = framing, packet.None
		e, err = packet.New(k, n.g, n.routes, c)
	} else {
		e, err = flow.New(k, n.g, n.routes, flow.Config{Framing: framing})
	}
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	done := sim.NewEvent(len(fs))
	for i := range fs {
		fs[i].Done = done
	}
	e.StartGroup(fs)
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	if !done.Fired() {
		t.Fatal("the flows never arrive")
	}
	return done.At()
}

// NCCL's double binary trees: each a tree of all ranks, of logarithmic depth,
// with at most two children; an inner rank of one is a leaf of the other where
// n is even, and but for one rank where it is odd.
func TestParentsFormDoubleBinaryTrees(t *testing.T) {
	for n := 1; n <= 300; n++ {
		var inner [2][]bool
		for tree := range 2 {
			p := Parents(n, tree)
			children := make([]int, n)
			roots := 0
			for r := range p {
				if p[r] < 0 {
					roots++
				} else {
					children[p[r]]++
				}
			}
			if d := Depth(p); roots != 1 || d > bits.Len(uint(n)) {
				t.Fatalf("%d ranks, tree %d: %d roots, depth %d", n, tree, roots, d)
			}
			inner[tree] = make([]bool, n)
			for r, c := range children {
				if c > 2 {
					t.Fatalf("%d ranks, tree %d: rank %d has %d children", n, tree, r, c)
				}
				inner[tree][r] = c > 0
			}
		}
		both := 0
		for r := range n {
			if inner[0][r] && inner[1][r] {
				both++
			}
		}
		if n > 2 && both > 1+n%2 {
			t.Fatalf("%d ranks: %d are inner in both trees", n, both)
		}
	}
	// src/graph/trees.cc draws the one of 14 ranks.
	want := []int{-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12}
	if got := Parents(14, 0); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("14 ranks: %v, want %v", got, want)
	}
}

// Along the flows of a tree every rank's part reaches the root, and what the
// root has every rank.
func TestTreeFlowsCarryEveryRankToEveryRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "ranks")
		fs := TreeFlows(Parents(n, rapid.IntRange(0, 1).Draw(t, "tree")))
		if len(fs) != 2*(n-1) {
			t.Fatalf("%d flows", len(fs))
		}
		carried := make([]map[int]bool, len(fs)) // parts of which ranks a flow carries
		var carry func(i int) map[int]bool
		carry = func(i int) map[int]bool {
			if carried[i] == nil {
				carried[i] = map[int]bool{fs[i].From: true}
				for _, u := range fs[i].Upstream {
					if fs[u].To != fs[i].From {
						t.Fatalf("flow %d from %d waits for one to %d", i, fs[i].From, fs[u].To)
					}
					for r := range carry(u) {
						carried[i][r] = true
					}
				}
			}
			return carried[i]
		}
		whole := map[int]bool{}
		for i := range fs {
			if len(carry(i)) == n || len(carry(i)) == n-1 && i >= n-1 {
				whole[fs[i].To] = true
			}
		}
		// The root's own part joins what it has received.
		for i := n - 1; i < len(fs); i++ {
			if len(carry(i)) != n {
				t.Fatalf("flow %d down to %d carries %d of %d parts", i, fs[i].To, len(carry(i)), n)
			}
		}
		if len(whole) != n-1 {
			t.Fatalf("%d of %d ranks get all", len(whole), n-1)
		}
	})
}

// Whatever is planned: every node sends and receives what the operation asks of
// it, upstreams lead where their relays begin, and no flow stays in its node.
func TestPlansMoveEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, gpus := rapid.IntRange(2, 9).Draw(t, "nodes"), rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "gpus")
		op := nccl.Collective(rapid.IntRange(0, int(nccl.SendRecv)).Draw(t, "op"))
		bytes := rapid.Int64Range(1, 1<<32).Draw(t, "bytes")
		vars := map[string]string{}
		if op == nccl.AllReduce {
			vars["NCCL_ALGO"] = "allreduce:" + rapid.SampledFrom([]string{"Ring", "Tree"}).Draw(t, "algo")
		}
		for _, v := range []struct {
			name string
			of   []string
		}{{"NCCL_PROTO", []string{"Simple", "LL", "LL128"}}, {"NCCL_IB_QPS_PER_CONNECTION", []string{"1", "4"}}, {"NCCL_CROSS_NIC", []string{"0", "1", "2"}},
			{"NCCL_PXN_DISABLE", []string{"0", "1"}}, {"NCCL_MAX_NCHANNELS", []string{"1", "3", "16"}}} {
			if rapid.Bool().Draw(t, "sets "+v.name) {
				vars[v.name] = rapid.SampledFrom(v.of).Draw(t, v.name)
			}
		}
		n := star(nodes, gpus)
		p := planner(t, n, nodes, gpus, vars)
		ch := p.m.Choose(op, bytes)
		pl, err := p.Plan(op, bytes, ch)
		if err != nil {
			t.Fatal(err)
		}
		node := func(nic fabric.NodeID) int { return (int(nic) - 1) / gpus }
		sent, got := make([]int64, nodes), make([]int64, nodes)
		for i, f := range pl.Flows {
			if node(f.Src) == node(f.Dst) || f.Bytes < 1 || f.Lag > 0 && f.Slice > f.Lag && pl.Choice.Algo != nccl.PAT {
				t.Fatalf("flow %d: %+v", i, f)
			}
			for _, u := range f.Upstream {
				if up := pl.Flows[u]; node(up.Dst) != node(f.Src) {
					t.Fatalf("flow %d from node %d waits for one to node %d", i, node(f.Src), node(up.Dst))
				}
			}
			sent[node(f.Src)] += f.Bytes
			got[node(f.Dst)] += f.Bytes
		}
		var total int64
		for i := range nodes {
			total += sent[i]
		}
		wire := float64(bytes)
		if ch.Algo != nccl.P2P {
			wire = float64(ch.Proto.WireBytes(bytes))
		}
		ranks, m, g := float64(nodes*gpus), float64(nodes), float64(gpus)
		var want float64 // of all nodes together
		switch {
		case op == nccl.AllReduce && ch.Algo == nccl.Ring:
			want = m * 2 * (ranks - 1) / ranks * wire
		case op == nccl.AllReduce:
			want = 2 * (m - 1) * wire
		case ch.Algo == nccl.PAT: // one GPU a node
			want = (m - 1) * wire
		case op == nccl.AllGather || op == nccl.ReduceScatter:
			want = m * (ranks - 1) / ranks * wire
		case op == nccl.AllToAll:
			want = m * (m - 1) * g * g * float64(bytes/int64(nodes*gpus))
		case op == nccl.SendRecv:
			want = m * wire
		default:
			want = (m - 1) * wire
		}
		// Shares of channels are rounded up to bytes, and of LL128 to lines.
		if round := float64(4 * (len(pl.Flows) + 1)); float64(total) < want-round || float64(total) > want+round+want*1e-9+2*ranks*float64(len(pl.Flows)) {
			t.Fatalf("%s of %d B by %s: %d B sent, want %.0f", op, bytes, ch, total, want)
		}
		if bytes < 1<<24 {
			run(t, n, "flow", pl.Flows)
		}
		if bytes < 1<<18 {
			run(t, n, "packet", pl.Flows)
		}
	})
}

// A ring of n nodes takes 2(n-1)/n S/B, and one hop for its last byte; a tree
// takes S/B by its busiest NIC, and two hops a level with a slice each.
func TestClosedForms(t *testing.T) {
	for _, nodes := range []int{2, 4, 8, 16} {
		n := star(nodes, 1)
		pipe := 2*hop + 2*(400*sim.Gbps).TxTime(4096+82)
		for _, c := range []struct {
			algo string
			time func(pl *Plan, bytes int64) sim.Time
		}{
			{"Ring", func(pl *Plan, s int64) sim.Time {
				rate := pl.Flows[0].MaxRate * sim.Rate(pl.Choice.Channels)
				return rate.TxTime(framing.WireBytes(2*int64(nodes-1)*s/int64(nodes))) + pipe
			}},
			{"Tree", func(pl *Plan, s int64) sim.Time {
				rate := pl.Flows[0].MaxRate // each edge one flow, S over channels and trees
				slice := rate.TxTime(framing.WireBytes(pl.Flows[0].Slice))
				levels := 2*Depth(Parents(nodes, 0)) - 1
				return rate.TxTime(framing.WireBytes(pl.Flows[0].Bytes)) + pipe + sim.Time(levels)*(pipe+slice)
			}},
		} {
			for _, s := range []int64{64 << 20, 1 << 30} {
				p := planner(t, n, nodes, 1, map[string]string{"NCCL_ALGO": "allreduce:" + c.algo, "NCCL_PROTO": "Simple"})
				pl, err := p.Plan(nccl.AllReduce, s, p.m.Choose(nccl.AllReduce, s))
				if err != nil {
					t.Fatal(err)
				}
				for _, engine := range []string{"flow", "packet"} {
					if engine == "packet" && (s > 64<<20 || nodes > 4) {
						continue
					}
					got := run(t, n, engine, pl.Flows) - pl.Lead
					want := c.time(pl, s)
					if r := float64(got) / float64(want); r < .99 || r > 1.01 {
						t.Errorf("%s of %d MiB over %d nodes by %s: %v, want %v", c.algo, s>>20, nodes, engine, got, want)
					}
					// In a deep tree whose edges are capped at their share of the NIC
					// the first chunks take longer than the cost model has for them.
					if total := float64(got+pl.Lead) / float64(pl.Parts.Total()); total < .99 || total > 1.06 {
						t.Errorf("%s of %d MiB over %d nodes by %s: %.3f of the cost model's time", c.algo, s>>20, nodes, engine, total)
					}
				}
			}
		}
	}
}

// A small ring does not wait for itself: its slices are no longer than its lag,
// and no queue pair is left without a byte.
func TestSmallRingsMove(t *testing.T) {
	n := star(5, 1)
	for _, bytes := range []int64{1, 7, 100, 5000, 100000} {
		for _, qps := range []string{"1", "3", "8"} {
			p := planner(t, n, 5, 1, map[string]string{"NCCL_ALGO": "Ring", "NCCL_IB_QPS_PER_CONNECTION": qps, "NCCL_IB_SPLIT_DATA_ON_QPS": "1"})
			pl, err := p.Plan(nccl.AllReduce, bytes, p.m.Choose(nccl.AllReduce, bytes))
			if err != nil {
				t.Fatal(err)
			}
			for _, engine := range []string{"flow", "packet"} {
				if got := run(t, n, engine, pl.Flows); got < pl.Lead {
					t.Errorf("%d B over %s queue pairs: %v", bytes, qps, got)
				}
			}
		}
	}
}
