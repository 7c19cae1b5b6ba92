package packet

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// stormState counts the CNPs that the marks of one port have caused, in
// windows of Telemetry.StormWindow, and the bytes that left the port.
type stormState struct {
	port    int32
	window  sim.Time // start of the present window
	cnps    int64    // in it
	bytes   int64    // sent by the port up to its start
	calmAt  sim.Time // the last window without a storm began
	calm    int64    // bytes sent by the port up to then
	open    bool
	storm   fabric.Storm
	startTx int64
	endTx   int64 // once over: bytes sent up to its end
	after   bool  // over, the rate after it is still measured
}

// storm counts a CNP caused by the port that marked last.
func (s *shard) storm(r *receiver) {
	t := &s.tel
	if t.c.StormCNPs == 0 || t.c.StormWindow == 0 || t.c.MaxStorms == 0 {
		return
	}
	i, ok := t.byPort[r.by]
	if !ok {
		i = int32(len(t.storms))
		t.byPort[r.by] = i
		t.storms = append(t.storms, stormState{port: r.by, window: s.now, calmAt: 0, bytes: s.ports[r.by].txBytes})
	}
	st := &t.storms[i]
	if s.now-st.window >= t.c.StormWindow {
		s.closeWindow(st)
	}
	st.cnps++
	if st.cnps >= t.c.StormCNPs && !st.open && len(t.ended) < t.c.MaxStorms {
		st.open, st.after = true, false
		st.storm = fabric.Storm{Port: fabric.PortID(st.port), Start: st.window, Before: rate8(st.bytes-st.calm, st.window-st.calmAt)}
		st.startTx = st.bytes
	}
	if st.open {
		if id := fabric.FlowID(r.flow); len(st.storm.Flows) < t.c.BurstFlows && !slices.Contains(st.storm.Flows, id) {
			st.storm.Flows = append(st.storm.Flows, id)
		}
	}
}

// closeWindow ends the present window of st and starts one at now.
func (s *shard) closeWindow(st *stormState) {
	t := &s.tel
	tx := s.ports[st.port].txBytes
	switch {
	case st.open && (st.cnps < t.c.StormCNPs || s.now-st.window >= 2*t.c.StormWindow):
		s.endStorm(st, tx)
	case st.open:
		st.storm.CNPs += st.cnps
	default:
		if st.after {
			t.ended[len(t.ended)-1].After = rate8(tx-st.endTx, s.now-t.ended[len(t.ended)-1].End)
		}
		st.calmAt, st.calm = st.window, st.bytes
	}
	st.window, st.bytes, st.cnps = s.now, tx, 0
}

// endStorm closes the open storm of st.
func (s *shard) endStorm(st *stormState, tx int64) {
	st.storm.CNPs += st.cnps
	st.storm.End = s.now
	st.storm.During = rate8(tx-st.startTx, st.storm.End-st.storm.Start)
	st.endTx, st.open, st.after = tx, false, true
	s.tel.ended = append(s.tel.ended, st.storm)
}

// rate8 is bytes over d in bit/s.
func rate8(bytes int64, d sim.Time) float64 {
	if d <= 0 {
		return 0
	}
	return float64(bytes) * 8 / d.Seconds()
}
