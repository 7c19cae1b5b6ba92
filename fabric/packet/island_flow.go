package packet

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Start adds a group of flows that start at the given time, not before the
// island's clock. Every link that they or their ACKs use must be claimed.
func (is *Island) Start(at sim.Time, fs []IslandFlow) {
	e, s := is.e, is.s
	for _, fi := range is.enlist(at, fs) {
		f := &e.flows[fi]
		s.push(f.rec.Start+e.g.Nodes[f.rec.Src].Latency, evStart, fi, 0)
	}
}

// enlist adds flows that start at the given time and returns their indices.
func (is *Island) enlist(at sim.Time, fs []IslandFlow) []int32 {
	e, s := is.e, is.s
	if len(is.open) > 2*s.active+forgetful {
		is.open = slices.DeleteFunc(is.open, func(fi int32) bool { return e.flows[fi].left == 0 || e.flows[fi].failed })
	}
	first := len(is.flows)
	for i := range fs {
		fi := e.islandFlow(&fs[i], at)
		is.flows = append(is.flows, fi)
		is.open = append(is.open, fi)
	}
	ids := is.flows[first:]
	for i := range fs {
		f := &e.flows[ids[i]]
		f.up = f.up[:0]
		for _, u := range fs[i].Flow.Upstream {
			f.up = append(f.up, ids[u])
			d := &e.flows[ids[u]]
			d.down = append(d.down, ids[i])
		}
	}
	s.attach(e)
	s.active += len(fs)
	for _, fi := range ids {
		e.initRelay(fi)
	}
	return ids
}

// forgetful is how many flows that are done an island looks at in any case.
const forgetful = 64

// islandFlow returns the index of a new flow, reusing the places of flows whose
// islands are gone.
func (e *Engine) islandFlow(x *IslandFlow, at sim.Time) int32 {
	f := x.Flow
	n := int32(len(x.QPs))
	fi := int32(-1)
	if k := len(e.freeFlows[n]); k > 0 {
		fi = e.freeFlows[n][k-1]
		e.freeFlows[n] = e.freeFlows[n][:k-1]
	} else {
		fi = int32(len(e.flows))
		e.flows = append(e.flows, flow{qp: int32(len(e.snd)), qps: n})
		e.snd = append(e.snd, make([]sender, n)...)
		e.rcv = append(e.rcv, make([]receiver, n)...)
		e.extOf = append(e.extOf, 0)
		if e.cc != nil {
			e.cc.grow(len(e.snd))
		}
	}
	old := &e.flows[fi]
	old.rec = fabric.FlowRecord{Src: f.Src, Dst: f.Dst, Bytes: f.Bytes, Start: at + f.Delay, FCT: -1, Class: f.Class}
	old.left, old.failed, old.lag, old.slice, old.cap = n, false, f.Lag, f.Slice, f.MaxRate
	old.up, old.down, old.notify = old.up[:0], nil, 0
	old.srcN, old.sport, old.dport, old.fixed = x.Number, f.SrcPort, f.DstPort, f.Path != nil
	e.extOf[fi] = x.ID
	for q, route := range x.QPs {
		snd, rcv := e.newQP(fi, f.QPBytes(q, int(n)), route.Fwd, route.Back, f, n)
		e.snd[old.qp+int32(q)], e.rcv[old.qp+int32(q)] = snd, rcv
	}
	return fi
}

// newQP returns a QP that goes the given ways.
func (e *Engine) newQP(fi int32, size int64, path, ack int32, f *fabric.Flow, n int32) (sender, receiver) {
	fwd := e.buf[:0]
	for _, p := range e.paths[path:] {
		if p < 0 {
			break
		}
		fwd = append(fwd, fabric.PortID(p))
	}
	e.buf = fwd
	snd, rcv := len(e.snd), len(e.rcv)
	e.addQP(fi, size, path, ack, f, n, e.g.Ports[fwd[0]].Rate, e.roundTrip(fwd), len(fwd))
	a, b := e.snd[snd], e.rcv[rcv]
	e.snd, e.rcv = e.snd[:snd], e.rcv[:rcv]
	return a, b
}
