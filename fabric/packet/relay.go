package packet

// delivered returns how many bytes from the start of flow f have arrived: the
// QPs carry the bytes in turn, so the slowest counts.
func (e *Engine) delivered(f *flow) int64 {
	least := f.rec.Bytes
	for qi := f.qp; qi < f.qp+f.qps; qi++ {
		if n := e.rcv[qi].next; n < e.snd[qi].size {
			least = min(least, n*int64(f.qps))
		}
	}
	return least
}

// initRelay sets the limits of flow fi and the granule in which it wakes its
// relays.
func (e *Engine) initRelay(fi int32) {
	f := &e.flows[fi]
	if len(f.up) > 0 {
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			e.snd[qi].limit = 0
		}
		e.setLimit(f)
	}
	if len(f.down) > 0 {
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			e.rcv[qi].relays = true
		}
		f.notify = e.nextNotify(f, e.delivered(f))
	}
}

// nextNotify returns the delivered bytes, beyond n, at which a relay of f may
// send more.
func (e *Engine) nextNotify(f *flow, n int64) int64 {
	next := f.rec.Bytes
	for _, di := range f.down {
		if g := e.flows[di].slice; g > 0 {
			next = min(next, (n/g+1)*g)
		} else {
			next = min(next, n+1)
		}
	}
	return next
}

// setLimit recomputes what flow f may send and reports whether it is more.
func (e *Engine) setLimit(f *flow) bool {
	limit := f.rec.Bytes
	for _, ui := range f.up {
		u := &e.flows[ui]
		n := e.delivered(u)
		if f.slice > 0 && n < u.rec.Bytes {
			n -= n % f.slice
		}
		limit = min(limit, n+f.lag)
	}
	more := false
	for qi := f.qp; qi < f.qp+f.qps; qi++ {
		x := &e.snd[qi]
		l := x.size
		if limit < f.rec.Bytes {
			l = limit / int64(f.qps)
		}
		if l > x.limit {
			more = true
			x.limit = l
		}
	}
	return more
}

// relay tells the relays of f that more of it has arrived.
func (s *shard) relay(f *flow) {
	n := s.e.delivered(f)
	if n < f.notify {
		return
	}
	f.notify = s.e.nextNotify(f, n)
	for _, di := range f.down {
		d := &s.e.flows[di]
		if !s.e.setLimit(d) {
			continue
		}
		for qi := d.qp; qi < d.qp+d.qps; qi++ {
			if s.snd[qi].state&stBegun != 0 {
				s.wake(qi)
			}
		}
	}
}
