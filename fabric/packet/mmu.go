package packet

import "github.com/simnet/simnet/fabric"

// device is a shared-buffer switch.
type device struct {
	shared, pool int64 // shared buffer: in use, size
	used, max    int64 // all bytes buffered; the most so far
	buffer       int64
	fluid        float64 // what a glide has in its queues
	egressAlpha  int64   // in units of 2^-24
	egressLimit  int64
	node         int32
	cell         int32
	markIn       bool
}

// account is what one (ingress port, class) occupies at a switch. It is
// indexed by the upstream's sending port, then the class.
type account struct {
	used     int32 // reserved and shared
	hdr      int32 // headroom
	hdrMax   int32
	reserved int32
	fixed    int32 // XOFF threshold if not dynamic
	alpha    int32 // in units of 2^-24
	xon      int32 // hysteresis
	lossless bool
	q        uint8
}

// accountOf returns the index of the account of a data packet at a switch.
func (s *shard) accountOf(k *packet) int32 { return k.in*s.nc + int32(k.q) - queueData }

// alphaBits is the precision of a dynamic threshold: an alpha of 64 is the
// largest and still fits an account's 32 bits, and 1/3 of 64 MB comes out to
// 2 B, less than any cell. Powers of two are exact.
const (
	alphaBits = 24
	alphaOne  = 1 << alphaBits
)

// maxBuffer is the largest threshold that 63 bits hold in units of 2^-24.
const maxBuffer = 1 << 38

// fixed returns r in units of 2^-24, rounded.
func (r Ratio) fixed() int64 { return (r.Num*alphaOne + r.Den/2) / r.Den }

// buildMMU sizes reserved, headroom and shared parts of every switch.
func (e *Engine) buildMMU() error {
	for i := range e.switches {
		d := &e.switches[i]
		c := &e.cfg.Switches[e.g.Nodes[d.node].Class]
		d.buffer, d.pool = c.Buffer, c.Buffer
		d.egressAlpha, d.egressLimit = alphaOne, c.EgressLimit
		if c.EgressAlpha.valid() {
			d.egressAlpha = c.EgressAlpha.fixed()
		}
		d.markIn = c.MarkOnEnqueue
		d.cell = int32(max(1, c.Cell))
		for _, p := range e.g.PortsOf(fabric.NodeID(d.node)) {
			if err := e.profile(&e.ports[p], c); err != nil {
				return err
			}
			in := int32(p ^ 1)
			e.ports[in].setOdd(oddCut, c.CutThrough && !e.cfg.Compat)
			e.anyCut = e.anyCut || e.ports[in].is(oddCut)
			for k := range int(e.nc) {
				a := &e.accounts[in*e.nc+int32(k)]
				a.q = uint8(queueData + k)
				if !e.cfg.Classes[e.classOf[k]].Lossless || c.NoPFC {
					continue
				}
				a.lossless = true
				a.reserved = int32(c.Reserved)
				a.xon = int32(c.XonOffset)
				a.fixed = int32(c.XOFF)
				if c.XOFF == 0 {
					a.alpha = int32(c.Alpha.fixed())
				}
				a.hdrMax = int32(c.Headroom)
				if c.Headroom == 0 {
					a.hdrMax = e.autoHeadroom(in, d)
				}
				if e.cfg.Compat {
					e.compatAccount(a, in)
					if k > 0 {
						continue // the model sets these aside once a port
					}
				}
				d.pool -= int64(a.reserved) + int64(a.hdrMax)
			}
		}
		if d.pool < maxFrame && !e.cfg.Compat || d.pool <= 0 {
			return &BufferError{fabric.NodeID(d.node), e.g.Nodes[d.node].Name, c.Buffer, d.pool}
		}
	}
	return nil
}

// autoHeadroom returns what may still arrive over port in after XOFF: the
// packet that crossed it, one in the way of the pause frame, the frame, the
// round trip with the pipeline and the sender's response, and the packet that
// the sender has just begun (802.1Qbb annex O). The round trip may be full of
// packets a byte longer than their cells, or of the smallest: the worst case
// factor of SONiC's headroom (sonic-swss, cfgmgr/buffer_headroom_mellanox.lua).
func (e *Engine) autoHeadroom(in int32, d *device) int32 {
	o := &e.ports[in]
	f := &e.cfg.Framing
	mtu := d.room(int32(f.Payload + f.Header))
	trip := o.rate.Bytes(o.prop + o.reach + e.cfg.PFC.Response)
	if d.cell > 1 {
		least := f.Header + 1
		room := int64(d.room(int32(least)))
		worst := max(float64(room)/float64(least), float64(room+int64(d.cell))/float64(room+1))
		trip = int64(float64(trip)*worst) + int64(d.cell)
	}
	return int32(3*int64(mtu) + e.cfg.PFC.Frame + trip + 1)
}

