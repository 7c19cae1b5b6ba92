package flow

// edge couples relay d to its upstream u: while bound, the level of d is at
// most ratio times that of u.
type edge struct {
	u, d     int32
	nextDown int32 // in the list of u
	nextUp   int32 // in the list of d
	ratio    float64
	bound    bool
}

// couple makes d a relay of u, not bound yet.
func (s *system) couple(u, d int32, ratio float64) int32 {
	var id int32
	if n := len(s.freeEdge); n > 0 {
		id = s.freeEdge[n-1]
		s.freeEdge = s.freeEdge[:n-1]
	} else {
		id = int32(len(s.edges))
		s.edges = append(s.edges, edge{})
	}
	s.edges[id] = edge{u: u, d: d, ratio: ratio, nextDown: s.vars[u].down, nextUp: s.vars[d].up}
	s.vars[u].down = id
	s.vars[d].up = id
	return id
}

// uncouple removes edge id.
func (s *system) uncouple(id int32) {
	e := &s.edges[id]
	s.unbind(id)
	p := &s.vars[e.u].down
	for *p != id {
		p = &s.edges[*p].nextDown
	}
	*p = e.nextDown
	p = &s.vars[e.d].up
	for *p != id {
		p = &s.edges[*p].nextUp
	}
	*p = e.nextUp
	s.freeEdge = append(s.freeEdge, id)
}

// bind makes the level of the upstream count.
func (s *system) bind(id int32) {
	if e := &s.edges[id]; !e.bound {
		e.bound = true
		s.look(e.d)
	}
}

func (s *system) unbind(id int32) {
	e := &s.edges[id]
	if !e.bound {
		return
	}
	e.bound = false
	if s.vars[e.d].neck == neckUpstream {
		s.look(e.d)
	}
}
