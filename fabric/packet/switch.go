package packet

import "github.com/simnet/simnet/sim"

// arrive handles packet ki at the node where the link of port k.in ends. oi is
// the port that it takes from there, or one of the other values of paths.
func (s *shard) arrive(oi, ki int32) {
	k := &s.pkts[ki]
	pi := k.in
	if s.faults && s.now <= s.ports[pi].kill {
		s.lose(pi, ki)
		return
	}
	switch k.what() {
	case kindData:
		s.n.dataHops++
	case kindPause:
		s.pauseFrame(ki)
		return
	default:
		s.n.ackHops++
	}
	hop := oi
	if oi == routeHere {
		oi = s.route(pi, ki)
	}
	switch {
	case oi >= 0:
		if s.e.anyCut && s.ports[pi].is(oddCut) && s.waitWhole(pi, oi, hop, ki) {
			return
		}
		s.forward(pi, oi, ki)
	case oi == noRoute:
		s.lose(pi, ki)
	default:
		s.receive(pi, ki)
	}
}

// forward puts packet ki, which came over port pi, out of port oi of a switch.
func (s *shard) forward(pi, oi, ki int32) {
	o := &s.ports[oi]
	k := &s.pkts[ki]
	q := k.q
	if o.is(oddDown) || o.sw < 0 {
		s.lose(oi, ki)
		return
	}
	idle := !o.pending && o.freeAt <= s.now
	if q < queueData {
		if idle && o.ready == 0 {
			s.transmit(oi, o, ki)
			return
		}
		s.append(oi, o, q, ki)
		s.arm(oi, o)
		return
	}
	d := &s.switches[o.sw]
	ai := pi*s.nc + int32(q) - queueData
	a := &s.accounts[ai]
	if idle && (o.ready|o.paused)>>q&1 == 0 && !s.compat {
		// Nothing to wait for: it would enter and leave the buffer at once.
		if s.xoff[ai] && d.mayResume(a) {
			s.resume(ai, a)
		}
		s.transmit(oi, o, ki)
		return
	}
	z := int32(k.size)
	u := s.queue(oi, o, q)
	if !d.admit(a, z, u.bytes) {
		s.refuse(oi, o, a, ki)
		return
	}
	if a.lossless && !s.xoff[ai] && d.mustPause(a) {
		s.pause(ai, a)
	}
	if d.markIn && k.what() == kindData && s.marks(o, q, u.bytes) {
		s.mark(oi, o, k, ki)
	}
	s.append(oi, o, q, ki)
	o.qbytes += z
	if o.qbytes > o.watch {
		s.watchQueue(oi, o, ki)
	}
	if o.paused>>q&1 == 0 {
		s.arm(oi, o)
	}
}

// arm makes sure that port oi looks at its queues as soon as it is free.
func (s *shard) arm(oi int32, o *port) {
	if o.pending {
		return
	}
	if o.freeAt <= s.now {
		s.dequeue(oi)
		return
	}
	o.pending = true
	s.push(o.freeAt, evTx, oi, o.first())
}

// dequeue starts the next frame of port oi, which is free.
func (s *shard) dequeue(oi int32) {
	o := &s.ports[oi]
	o.pending = false
	if o.sw < 0 {
		s.hostDequeue(oi, o)
		return
	}
	m := o.ready &^ o.paused
	if m == 0 {
		return
	}
	q := s.pick(oi, o, m)
	if q >= queueData {
		before := o.qbytes
		ki := s.pop(oi, o, q)
		k := &s.pkts[ki]
		z := int32(k.size)
		o.qbytes -= z
		d := &s.switches[o.sw]
		ai := s.accountOf(k)
		a := &s.accounts[ai]
		d.release(a, z)
		if k.what() == kindData && !d.markIn && s.marks(o, q, s.queue(oi, o, q).bytes) {
			s.mark(oi, o, k, ki)
		}
		if before > o.watch {
			s.watchDrain(oi, o, before)
		}
		if s.xoff[ai] && d.mayResume(a) {
			s.resume(ai, a)
		}
		s.transmit(oi, o, ki)
	} else {
		s.transmit(oi, o, s.pop(oi, o, q))
	}
	if !o.pending && o.ready&^o.paused != 0 {
		o.pending = true
		s.push(o.freeAt, evTx, oi, o.first())
	}
}

// transmit puts packet ki on the wire of port oi now.
func (s *shard) transmit(oi int32, o *port, ki int32) {
	k := &s.pkts[ki]
	size := int64(k.size)
	var t sim.Time
	if o.psByte != 0 {
		t = sim.Time(size * int64(o.psByte))
	} else {
		t = s.txSlow(o, size)
	}
	end := s.now + t
	o.freeAt = end
	if s.compat {
		o.pending = true
		s.push(end, evTx, oi, o.first())
	}
	if s.ints != nil && o.sw >= 0 && k.what() == kindData {
		s.stampINT(oi, o, ki)
	}
	o.txBytes += size
	o.txPkts++
	if o.is(oddLossy) && s.corrupt(o, k) {
		s.lose(oi, ki)
		return
	}
	k.in = oi
	if k.what() == kindPause {
		s.pushArrive(end+o.prop+s.e.response, evArrive, oi, pathEnd, ki)
		return
	}
	next := s.paths[k.path]
	if next >= 0 {
		k.path++
	}
	if o.is(oddCut) && size > cutBytes {
		end -= t - t*cutBytes/sim.Time(size)
	}
	s.pushArrive(end+o.reach, evArrive, oi, next, ki)
}

// txSlow is the serialization time at rates that are no whole number of
// picoseconds a byte (the remainder is carried), and in Compat.
func (s *shard) txSlow(o *port, size int64) sim.Time {
	if o.serial >= 0 {
		return s.e.serial[int64(o.serial)+size]
	}
	t, rem := divTime(uint64(size), uint64(o.rate), o.rem)
	o.rem = rem
	return t
}

// mark sets congestion experienced on a data packet that leaves port oi.
func (s *shard) mark(oi int32, o *port, k *packet, ki int32) {
	if k.flags()&flagECN == 0 {
		s.n.marked++
	}
	k.set(flagECN)
	s.bodies[ki].aux = oi
	o.ecn++
	s.tel.count(s.now, binECN, 1)
}

// refuse drops a packet that the buffer of a switch cannot take.
func (s *shard) refuse(oi int32, o *port, a *account, ki int32) {
	if a.lossless {
		s.n.losslessDrops++
		s.e.headroomShort(oi)
	}
	s.lose(oi, ki)
}

// lose drops packet ki at port oi.
func (s *shard) lose(oi, ki int32) {
	o := &s.ports[oi]
	k := &s.pkts[ki]
	switch k.what() {
	case kindData:
		s.n.dropped++
		o.drops++
		s.n.drops++
	case kindPause:
		// A lost pause frame is repaired by its refresh.
	default:
		o.drops++
		s.n.drops++
	}
	s.release(ki)
}
