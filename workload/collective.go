package workload

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// collKind is a collective operation.
type collKind uint8

const (
	allReduce collKind = iota
	reduceScatter
	allGather
)

// passes is how often a ring carries the whole payload, in units of (n-1)/n.
func (k collKind) passes() int64 {
	if k == allReduce {
		return 2
	}
	return 1
}

// time returns what a ring over n ranks of one island takes for s bytes (the
// whole buffer: the input of a reduce-scatter, the output of an all-gather).
func (su *Scaleup) time(k collKind, n int, s int64) sim.Time {
	if n <= 1 || s == 0 {
		return 0
	}
	rate := su.busBW()
	if n == 2 && su.P2P < rate { // no more links than one pair has
		rate = su.p2p()
	}
	steps := k.passes() * int64(n-1)
	return su.alpha(steps) + rate.TxTime(s*steps/int64(n))
}

// send returns what one message of s bytes takes.
func (su *Scaleup) send(s int64) sim.Time { return su.alpha(1) + su.p2p().TxTime(s) }

// groupPlan is how the collectives of one group of ranks move.
//
// A group inside one domain is local and takes α-β time. Otherwise the ring
// visits domain after domain; where a domain holds several ranks it has as many
// channels as it has NICs, each leaving by a NIC of its own (as NCCL builds its
// rings), so that each rail carries its share of the bytes.
type groupPlan struct {
	n      int
	local  *Scaleup
	rails  [][]fabric.NodeID // by rail: the NIC of each domain, in ring order
	inner  int               // ranks a domain (the smallest); 1 if every rank stands alone
	inside *Scaleup          // communication inside a domain; nil when inner == 1
}

// plan lays out a group given by GPUs, in ring order.
func (t *Training) plan(gpus []int) groupPlan {
	c := t.c
	pl := groupPlan{n: len(gpus), inner: len(gpus)}
	sameIsland := true
	type block struct {
		nics  []fabric.NodeID
		ranks int
	}
	var blocks []block
	index := map[int32]int{}
	for _, g := range gpus {
		d := t.domain[g]
		b, ok := index[d]
		if !ok {
			b = len(blocks)
			index[d] = b
			blocks = append(blocks, block{})
		}
		bl := &blocks[b]
		bl.ranks++
		fresh := true
		for _, n := range bl.nics {
			fresh = fresh && n != c.GPUs[g].NIC
		}
		if fresh {
			bl.nics = append(bl.nics, c.GPUs[g].NIC)
		}
	}
	for _, g := range gpus {
		for _, o := range gpus[:1] {
			if t.domain[g] == t.domain[o] && c.GPUs[g].Island != c.GPUs[o].Island {
				sameIsland = false
			}
		}
	}
	pl.inside = &c.Scaleup
	if !sameIsland {
		pl.inside = &c.CrossIsland
	}
	if len(blocks) == 1 {
		pl.local = t.direct(gpus, pl.inside)
		return pl
	}
	rails := len(blocks[0].nics)
	for _, b := range blocks {
		rails = min(rails, len(b.nics))
		pl.inner = min(pl.inner, b.ranks)
	}
	for r := range rails {
		ring := make([]fabric.NodeID, len(blocks))
		for i, b := range blocks {
			ring[i] = b.nics[r]
		}
		pl.rails = append(pl.rails, ring)
	}
	return pl
}

// direct returns the communication inside a group of one domain: su, or what
// the direct links between just these GPUs give.
func (t *Training) direct(gpus []int, su *Scaleup) *Scaleup {
	c := t.c
	if c.GroupBusBW == nil || len(gpus) < 2 {
		return su
	}
	local := make([]int, len(gpus))
	for i, g := range gpus {
		if c.GPUs[g].Node != c.GPUs[gpus[0]].Node {
			return su
		}
		local[i] = int(c.GPUs[g].Local)
	}
	bw := c.GroupBusBW(local)
	return &Scaleup{Alpha: su.Alpha, BusBW: bw, P2P: max(su.P2P, bw), Use: su.Use}
}

