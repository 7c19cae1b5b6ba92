package flow

import (
	"math/bits"
	"slices"
)

// firstUsers is the first room of a link.
const firstUsers = 4

// users returns the users of l.
func (s *system) users(l *link) []user { return s.pool[l.first : l.first+l.n] }

// widen doubles the room of l, or makes its first.
func (s *system) widen(l *link) {
	room := max(firstUsers, 2*l.room)
	class := bits.TrailingZeros32(uint32(room))
	var first int32
	if f := s.rooms[class]; len(f) > 0 {
		first = f[len(f)-1]
		s.rooms[class] = f[:len(f)-1]
	} else {
		first = int32(len(s.pool))
		s.pool = slices.Grow(s.pool, int(room))[:first+room]
	}
	copy(s.pool[first:], s.users(l))
	if l.room > 0 {
		s.rooms[class-1] = append(s.rooms[class-1], l.first)
	}
	l.first, l.room = first, room
}
