package nccl

import (
	"math"

	"github.com/simnet/simnet/sim"
)

// Parts is where the time of one call goes.
type Parts struct {
	Host    sim.Time // the harness or framework, before NCCL
	Latency sim.Time // launch and steps: what an empty message takes
	Fill    sim.Time // pipeline not yet full
	Wire    sim.Time // bytes at the bandwidth below
	AlgGBs  float64  // algorithm bandwidth of the wire part, GB/s
	Bound   string   // what sets it: "link", "nic", "channels", "protocol" or "nvls"
}

// Total is the time of the call.
func (p Parts) Total() sim.Time { return p.Host + p.Latency + p.Fill + p.Wire }

// Parts returns the time of one call in parts, and what NCCL would run.
func (m *Model) Parts(c Collective, bytes int64) (Parts, Choice) {
	ch := m.Choose(c, max(bytes, 1))
	return m.PartsOf(c, bytes, ch), ch
}

// PartsOf is Parts with a given choice.
func (m *Model) PartsOf(c Collective, bytes int64, ch Choice) Parts {
	p := Parts{Host: m.shape.HostCall, Bound: "link"}
	if m.shape.Ranks() < 2 {
		p.Latency, p.AlgGBs = fromUS(m.Cal.V(LaunchUS)), localCopyGBs
		p.Wire = fromUS(float64(bytes) / (1000 * localCopyGBs))
		return p
	}
	var latency, fill, wire float64
	if ch.Algo == P2P {
		latency, fill, wire = m.p2pParts(c, float64(bytes), ch)
	} else {
		latency, fill, wire = m.collParts(c, float64(bytes), ch)
	}
	p.Bound = m.bound(ch)
	if x := m.crossing(c, float64(bytes), ch); ch.Algo != P2P && wire > 0 && m.crossUS(x, m.hiddenUS(x, ch, latency)) >= wire {
		p.Bound = "nic"
	}
	p.Latency, p.Fill, p.Wire = fromUS(math.Max(latency, 0)), fromUS(fill), fromUS(wire)
	if wire > 0 {
		p.AlgGBs = float64(bytes) / wire / 1000
	}
	return p
}

// bound names what sets the bandwidth of a choice.
func (m *Model) bound(ch Choice) string {
	multi := m.shape.Nodes > 1
	channels := float64(m.channels) * m.Cal.V(ChannelGBs)
	switch ch.Algo {
	case P2P:
		if multi {
			return "nic"
		}
		return "link"
	case NVLS:
		return "nvls"
	case NVLSTree:
		if m.Cal.V(NVLSTreeEff)*m.nvlsAlg() <= m.netGBsTotal(ch.Channels)/m.treeLoad() {
			return "nvls"
		}
		return m.netBound(ch.Channels)
	}
	if ch.Proto != Simple {
		return "protocol"
	}
	if ch.Algo == Tree {
		if !multi || m.treeIntra() <= m.netGBsTotal(m.channels)/m.treeLoad() {
			return "link"
		}
		return m.netBound(m.channels)
	}
	bus := m.ringBus()
	switch {
	case bus >= channels:
		return "channels"
	case multi && bus >= m.nicGBsTotal():
		return "nic"
	}
	return "link"
}

func (m *Model) netBound(nc int) string {
	if float64(nc)*m.Cal.V(ChannelGBs) < m.nicGBsTotal() {
		return "channels"
	}
	return "nic"
}

// AlphaBeta condenses an operation into a latency a step and a bus bandwidth,
// for models that take no more: alpha is the time of 8 bytes over the number
// of steps (2(n-1), n-1, 1), the bandwidth that of 1 GiB without its latency.
func (m *Model) AlphaBeta(c Collective) (alpha sim.Time, bus sim.Rate) {
	small, _ := m.Time(c, 8)
	p, _ := m.Parts(c, 1<<30)
	n := steps(c, m.shape.Ranks())
	if c == SendRecv || c == AllToAll || c == Broadcast || c == Reduce {
		n = 1
	}
	gbs := float64(int64(1)<<30) / (p.Fill + p.Wire).Seconds() / 1e9 * c.BusFactor(m.shape.Ranks())
	return small / sim.Time(math.Max(1, n)), sim.Rate(gbs * 8e9)
}
