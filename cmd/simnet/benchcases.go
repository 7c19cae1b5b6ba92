package main

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
)

// benchCase is one fixed network and set of flows. Cases never change: a
// figure means something only beside the same case's figure of another day.
type benchCase struct {
	name, what string
	fidelities []string // in which it is run by default; the first without -fidelity
	net        func() (*topo.Net, error)
	flows      func(hosts []fabric.NodeID) []fabric.Flow
	scenario   string // instead of net and flows: a shipped scenario
}

// caseNames are the names of cases.
func caseNames(cases []benchCase) []string {
	var names []string
	for _, k := range cases {
		names = append(names, k.name)
	}
	return names
}

// Sizes common to the cases: 100 Gbps links of 100 m (500 ns).
var (
	benchLink = topo.Cable{Rate: 100 * sim.Gbps, Delay: 500 * sim.Nanosecond}
)

const (
	kib      = 1 << 10
	benchMTU = 4096 // bytes of payload a packet
	mb       = 1_000_000
)

func benchCases() []benchCase {
	return []benchCase{
		{name: "star-incast", what: "32 hosts send 10 MB each to one, one switch", fidelities: []string{"packet"},
			net: star(33), flows: incast(10 * mb)},
		{name: "leafspine-64-permutation", what: "64 hosts, 8 leaves, 4 spines, 10 MB to a random other", fidelities: []string{"packet"},
			net: leafSpine64, flows: permutation(10 * mb)},
		{name: "fattree-1024-permutation", what: "k=16 fat-tree, 2 MB a host", fidelities: []string{"packet"},
			net: kAry(16, 1024), flows: permutation(2 * mb)},
		{name: "fattree-8192-permutation", what: "k=32 fat-tree, 2 MB a host", fidelities: []string{"packet"},
			net: kAry(32, 8192), flows: permutation(2 * mb)},
		{name: "fattree-8192-ring", what: "k=32 fat-tree, four neighbours of 256 KiB a host", fidelities: []string{"packet"},
			net: kAry(32, 8192), flows: ring(4, 256*kib)},
		{name: "fattree-1024-alltoall32", what: "k=16 fat-tree, all-to-all in groups of 32, 64 KiB a pair", fidelities: []string{"packet"},
			net: kAry(16, 1024), flows: allToAll(32, 64*kib)},
		{name: "flow-1024-ring4", what: "k=16 fat-tree, four neighbours of 256 KiB a host", fidelities: []string{"flow"},
			net: kAry(16, 1024), flows: ring(4, 256*kib)},
		{name: "flow-1024-alltoall32", what: "k=16 fat-tree, all-to-all in groups of 32, 64 KiB a pair", fidelities: []string{"flow"},
			net: kAry(16, 1024), flows: allToAll(32, 64*kib)},
		{name: "flow-8192-alltoall8", what: "k=32 fat-tree, all-to-all in groups of 8, 64 MB a pair", fidelities: []string{"flow"},
			net: kAry(32, 8192), flows: allToAll(8, 64*mb)},
		{name: "gpt3-256", what: "GPT-3 175B step, 256 GPUs", fidelities: []string{"flow", "hybrid"}, scenario: "gpt3-175b-256"},
		{name: "gpt3-1024", what: "GPT-3 175B step, 1,024 GPUs", fidelities: []string{"flow", "hybrid"}, scenario: "gpt3-175b-1024"},
		{name: "gpt3-10240", what: "GPT-3 175B step, 10,240 GPUs", fidelities: []string{"flow", "hybrid"}, scenario: "gpt3-175b-10240"},
	}
}

func star(n int) func() (*topo.Net, error) {
	return func() (*topo.Net, error) { return topo.Star{Base: benchBase(n)}.Build() }
}

func kAry(k, hosts int) func() (*topo.Net, error) {
	return func() (*topo.Net, error) { return topo.KAry{Base: benchBase(hosts), K: k}.Build() }
}

func leafSpine64() (*topo.Net, error) {
	return topo.LeafSpine{Base: benchBase(64), NodesPerLeaf: 8, Spines: 4}.Build()
}

func benchBase(hosts int) topo.Base {
	return topo.Base{Hosts: topo.Hosts{Nodes: hosts, NICs: 1}, Link: benchLink}
}

func incast(bytes int64) func([]fabric.NodeID) []fabric.Flow {
	return func(h []fabric.NodeID) []fabric.Flow {
		var f []fabric.Flow
		for _, s := range h[1:] {
			f = append(f, benchFlow(s, h[0], bytes))
		}
		return f
	}
}

// permutation sends from each host to one other, chosen by a fixed seed, with
// no host sending to itself.
func permutation(bytes int64) func([]fabric.NodeID) []fabric.Flow {
	return func(h []fabric.NodeID) []fabric.Flow {
		p := sim.Stream(1, fmt.Sprint("permutation", len(h))).Perm(len(h))
		f := make([]fabric.Flow, len(h))
		for i, s := range p { // a random cycle: a derangement by construction
			f[i] = benchFlow(h[s], h[p[(i+1)%len(p)]], bytes)
		}
		return f
	}
}

func ring(neighbours int, bytes int64) func([]fabric.NodeID) []fabric.Flow {
	return func(h []fabric.NodeID) []fabric.Flow {
		var f []fabric.Flow
		for i := range h {
			for d := 1; d <= neighbours; d++ {
				f = append(f, benchFlow(h[i], h[(i+d)%len(h)], bytes))
			}
		}
		return f
	}
}

func allToAll(group int, bytes int64) func([]fabric.NodeID) []fabric.Flow {
	return func(h []fabric.NodeID) []fabric.Flow {
		var f []fabric.Flow
		for i := range h {
			base := i / group * group
			for d := 1; d < group; d++ {
				f = append(f, benchFlow(h[i], h[base+(i-base+d)%group], bytes))
			}
		}
		return f
	}
}

func benchFlow(src, dst fabric.NodeID, bytes int64) fabric.Flow {
	return fabric.Flow{Src: src, Dst: dst, Bytes: bytes, Job: "bench", Label: "bench"}
}
