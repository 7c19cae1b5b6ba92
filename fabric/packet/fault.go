package packet

import (
	"github.com/simnet/simnet/fabric"
)

// SetLink changes the state of a link at the kernel's now; see
// fabric.Network. A link that goes down loses what is on the wire and what
// waits for it; the QPs that used it are routed anew where another path exists.
func (e *Engine) SetLink(l fabric.LinkID, st fabric.LinkState) {
	s := e.shards[0]
	s.now = e.k.Now()
	if !s.setLink(l, st) {
		return
	}
	e.r.SetDown(l, st.Down)
	e.r.Rebuild()
	for fi := range e.flows {
		s.reroute(int32(fi))
	}
	s.attach(e)
}

// setLink gives both ports of a link a state and reports whether it went down
// or came up.
func (s *shard) setLink(l fabric.LinkID, st fabric.LinkState) bool {
	e := s.e
	changed := false
	for _, pi := range []int32{int32(2 * l), int32(2*l + 1)} {
		o := &e.ports[pi]
		rate := st.Rate
		if rate == 0 {
			rate = e.g.Links[l].Rate
		}
		if rate != o.rate {
			e.setPortRate(o, rate)
		}
		o.ber = st.BER
		o.setOdd(oddLossy, st.BER > 0)
		if o.is(oddDown) != st.Down {
			changed = true
			o.setOdd(oddDown, st.Down)
			if st.Down {
				s.cutPort(pi, o)
			}
		}
	}
	return changed
}

// cutPort loses everything on the wire of port pi and in its queues. Pause
// state ends with the link.
func (s *shard) cutPort(pi int32, o *port) {
	s.faults = true
	o.kill = max(s.now, o.freeAt) + max(o.reach, o.prop+s.e.response)
	for q := uint8(0); q < uint8(s.nq); q++ {
		if o.host >= 0 && q >= queueData {
			continue // QPs, not packets
		}
		for o.ready>>q&1 != 0 {
			ki := s.pop(pi, o, q)
			if q >= queueData {
				s.leave(pi, o, ki)
			}
			s.lose(pi, ki)
		}
	}
	for c := range s.nc {
		pc := pi*s.nc + c
		s.unpause(pi, o, uint8(c)+queueData, &s.e.pauses[pc])
		if s.xoff[pc] {
			s.xoff[pc] = false
			s.e.pauses[pc].refresh++
		}
	}
}

// leave takes data packet ki, popped from port pi, out of the buffer.
func (s *shard) leave(pi int32, o *port, ki int32) {
	k := &s.pkts[ki]
	z := int32(k.size)
	o.qbytes -= z
	ai := s.accountOf(k)
	a := &s.accounts[ai]
	d := &s.switches[o.sw]
	d.release(a, z)
	if s.xoff[ai] && d.mayResume(a) {
		s.resume(ai, a)
	}
}

// reroute gives the unfinished QPs of a flow the paths that the routes have now.
// QPs with no path left keep theirs and run into timeouts.
func (s *shard) reroute(fi int32) {
	e := s.e
	f := &e.flows[fi]
	if f.fixed || f.rec.FCT >= 0 && !e.cfg.Compat {
		return
	}
	fb := fabric.Flow{Src: f.rec.Src, Dst: f.rec.Dst, SrcPort: f.sport, DstPort: f.dport}
	for qi := f.qp; qi < f.qp+f.qps; qi++ {
		if e.snd[qi].state&stDone != 0 {
			continue
		}
		hd := fabric.QPHeader(&fb, f.srcN, int(qi-f.qp))
		if p, err := e.r.Path(e.buf[:0], f.rec.Src, f.rec.Dst, hd); err == nil {
			e.snd[qi].path = e.repath(e.snd[qi].path, p)
			e.buf = p
			s.movePort(qi)
		}
		if p, err := e.r.Path(e.buf[:0], f.rec.Dst, f.rec.Src, hd.Reverse()); err == nil {
			e.rcv[qi].path = e.repath(e.rcv[qi].path, p)
			e.buf = p
		}
	}
}

// repath returns the start of path p in paths, old if that is the same path.
func (e *Engine) repath(old int32, p []fabric.PortID) int32 {
	if e.cfg.Routing.Mode == ECMP {
		same := true
		for i, x := range p {
			same = same && e.paths[old+int32(i)] == int32(x)
			if !same {
				break
			}
		}
		if same && e.paths[int(old)+len(p)] == pathEnd {
			return old
		}
	} else if e.paths[old] == int32(p[0]) {
		return old
	}
	return e.addPath(p, false)
}

// movePort moves QP qi to the first port of its path.
func (s *shard) movePort(qi int32) {
	e := s.e
	f := &e.snd[qi]
	to := e.paths[f.path]
	if to == f.port {
		return
	}
	if f.state&stReady != 0 {
		s.unready(f.port, qi, f)
	}
	f.port = to
	if f.state&stBegun != 0 {
		s.attach(e)
		s.wake(qi)
	}
}

// unready takes QP qi out of the ready list of port oi.
func (s *shard) unready(oi, qi int32, f *sender) {
	o := &s.ports[oi]
	u := s.queue(oi, o, f.q)
	prev := int32(-1)
	for x := u.head; x >= 0; x = s.snd[x].link {
		if x == qi {
			if prev < 0 {
				u.head = f.link
			} else {
				s.snd[prev].link = f.link
			}
			if u.tail == qi {
				u.tail = prev
			}
			break
		}
		prev = x
	}
	if u.head < 0 {
		o.ready &^= 1 << f.q
	}
	f.state &^= stReady
}

// corrupt decides whether a frame of k is lost to bit errors on port o.
func (s *shard) corrupt(o *port, k *packet) bool {
	p := frameErrors(o.ber, int64(k.size))
	return uint64(o.random())<<16 < uint64(p*(1<<48))
}

// frameErrors is the probability that a frame of size bytes has an error:
// 1 - (1-ber)^bits, by squaring, which is the same on every processor.
func frameErrors(ber float64, size int64) float64 {
	good, base := 1.0, 1-ber
	for n := size * 8; n > 0; n >>= 1 {
		if n&1 != 0 {
			good *= base
		}
		base *= base
	}
	return 1 - good
}
