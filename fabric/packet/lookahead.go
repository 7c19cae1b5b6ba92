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

// A bucket of more than longRun events is handled in blocks of an eighth of that.
// In a large network thousands of ports may send in step, and what all of them
// need is more than the second-level cache holds: 1,024 events need half of its
// 1 MB. Like lookMin it is a variable for tests.
var longRun = 1024

// lookAhead asks for the cache lines that the coming steps will touch, while
// this one is handled: in a large network nearly everything that an event
// touches has left the caches since the last time. A step is a bucket or a block
// of a long one. What an event touches is named by what it touches before, so
// events pass through stages, one each step: themselves; their packets and ports;
// what those name.
func (s *shard) lookAhead() {
	w := s.w
	late := len(s.late)
	lines := s.lookLate(s.lines[:0])
	prefetch(lines)
	lines, n := s.lookRun(lines[:0])
	for i := range w.look() {
		sl := &w.slots[w.coming[i]&w.mask]
		stage := n + i
		if i == ahead-1 && w.pos == 0 {
			stage = 2
		} else if stage > 1 || int(sl.n) > longRun {
			continue
		}
		c, left := sl.chunk, sl.n
		for left > 0 {
			m := (left-1)&(chunkLen-1) + 1
			evs := &w.chunks[c]
			switch stage {
			case 2:
				for e := int32(0); e < m; e += lineLen {
					lines = append(lines, line(&evs[e]))
				}
			case 1:
				lines = s.lookFirst(lines, evs[:m])
			case 0:
				lines = s.lookSecond(lines, evs[:m])
			}
			left -= m
			c = w.next[c]
		}
	}
	for _, oi := range s.late[:late] {
		if oi < 0 {
			continue
		}
		if ki := s.controlHead(oi); ki >= 0 {
			lines = append(lines, line(&s.paths[s.pkts[ki].path]))
		}
	}
	s.late = s.late[:copy(s.late, s.late[late:])]
	prefetch(lines)
	s.lines = lines
}

// lookRun looks ahead within the bucket at hand if that is a long one, and
// returns how many of the next steps lie in it, 2 at most.
func (s *shard) lookRun(lines []uintptr) ([]uintptr, int) {
	w := s.w
	w.stop = len(w.run)
	if w.stop <= longRun {
		return lines, 0
	}
	block := longRun / 8
	if w.pos == 0 { // nobody has looked at the first blocks
		lines = s.lookFirst(lines, w.run[:2*block])
		prefetch(lines)
		lines = s.lookSecond(lines[:0], w.run[:block])
	}
	w.stop = min(w.pos+block, w.stop)
	n := 0
	for rest := w.run[w.stop:]; n < 2 && len(rest) > 0; n++ {
		m := min(block, len(rest))
		if n == 0 {
			lines = s.lookSecond(lines, rest[:m])
		} else {
			lines = s.lookFirst(lines, rest[:m])
		}
		rest = rest[m:]
	}
	return lines, n
}

// lookLate adds the control frames that this step will send, and the ports of its
// CNPs. They are found last: they wait behind what the events name.
func (s *shard) lookLate(lines []uintptr) []uintptr {
	for _, oi := range s.late {
		if oi < 0 {
			lines = s.lookControl(lines, s.paths[s.rcv[^oi].path])
		} else if ki := s.controlHead(oi); ki >= 0 {
			lines = append(lines, line(&s.pkts[ki]))
		}
	}
	return lines
}

// lookControl adds the lines that a control frame needs to leave by port oi.
func (s *shard) lookControl(lines []uintptr, oi int32) []uintptr {
	return append(lines, line(&s.ports[oi]), line(&s.queues[oi*(s.nq-1)+queueControl]))
}

// controlHead returns the first control frame that waits at port oi, -1 if
// there is none.
func (s *shard) controlHead(oi int32) int32 { return s.queues[oi*(s.nq-1)+queueControl].head }

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
		case k == evCNP:
			lines = append(lines, line(&s.rcv[ev.target]))
		}
	}
	return lines
}

// lookSecond adds the lines that packets and QPs name.
func (s *shard) lookSecond(lines []uintptr, evs []event) []uintptr {
	for i := range evs {
		ev := &evs[i]
		kind := ev.kind()
		if kind == evTx && s.ports[ev.target].ready>>queueControl&1 != 0 {
			s.late = append(s.late, ev.target)
			lines = append(lines, line(&s.queues[ev.target*(s.nq-1)+queueControl]))
			continue
		}
		if kind == evCNP {
			s.late = append(s.late, ^ev.target)
			lines = append(lines, line(&s.paths[s.rcv[ev.target].path]))
			continue
		}
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
	if o.qbytes+int32(k.size) > min(o.watch, s.e.kmin) {
		n++
	}
	return lines[:n]
}

// lookEnd adds the lines that the end of its way needs for a packet of QP qi; of
// a pause frame it is a port.
func (s *shard) lookEnd(lines []uintptr, k *packet, qi int32) []uintptr {
	switch k.what() {
	case kindData:
		if k.flags()&flagAckReq != 0 {
			lines = s.lookControl(lines, k.in^1)
		}
		if k.flags()&flagECN != 0 {
			lines = append(lines, line(&s.rcv[qi].flow))
		}
		return append(lines, line(&s.rcv[qi]))
	case kindPause:
		return append(lines, line(&s.ports[qi]))
	}
	return append(lines, line(&s.snd[qi]), line(&s.snd[qi].size))
}
