package packet

import (
	"math/bits"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// The rules of the HPCC-family ns-3 models that differ from the engine's own.

// compatTime is the time of size bytes at r: the quotient as a double in
// seconds, cut to 64 fractional bits, floored to whole nanoseconds.
func compatTime(size int64, r sim.Rate) sim.Time {
	sec := float64(size) * 8 / float64(r)
	if sec >= 1 {
		return sim.Time(sec*1e9) * sim.Nanosecond
	}
	ns, _ := bits.Mul64(uint64(sec*(1<<64)), 1e9)
	return sim.Time(ns) * sim.Nanosecond
}

// serialTable returns the index in serial of the table of compatTime at r, by
// size.
func (e *Engine) serialTable(r sim.Rate) int32 {
	n := e.maxSize() + 1
	for i, x := range e.serialRate {
		if x == r {
			return int32(i * n)
		}
	}
	e.serialRate = append(e.serialRate, r)
	at := len(e.serial)
	for b := range n {
		e.serial = append(e.serial, compatTime(int64(b), r))
	}
	return int32(at)
}

// maxSize returns the size of the largest frame.
func (e *Engine) maxSize() int {
	f := &e.cfg.Framing
	return int(max(f.Payload+f.Header, f.Ack, e.cfg.PFC.Frame))
}

// compatAccount applies the model's own formulae: headroom of three times
// rate x delay, and an alpha of 1/8 that doubles with each doubling of the rate
// above the hosts'.
func (e *Engine) compatAccount(a *account, in int32) {
	o := &e.ports[in]
	a.hdrMax = int32(int64(o.rate)*int64(o.prop/sim.Nanosecond)/8/1e9) * 3
	shift := 3
	for r := o.rate; r > e.hostRate() && shift > 0; r /= 2 {
		shift--
	}
	a.alpha = alphaOne >> shift
	a.fixed = 0
}

// hostRate returns the rate of the first host's first link.
func (e *Engine) hostRate() sim.Rate {
	hosts := e.g.Hosts()
	if len(hosts) == 0 || len(e.g.PortsOf(hosts[0])) == 0 {
		return 0
	}
	return e.g.Ports[e.g.PortsOf(hosts[0])[0]].Rate
}

// pairs is the largest window and round trip over all pairs of hosts. In
// Compat the search and the cuts are the model's.
func (e *Engine) longestPair() (bdp int64, rtt sim.Time) {
	g := e.g
	type reach struct {
		delay, tx sim.Time
		rate      sim.Rate
		seen      bool
	}
	at := make([]reach, len(g.Nodes))
	var queue []fabric.NodeID
	seen := map[string]bool{}
	for _, h := range g.Hosts() {
		if !e.cfg.Compat { // hosts at the same switches see the same distances
			key := make([]byte, 0, 16)
			for _, p := range g.PortsOf(h) {
				n := g.Ports[p].Peer
				key = append(key, byte(n), byte(n>>8), byte(n>>16))
			}
			if seen[string(key)] {
				continue
			}
			seen[string(key)] = true
		}
		clear(at)
		at[h] = reach{rate: 1 << 62, seen: true}
		queue = append(queue[:0], h)
		for i := 0; i < len(queue); i++ {
			u := queue[i]
			for _, p := range g.PortsOf(u) {
				q := &g.Ports[p]
				if at[q.Peer].seen {
					continue
				}
				tx := q.Rate.TxTime(e.cfg.Framing.Payload)
				if e.cfg.Compat {
					tx = sim.Time(e.cfg.Framing.Payload*1e9*8/int64(q.Rate)) * sim.Nanosecond
				}
				r := at[u]
				at[q.Peer] = reach{r.delay + q.Delay + g.Nodes[q.Peer].Latency, r.tx + tx, min(r.rate, q.Rate), true}
				if !g.Nodes[q.Peer].Kind.Host() {
					queue = append(queue, q.Peer)
					continue
				}
				w := at[q.Peer]
				t := 2*w.delay + w.tx
				b := w.rate.Bytes(t)
				bdp, rtt = max(bdp, b), max(rtt, t)
			}
		}
	}
	return bdp, rtt
}
