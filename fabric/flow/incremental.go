package flow

import "math"

// solve finds the solution after the changes made since the last call, and
// lists in changed the variables whose level is another.
func (s *system) solve() {
	s.changed, s.touched = s.changed[:0], s.touched[:0]
	if len(s.fresh) == 0 && len(s.stale) == 0 {
		return
	}
	s.epoch++
	s.solves++
	s.play, s.bounds, s.crowded = s.play[:0], s.bounds[:0], false
	for _, v := range s.fresh {
		s.vars[v].fresh = false
		s.join(v)
	}
	if s.crowded {
		for _, v := range s.fresh {
			s.crowd(v)
		}
	}
	s.fresh = s.fresh[:0]
	for _, li := range s.stale {
		s.relieve(li)
	}
	s.stale = s.stale[:0]
	if len(s.play) == 0 {
		return
	}
	for s.fill(); s.broken(); s.fill() {
		for _, v := range s.play {
			s.vars[v].open = true
		}
	}
	for _, v := range s.play {
		if x := &s.vars[v]; x.level != x.was {
			s.changed = append(s.changed, v)
		}
	}
}

// join brings v into play, and with it the relays that go at its pace.
func (s *system) join(v int32) {
	x := &s.vars[v]
	if x.epoch == s.epoch || x.n == 0 {
		return
	}
	from := len(s.play)
	x.epoch = s.epoch
	s.play = append(s.play, v)
	for i := from; i < len(s.play); i++ {
		v = s.play[i]
		x = &s.vars[v]
		x.was, x.open = x.level, true
		if x.up >= 0 || x.limit < math.Inf(1) {
			s.bounds = append(s.bounds, v)
		}
		for _, c := range s.incs[x.first : x.first+x.n] {
			l := &s.links[c.link]
			if l.epoch != s.epoch {
				l.epoch = s.epoch
				l.play, l.was = 0, l.full
				s.apart[c.link].base = l.cap - l.load
				s.crowded = s.crowded || l.full
				s.touched = append(s.touched, c.link)
			}
			if x.level != 0 {
				s.apart[c.link].base += float64(float64(c.k) * x.level)
			}
			l.play += c.k
		}
		for e := x.down; e >= 0; e = s.edges[e].nextDown {
			d := &s.vars[s.edges[e].d]
			if s.edges[e].bound && d.neck == neckUpstream && d.epoch != s.epoch && d.n > 0 {
				d.epoch = s.epoch
				s.play = append(s.play, s.edges[e].d)
			}
		}
	}
}

// crowd brings into play the variables that a new one, v, will push back.
func (s *system) crowd(v int32) {
	x := &s.vars[v]
	if x.n == 0 {
		return
	}
	for _, c := range s.incs[x.first : x.first+x.n] {
		l := &s.links[c.link]
		if !l.full || l.play == l.qps {
			continue
		}
		for _, u := range s.users(l) {
			if s.vars[u.v].neck == c.link {
				s.join(u.v)
			}
		}
	}
}

// relieve looks at a link that was full and has lost load.
func (s *system) relieve(li int32) {
	l := &s.links[li]
	l.stale = false
	if l.n == 0 || l.cap-l.load <= epsilon*l.cap {
		return
	}
	l.full = false
	if l.epoch == s.epoch && l.play == l.qps {
		return
	}
	for _, u := range s.users(l) {
		if x := &s.vars[u.v]; x.neck == li && x.epoch != s.epoch && !s.otherwise(u.v) {
			s.join(u.v)
		}
	}
}

// otherwise finds v, not in play, another reason not to rise.
func (s *system) otherwise(v int32) bool {
	x := &s.vars[v]
	if x.level >= x.limit*(1-epsilon) {
		x.neck = neckLimit
		return true
	}
	for _, c := range s.incs[x.first : x.first+x.n] {
		if l := &s.links[c.link]; l.full && x.level >= l.top*(1-epsilon) {
			x.neck = c.link
			return true
		}
	}
	return false
}

// broken books what the filling has come to, brings into play what has lost its
// reason, and reports whether there was any.
func (s *system) broken() bool {
	n := len(s.play)
	s.doubted = s.doubted[:0]
	for _, li := range s.touched {
		l := &s.links[li]
		l.load = l.cap - l.resid
		l.full = l.resid <= epsilon*l.cap
		if l.play == l.qps || !l.full && !l.was {
			continue
		}
		s.doubted = append(s.doubted, li)
		if l.full {
			for _, u := range s.users(l) {
				l.top = max(l.top, s.vars[u.v].level)
			}
		}
	}
	for _, li := range s.doubted {
		l := &s.links[li]
		if l.play == l.qps { // by now
			continue
		}
		share := s.apart[li].share
		for _, u := range s.users(l) {
			x := &s.vars[u.v]
			switch {
			case x.epoch == s.epoch:
			case l.full && share >= 0 && x.level > share*(1+epsilon):
				s.join(u.v)
			case x.neck == li && !(l.full && x.level >= l.top*(1-epsilon)) && !s.otherwise(u.v):
				s.join(u.v)
			}
		}
	}
	if len(s.edges) == len(s.freeEdge) {
		return len(s.play) > n
	}
	for _, v := range s.play[:n] {
		x := &s.vars[v]
		for e := x.down; e >= 0; e = s.edges[e].nextDown {
			c := &s.edges[e]
			if d := &s.vars[c.d]; c.bound && d.epoch != s.epoch && d.level > x.level*c.ratio*(1+epsilon) {
				s.join(c.d)
			}
		}
	}
	return len(s.play) > n
}
