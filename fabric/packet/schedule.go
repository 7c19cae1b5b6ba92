package packet

import "math/bits"

// pick chooses among the queues of mask m, which is not zero: MAC control,
// control, strict classes in order, then deficit round robin by weight
// (Shreedhar and Varghese, SIGCOMM 1995); in Compat round robin by packet.
func (s *shard) pick(oi int32, o *port, m uint16) uint8 {
	q := uint8(bits.TrailingZeros16(m))
	if q < s.e.firstDWRR || m&(m-1) == 0 {
		return q
	}
	n := queueData + uint8(s.nc)
	if s.compat {
		for q = o.rr + 1; ; q++ {
			if q >= n {
				q = queueData
			}
			if m>>q&1 != 0 {
				o.rr = q
				return q
			}
		}
	}
	if o.rr < s.e.firstDWRR {
		o.rr = s.e.firstDWRR
	}
	deficits := s.e.deficits[oi*s.nc : (oi+1)*s.nc]
	for q = o.rr; ; {
		if m>>q&1 != 0 {
			d := &deficits[q-queueData]
			if z := s.headSize(o, s.queue(oi, o, q).head); *d >= z {
				*d -= z
				o.rr = q
				return q
			}
		}
		if q++; q >= n {
			q = s.e.firstDWRR
		}
		if m>>q&1 != 0 {
			deficits[q-queueData] += s.e.quantum[q]
		}
	}
}

// headSize returns the size of the first frame of a queue.
func (s *shard) headSize(o *port, head int32) int32 {
	if o.host < 0 {
		return int32(s.pkts[head].size)
	}
	f := &s.snd[head]
	return int32(s.e.cfg.Framing.Header + min(s.e.cfg.Framing.Payload, f.size-f.next))
}
