package flow

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// brute solves the problem of solver.go for all variables of s by the
// definition: all levels rise together, and at each round the least of all
// shares and limits freezes what it bounds.
func brute(s *system) []float64 {
	n := len(s.vars)
	level := make([]float64, n)
	fixed := make([]bool, n)
	for v := range s.vars {
		if s.vars[v].n == 0 {
			level[v], fixed[v] = s.vars[v].level, true
		}
	}
	k := func(v, l int) float64 {
		x := &s.vars[v]
		for _, c := range s.incs[x.first : x.first+x.n] {
			if int(c.link) == l {
				return float64(c.k)
			}
		}
		return 0
	}
	limit := func(v int) float64 {
		m := s.vars[v].limit
		for e := s.vars[v].up; e >= 0; e = s.edges[e].nextUp {
			if c := &s.edges[e]; c.bound && fixed[c.u] {
				m = min(m, level[c.u]*c.ratio)
			}
		}
		return m
	}
	for {
		least := math.Inf(1)
		for l := range s.links {
			left, open := s.links[l].cap, 0.0
			for v := range s.vars {
				if s.vars[v].n > 0 {
					if fixed[v] {
						left -= k(v, l) * level[v]
					} else {
						open += k(v, l)
					}
				}
			}
			if open > 0 {
				least = min(least, max(0, left)/open)
			}
		}
		for v := range s.vars {
			if !fixed[v] {
				least = min(least, limit(v))
			}
		}
		if math.IsInf(least, 1) {
			return level
		}
		var freeze []int
		for v := range s.vars {
			if fixed[v] {
				continue
			}
			stop := limit(v) <= least*(1+1e-12)
			for l := range s.links {
				if k(v, l) == 0 {
					continue
				}
				left, open := s.links[l].cap, 0.0
				for w := range s.vars {
					if s.vars[w].n > 0 {
						if fixed[w] {
							left -= k(w, l) * level[w]
						} else {
							open += k(w, l)
						}
					}
				}
				stop = stop || max(0, left)/open <= least*(1+1e-12)
			}
			if stop {
				freeze = append(freeze, v)
			}
		}
		for _, v := range freeze {
			level[v], fixed[v] = least, true
		}
	}
}

// After any sequence of changes the incremental solution is the one that the
// definition gives, and the books of every link are right.
func TestSolverAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &system{}
		nl := rapid.IntRange(1, 8).Draw(t, "links")
		for range nl {
			c := float64(rapid.IntRange(1, 12).Draw(t, "cap"))
			s.addLink(c)
		}
		if rapid.IntRange(0, 3).Draw(t, "acks") == 0 {
			s.ports, s.ack = int32(nl&^1), 0.25
		}
		var live []int32
		next := int32(0)
		coupled := map[int32]bool{}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
				case op < 5 || len(live) == 0:
					var on []incidence
					for l := range nl {
						if rapid.IntRange(0, 2).Draw(t, "crosses") == 0 {
							on = append(on, incidence{link: int32(l), k: int32(rapid.IntRange(1, 3).Draw(t, "k"))})
						}
					}
					if len(on) == 0 {
						on = []incidence{{link: 0, k: 1}}
					}
					s.reserve(next, on)
					s.vars[next].limit = math.Inf(1)
					if rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
						s.vars[next].limit = float64(rapid.IntRange(0, 5).Draw(t, "limit")) / 2
					}
					s.enter(next)
					if len(live) > 0 && rapid.Bool().Draw(t, "relay") {
						u := live[rapid.IntRange(0, len(live)-1).Draw(t, "upstream")]
						id := s.couple(u, next, 1)
						coupled[id] = true
						if rapid.Bool().Draw(t, "bound") {
							s.bind(id)
						}
					}
					live = append(live, next)
					next++
				case op < 7:
					i := rapid.IntRange(0, len(live)-1).Draw(t, "leaves")
					v := live[i]
					live = append(live[:i], live[i+1:]...)
					s.remove(v)
					for id := range s.edges {
						if e := int32(id); coupled[e] && (s.edges[e].u == v || s.edges[e].d == v) {
							s.uncouple(e)
							delete(coupled, e)
						}
					}
				case op == 7:
					s.setLimit(live[rapid.IntRange(0, len(live)-1).Draw(t, "v")], float64(rapid.IntRange(0, 6).Draw(t, "limit")))
				case op == 8:
					s.setCap(int32(rapid.IntRange(0, nl-1).Draw(t, "l")), float64(rapid.IntRange(0, 12).Draw(t, "cap")))
				case op == 9 && len(live) > 1 && rapid.Bool().Draw(t, "cycle"):
					u := live[rapid.IntRange(0, len(live)-1).Draw(t, "u")]
					if d := live[rapid.IntRange(0, len(live)-1).Draw(t, "d")]; u != d {
						id := s.couple(u, d, 1)
						coupled[id] = true
						s.bind(id)
					}
				default:
					for id := range s.edges {
						if e := int32(id); coupled[e] && rapid.Bool().Draw(t, "toggle") {
							if s.edges[e].bound {
								s.unbind(e)
							} else {
								s.bind(e)
							}
						}
					}
				}
			}
			s.solve()
			want := brute(s)
			for _, v := range live {
				if got := s.vars[v].level; math.Abs(got-want[v]) > 1e-7*(1+want[v]) {
					t.Fatalf("variable %d has level %g, want %g", v, got, want[v])
				}
			}
			for l := range s.links {
				var load float64
				for _, u := range s.users(&s.links[l]) {
					load += float64(s.incs[u.inc].k) * s.vars[u.v].level
				}
				k := &s.links[l]
				want := s.apart[l].rated
				if l < int(s.ports) && s.links[l^1].n > 0 {
					want *= 0.75
				}
				if k.n > 0 && k.cap != want {
					t.Fatalf("link %d: capacity %g of %g", l, k.cap, s.apart[l].rated)
				}
				if math.Abs(load-k.load) > 1e-9*(1+load) || load > k.cap*(1+1e-9) {
					t.Fatalf("link %d carries %g, accounted %g, capacity %g", l, load, k.load, k.cap)
				}
			}
		}
	})
}

// Solving afresh gives the bits that solving step by step gives when nothing
// was rounded on the way: equal flows on one link.
func TestEqualSharesAreExact(t *testing.T) {
	s := &system{}
	s.addLink(0.025)
	for n := 1; n <= 40; n++ {
		v := int32(n - 1)
		s.reserve(v, []incidence{{link: 0, k: 1}})
		s.vars[v].limit = math.Inf(1)
		s.enter(v)
		s.solve()
		for i := range n {
			if s.vars[i].level != 0.025/float64(n) {
				t.Fatalf("%d flows: level %v", n, s.vars[i].level)
			}
		}
	}
}
