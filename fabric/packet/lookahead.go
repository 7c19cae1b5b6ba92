package packet

import "unsafe"

// ahead is over how many buckets the engine looks ahead.
const ahead = 4

// lookAhead asks for the cache lines that the coming buckets will touch, while
// this one is handled: in a large network nearly everything that an event
// touches has left the caches since the last time. What an event touches is
// named by what it touches before, so a bucket passes through stages, one each
// time the wheel moves on: its chunks; the packets and ports of its events; the
// heads and tails of their queues; what those name.
func (s *shard) lookAhead() {
	w := s.w
	n := w.look()
	s.lines = s.lines[:0]
	for i := range n {
		sl := &w.slots[w.coming[i]&w.mask]
		c, left := sl.chunk, sl.n
		for left > 0 {
			m := (left-1)&(chunkLen-1) + 1
			evs := &w.chunks[c]
			switch i {
			case 3:
				s.want(unsafe.Pointer(&evs[0]))
				s.want(unsafe.Pointer(&evs[chunkLen/2]))
			case 2:
				s.lookFirst(evs[:m])
			case 1:
				s.lookSecond(evs[:m])
			case 0:
				s.lookThird(evs[:m])
			}
			left -= m
			c = w.next[c]
		}
	}
	prefetch(s.lines)
}

func (s *shard) want(p unsafe.Pointer) { s.lines = append(s.lines, uintptr(p)) }

func (s *shard) wantPort(pi int32) {
	s.want(unsafe.Pointer(&s.ports[pi]))
	s.want(unsafe.Pointer(&s.queues[pi*s.nq]))
}

func (s *shard) wantSender(qi int32) {
	f := &s.snd[qi]
	s.want(unsafe.Pointer(f))
	s.want(unsafe.Pointer(&f.size))
}

func (s *shard) lookFirst(evs []event) {
	for i := range evs {
		ev := &evs[i]
		switch ev.kind() {
		case evTx:
			s.wantPort(ev.target)
		case evArrive:
			s.want(unsafe.Pointer(&s.pkts[ev.arg]))
			if ev.target >= 0 {
				s.wantPort(ev.target)
			} else {
				s.want(unsafe.Pointer(&s.bodies[ev.arg]))
			}
		case evReady, evTimer:
			s.wantSender(ev.target)
		}
	}
}

func (s *shard) lookSecond(evs []event) {
	for i := range evs {
		ev := &evs[i]
		switch ev.kind() {
		case evTx:
			if h := s.queues[ev.target*s.nq+queueData].head; h < 0 {
				continue
			} else if s.ports[ev.target].sw >= 0 {
				s.want(unsafe.Pointer(&s.pkts[h]))
			} else {
				s.wantSender(h)
			}
		case evArrive:
			k := &s.pkts[ev.arg]
			if ev.target >= 0 {
				s.want(unsafe.Pointer(&s.paths[k.path]))
				if k.q >= queueData {
					s.want(unsafe.Pointer(&s.accounts[s.accountOf(k)]))
				}
				if u := &s.queues[ev.target*s.nq+int32(k.q)]; u.head >= 0 {
					s.want(unsafe.Pointer(&s.pkts[u.tail]))
				}
				continue
			}
			switch qi := s.bodies[ev.arg].qp; k.what() {
			case kindData:
				s.want(unsafe.Pointer(&s.rcv[qi]))
			case kindPause:
				s.wantPort(qi)
			default:
				s.wantSender(qi)
			}
		case evReady:
			f := &s.snd[ev.target]
			s.wantPort(f.port)
			s.want(unsafe.Pointer(&s.paths[f.path]))
		}
	}
}

func (s *shard) lookThird(evs []event) {
	for i := range evs {
		ev := &evs[i]
		switch ev.kind() {
		case evTx:
			if h := s.queues[ev.target*s.nq+queueData].head; h < 0 {
				continue
			} else if s.ports[ev.target].sw >= 0 {
				k := &s.pkts[h]
				s.want(unsafe.Pointer(&s.paths[k.path]))
				s.want(unsafe.Pointer(&s.accounts[s.accountOf(k)]))
			} else {
				s.want(unsafe.Pointer(&s.paths[s.snd[h].path]))
			}
		}
	}
}
