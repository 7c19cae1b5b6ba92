package packet

import "github.com/simnet/simnet/sim"

// pauseState is the sender's side of PFC, by (port, class), and the generation
// of the timers of both sides.
type pauseState struct {
	since   sim.Time // when the present pause began
	expire  uint32   // generations
	refresh uint32
	opens   int32 // pause frames that started a pause
	dropped bool  // the watchdog discards what is queued here
}

// pause tells the upstream of account ai to stop.
func (s *shard) pause(ai int32, a *account) {
	s.xoff[ai] = true
	s.sendPause(ai, a.q, true)
	if t := s.e.refreshAfter(ai / s.nc); t > 0 {
		p := &s.e.pauses[ai]
		p.refresh++
		s.push(s.now+t, evRefresh, ai, int32(p.refresh))
	}
}

// resume tells the upstream of account ai to go on.
func (s *shard) resume(ai int32, a *account) {
	s.xoff[ai] = false
	s.e.pauses[ai].refresh++
	s.sendPause(ai, a.q, false)
}

// sendPause sends a pause frame for port ai/nc out of its opposite.
func (s *shard) sendPause(ai int32, q uint8, on bool) {
	pi := ai / s.nc
	ki := s.alloc()
	s.pkts[ki] = packet{size: uint16(s.e.cfg.PFC.Frame), kind: kindPause, q: queueMAC, in: -1}
	k := &s.bodies[ki]
	*k = body{qp: pi, aux: int32(q)}
	if on {
		k.seq = 1
	}
	oi := pi ^ 1
	o := &s.ports[oi]
	s.append(oi, o, queueMAC, ki)
	s.arm(oi, o)
}

// refreshAfter returns when a pause of port pi has to be repeated; 0: never.
func (e *Engine) refreshAfter(pi int32) sim.Time {
	return e.pauseTime(pi) * sim.Time(e.cfg.PFC.Refresh) / 100
}

// pauseTime returns how long one pause frame holds port pi; 0: until resumed.
func (e *Engine) pauseTime(pi int32) sim.Time {
	if e.cfg.PFC.Quanta == 0 || e.cfg.Compat {
		return 0
	}
	return e.ports[pi].rate.TxTime(e.cfg.PFC.Quanta * 64) // 512 bit times each
}

// pauseFrame handles a pause frame at the port that it addresses.
func (s *shard) pauseFrame(ki int32) {
	k := &s.bodies[ki]
	pi, q, on := k.qp, uint8(k.aux), k.seq == 1
	s.release(ki)
	o := &s.ports[pi]
	bit := uint16(1) << q
	pc := pi*s.nc + int32(q) - queueData
	p := &s.e.pauses[pc]
	if !on {
		s.unpause(pi, o, q, p)
		return
	}
	if o.paused&bit == 0 {
		o.paused |= bit | s.ackBit(o)
		p.since = s.now
		p.opens++
		s.n.pauses++
		o.pauses++
		s.tel.count(s.now, binPauses, 1)
		if w := s.e.cfg.PFC.Watchdog; w > 0 {
			s.push(s.now+w, evWatchdog, pc, p.opens)
		}
	}
	p.expire++
	if t := s.e.pauseTime(pi); t > 0 {
		s.push(s.now+t, evExpire, pc, int32(p.expire))
	}
}

// ackBit returns the control queue's bit where a host's ACKs obey the pause of
// the data class.
func (s *shard) ackBit(o *port) uint16 {
	if o.host >= 0 && s.e.nics[o.host].ackObeys {
		return 1 << queueControl
	}
	return 0
}

// unpause lets queue q of port pi send again.
func (s *shard) unpause(pi int32, o *port, q uint8, p *pauseState) {
	bit := uint16(1) << q
	if o.paused&bit == 0 {
		return
	}
	o.paused &^= bit | s.ackBit(o)
	o.pausedTime += s.now - p.since
	s.n.resumes++
	p.expire++
	p.dropped = false
	s.arm(pi, o)
}

// refresh repeats the pause of account ai while it lasts.
func (s *shard) refresh(ai int32, gen uint32) {
	a := &s.accounts[ai]
	p := &s.e.pauses[ai]
	if !s.xoff[ai] || p.refresh != gen || s.e.deadlocked(s, ai) {
		return
	}
	s.sendPause(ai, a.q, true)
	s.push(s.now+s.e.refreshAfter(ai/s.nc), evRefresh, ai, int32(gen))
}

// expire ends a pause that was not refreshed in time.
func (s *shard) expire(pc int32, gen uint32) {
	p := &s.e.pauses[pc]
	pi := pc / s.nc
	if p.expire == gen && !s.stuck {
		s.unpause(pi, &s.ports[pi], uint8(pc%s.nc)+queueData, p)
	}
}

// watchdog reports a queue that has been paused without a break, and empties
// it if so configured.
func (s *shard) watchdog(pc int32, gen uint32) {
	p := &s.e.pauses[pc]
	pi, q := pc/s.nc, uint8(pc%s.nc)+queueData
	o := &s.ports[pi]
	if o.paused>>q&1 == 0 || uint32(p.opens) != gen {
		return
	}
	s.n.watchdogs++
	s.e.deadlocked(s, pc)
	if !s.e.cfg.PFC.WatchdogDrop || o.sw < 0 {
		return
	}
	for o.ready>>q&1 != 0 {
		ki := s.pop(pi, o, q)
		s.leave(pi, o, ki)
		s.lose(pi, ki)
	}
	s.push(s.now+s.e.cfg.PFC.Watchdog, evWatchdog, pc, int32(gen))
}
