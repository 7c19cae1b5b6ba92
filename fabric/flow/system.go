package flow

import "math"

// incidence says that a variable crosses a link with k of its queue pairs.
type incidence struct {
	link int32
	at   int32 // its place among the link's users
	k    int32
}

// user is the other end of an incidence.
type user struct{ v, inc int32 }

// link is one direction of a cable, or a limit of a host: one cache line.
type link struct {
	cap   float64 // bytes a picosecond, less what ACKs take; kept while it has users
	load  float64
	resid float64 // what is left of base
	top   float64 // highest level of a user, if full
	first int32   // of its room in system.pool
	room  int32   // users that fit there
	n     int32   // users
	qps   int32   // queue pairs of all users
	play  int32   // of those in play
	open  int32   // of those not frozen yet
	epoch uint32
	full  bool // no user that has its bottleneck here can rise
	was   bool // full before this solve
	stale bool // listed in system.stale
}

// aside is what of a link is needed once a solve, not once a variable.
type aside struct {
	rated float64 // capacity, whatever ACKs take
	base  float64 // what the variables not in play leave of cap
	share float64 // level at which it last froze variables in this round, or -1
}

// What bounds a variable if not a link.
const (
	neckNone     = -1
	neckLimit    = -2 // its own limit
	neckUpstream = -3 // the level of a relay's upstream
)

// variable is a flow as the solver sees it. Its load on a link is its level
// times the number of its queue pairs that cross it.
type variable struct {
	level float64 // bytes a picosecond of each queue pair
	limit float64 // its own bound on level; +Inf: none
	was   float64 // level before this solve
	first int32   // first of its incidences
	n     int32   // number of them; 0: on no link, its level is given
	size  int32   // number of them once it enters
	neck  int32
	epoch uint32
	up    int32 // first edge to an upstream
	down  int32 // first edge to a relay of it
	class int8  // of the block that holds its incidences
	open  bool  // not frozen yet in this round
	fresh bool  // listed in system.fresh
}

// system is a set of variables over links, changed step by step and solved
// again after each step where the change reaches.
type system struct {
	links []link
	apart []aside // by link
	vars  []variable
	incs  []incidence
	edges []edge

	// The first ports links are the two directions of cables, side by side. A
	// port gives the share ack of itself to ACKs while its opposite is in use.
	ports int32
	ack   float64

	pool     []user      // rooms of the links
	rooms    [31][]int32 // those that links have outgrown, by the logarithm of their length
	blocks   [24][]int32 // free blocks of 2^class incidences
	freeEdge []int32

	fresh   []int32 // variables that have to be looked at
	stale   []int32 // links that were full and have lost load
	epoch   uint32
	play    []int32 // variables in play
	bounds  []int32 // those of them that more than links may bound
	touched []int32 // links that they cross
	doubted []int32 // links at which others may have lost their reason
	crowded bool    // some of them were full
	changed []int32 // result: variables whose level changed

	heap   []share
	limits []bounded // in order of level
	next   int       // first of limits not passed
	stack  []frozen
	solves uint64
}

type share struct {
	level float64
	link  int32
}

type bounded struct {
	level float64
	v     int32
	neck  int32
}

type frozen struct {
	v     int32
	neck  int32
	level float64
}

// epsilon is the relative slack within which a link counts as full and two
// levels as equal: far above what rounding adds up to, far below what matters.
const epsilon = 1e-9

// grow makes room for variable v.
func (s *system) grow(v int32) {
	for int(v) >= len(s.vars) {
		s.vars = append(s.vars, variable{up: -1, down: -1, neck: neckNone, limit: math.Inf(1)})
	}
}

// init makes v a new variable on no link.
func (s *system) init(v int32, limit float64) {
	s.vars[v] = variable{limit: limit, up: -1, down: -1, neck: neckNone}
}

// addLink makes a link of capacity c.
func (s *system) addLink(c float64) {
	s.links = append(s.links, link{cap: c})
	s.apart = append(s.apart, aside{rated: c})
}

