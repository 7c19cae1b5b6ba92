package scenarios

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// TrafficResult is what a traffic job did.
type TrafficResult struct {
	Job, Pattern string
	Rounds       []Round
	Unfinished   bool
}

// Round is one repetition of a pattern: from its first start to its last
// arrival. End is negative if it did not finish.
type Round struct{ Start, End sim.Time }

// maxRounds bounds what a result keeps; later rounds run and are not listed.
const maxRounds = 100_000

// Generator runs a traffic job.
type Generator struct {
	k     *sim.Kernel
	net   fabric.Network
	name  string
	spec  *TrafficSpec
	class fabric.Class
	label string
	hosts []fabric.NodeID
	flows []explicit // of pattern flows
	rate  sim.Rate   // of a NIC, for offered load
	seed  uint64

	begun, done int
	rounds      []Round
	open        int // flows or groups still moving
	ended       bool
}

type explicit struct {
	at   sim.Time
	flow fabric.Flow
}

func newGenerator(m *Machine, j *ValidJob) (*Generator, error) {
	t := j.Traffic
	g := &Generator{k: m.Kernel, net: m.Net, name: j.Name, spec: t, class: fabric.Class(j.Spec.Class.V), label: trafficLabel(t.Pattern.V),
		rate: m.Valid.Spec.Cluster.Fabric.Link.Rate.V, seed: m.Valid.Spec.Seed.V}
	for _, n := range pick(&t.Nodes, len(m.NICs)) {
		for _, i := range pick(&t.NICs, len(m.NICs[n])) {
			g.hosts = append(g.hosts, m.NICs[n][i])
		}
	}
	for i := range t.Flows {
		f := &t.Flows[i]
		src, ok1 := m.Graph.NodeByName(f.Src.V)
		dst, ok2 := m.Graph.NodeByName(f.Dst.V)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("job %s: flow %d from %s to %s: no such NIC", j.Name, i, f.Src.V, f.Dst.V)
		}
		e := explicit{f.Start.V, g.flow(src, dst, int64(f.Bytes.V))}
		if f.QPs.Set() {
			e.flow.QPs = f.QPs.V
		}
		if f.Label.Set() {
			e.flow.Label = f.Label.V
		}
		g.flows = append(g.flows, e)
	}
	return g, nil
}