// time returns how long the part of a collective takes that stays inside the
// domains: all of it for a local group, the first or last phase of a
// hierarchical one.
func (pl *groupPlan) insideTime(k collKind, s int64) sim.Time {
	return pl.inside.time(k, pl.inner, s)
}

// ring appends the relay flows of one collective of s bytes to buf and returns
// it. Flow indices in Upstream count from the start of buf. The ring passes all
// ranks, or with hierarchical one share of each domain's.
func (t *Training) ring(buf []fabric.Flow, pl *groupPlan, k collKind, s int64, hierarchical bool, label string, done *sim.Event) []fabric.Flow {
	m, rails := int64(len(pl.rails[0])), int64(len(pl.rails))
	share := ceilDiv(s, rails)
	n := int64(pl.n)
	limit := t.j.Transport.MaxRate
	if hierarchical {
		n = m
	} else if pl.inner > 1 { // the same bytes pass every NVLink hop of the node
		limit = minRate(limit, pl.inside.busBW()/sim.Rate(rails))
	}
	delay := t.c.HostOverhead
	if n > m { // the hops of the ring that stay inside domains
		delay += pl.inside.alpha(k.passes() * (n - m))
	}
	bytes := max(1, ceilDiv(k.passes()*(n-1)*share, n))
	lag := max(1, ceilDiv(share, m))
	for _, ring := range pl.rails {
		base := len(buf)
		for i, src := range ring {
			f := t.flow(src, ring[(i+1)%len(ring)], bytes, label, done)
			f.Upstream = t.upstream(base + (i+len(ring)-1)%len(ring))
			f.Lag = lag
			f.Slice = t.j.Transport.slice(lag)
			f.MaxRate = limit
			f.Delay = delay
			buf = append(buf, f)
		}
	}
	return buf
}

// slice returns the granule of a relay that may be lag bytes ahead: NCCL cuts
// its chunks to a rank's share of the buffer, and a chunk is two slices
// (src/device/all_reduce.h, runRing). A larger one would wait for itself.
func (tr *Transport) slice(lag int64) int64 {
	if tr.Slice == 0 {
		return 0
	}
	return max(1, min(tr.Slice, lag/2))
}

// upstream returns a one-element slice from a block, which is cheaper than an
// allocation a flow.
func (t *Training) upstream(i int) []int {
	if len(t.ints) == cap(t.ints) {
		t.ints = make([]int, 0, 4096)
	}
	t.ints = append(t.ints, i)
	return t.ints[len(t.ints)-1 : len(t.ints) : len(t.ints)]
}

// flow returns a plain flow of the job.
func (t *Training) flow(src, dst fabric.NodeID, bytes int64, label string, done *sim.Event) fabric.Flow {
	return fabric.Flow{
		Src: src, Dst: dst, Bytes: bytes, Class: fabric.Class(t.j.Transport.Class), QPs: t.j.Transport.QPs, SrcPort: t.port(src, dst, label),
		MaxRate: t.j.Transport.MaxRate, Delay: t.c.HostOverhead, Done: done, Job: t.j.Name, Label: label,
	}
}

// port returns the UDP source port of the first QP of a connection: NCCL opens
// the QPs of two peers once for each communicator, and all their messages take
// the ways that these hash to.
func (t *Training) port(src, dst fabric.NodeID, label string) uint16 {
	h := uint64(uint32(src))<<32 | uint64(uint32(dst))
	for i := range len(label) {
		h = sim.Mix(h ^ uint64(label[i]))
	}
	return firstPort + uint16(sim.Mix(h^t.j.Seed)%(1<<14-maxQPs))
}

// Ports of RoCE NICs start at 0xc000 (the dynamic range); maxQPs consecutive
// ones are left to each connection, as many as NCCL_IB_QPS_PER_CONNECTION allows
// (NCCL 2.27, net_ib.cc: NCCL_IB_MAX_QPS 128).
const firstPort, maxQPs = 0xc000, 128

// start gives flows to the network; done expects one arrival a flow.
func (t *Training) start(flows []fabric.Flow, done *sim.Event) {
	done.Expect(len(flows))
	t.net.StartGroup(flows)
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func minRate(a, b sim.Rate) sim.Rate {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
