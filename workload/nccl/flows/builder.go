package flows

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl"
)

// builder collects the flows of one call.
type builder struct {
	p     *Planner
	ch    nccl.Choice
	label string
	flows []fabric.Flow
	hops  int // flows that wait for one another from the first byte to the last
}

// wire is what n bytes of data are on the wire. Send/recv uses LL inside nodes
// alone: buffers for it between nodes take NCCL_ALLOC_P2P_NET_LL_BUFFERS.
func (b *builder) wire(n int64) int64 {
	if b.ch.Algo == nccl.P2P {
		return max(1, n)
	}
	return b.ch.Proto.WireBytes(max(1, n))
}

// add appends a flow of bytes of data from a NIC to another, with the slice of
// the choice, and returns its index.
func (b *builder) add(src, dst fabric.NodeID, data int64, upstream ...int) int {
	n := b.wire(data)
	slice := min(n, b.wire(b.ch.SliceBytes))
	b.flows = append(b.flows, fabric.Flow{
		Src: src, Dst: dst, Bytes: n, Class: b.p.o.Class, QPs: b.p.qps(n, slice), Slice: slice,
		Upstream: upstream, Job: b.p.o.Job, Label: b.label,
	})
	return len(b.flows) - 1
}

// qps is the number of queue pairs that share the bytes of a connection: all if
// every message is split over them, else one message each in turn.
func (p *Planner) qps(bytes, message int64) int {
	e := p.m.Env()
	q := int64(max(1, e.QPsPerConnection))
	if !e.SplitDataOnQPs {
		q = min(q, ceilDiv(bytes, message))
	}
	return int(q)
}

// nic returns the NIC of a node that channel c uses, and with out the one by
// which it leaves: with NCCL_CROSS_NIC=1 the neighbour, so that a ring enters a
// node by one NIC and leaves by another.
func (b *builder) nic(node, c int, out bool) fabric.NodeID {
	n := b.p.nics[node]
	r := c % b.p.half % len(n)
	if out && b.p.m.Env().CrossNIC == 1 && r^1 < len(n) {
		r ^= 1
	}
	return n[r]
}

// fewPackets is up to how many packets a flow is not capped: a NIC sends those
// at once, and what the cost model has for them is part of the lead.
const fewPackets = 8

// cap bounds every flow so that its bytes take the wire time of the cost model,
// which holds the link inside the node, the channels and the NIC.
func (b *builder) cap(wire sim.Time) {
	if wire <= 0 {
		return
	}
	for i := range b.flows {
		f := &b.flows[i]
		if b.p.o.Framing.Packets(f.Bytes) <= fewPackets {
			continue
		}
		f.MaxRate = max(1, sim.Rate(float64(b.p.o.Framing.WireBytes(f.Bytes))*8*float64(sim.Second)/float64(wire)))
	}
}

// pipe is the longest way of a first packet among the flows, and what a sender
// takes before it.
func (b *builder) pipe() (pipe, sender sim.Time, err error) {
	g := b.p.o.Routes.Graph()
	var path []fabric.PortID
	for i := range b.flows {
		f := &b.flows[i]
		path, err = b.p.o.Routes.Path(path[:0], f.Src, f.Dst, fabric.QPHeader(f, 0, 0))
		if err != nil {
			return 0, 0, fmt.Errorf("nccl: %s sends from %s to %s, and no path joins them", b.label, g.Nodes[f.Src].Name, g.Nodes[f.Dst].Name)
		}
		pipe = max(pipe, fabric.Pipe(g, path, f.Bytes, b.p.o.Framing))
		sender = max(sender, g.Nodes[f.Src].Latency)
	}
	return pipe, sender, nil
}

// idle is the time of the flows at their caps, or the rate of their NICs if that
// is less, on a network where each hop takes pipe for a first packet.
//
// A relay passes a slice on when all of it has come: its last byte follows that
// of its upstream by pipe and the rest of the slice. Around a ring no byte
// travels farther than the lag before it waits, so that the pace is a lag in
// the time of a hop, if that is slower than the cap.
func (b *builder) idle(pipe sim.Time) sim.Time {
	fr := b.p.o.Framing
	var longest sim.Time
	leaving := map[fabric.NodeID]int64{} // wire bytes of the flows without caps
	for i := range b.flows {
		f := &b.flows[i]
		line := b.line(f.Src)
		rate := f.MaxRate
		if rate == 0 {
			leaving[f.Src] += fr.WireBytes(f.Bytes)
			longest = max(longest, line.TxTime(leaving[f.Src])+pipe)
		}
		if rate == 0 || line < rate {
			rate = line
		}
		// A cap spaces packets: the last one is out as soon as it may begin.
		at := func(n int64) sim.Time {
			return rate.TxTime(max(0, fr.Packets(n)-1) * (fr.Payload + fr.Header))
		}
		hop := pipe + at(min(f.Slice, f.Bytes))
		t := at(f.Bytes) + pipe
		if b.hops == 0 && f.Lag > 0 && f.Lag < f.Bytes {
			t = max(t, at(f.Lag)+pipe+sim.Time(float64(hop)*float64(f.Bytes-f.Lag)/float64(f.Lag)))
		}
		longest = max(longest, t+sim.Time(b.hops)*hop)
	}
	return longest
}

// line is the rate of a NIC.
func (b *builder) line(nic fabric.NodeID) sim.Rate {
	g := b.p.o.Routes.Graph()
	var line sim.Rate
	for _, p := range g.PortsOf(nic) {
		line += g.Ports[p].Rate
	}
	return line
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
