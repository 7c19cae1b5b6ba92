package packet

import "fmt"

// maxFrame bounds a packet on the wire: sizes are stored in 16 bits.
const maxFrame = 1<<16 - 1

// Validate reports the first value that makes no sense, by its path in Config.
func (c *Config) Validate() error {
	f := &c.Framing
	switch {
	case f.Payload < 1 || f.Header < 0 || f.Payload+f.Header > maxFrame:
		return fmt.Errorf("Framing: payload %d + header %d B: want 1 to %d B in all", f.Payload, f.Header, maxFrame)
	case f.Ack < 1 || f.Ack > maxFrame:
		return fmt.Errorf("Framing.Ack: %d B: want 1 to %d", f.Ack, maxFrame)
	case len(c.NICs) == 0:
		return fmt.Errorf("NICs: none given")
	case len(c.Switches) == 0:
		return fmt.Errorf("Switches: none given")
	case c.PFC.Frame < 1 || c.PFC.Frame > maxFrame:
		return fmt.Errorf("PFC.Frame: %d B: want 1 to %d", c.PFC.Frame, maxFrame)
	case c.PFC.Quanta < 0 || c.PFC.Quanta > 0xffff:
		return fmt.Errorf("PFC.Quanta: %d: want 0 to 65535", c.PFC.Quanta)
	case c.PFC.Quanta > 0 && (c.PFC.Refresh < 1 || c.PFC.Refresh > 99):
		return fmt.Errorf("PFC.Refresh: %d %%: want 1 to 99", c.PFC.Refresh)
	case c.PFC.Response < 0 || c.PFC.Watchdog < 0:
		return fmt.Errorf("PFC: negative time")
	}
	for i := range c.NICs {
		n := &c.NICs[i]
		if n.AckEvery < 1 || n.AckEvery > 1<<15 {
			return fmt.Errorf("NICs[%d].AckEvery: %d: want 1 to 32768", i, n.AckEvery)
		}
		if n.CNPInterval < 0 || n.CNPDelay < 0 || n.RxBuffer < 0 {
			return fmt.Errorf("NICs[%d]: negative value", i)
		}
	}
	for i := range c.Switches {
		if err := c.Switches[i].validate(); err != nil {
			return fmt.Errorf("Switches[%d].%w", i, err)
		}
	}
	any := false
	for i := range c.Classes {
		k := &c.Classes[i]
		any = any || k.Enabled
		if k.Enabled && !k.Strict && (k.Weight < 1 || k.Weight > 1000) {
			return fmt.Errorf("Classes[%d].Weight: %d: want 1 to 1000", i, k.Weight)
		}
	}
	if !any {
		return fmt.Errorf("Classes: none enabled")
	}
	if err := c.CC.validate(); err != nil {
		return fmt.Errorf("CC.%w", err)
	}
	w, r, t := &c.Window, &c.Recovery, &c.Telemetry
	switch {
	case w.Bytes < 0 || w.Factor < 0:
		return fmt.Errorf("Window: negative value")
	case r.Mode > SelectiveRepeat:
		return fmt.Errorf("Recovery.Mode: %d is unknown", r.Mode)
	case r.RTO < 0 || r.RetryLimit < 0 || r.NackInterval < 0:
		return fmt.Errorf("Recovery: negative value")
	case c.Routing.Mode > Spray:
		return fmt.Errorf("Routing.Mode: %d is unknown", c.Routing.Mode)
	case c.Routing.Mode == Flowlet && c.Routing.FlowletGap <= 0:
		return fmt.Errorf("Routing.FlowletGap: %v: want more than zero", c.Routing.FlowletGap)
	case c.Compat && c.Routing.Mode != ECMP:
		return fmt.Errorf("Routing.Mode: Compat knows ECMP alone")
	case c.Compat && r.Mode != GoBackN:
		return fmt.Errorf("Recovery.Mode: Compat knows go-back-N alone")
	case t.QueueBin < 0 || t.RateBin < 0 || t.MaxBins < 0 || t.MaxQueues < 0 || t.MaxBursts < 0 ||
		t.BurstFlows < 0 || t.StormCNPs < 0 || t.StormWindow < 0 || t.RateTraces < 0 || t.MaxSamples < 0 || t.BurstBytes < 0 || t.MaxStorms < 0:
		return fmt.Errorf("Telemetry: negative value")
	case t.MaxBins == 1 || t.MaxBins%2 != 0:
		return fmt.Errorf("Telemetry.MaxBins: %d: want an even number", t.MaxBins)
	}
	return nil
}