// room returns the bytes of the cells that a packet of z bytes takes.
func (d *device) room(z int32) int32 {
	if d.cell == 1 {
		return z
	}
	return (z + d.cell - 1) / d.cell * d.cell
}

// threshold returns the shared bytes that a may hold before XOFF.
func (d *device) threshold(a *account) int64 {
	if a.fixed != 0 {
		return int64(a.fixed)
	}
	return (d.pool - d.shared) * int64(a.alpha) >> alphaBits
}

func (a *account) sharedUse() int64 { return int64(max(0, a.used-a.reserved)) }

// admit counts z arriving bytes to a, or returns false if they must be
// dropped. eq is the length of the egress queue.
func (d *device) admit(a *account, z, eq int32) bool {
	z = d.room(z)
	if !a.lossless {
		limit := d.egressLimit
		free := d.pool - d.shared
		if limit == 0 {
			limit = free * d.egressAlpha >> alphaBits
		}
		if int64(eq+z) > limit || int64(z) > free {
			return false
		}
		a.used += z
		d.shared += int64(z)
	} else {
		thr := d.threshold(a)
		if z+a.hdr > a.hdrMax && int64(z)+a.sharedUse() > thr {
			return false
		}
		n := a.used + z
		over := n - a.reserved
		switch {
		case over <= 0:
			a.used = n
		case int64(over) > thr || int64(min(z, over)) > d.pool-d.shared:
			if z+a.hdr > a.hdrMax && int64(over) <= thr {
				return false // within its threshold, but the shared buffer is full
			}
			a.hdr += z
		default:
			a.used = n
			d.shared += int64(min(z, over))
		}
	}
	d.used += int64(z)
	d.max = max(d.max, d.used)
	return true
}

// release takes z leaving bytes off a: headroom first, then shared.
func (d *device) release(a *account, z int32) {
	z = d.room(z)
	h := min(a.hdr, z)
	sh := min(z-h, max(0, a.used-a.reserved))
	a.hdr -= h
	a.used -= z - h
	d.shared -= int64(sh)
	d.used -= int64(z)
}

// mustPause reports whether a has to send XOFF.
func (d *device) mustPause(a *account) bool {
	return a.hdr > 0 || a.sharedUse() >= d.threshold(a)
}

// mayResume reports whether a may send XON.
func (d *device) mayResume(a *account) bool {
	if a.hdr != 0 {
		return false
	}
	u := a.sharedUse()
	return u == 0 || u+int64(a.xon) <= d.threshold(a)
}

// marking is the WRED profile of a port.
type marking struct {
	kmin, kmax int32
	slope      uint64 // probability per byte above kmin, in units of 2^-48
}

func (e *Engine) profile(o *port, c *Switch) error {
	if len(c.ECN) == 0 {
		return nil
	}
	best := &c.ECN[0]
	for i := range c.ECN {
		if c.ECN[i].Rate <= o.rate {
			best = &c.ECN[i]
		}
	}
	if e.cfg.Compat && best.Rate != o.rate {
		return rateError(o.rate)
	}
	ratio := float64(o.rate) / float64(best.Rate)
	scale := func(b int64) int32 { return int32(float64(float64(b)*ratio) + 0.5) }
	m := marking{kmin: int32(best.Kmin), kmax: int32(best.Kmax)}
	if best.Rate != o.rate {
		m.kmin, m.kmax = scale(best.Kmin), scale(best.Kmax)
	}
	if m.kmax > m.kmin {
		m.slope = uint64(best.Pmax * (1 << 48) / float64(m.kmax-m.kmin))
	}
	for i := range e.markings {
		if e.markings[i] == m {
			o.mark = int16(i)
			return nil
		}
	}
	o.mark = int16(len(e.markings))
	e.markings = append(e.markings, m)
	if len(e.markings) == 1 || m.kmin < e.kmin {
		e.kmin = m.kmin
	}
	return nil
}

// marks decides whether a packet of queue q of o gets a mark at b bytes.
func (s *shard) marks(o *port, q uint8, b int32) bool {
	if o.mark < 0 || s.e.ecnMask>>q&1 == 0 {
		return false
	}
	m := &s.e.markings[o.mark]
	if b <= m.kmin {
		return false
	}
	return b > m.kmax || uint64(o.random())<<16 < uint64(b-m.kmin)*m.slope
}
