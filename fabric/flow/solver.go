package flow

import (
	"cmp"
	"math"
	"slices"
)

// The problem. Variable v has a level x[v] >= 0. Link l carries
//
//	load(l) = sum over v of k(v,l) * x[v] <= cap(l),
//
// where k(v,l) counts the queue pairs of v that cross l. A variable may have a
// limit, x[v] <= limit(v), and a bound relay follows its upstream,
// x[d] <= ratio * x[u]. Among all such x the solution is the max-min fair one:
// no x[v] can be raised without lowering some x[w] <= x[v].
//
// Progressive filling finds it. All levels rise together from zero. The first
// link to fill is the one with the least share,
//
//	share(l) = (cap(l) - load of its frozen variables) / (k of its open ones),
//
// and the open variables that cross it freeze at that level: it is their
// bottleneck. A variable freezes earlier where its limit lies below, and with
// its upstream, where it is bound. Shares never fall while others freeze, since
// a variable frozen elsewhere takes no more than the share it had here.
//
// Solving again after a change. A solution is the max-min fair one if and only
// if it is feasible and each variable has a reason not to rise: a full link on
// which no level is higher than its own, its limit, or an upstream with such a
// reason at the same level. So it is enough to fill again for some of the
// variables, those in play, with the rest as they are, and then to look for
// broken reasons: on a full link that has frozen a variable, a level that is
// higher; a variable whose bottleneck is no longer full, or no longer shows it
// the highest level; a relay faster than its upstream. These come into play,
// and the filling is repeated, until nothing is broken.

// fill is progressive filling for the variables in play.
func (s *system) fill() {
	s.heap, s.limits, s.next = s.heap[:0], s.limits[:0], 0
	for _, li := range s.touched {
		l, a := &s.links[li], &s.apart[li]
		l.resid, l.open, l.top = a.base, l.play, 0
		a.share = -1
		if l.play == l.qps {
			l.resid = l.cap // nothing else is here: free of rounding
		}
		s.heap = append(s.heap, share{link: li})
	}
	for _, v := range s.bounds {
		x := &s.vars[v]
		limit, neck := x.limit, int32(neckLimit)
		for e := x.up; e >= 0; e = s.edges[e].nextUp {
			c := &s.edges[e]
			if u := &s.vars[c.u]; c.bound && u.epoch != s.epoch && float64(u.level*c.ratio) < limit {
				limit, neck = float64(u.level*c.ratio), neckUpstream
			}
		}
		if limit < math.Inf(1) {
			s.limits = append(s.limits, bounded{limit, v, neck})
		}
	}
	if len(s.limits) > 1 {
		slices.SortFunc(s.limits, func(a, b bounded) int {
			if a.level != b.level {
				return cmp.Compare(a.level, b.level)
			}
			return cmp.Compare(a.v, b.v)
		})
	}
	s.sweep()
	for i := (len(s.heap)+2)/4 - 1; i >= 0; i-- {
		s.sift(i)
	}
	for len(s.heap) > 0 {
		h := s.heap[0]
		l := &s.links[h.link]
		s.limited(h.level)
		if l.open > 0 {
			if now := l.left(); now > h.level {
				s.heap[0].level = now
				s.sift(0)
				continue
			}
			s.fix(h.link)
		}
		n := len(s.heap) - 1
		s.heap[0] = s.heap[n]
		s.heap = s.heap[:n]
		if n > 1 {
			s.sift(0)
		}
	}
}

// sweep fills link after link by plain passes over them, as long as passes get
// rid of many: where thousands of links have the same share, that is far
// cheaper than a heap. A few passes may be in vain, since the links that most
// flows share seldom come first: a collision or two leave less.
func (s *system) sweep() {
	for h, vain := s.heap, 0; ; {
		least := math.Inf(1)
		n := 0
		for _, x := range h {
			l := &s.links[x.link]
			if l.open == 0 {
				continue
			}
			x.level = l.left()
			least = min(least, x.level)
			h[n] = x
			n++
		}
		gone := len(h) - n
		h = h[:n]
		s.heap = h
		if n == 0 {
			return
		}
		s.limited(least)
		n = 0
		for _, x := range h {
			if x.level == least {
				l := &s.links[x.link]
				if l.open > 0 && l.left() <= least {
					s.fix(x.link)
				}
				if l.open == 0 {
					continue
				}
			}
			h[n] = x
			n++
		}
		gone += len(h) - n
		h = h[:n]
		s.heap = h
		if gone*sweepShare >= n {
			continue
		}
		if vain++; vain > sweepVain {
			return
		}
	}
}

// sweepShare is the least part of the links, one in so many, that a pass of
// sweep has to get rid of for another to pay: a pass costs a small part
// of taking every link through the heap. sweepVain passes may get rid of less;
// together they cost less than the heap of all links.
const (
	sweepShare = 32
	sweepVain  = 4
)

// left returns the share of l: what each open queue pair may have.
func (l *link) left() float64 {
	if l.resid <= 0 {
		return 0
	}
	return l.resid / float64(l.open)
}

// limited freezes the variables whose limit is at most level.
func (s *system) limited(level float64) {
	for ; s.next < len(s.limits) && s.limits[s.next].level <= level; s.next++ {
		if b := s.limits[s.next]; s.vars[b.v].open {
			s.freeze(b.v, b.level, b.neck)
		}
	}
}

// fix freezes the open variables of link li at its share.
func (s *system) fix(li int32) {
	l := &s.links[li]
	if l.open == 0 {
		return
	}
	now := l.left()
	s.apart[li].share = now
	for _, u := range s.users(l) {
		if x := &s.vars[u.v]; x.open && x.epoch == s.epoch {
			s.freeze(u.v, now, li)
		}
	}
}

// freeze fixes the level of v, and of the relays bound to it that are open.
func (s *system) freeze(v int32, level float64, neck int32) {
	s.stack = append(s.stack[:0], frozen{v, neck, level})
	for len(s.stack) > 0 {
		f := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		x := &s.vars[f.v]
		if !x.open {
			continue
		}
		x.open, x.level, x.neck = false, f.level, f.neck
		for _, c := range s.incs[x.first : x.first+x.n] {
			l := &s.links[c.link]
			l.resid -= float64(float64(c.k) * f.level)
			l.open -= c.k
			l.top = max(l.top, f.level)
		}
		for e := x.down; e >= 0; e = s.edges[e].nextDown {
			c := &s.edges[e]
			if d := &s.vars[c.d]; c.bound && d.open && d.epoch == s.epoch {
				s.stack = append(s.stack, frozen{c.d, neckUpstream, min(float64(f.level*c.ratio), d.limit)})
			}
		}
	}
}

func (s *system) sift(i int) {
	h := s.heap
	it := h[i]
	for {
		c := 4*i + 1
		if c >= len(h) {
			break
		}
		m := c
		for e := min(c+4, len(h)); c < e; c++ {
			if h[c].level < h[m].level {
				m = c
			}
		}
		if h[m].level >= it.level {
			break
		}
		h[i] = h[m]
		i = m
	}
	h[i] = it
}
