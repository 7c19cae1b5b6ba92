package packet

// span is the bytes lo to hi, hi not included.
type span struct{ lo, hi int64 }

// spans is a set of bytes: disjoint spans that do not touch, in order. It is
// empty unless packets are lost or reordered.
type spans []span

// add puts x into the set and reports whether any byte of it is new.
func (p *spans) add(x span) bool {
	a := *p
	i := len(a)
	for i > 0 && a[i-1].hi >= x.lo {
		i--
	}
	j := i
	for j < len(a) && a[j].lo <= x.hi {
		if a[j].lo <= x.lo && a[j].hi >= x.hi {
			return false
		}
		x.lo, x.hi = min(x.lo, a[j].lo), max(x.hi, a[j].hi)
		j++
	}
	if i == j {
		a = append(a, span{})
		copy(a[i+1:], a[i:])
	} else {
		a = append(a[:i+1], a[j:]...)
	}
	a[i] = x
	*p = a
	return true
}

// advance removes what lies below at or touches it and returns the end of the
// contiguous range that starts at at.
func (p *spans) advance(at int64) int64 {
	for len(*p) > 0 && (*p)[0].lo <= at {
		at = max(at, (*p)[0].hi)
		*p = append((*p)[:0], (*p)[1:]...)
	}
	return at
}

// dropBelow removes everything below at.
func (p *spans) dropBelow(at int64) {
	for len(*p) > 0 && (*p)[0].hi <= at {
		*p = append((*p)[:0], (*p)[1:]...)
	}
	if len(*p) > 0 && (*p)[0].lo < at {
		(*p)[0].lo = at
	}
}

// hole returns the first range at or after at that is not in the set and ends
// at or before end; false if there is none.
func (p spans) hole(at, end int64) (span, bool) {
	for _, x := range p {
		if x.hi <= at {
			continue
		}
		if x.lo > at {
			end = min(end, x.lo)
			break
		}
		at = x.hi
	}
	return span{at, end}, at < end
}
