package packet

// A glide that lands puts packets into the queues that have grown meanwhile:
// behind those of the same QP which stood there or had passed when it began,
// ahead of those that had not come so far.

// refill returns by hop how many packets a queue has gained for its QP, no more
// than the QP has sent.
func (g *Glide) refill(shift []advance) []int64 {
	out := make([]int64, len(g.hops))
	for i := range g.qps {
		q := &g.qps[i]
		left := shift[i].by / g.is.e.payload
		for h := q.hop + q.n - 1; h > q.hop; h-- {
			x := &g.hops[h]
			out[h] = min(left, int64(max(0, x.held-x.had)/g.frame))
			left -= out[h]
		}
	}
	return out
}

// behind returns how many of the packets that a landing adds for q lie at hop h
// or beyond.
func (q *glideQP) behind(fill []int64, h int32) int64 {
	n := int64(0)
	for ; h < q.hop+q.n; h++ {
		n += fill[h]
	}
	return n
}

// moveBytes moves QPs and their packets in flight on; at is where each QP
// stands in shift, flying are the packets on the way to a port.
func (g *Glide) moveBytes(shift []advance, at map[int32]int, fill []int64, flying []bool) {
	e, s := g.is.e, g.is.s
	for i := range shift {
		q := &g.qps[i]
		queued := q.behind(fill, q.hop) * e.payload
		f, r := &e.snd[q.qi], &e.rcv[q.qi]
		f.next += shift[i].by
		f.high += shift[i].by
		f.una += shift[i].by - queued
		r.next += shift[i].by - queued
		for h := q.hop; h < q.hop+q.n; h++ {
			g.hops[h].last = r.next // of the packets that lie beyond
		}
	}
	idle := make([]bool, len(s.pkts))
	for k := s.free; k >= 0; k = s.pkts[k].next {
		idle[k] = true
	}
	for k := range s.pkts {
		x, b := &s.pkts[k], &s.bodies[k]
		w := x.what()
		if idle[k] || w != kindData && w != kindAck && w != kindNack {
			continue
		}
		i, ok := at[b.qp]
		if !ok {
			continue
		}
		q := &g.qps[i]
		if w != kindData {
			b.seq += shift[i].by - q.behind(fill, q.hop)*e.payload
			continue
		}
		next := q.hop + x.path - e.snd[q.qi].path // the hop that it enters next
		if flying[k] {
			next--
		}
		ahead := q.behind(fill, next)
		b.seq += shift[i].by - (q.behind(fill, q.hop)-ahead)*e.payload
		end := b.seq + int64(x.size) - e.header
		for h := q.hop; h < min(next, q.hop+q.n); h++ {
			g.hops[h].last = max(g.hops[h].last, end)
		}
	}
	for i := range g.qps {
		q := &g.qps[i]
		for h := q.hop + q.n - 2; h >= q.hop; h-- {
			next := &g.hops[h+1]
			g.hops[h].last = max(g.hops[h].last, next.last+fill[h+1]*e.payload)
		}
	}
}

// enqueue puts the packets into the queues, those of the QPs in turn.
func (g *Glide) enqueue(fill []int64) {
	e, s := g.is.e, g.is.s
	for i := range g.ports {
		for more := true; more; {
			more = false
			for _, h := range g.ports[i].ins {
				if fill[h] == 0 {
					continue
				}
				fill[h]--
				more = true
				x := &g.hops[h]
				q := &g.qps[x.qp]
				f := &e.snd[q.qi]
				ki, in := s.alloc(), g.ports[g.hops[h-1].port].pi
				var flags uint8
				if fill[h]%int64(max(1, f.every)) == 0 {
					flags = flagAckReq
				}
				s.pkts[ki] = packet{path: f.path + h - q.hop + 1, in: in, size: uint16(e.payload + e.header), kind: kindData | flags<<4, q: f.q}
				s.bodies[ki] = body{seq: x.last, qp: q.qi, aux: -1}
				x.last += e.payload
				s.forward(in, g.ports[x.port].pi, ki)
			}
		}
	}
}

// count adds what the glide has done to the counters and returns the payload
// bytes delivered.
func (g *Glide) count(shift []advance, fill []int64) int64 {
	total := int64(0)
	e, s := g.is.e, g.is.s
	n := &s.n
	for i, x := range shift {
		q := &g.qps[i]
		packets := x.by / e.payload
		n.sent += packets
		for h := q.hop; h < q.hop+q.n; h++ {
			packets -= fill[h]
			o := &e.ports[g.ports[g.hops[h].port].pi]
			o.txBytes += packets * (e.payload + e.header)
			o.txPkts += uint32(packets)
			n.dataHops += packets
		}
		n.got += packets
		total += packets * e.payload
		acks := packets / int64(max(1, e.snd[q.qi].every))
		for _, pi := range e.paths[e.rcv[q.qi].path:] {
			if pi < 0 {
				break
			}
			o := &e.ports[pi]
			o.txBytes += acks * e.ack
			o.txPkts += uint32(acks)
			n.ackHops += acks
		}
	}
	n.delivered += total
	n.marked += g.n.marked
	n.cnps += g.n.cnps
	n.cuts += g.n.cuts
	for i := range g.ports {
		p := &g.ports[i]
		o := &e.ports[p.pi]
		o.ecn += p.marks
		o.maxq = max(o.maxq, int32(p.max))
		o.rnd = p.rnd
	}
	s.events += g.steps
	return total
}
