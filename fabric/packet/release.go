package packet

import "github.com/simnet/simnet/fabric"

// Release ends the island: its links become free, what it has counted becomes
// part of the engine's totals. It returns the outcome.
func (is *Island) Release() *Outcome {
	e, s := is.e, is.s
	o := is.Outcome()
	e.cutOff += o.n.sent - o.n.got - o.n.dropped
	e.cutPauses += o.n.pauses - o.n.resumes
	for i := range s.tel.queues {
		e.shards[0].tel.foldQueue(&s.tel.queues[i])
	}
	links, flows := is.free()
	e.Apply(o, is.birth, links, flows)
	e.shards[0].events += s.events
	is.recycle()
	return o
}

// Discard ends the island as if it had never been.
func (is *Island) Discard() {
	is.free()
	is.recycle()
}

// free takes links, flows and switches off the island and returns the first
// two.
func (is *Island) free() ([]fabric.LinkID, []fabric.FlowID) {
	e := is.e
	links := make([]fabric.LinkID, 0, len(is.ports)/2)
	for i, pi := range is.ports {
		if i&1 == 0 {
			links = append(links, fabric.LinkID(pi/2))
		}
		p, b := &e.ports[pi], &is.base[i]
		p.txBytes, p.txPkts, p.maxq, p.ecn, p.drops, p.pauses, p.pausedTime = b.txBytes, b.txPkts, b.maxq, b.ecn, b.drops, b.pauses, b.paused
		p.pending, p.ready, p.paused, p.qbytes, p.freeAt = false, 0, 0, 0, 0
		e.empty(pi)
		if p.sw >= 0 {
			p.sw = e.swOf[p.node]
		}
		e.owner[pi] = 0
		for k := range e.nc {
			e.xoff[pi*e.nc+k] = false
		}
	}
	for _, ni := range is.nics {
		n := &e.nics[ni]
		n.txFree, n.rxFree, n.rxPaused, n.draining = 0, 0, false, false
	}
	flows := make([]fabric.FlowID, len(is.flows))
	for i, fi := range is.flows {
		flows[i] = e.extOf[fi]
		n := e.flows[fi].qps
		e.freeFlows[n] = append(e.freeFlows[n], fi)
	}
	for _, pi := range is.ports {
		e.watches[pi] = watch{series: -1, burst: -1}
		e.shards[0].setWatch(pi, &e.ports[pi])
	}
	for _, x := range is.slots {
		e.switches[x].used, e.switches[x].shared = 0, 0
	}
	e.freeSlots = append(e.freeSlots, is.slots...)
	return links, flows
}

// empty takes everything out of the queues of port pi, and what came over it off
// the books of its switch.
func (e *Engine) empty(pi int32) {
	for q := range uint8(e.nq) {
		*e.queue(pi, q) = queue{head: -1, tail: -1}
	}
	for k := range e.nc {
		a := &e.accounts[pi*e.nc+k]
		a.used, a.hdr = 0, 0
		e.deficits[pi*e.nc+k] = 0
	}
}

// recycle keeps the shard for another island.
func (is *Island) recycle() {
	e, s := is.e, is.s
	s.w.drain()
	s.w.moveTo(0)
	a := s.arena
	a.reset()
	*s = shard{e: e, island: true, w: s.w, arena: a, ended: s.ended[:0]}
	e.idle = append(e.idle, s)
	is.s = nil
}

// reset empties the arena and keeps its memory.
func (a *arena) reset() {
	a.pkts, a.bodies = a.pkts[:0], a.bodies[:0]
	if a.stamps != nil {
		a.stamps = a.stamps[:0]
	}
	if a.ints != nil {
		a.ints = a.ints[:0]
	}
	if a.sacks != nil {
		a.sacks = a.sacks[:0]
	}
	a.free, a.live = -1, 0
}
