package flow

// slab hands out room for lists of users in powers of two, and takes back what
// a list has outgrown.
type slab struct {
	rest []user
	free [32][][]user // by the logarithm of their length
}

// The first room of a list, and what is asked of the heap at a time.
const (
	firstUsers = 4
	slabUsers  = 1 << 14
)

// grow doubles the room of list.
func (s *slab) grow(list *[]user) {
	old := *list
	n, class := firstUsers, 2
	for n <= cap(old) {
		n, class = 2*n, class+1
	}
	var room []user
	if f := s.free[class]; len(f) > 0 {
		room = f[len(f)-1]
		s.free[class] = f[:len(f)-1]
	} else {
		if len(s.rest) < n {
			s.rest = make([]user, max(n, slabUsers))
		}
		room = s.rest[:n:n]
		s.rest = s.rest[n:]
	}
	*list = append(room[:0], old...)
	if cap(old) > 0 {
		s.free[class-1] = append(s.free[class-1], old[:cap(old)])
	}
}
