package packet

import "github.com/simnet/simnet/sim"

// The host of the HPCC-family models: one list of QPs a port, looked through
// from the one after the last served.

// compatDequeue starts the next frame of a free host port: ACKs first, then
// the first QP that has bytes, an open window and has waited long enough.
func (s *shard) compatDequeue(oi int32, o *port) {
	if o.ready&^o.paused&(1<<queueControl|1<<queueMAC) != 0 {
		q := uint8(queueControl)
		if o.ready&(1<<queueMAC) != 0 {
			q = queueMAC
		}
		s.transmit(oi, o, s.pop(oi, o, q))
		return
	}
	n := &s.e.nics[o.host]
	count := int32(len(n.list))
	found, fin := int32(-1), int32(-1)
	i := n.last
	for range count {
		if i++; i >= count {
			i %= count
		}
		f := &s.snd[n.list[i]]
		if o.paused>>f.q&1 == 0 && f.next < f.size && f.open() {
			if f.avail > s.now {
				continue
			}
			found = n.list[i]
			break
		}
		if f.una >= f.size && (fin < 0 || i < fin) {
			fin = i
		}
	}
	if fin >= 0 {
		keep := fin
		for j := fin + 1; j < count; j++ {
			if f := &s.snd[n.list[j]]; f.una < f.size {
				n.list[keep] = n.list[j]
				keep++
			}
		}
		n.list = n.list[:keep]
	}
	if found < 0 {
		s.compatSleep(oi, n)
		return
	}
	if fin < 0 {
		n.last = i
	} else {
		for j, x := range n.list {
			if x == found {
				n.last = int32(j)
			}
		}
	}
	f := &s.snd[found]
	ki := s.newData(found, f)
	size := int64(s.pkts[ki].size)
	s.transmit(oi, o, ki)
	f.lastSize = int32(size)
	f.avail = s.now + s.paceTime(f, size)
}

// paceTime is compatTime at the QP's rate, remembered for the usual size.
func (s *shard) paceTime(f *sender, size int64) sim.Time {
	if f.paceRate != f.rate || int64(f.paceSize) != size {
		f.paceRate, f.paceSize = f.rate, int32(size)
		f.pace = compatTime(size, f.rate)
	}
	return f.pace
}

// compatSleep looks again when the first QP with bytes left may send.
func (s *shard) compatSleep(oi int32, n *nic) {
	if n.due {
		return
	}
	t := sim.Never
	for _, qi := range n.list {
		if f := &s.snd[qi]; f.next < f.size {
			t = min(t, f.avail)
		}
	}
	if t != sim.Never && t > s.now {
		n.due, n.nextAt = true, t
		n.gen++
		s.push(t, evNext, oi, n.gen)
	}
}

// compatNext is the look that compatSleep has scheduled.
func (s *shard) compatNext(oi, gen int32) {
	n := &s.e.nics[s.ports[oi].host]
	if !n.due || n.gen != gen {
		return
	}
	n.due = false
	s.compatWake(oi)
}

// compatSooner moves the scheduled look of port oi forward to t.
func (s *shard) compatSooner(oi int32, t sim.Time) {
	n := &s.e.nics[s.ports[oi].host]
	if n.due && t < n.nextAt {
		n.nextAt = max(t, s.now)
		n.gen++
		s.push(n.nextAt, evNext, oi, n.gen)
	}
}

func (s *shard) compatWake(oi int32) {
	if o := &s.ports[oi]; !o.pending {
		s.compatDequeue(oi, o)
	}
}

// chain starts the flows that are due and waits for the next, as the model
// does: a flow's start passes through two further events of the same instant.
func (s *shard) chain() {
	e := s.e
	for e.nextStart < len(e.flows) && e.flows[e.nextStart].rec.Start <= s.now {
		s.push(s.now, evStart, int32(e.nextStart), 0)
		e.nextStart++
	}
	if e.nextStart < len(e.flows) {
		s.push(e.flows[e.nextStart].rec.Start, evChain, 0, 0)
	}
}