// reserve prepares variable v to cross links as on says.
func (s *system) reserve(v int32, on []incidence) {
	s.grow(v)
	x := &s.vars[v]
	class := int8(2)
	for 1<<class < len(on) {
		class++
	}
	if f := s.blocks[class]; len(f) > 0 {
		x.first = f[len(f)-1]
		s.blocks[class] = f[:len(f)-1]
	} else {
		x.first = int32(len(s.incs))
		for range 1 << class {
			s.incs = append(s.incs, incidence{})
		}
	}
	x.class, x.size = class, int32(len(on))
	copy(s.incs[x.first:x.first+x.size], on)
}

// enter puts v on the links reserved, at the level it has.
func (s *system) enter(v int32) {
	x := &s.vars[v]
	x.n = x.size
	in := s.incs[x.first : x.first+x.n]
	for i := range in {
		c := &in[i]
		l := &s.links[c.link]
		if l.n == l.room {
			s.widen(l)
		}
		s.pool[l.first+l.n] = user{v, x.first + int32(i)}
		c.at = l.n
		l.n++
		l.qps += c.k
		if l.n == 1 && c.link < s.ports && s.ack > 0 {
			l.cap = s.capacity(c.link)
			s.answer(c.link)
		}
	}
	s.look(v)
}

// forget gives up what v has reserved.
func (s *system) forget(v int32) {
	x := &s.vars[v]
	if x.size > 0 {
		s.blocks[x.class] = append(s.blocks[x.class], x.first)
		x.size = 0
	}
}

// remove takes v off its links; its level stays as it is, for relays that
// follow it.
func (s *system) remove(v int32) {
	x := &s.vars[v]
	if x.n == 0 {
		return
	}
	in := s.incs[x.first : x.first+x.n]
	for i := range in {
		c := &in[i]
		l := &s.links[c.link]
		l.n--
		if c.at != l.n {
			m := s.pool[l.first+l.n]
			s.pool[l.first+c.at] = m
			s.incs[m.inc].at = c.at
		}
		l.qps -= c.k
		if l.n == 0 {
			l.load, l.full = 0, false
			if c.link < s.ports && s.ack > 0 {
				s.answer(c.link)
			}
			continue
		}
		l.load -= float64(float64(c.k) * x.level)
		if l.full && !l.stale {
			l.stale = true
			s.stale = append(s.stale, c.link)
		}
	}
	x.n = 0
	s.forget(v)
}

// on returns where v is.
func (s *system) on(v int32) []incidence {
	x := &s.vars[v]
	return s.incs[x.first : x.first+x.n]
}

// look lists v for the next solve.
func (s *system) look(v int32) {
	if x := &s.vars[v]; !x.fresh {
		x.fresh = true
		s.fresh = append(s.fresh, v)
	}
}

// setLimit changes the limit of v.
func (s *system) setLimit(v int32, limit float64) {
	if x := &s.vars[v]; x.limit != limit {
		x.limit = limit
		s.look(v)
	}
}

// setCap changes the capacity of a link.
func (s *system) setCap(li int32, c float64) {
	s.apart[li].rated = c
	s.derate(li)
}

// answer follows up that the first user has come to port li or the last has
// left: the port that answers it, which carries the ACKs, has another capacity.
func (s *system) answer(li int32) {
	if s.links[li^1].n > 0 {
		s.derate(li ^ 1)
	}
}

// derate works out the capacity of link li.
func (s *system) derate(li int32) {
	l := &s.links[li]
	c := s.capacity(li)
	if c == l.cap {
		return
	}
	l.cap = c
	for _, u := range s.users(l) {
		s.look(u.v)
	}
}

// capacity returns what ACKs leave of link li.
func (s *system) capacity(li int32) float64 {
	c := s.apart[li].rated
	if s.ack > 0 && li < s.ports && s.links[li^1].n > 0 {
		c *= 1 - s.ack
	}
	return c
}