func (s *Switch) validate() error {
	switch {
	case s.Buffer <= 0:
		return fmt.Errorf("Buffer: %d B: want more than zero", s.Buffer)
	case s.Cell < 0 || s.Cell > maxFrame:
		return fmt.Errorf("Cell: %d B: want 0 to %d", s.Cell, maxFrame)
	case s.Reserved < 0 || s.Headroom < 0 || s.XonOffset < 0 || s.XOFF < 0 || s.EgressLimit < 0:
		return fmt.Errorf("Reserved, Headroom, XOFF, XonOffset, EgressLimit: negative value")
	case s.XOFF == 0 && !s.Alpha.valid():
		return fmt.Errorf("Alpha: %d/%d: want a positive fraction up to 64", s.Alpha.Num, s.Alpha.Den)
	case s.Buffer > maxBuffer || s.XOFF == 0 && s.Buffer/s.Alpha.Den*s.Alpha.Num > maxBuffer || s.EgressLimit == 0 && s.EgressAlpha.valid() && s.Buffer/s.EgressAlpha.Den*s.EgressAlpha.Num > maxBuffer:
		return fmt.Errorf("Buffer: %d B, times alpha, is more than %d B", s.Buffer, int64(maxBuffer))
	case s.EgressLimit == 0 && !s.EgressAlpha.valid():
		return fmt.Errorf("EgressAlpha: %d/%d: want a positive fraction up to 64", s.EgressAlpha.Num, s.EgressAlpha.Den)
	}
	for i, e := range s.ECN {
		if e.Rate <= 0 || e.Kmin < 0 || e.Kmax < e.Kmin || !(e.Pmax >= 0 && e.Pmax <= 1) {
			return fmt.Errorf("ECN[%d]: rate %v, Kmin %d, Kmax %d, Pmax %g: want Kmin <= Kmax and Pmax within 0 to 1", i, e.Rate, e.Kmin, e.Kmax, e.Pmax)
		}
		if i > 0 && s.ECN[i-1].Rate >= e.Rate {
			return fmt.Errorf("ECN[%d].Rate: %v does not ascend", i, e.Rate)
		}
	}
	return nil
}

func (r Ratio) valid() bool { return r.Num > 0 && r.Den > 0 && r.Num <= 64*r.Den }

func (c *CC) validate() error {
	unit := func(name string, g float64) error {
		if !(g > 0 && g <= 1) {
			return fmt.Errorf("%s: %g: want above 0, at most 1", name, g)
		}
		return nil
	}
	switch c.Algorithm {
	case None:
	case DCQCN:
		d := &c.DCQCN
		if d.AlphaTimer <= 0 || d.CutInterval < 0 || d.RateTimer <= 0 || d.ByteCounter < 0 || d.FastRecovery < 0 ||
			d.AI < 0 || d.HAI < 0 || d.MinRate <= 0 || d.InitialRate < 0 {
			return fmt.Errorf("DCQCN: timers and MinRate must be positive, nothing negative")
		}
		return unit("DCQCN.G", d.G)
	case DCTCP:
		if c.DCTCP.MinRate <= 0 || c.DCTCP.AI < 0 {
			return fmt.Errorf("DCTCP: MinRate must be positive, AI not negative")
		}
		return unit("DCTCP.G", c.DCTCP.G)
	case HPCC:
		h := &c.HPCC
		if h.MinRate <= 0 || h.AI < 0 || h.IntMulti < 1 || h.MaxStage < 0 {
			return fmt.Errorf("HPCC: MinRate and IntMulti must be positive, nothing negative")
		}
		return unit("HPCC.Target", h.Target)
	case TIMELY:
		t := &c.TIMELY
		if t.MinRate <= 0 || t.AI < 0 || t.TLow < 0 || t.THigh <= t.TLow || t.MinRTT < 0 || t.HAIAfter < 1 {
			return fmt.Errorf("TIMELY: want MinRate > 0, THigh > TLow >= 0, HAIAfter >= 1")
		}
		if err := unit("TIMELY.Alpha", t.Alpha); err != nil {
			return err
		}
		return unit("TIMELY.Beta", t.Beta)
	case Swift:
		s := &c.Swift
		if !(s.AI > 0) || !(s.MinWindow > 0) || s.BaseTarget < 0 || s.HopScale < 0 || s.FSRange < 0 || !(s.PaceFactor > 0) ||
			s.FSRange > 0 && !(s.FSMin > 0 && s.FSMax > s.FSMin) {
			return fmt.Errorf("Swift: want AI, MinWindow, PaceFactor > 0 and 0 < FSMin < FSMax")
		}
		if err := unit("Swift.MaxMDF", s.MaxMDF); err != nil {
			return err
		}
		return unit("Swift.Beta", s.Beta)
	default:
		return fmt.Errorf("Algorithm: %d is unknown", c.Algorithm)
	}
	return nil
}
