package packet

import "github.com/simnet/simnet/sim"

// Sample is what an island has counted at one instant; the difference of two is
// what happened in the window between them.
type Sample struct {
	At    sim.Time
	n     counters
	sent  []int64    // by QP in the order of flows: bytes sent
	last  []sim.Time // and when the last packet left, or may be followed
	ports []portMark
	held  int64 // bytes in the buffers of switches
}

// Delivered returns the payload bytes delivered up to the sample.
func (x *Sample) Delivered() int64 { return x.n.delivered }

// Held returns the bytes that waited in the buffers of switches.
func (x *Sample) Held() int64 { return x.held }

// Congested reports whether anything was marked, paused, lost or cut between
// two samples.
func (x *Sample) Congested(since *Sample) bool {
	a, b := &x.n, &since.n
	return a.marked != b.marked || a.pauses != b.pauses || a.cuts != b.cuts || a.dropped != b.dropped || a.cnps != b.cnps
}

// Trouble reports whether packets were lost or sent again between two samples:
// then nothing may be extrapolated.
func (x *Sample) Trouble(since *Sample) bool {
	a, b := &x.n, &since.n
	return a.dropped != b.dropped || a.drops != b.drops || a.retxBytes != b.retxBytes || a.nacks != b.nacks || a.timeouts != b.timeouts
}

// Sample fills x with the present counts.
func (is *Island) Sample(x *Sample, now sim.Time) {
	e := is.e
	x.At, x.n, x.held = now, is.s.n, 0
	for _, d := range is.slots {
		x.held += e.switches[d].used
	}
	qps := 0
	for _, fi := range is.open {
		qps += int(e.flows[fi].qps)
	}
	x.sent, x.last, x.ports = make([]int64, 0, qps), make([]sim.Time, 0, qps), make([]portMark, 0, len(is.ports))
	for _, fi := range is.open {
		f := &e.flows[fi]
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			x.sent = append(x.sent, e.snd[qi].next)
			x.last = append(x.last, e.snd[qi].avail)
		}
	}
	for _, pi := range is.ports {
		o := &e.ports[pi]
		m := portMark{o.txBytes, o.txPkts, 0, o.ecn, o.drops, o.pauses, o.pausedTime}
		for k := range e.nc {
			if o.paused>>(queueData+k)&1 != 0 {
				m.paused += now - e.pauses[pi*e.nc+k].since
			}
		}
		x.ports = append(x.ports, m)
	}
}

// moved returns the bytes that QP i sends in a span d, at its rate between two
// samples. The rate is taken from packet to packet, so that a window needs no
// whole number of them.
func moved(a, b *Sample, i int, d sim.Time) int64 {
	t := b.last[i] - a.last[i]
	if t <= 0 {
		return 0
	}
	return mulDiv(b.sent[i]-a.sent[i], int64(d), int64(t))
}

// Moved returns the bytes that QP i, by the order of flows, sends in a span d at
// its rate between two samples.
func Moved(a, b *Sample, i int, d sim.Time) int64 { return moved(a, b, i, d) }

// EachQP calls fn with the place in the samples of every QP that has bytes to
// deliver.
func (is *Island) EachQP(fn func(i int)) {
	i := 0
	for _, fi := range is.open {
		f := &is.e.flows[fi]
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			if x := &is.e.snd[qi]; x.state&stBegun != 0 && is.e.rcv[qi].next < x.size {
				fn(i)
			}
			i++
		}
	}
}

// Recovering reports whether DCQCN is raising the rate of a QP after a cut: its
// packets cannot repeat themselves then, except over many such cycles.
func (is *Island) Recovering() bool {
	c, _ := is.e.cc.(*dcqcn)
	if c == nil {
		return false
	}
	for _, fi := range is.open {
		f := &is.e.flows[fi]
		for qi := f.qp; qi < f.qp+f.qps; qi++ {
			if x := &is.e.snd[qi]; c.st[qi].running && x.state&stBegun != 0 && is.e.rcv[qi].next < x.size {
				return true
			}
		}
	}
	return false
}

// Starting reports whether a flow of the island has not begun to send yet.
func (is *Island) Starting() bool {
	for _, fi := range is.open {
		f := &is.e.flows[fi]
		if is.e.snd[f.qp].state&stBegun == 0 {
			return true
		}
	}
	return false
}
