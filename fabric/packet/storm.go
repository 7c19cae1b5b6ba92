package packet

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// stormState follows one port whose marks cause CNPs, window by window of
// Telemetry.StormWindow.
type stormState struct {
	port    int32
	open    bool
	cnps    int64 // in this window
	snapTx  int64 // bytes sent by the port when this window began
	prevTx  int64 // and when the one before began
	flows   []fabric.FlowID
	storm   fabric.Storm
	startTx int64
	endTx   int64
	past    int32 // place in ended of the last storm, while its aftermath is watched
	left    int32 // windows left of that
}

// aftermath is how many windows after a storm the lowest bandwidth counts as the
// one after it: the queue that it has built drains first.
const aftermath = 10

// storm counts a CNP caused by the port that marked last.
func (s *shard) storm(r *receiver) {
	t := &s.tel
	if t.c.StormCNPs == 0 || t.c.StormWindow == 0 || t.c.MaxStorms == 0 {
		return
	}
	s.tick()
	i, ok := t.byPort[r.by]
	if !ok {
		i = int32(len(t.storms))
		t.byPort[r.by] = i
		st := stormState{port: r.by, snapTx: s.ports[r.by].txBytes, prevTx: s.ports[r.by].txBytes}
		if t.snap != nil {
			st.snapTx, st.prevTx = t.snap[r.by], t.prev[r.by]
		}
		t.storms = append(t.storms, st)
	}
	st := &t.storms[i]
	st.cnps++
	if id := fabric.FlowID(r.flow); len(st.flows) < t.c.BurstFlows && !slices.Contains(st.flows, id) {
		st.flows = append(st.flows, id)
	}
}

// tick ends a window if it is over.
func (s *shard) tick() {
	t := &s.tel
	if s.now < t.tickAt || t.c.StormWindow == 0 {
		return
	}
	for i := range t.storms {
		s.window(&t.storms[i])
	}
	if !s.island { // what the ports had sent, for those that no storm follows yet
		if t.snap == nil {
			t.snap, t.prev = make([]int64, len(s.ports)), make([]int64, len(s.ports))
		}
		t.snap, t.prev = t.prev, t.snap
		for i := range s.ports {
			t.snap[i] = s.ports[i].txBytes
		}
	}
	t.prevAt, t.snapAt = t.snapAt, s.now
	t.tickAt = s.now + t.c.StormWindow
}

// window ends the window of st: it opens a storm, goes on with it or ends it.
func (s *shard) window(st *stormState) {
	t := &s.tel
	tx := s.ports[st.port].txBytes
	rate := s.goodput(tx-st.snapTx, s.now-t.snapAt)
	hot := st.cnps >= t.c.StormCNPs
	if st.left > 0 && s.underWay(t.ended[st.past].Flows) {
		st.left--
		t.ended[st.past].After = min(t.ended[st.past].After, rate)
	}
	if hot && !st.open && len(t.ended) < t.c.MaxStorms {
		st.open = true
		st.startTx, st.left = st.snapTx, 0
		st.storm = fabric.Storm{Port: fabric.PortID(st.port), Start: t.snapAt, Before: s.goodput(st.snapTx-st.prevTx, t.snapAt-t.prevAt), Window: t.snapAt - t.prevAt}
	}
	if st.open && hot {
		st.storm.CNPs += st.cnps
		st.storm.End, st.endTx = s.now, tx
	} else if st.open {
		s.endStorm(st)
		st.past, st.left = int32(len(t.ended)-1), aftermath-1
		if s.underWay(st.flows) {
			t.ended[st.past].After = rate
		}
	}
	if !st.open {
		st.flows = st.flows[:0]
	}
	st.cnps, st.prevTx, st.snapTx = 0, st.snapTx, tx
}

// underWay reports whether any of the flows has bytes left: a port that has nothing
// more to send is not slow.
func (s *shard) underWay(ids []fabric.FlowID) bool {
	return slices.ContainsFunc(ids, func(id fabric.FlowID) bool { return s.e.flows[id].left > 0 })
}

// endStorm closes the open storm of st at the end of its last hot window.
func (s *shard) endStorm(st *stormState) {
	st.storm.During = s.goodput(st.endTx-st.startTx, st.storm.End-st.storm.Start)
	st.storm.After = st.storm.During // unless windows follow
	st.storm.Flows = slices.Clone(st.flows)
	st.open = false
	s.tel.ended = append(s.tel.ended, st.storm)
}

// goodput is wire bytes over d as payload in bit/s.
func (s *shard) goodput(bytes int64, d sim.Time) float64 {
	if d <= 0 {
		return 0
	}
	return float64(bytes) * 8 / d.Seconds() * float64(s.e.payload) / float64(s.e.payload+s.e.header)
}
