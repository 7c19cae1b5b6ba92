package flow

import (
	"math"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
	"pgregory.net/rapid"
)

// naive returns the completion times of plain flows by the textbook: at each
// start and each end all rates are found anew by brute force, and time jumps to
// the next start or end. Capacities are those of the graph.
func naive(t *rapid.T, x *rig, fs []fabric.Flow) []float64 {
	type state struct {
		start, left float64
		on          []incidence
		limit       float64
		n           int
		end         float64
	}
	a := fabric.NewAssigner(x.r)
	st := make([]state, len(fs))
	for i := range fs {
		f := &fs[i]
		n := f.QPCount()
		num := a.Number(f)
		s := &st[i]
		*s = state{start: float64(f.Delay), limit: math.Inf(1), n: n, end: -1}
		count := map[int32]int32{}
		for q := range n {
			p, err := a.Path(nil, f, num, q)
			if err != nil {
				t.Fatal(err)
			}
			s.left += float64(framing.WireBytes(f.QPBytes(q, n)))
			for _, o := range p {
				if count[int32(o)] == 0 {
					s.on = append(s.on, incidence{link: int32(o)})
				}
				count[int32(o)]++
			}
		}
		for i := range s.on {
			s.on[i].k = count[s.on[i].link]
		}
		if f.MaxRate > 0 {
			s.limit = bytesPerPs(f.MaxRate) / float64(n)
		}
	}
	now := 0.0
	for {
		sys := &system{}
		for i := range x.g.Ports {
			sys.addLink(bytesPerPs(x.g.Ports[i].Rate))
		}
		var on []int
		next := math.Inf(1)
		for i := range st {
			s := &st[i]
			switch {
			case s.end >= 0:
			case s.start > now:
				next = min(next, s.start)
			default:
				v := int32(len(on))
				sys.grow(v)
				sys.init(v, s.limit)
				sys.reserve(v, s.on)
				sys.enter(v)
				on = append(on, i)
			}
		}
		if len(on) == 0 && math.IsInf(next, 1) {
			break
		}
		level := brute(sys)
		for v, i := range on {
			next = min(next, now+st[i].left/(level[v]*float64(st[i].n)))
		}
		for v, i := range on {
			s := &st[i]
			s.left -= (next - now) * level[v] * float64(s.n)
			if s.left < 1e-6 {
				s.end = next
			}
		}
		now = next
	}
	ends := make([]float64, len(fs))
	for i := range st {
		ends[i] = st[i].end
	}
	return ends
}

// The engine's transfers end when the textbook says, to within the batching of
// ends, whatever the starts, sizes, queue pairs and limits.
func TestAgainstNaiveSimulation(t *testing.T) {
	g, r := build(t, topo.LeafSpine{Base: base(6), NodesPerLeaf: 2, Spines: 2})
	rapid.Check(t, func(rt *rapid.T) {
		x := newRig(t, g, r)
		var fs []fabric.Flow
		for range rapid.IntRange(1, 14).Draw(rt, "flows") {
			a := rapid.IntRange(0, 5).Draw(rt, "src")
			f := fabric.Flow{
				Src: x.hosts[a], Dst: x.hosts[(a+rapid.IntRange(1, 5).Draw(rt, "dst"))%6],
				Bytes: rapid.Int64Range(1<<12, 1<<24).Draw(rt, "bytes"),
				QPs:   rapid.IntRange(0, 3).Draw(rt, "qps"),
				Delay: sim.Time(rapid.Int64Range(0, 1000).Draw(rt, "delay")) * sim.Microsecond,
			}
			if rapid.IntRange(0, 4).Draw(rt, "limited") == 0 {
				// Below what rounding a limited flow's first packet shifts.
				f.MaxRate = sim.Rate(rapid.Int64Range(20, 90).Draw(rt, "limit")) * sim.Gbps
			}
			fs = append(fs, f)
		}
		want := naive(rt, x, fs)
		rep := x.run(t, fs...)
		for i, rec := range rep.Flows {
			sh := x.tailOf(&fs[i], i)
			got := float64(rec.Start + rec.FCT - sh)
			if d := math.Abs(got - want[i]); d > float64(len(fs))*2000 {
				rt.Fatalf("flow %d %+v ends at %.0f, want %.0f", i, fs[i], got, want[i])
			}
			if rec.FCT < rec.Ideal-1 {
				rt.Fatalf("flow %d took %v, ideal %v", i, rec.FCT, rec.Ideal)
			}
		}
	})
}

// tailOf returns what flow i's completion time has beyond its transfer.
func (r *rig) tailOf(f *fabric.Flow, i int) sim.Time {
	rec := r.e.recs.at(fabric.FlowID(i))
	if err := r.e.find(f, rec); err != nil {
		panic(err)
	}
	if rec.qps == 1 {
		return r.e.shape(f, r.e.place.path).tail
	}
	return r.e.severalShape(f, int(rec.qps)).tail
}
