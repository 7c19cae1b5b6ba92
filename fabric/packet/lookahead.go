package packet

import "unsafe"

// ahead is over how many buckets the engine looks ahead.
const ahead = 3

// lookAhead asks for the cache lines that the coming buckets will touch, while
// this one is handled: in a large network nearly everything that an event
// touches has left the caches since the last time. What an event touches is
// named by what it touches before, so a bucket passes through stages, one each
// time the wheel moves on: its events; their packets and ports; what those name.
func (s *shard) lookAhead() {
	w := s.w
	lines := s.lines[:0]
	for i := range w.look() {
		sl := &w.slots[w.coming[i]&w.mask]
		c, left := sl.chunk, sl.n
		for left > 0 {
			m := (left-1)&(chunkLen-1) + 1
			evs := &w.chunks[c]
			switch i {
			case 2:
				lines = append(lines, line(&evs[0]), line(&evs[chunkLen/2]))
			case 1:
				lines = s.lookFirst(lines, evs[:m])
			case 0:
				lines = s.lookSecond(lines, evs[:m])
			}
			left -= m
			c = w.next[c]
		}
	}
	prefetch(lines)
	s.lines = lines
}

func line[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// lookFirst adds the lines that events name.
func (s *shard) lookFirst(lines []uintptr, evs []event) []uintptr {
	for i := range evs {
		ev := &evs[i]
		switch k := ev.kind(); {
		case k <= evArrive:
			if ev.target >= 0 {
				lines = append(lines, line(&s.ports[ev.target]))
			} else {
				lines = append(lines, line(&s.bodies[ev.arg]))
			}
			if ev.arg >= 0 {
				lines = append(lines, line(&s.pkts[ev.arg]))
			} else if qi := -2 - ev.arg; qi >= 0 {
				lines = append(lines, line(&s.snd[qi]), line(&s.snd[qi].size))
			}
		case k == evReady || k == evTimer:
			lines = append(lines, line(&s.snd[ev.target]), line(&s.snd[ev.target].size))
		}
	}
	return lines
}

// lookSecond adds the lines that packets and QPs name.
func (s *shard) lookSecond(lines []uintptr, evs []event) []uintptr {
	for i := range evs {
		ev := &evs[i]
		kind := ev.kind()
		if kind > evArrive {
			if kind == evReady {
				f := &s.snd[ev.target]
				lines = append(lines, line(&s.ports[f.port]), line(&s.paths[f.path]))
			}
			continue
		}
		if ev.arg < 0 {
			if qi := -2 - ev.arg; qi >= 0 {
				lines = append(lines, line(&s.paths[s.snd[qi].path]))
			}
			continue
		}
		k := &s.pkts[ev.arg]
		if ev.target < 0 {
			lines = s.lookEnd(lines, k, s.bodies[ev.arg].qp)
			continue
		}
		lines = append(lines, line(&s.paths[k.path]))
		o := &s.ports[ev.target]
		switch {
		case o.freeAt <= s.now: // it will not have to wait
		case k.q < queueData:
			lines = append(lines, line(s.queue(ev.target, o, k.q)))
		default:
			if ai := s.accountOf(k); ai >= 0 { // what evTx names may have been lost meanwhile
				lines = append(lines, line(&s.accounts[ai]))
			}
			if kind == evArrive && o.data.head >= 0 {
				lines = append(lines, line(&s.pkts[o.data.tail]))
			}
			if o.qbytes > o.watch {
				lines = append(lines, line(&o.maxq), line(&s.e.watches[ev.target]))
			} else if o.qbytes > s.e.kmin {
				lines = append(lines, line(&o.rnd))
			}
		}
	}
	return lines
}

// lookEnd adds the lines that the end of its way needs for a packet of QP qi; of
// a pause frame it is a port.
func (s *shard) lookEnd(lines []uintptr, k *packet, qi int32) []uintptr {
	switch k.what() {
	case kindData:
		return append(lines, line(&s.rcv[qi]))
	case kindPause:
		return append(lines, line(&s.ports[qi]))
	}
	return append(lines, line(&s.snd[qi]), line(&s.snd[qi].size))
}