// pick is a list of members, 0 to n-1 if it is not given.
func pick(v *Val[[]int], n int) []int {
	if v.Set() {
		return v.V
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func (g *Generator) flow(src, dst fabric.NodeID, bytes int64) fabric.Flow {
	return fabric.Flow{Src: src, Dst: dst, Bytes: bytes, Class: g.class, QPs: g.spec.QPs.V, Job: g.name, Label: g.label}
}

// start begins the job at the kernel's now.
func (g *Generator) start() {
	switch g.spec.Pattern.V {
	case "poisson":
		g.poisson()
		return
	case "flows":
		g.explicit()
		return
	}
	every, n := g.spec.Interval.V, g.spec.Repeat.V
	if every == 0 {
		g.round(func() { g.next(n - 1) })
		return
	}
	for i := range n {
		g.k.After(sim.Time(i)*every, func() { g.round(nil) })
	}
}

// next runs what is left of rounds that follow one another.
func (g *Generator) next(left int) {
	if left > 0 {
		g.round(func() { g.next(left - 1) })
	}
}

// round starts one repetition and calls then at its end.
func (g *Generator) round(then func()) {
	i := g.begun
	g.begun++
	if i < maxRounds {
		g.rounds = append(g.rounds, Round{g.k.Now(), -1})
	}
	groups := g.groups(i)
	n := 0
	for _, gr := range groups {
		n += len(gr)
	}
	done := sim.NewEvent(n)
	done.Then(g.k, func() {
		g.done++
		if i < maxRounds {
			g.rounds[i].End = done.At()
		}
		if then != nil {
			then()
		}
	})
	for k, gr := range groups {
		for x := range gr {
			gr[x].Done = done
		}
		if at := sim.Time(k) * g.spec.Stagger.V; at > 0 {
			g.k.After(at, func() { g.net.StartGroup(gr) })
		} else {
			g.net.StartGroup(gr)
		}
	}
}

// groups returns the flows of round i: each group starts stagger after the one
// before it.
func (g *Generator) groups(i int) [][]fabric.Flow {
	t, n := g.spec, len(g.hosts)
	bytes := int64(t.Bytes.V)
	var out [][]fabric.Flow
	switch t.Pattern.V {
	case "incast":
		// Receivers come first among the hosts; each takes the senders after
		// those of the receiver before it, around the circle.
		senders := g.hosts[t.Targets.V:]
		byRank := make([][]fabric.Flow, t.FanIn.V)
		for x := range t.Targets.V {
			for k := range t.FanIn.V {
				byRank[k] = append(byRank[k], g.flow(senders[(x*t.FanIn.V+k)%len(senders)], g.hosts[x], bytes))
			}
		}
		return byRank
	case "permutation":
		to := cycle(n, sim.Stream(g.seed, fmt.Sprintf("traffic/%s/%d", g.name, i)))
		for h := range n {
			out = append(out, []fabric.Flow{g.flow(g.hosts[h], g.hosts[to[h]], bytes)})
		}
		if t.Stagger.V == 0 { // one group is cheaper
			return [][]fabric.Flow{flatten(out)}
		}
		return out
	}
	size := t.Group.V
	for k := range n / size {
		member := func(x int) fabric.NodeID {
			if t.Members.V == "strided" {
				return g.hosts[x*(n/size)+k]
			}
			return g.hosts[k*size+x]
		}
		var gr []fabric.Flow
		for a := range size {
			switch t.Pattern.V {
			case "all-to-all":
				for d := 1; d < size; d++ {
					gr = append(gr, g.flow(member(a), member((a+d)%size), bytes))
				}
			case "ring":
				gr = append(gr, g.flow(member(a), member((a+1)%size), bytes))
			case "all-reduce": // the ring of NCCL as relay flows
				f := g.flow(member(a), member((a+1)%size), 2*int64(size-1)*bytes/int64(size))
				f.Lag = bytes / int64(size)
				f.Slice = max(1, min(ringSlice(0), f.Lag/2)) // a chunk is at most a member's share, and two slices
				f.Upstream = []int{(a + size - 1) % size}
				gr = append(gr, f)
			}
		}
		out = append(out, gr)
	}
	return out
}

func flatten(groups [][]fabric.Flow) []fabric.Flow {
	var out []fabric.Flow
	for _, g := range groups {
		out = append(out, g...)
	}
	return out
}

// cycle returns a random permutation of n without fixed points: one cycle
// (Sattolo's algorithm).
func cycle(n int, r *rand.Rand) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := r.IntN(i)
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// explicit starts the flows that the scenario lists, each at its time.
func (g *Generator) explicit() {
	g.begun = 1
	g.rounds = []Round{{g.k.Now(), -1}}
	done := sim.NewEvent(len(g.flows))
	done.Then(g.k, func() { g.done, g.rounds[0].End = 1, done.At() })
	for i := range g.flows {
		e := &g.flows[i]
		e.flow.Done = done
		g.k.After(e.at, func() { g.net.StartGroup([]fabric.Flow{e.flow}) })
	}
}

// poisson offers flows of random size to random receivers, from each NIC at
// the given share of its rate, until the duration is over.
func (g *Generator) poisson() {
	t := g.spec
	g.begun = 1
	g.rounds = []Round{{g.k.Now(), -1}}
	end := g.k.Now() + t.Duration.V
	cdf := sizeCDFs[t.Sizes.V]
	mean := float64(t.Bytes.V)
	if cdf != nil {
		mean = cdf.mean()
	}
	gap := mean * 8 / (float64(t.Load.V) * float64(g.rate)) * float64(sim.Second) // ps between flows of one NIC
	arrived := func() {
		if g.open--; g.open == 0 && g.ended {
			g.done, g.rounds[0].End = 1, g.k.Now()
		}
	}
	sources := len(g.hosts)
	for h := range g.hosts {
		r := sim.Stream(g.seed, fmt.Sprintf("traffic/%s/%d", g.name, h))
		wait := func() sim.Time { return sim.Time(math.Round(r.ExpFloat64() * gap)) }
		var next func()
		next = func() {
			if g.k.Now() >= end {
				if sources--; sources == 0 {
					if g.ended = true; g.open == 0 {
						g.done, g.rounds[0].End = 1, g.k.Now()
					}
				}
				return
			}
			to := r.IntN(len(g.hosts) - 1)
			if to >= h {
				to++
			}
			size := int64(t.Bytes.V)
			if cdf != nil {
				size = cdf.draw(r)
			}
			f := g.flow(g.hosts[h], g.hosts[to], size)
			f.Done = sim.NewEvent(1)
			f.Done.Then(g.k, arrived)
			g.open++
			g.net.StartGroup([]fabric.Flow{f})
			g.k.After(wait(), next)
		}
		g.k.After(wait(), next)
	}
}

func (g *Generator) result() TrafficResult {
	want := g.spec.Repeat.V
	if p := g.spec.Pattern.V; p == "poisson" || p == "flows" {
		want = 1
	}
	return TrafficResult{Job: g.name, Pattern: g.spec.Pattern.V, Rounds: g.rounds, Unfinished: g.done < want}
}
