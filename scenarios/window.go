package scenarios

import (
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// splitter is a Network over two engines: the head of the flows that a window
// names goes to the packet engine, everything else to the flow engine.
//
// A group of flows that has a flow in the window goes there as a whole, cut to
// the window's bytes a flow; when all its heads have arrived, what remains of
// each flow continues on the flow engine. The engines do not see each other's
// load: the window shows its own phase alone on the network, as phases of a
// training step mostly are.
type splitter struct {
	k            *sim.Kernel
	routes       *fabric.Routes
	framing      fabric.Framing
	packet, flow fabric.Simulator
	phases       []string
	head         int64 // bytes of each flow that are packets; 0: all
	flows        []splitFlow
	packetOf     []fabric.FlowID // by the packet engine's number: ours
}

// splitFlow is one flow of the jobs and its parts; -1 means no part there.
type splitFlow struct {
	src, dst     fabric.NodeID
	bytes        int64
	maxRate      sim.Rate
	packet, flow fabric.FlowID
}

func newSplitter(k *sim.Kernel, r *fabric.Routes, f fabric.Framing, packet, flow fabric.Simulator, w *WindowSpec) *splitter {
	return &splitter{k: k, routes: r, framing: f, packet: packet, flow: flow, phases: w.Phases.V, head: int64(w.BytesPerRank.V)}
}

// StartGroup implements fabric.Network.
func (s *splitter) StartGroup(flows []fabric.Flow) []fabric.FlowID {
	base := fabric.FlowID(len(s.flows))
	ids := make([]fabric.FlowID, len(flows))
	inside := false
	for i := range flows {
		f := &flows[i]
		ids[i] = base + fabric.FlowID(i)
		inside = inside || slices.Contains(s.phases, f.Label)
		s.flows = append(s.flows, splitFlow{src: f.Src, dst: f.Dst, bytes: f.Bytes, maxRate: f.MaxRate, packet: -1, flow: -1})
	}
	if inside {
		s.startHead(base, flows)
		return ids
	}
	for i, id := range s.flow.StartGroup(flows) {
		s.flows[base+fabric.FlowID(i)].flow = id
	}
	return ids
}

// startHead sends the window's part of a group as packets.
func (s *splitter) startHead(base fabric.FlowID, flows []fabric.Flow) {
	head := make([]fabric.Flow, len(flows))
	all := slices.Clone(flows) // the caller may reuse its slice
	rest := sim.NewEvent(len(flows))
	for i := range flows {
		f := all[i]
		if s.head > 0 {
			f.Bytes = min(f.Bytes, s.head)
		}
		arrived := sim.NewEvent(1)
		done := f.Done
		whole := f.Bytes == all[i].Bytes
		f.Done = arrived
		head[i] = f
		arrived.Then(s.k, func() {
			if whole && done != nil {
				done.Arrive(s.k)
			}
			rest.Arrive(s.k)
		})
	}
	for i, id := range s.packet.StartGroup(head) {
		s.flows[base+fabric.FlowID(i)].packet = id
		s.packetOf = append(s.packetOf, base+fabric.FlowID(i))
	}
	rest.Then(s.k, func() { s.startRest(base, all) })
}

// startRest hands what the window left of a group to the flow engine.
func (s *splitter) startRest(base fabric.FlowID, all []fabric.Flow) {
	index := make([]int, len(all)) // place among the flows that go on, -1 if none
	var rest []fabric.Flow
	for i := range all {
		index[i] = -1
		if s.head > 0 && all[i].Bytes > s.head {
			index[i] = len(rest)
			f := all[i]
			f.Bytes -= s.head
			f.Delay = 0
			rest = append(rest, f)
		}
	}
	if len(rest) == 0 {
		return
	}
	for i := range all {
		if index[i] < 0 {
			continue
		}
		// An upstream that is through holds nobody back any more. The others
		// have as many bytes behind them as the flow itself, so Lag stays.
		var up []int
		for _, u := range all[i].Upstream {
			if index[u] >= 0 {
				up = append(up, index[u])
			}
		}
		rest[index[i]].Upstream = up
	}
	ids := s.flow.StartGroup(rest)
	for i := range all {
		if index[i] >= 0 {
			s.flows[base+fabric.FlowID(i)].flow = ids[index[i]]
		}
	}
}

// SetLink implements fabric.Network.
func (s *splitter) SetLink(l fabric.LinkID, st fabric.LinkState) {
	s.packet.SetLink(l, st)
	s.flow.SetLink(l, st)
}

// report merges what both engines measured into one report in the numbering of
// the jobs' flows.
func (s *splitter) report() *fabric.Report {
	p, f := s.packet.Report(), s.flow.Report()
	r := *p
	r.Fidelity = p.Fidelity
	r.Counters.BytesDelivered += f.Counters.BytesDelivered
	r.Counters.Flows, r.Counters.FlowsFinished = int64(len(s.flows)), 0
	r.Counters.FlowsFailed += f.Counters.FlowsFailed
	r.PacketBytes, r.End = p.Counters.BytesDelivered, max(p.End, f.End)
	r.Violations = append(slices.Clone(p.Violations), f.Violations...)
	r.Notes = append(slices.Clone(p.Notes), f.Notes...)
	r.Flows = make([]fabric.FlowRecord, len(s.flows))
	for i := range s.flows {
		r.Flows[i] = s.record(&s.flows[i], p, f)
		if r.Flows[i].FCT >= 0 {
			r.Counters.FlowsFinished++
		}
	}
	r.Ports = slices.Clone(p.Ports)
	for i := range f.Ports {
		if i < len(r.Ports) {
			r.Ports[i].TxBytes += f.Ports[i].TxBytes
		}
	}
	for i := range r.Rates {
		r.Rates[i].Flow = s.packetOf[r.Rates[i].Flow]
	}
	for i := range r.Bursts {
		r.Bursts[i].Flows = s.renumber(r.Bursts[i].Flows)
	}
	for i := range r.Storms {
		r.Storms[i].Flows = s.renumber(r.Storms[i].Flows)
	}
	return &r
}

func (s *splitter) renumber(ids []fabric.FlowID) []fabric.FlowID {
	out := make([]fabric.FlowID, len(ids))
	for i, id := range ids {
		out[i] = s.packetOf[id]
	}
	return out
}

// record joins the parts of one flow.
func (s *splitter) record(x *splitFlow, p, f *fabric.Report) fabric.FlowRecord {
	switch {
	case x.packet < 0:
		return f.Flows[x.flow]
	case x.flow < 0:
		r := p.Flows[x.packet]
		if r.Bytes < x.bytes { // stopped inside the window
			r.Bytes, r.FCT = x.bytes, -1
			r.Ideal = s.ideal(x)
		}
		return r
	}
	r, tail := p.Flows[x.packet], f.Flows[x.flow]
	r.Bytes = x.bytes
	r.Ideal = s.ideal(x)
	if r.FCT = -1; tail.FCT >= 0 {
		r.FCT = tail.Start + tail.FCT - r.Start
	}
	return r
}

// ideal is the completion time of the whole flow alone on the network.
func (s *splitter) ideal(x *splitFlow) sim.Time {
	g := s.routes.Graph()
	path, err := s.routes.Path(nil, x.src, x.dst, fabric.QPHeader(&fabric.Flow{Src: x.src, Dst: x.dst}, 0, 0))
	if err != nil {
		return 0
	}
	limit := x.maxRate
	for _, l := range []sim.Rate{g.Nodes[x.src].Limit, g.Nodes[x.dst].Limit} {
		if l > 0 && (limit == 0 || l < limit) {
			limit = l
		}
	}
	return fabric.Ideal(g, path, x.bytes, s.framing, limit)
}
