package packet

import (
	"slices"
	"unsafe"
)

// ahead is over how many buckets the engine looks ahead.
const ahead = 3

// lookMin is how many events have to be pending before looking ahead pays: with
// some 400 B of state an event (a port, packets, a QP), fewer fit the second-level
// cache of a core, 1 MB or so. It is a variable for tests, whose networks are
// small.
var lookMin = 2048

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

// look returns how many of the next buckets that hold events it has found, and
// leaves their numbers in coming.
func (w *wheel) look() int {
	k := 0
	for k < w.known && w.coming[k] <= w.cur {
		k++
	}
	w.known = copy(w.coming[:], w.coming[k:w.known])
	last := w.cur
	if w.known > 0 {
		last = w.coming[w.known-1]
	}
	for w.known < ahead && w.inside > 0 {
		last += 1 + w.scan((last+1)&w.mask)
		if last-w.cur > w.mask { // around to what is known already
			break
		}
		w.coming[w.known] = last
		w.known++
	}
	return w.known
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
		lines = s.lookHop(lines, k, &s.ports[ev.target], ev.target, kind)
	}
	return lines
}

// lookHop adds the lines that packet k will need at port oi of a switch. What
// depends on whether it has to wait is written in any case and kept or not: the
// processor could not foresee such a branch.
func (s *shard) lookHop(lines []uintptr, k *packet, o *port, oi int32, kind uint8) []uintptr {
	n := len(lines)
	lines = slices.Grow(lines, 4)[:n+4]
	lines[n] = line(&s.paths[k.path])
	n++
	wait := o.freeAt > s.now
	if k.q < queueData {
		lines[n] = line(s.queue(oi, o, k.q))
		if wait {
			n++
		}
		return lines[:n]
	}
	// What evTx names may have been lost meanwhile: it may have no account.
	lines[n] = line(&s.accounts[max(s.accountOf(k), 0)])
	if wait {
		n++
	}
	lines[n] = line(&s.pkts[max(o.data.tail, 0)])
	if kind == evArrive && wait {
		n++
	}
	lines[n] = line(&o.rnd)
	if o.qbytes > min(o.watch, s.e.kmin) {
		n++
	}
	return lines[:n]
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
