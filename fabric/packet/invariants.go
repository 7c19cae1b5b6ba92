package packet

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// violations checks what must hold at any instant between events and returns
// what does not, deadlocks first.
func (e *Engine) violations(sim.Time) []string {
	var out []string
	bad := func(format string, args ...any) {
		if len(out) < maxNotes {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	for _, c := range e.cycles {
		bad("PFC deadlock: %s", c)
	}
	s := e.shards[0]
	flight := e.cutOff
	free := make([]bool, len(s.pkts))
	for i := s.free; i >= 0; i = s.pkts[i].next {
		free[i] = true
	}
	for i := range s.pkts {
		if !free[i] && s.pkts[i].what() == kindData {
			flight++
		}
	}
	if s.n.sent != s.n.got+s.n.dropped+flight {
		bad("data packets: %d sent, %d received, %d dropped, %d in flight", s.n.sent, s.n.got, s.n.dropped, flight)
	}
	open := e.cutPauses
	for pc := range int32(len(e.pauses)) {
		if e.isPaused(pc) {
			open++
		}
	}
	if s.n.pauses != s.n.resumes+open {
		bad("pauses: %d started, %d ended, %d open", s.n.pauses, s.n.resumes, open)
	}
	e.checkBuffers(bad)
	for i := range e.flows {
		f := &e.flows[i]
		slack := e.slack
		if f.cap > 0 { // spaces packets by whole picoseconds
			slack += sim.Time(e.cfg.Framing.Packets(f.rec.Bytes))
		}
		if f.rec.FCT >= 0 && f.rec.FCT+slack+e.piecesGain(f) < f.rec.Ideal && !e.cfg.Compat {
			bad("flow %d from %s to %s took %v, less than its ideal %v", i, e.g.Nodes[f.rec.Src].Name, e.g.Nodes[f.rec.Dst].Name, f.rec.FCT, f.rec.Ideal)
		}
	}
	return out
}

// checkBuffers compares what switches have counted with what their queues hold.
func (e *Engine) checkBuffers(bad func(string, ...any)) {
	s := e.shards[0]
	held := make([]int64, len(e.switches))
	for i := range e.ports {
		o := &e.ports[i]
		if o.sw < 0 {
			continue
		}
		d := &e.switches[o.sw]
		sum := int32(0)
		for q := uint8(queueData); q < uint8(e.nq); q++ {
			n := int32(0)
			for k := e.queue(int32(i), q).head; k >= 0; k = s.pkts[k].next {
				n += int32(s.pkts[k].size)
				held[o.sw] += int64(d.room(int32(s.pkts[k].size)))
			}
			if n != e.queue(int32(i), q).bytes {
				bad("%s queue %d counts %d B but holds %d", e.g.PortName(fabric.PortID(i)), q, e.queue(int32(i), q).bytes, n)
			}
			sum += n
		}
		if sum != o.qbytes {
			bad("%s counts %d B but holds %d", e.g.PortName(fabric.PortID(i)), o.qbytes, sum)
		}
	}
	for i := range e.switches {
		d := &e.switches[i]
		name := e.g.Nodes[d.node].Name
		var used, shared int64
		for _, p := range e.g.PortsOf(fabric.NodeID(d.node)) {
			for k := range e.nc {
				a := &e.accounts[int32(p^1)*e.nc+k]
				if a.used < 0 || a.hdr < 0 || a.hdr > a.hdrMax {
					bad("%s: account of %s: %d B used, %d of %d B headroom", name, e.g.PortName(p^1), a.used, a.hdr, a.hdrMax)
				}
				used += int64(a.used) + int64(a.hdr)
				shared += a.sharedUse()
			}
		}
		switch {
		case d.used != held[i] || used != held[i]:
			bad("%s: %d B buffered, accounts say %d, queues %d", name, d.used, used, held[i])
		case d.shared != shared:
			bad("%s: %d B shared, accounts say %d", name, d.shared, shared)
		case d.shared < 0 || d.shared > d.pool && !e.cfg.Compat:
			bad("%s: %d of %d B shared", name, d.shared, d.pool)
		case d.max > d.buffer && !e.cfg.Compat:
			bad("%s: %d B in a buffer of %d", name, d.max, d.buffer)
		}
	}
}

// piecesGain bounds by how much a relay may beat its ideal time, which counts
// whole packets: what it sends as upstream bytes come in is cut into smaller
// ones, which saves less than a packet time a hop.
func (e *Engine) piecesGain(f *flow) sim.Time {
	if len(f.up) == 0 {
		return 0
	}
	var most sim.Time
	for qi := f.qp; qi < f.qp+f.qps; qi++ {
		t := sim.Time(0)
		for _, pi := range e.paths[e.snd[qi].path:] {
			if pi < 0 {
				break
			}
			t += e.ports[pi].rate.TxTime(e.payload + e.header)
		}
		most = max(most, t)
	}
	return most
}
