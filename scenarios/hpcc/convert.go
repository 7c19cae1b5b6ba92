package hpcc

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// Constants of the reference model (HPCC ns-3.17 simulator).
const (
	dataHeader  = 48   // L2 14, IP 20, UDP 8, sequence and class 6
	ackBytes    = 60   // ACK and NACK
	intBytes    = 42   // of INT in each data packet with HPCC
	intAckBytes = 88   // an ACK that returns them
	pauseBytes  = 43   // a pause frame
	reserved    = 4096 // bytes a port that count to nothing else
	xonOffset   = 3072 // below the threshold where a pause ends
	// nackInterval is how often a NACK for one expected sequence is repeated.
	nackInterval = 500 * sim.Microsecond
)

// PacketConfig returns the engine's configuration: with compat the reference
// model's meaning of the config file, else simnet's own defaults with the
// file's thresholds, buffer, payload, timers and algorithm.
func (c *Case) PacketConfig(compat bool, seed uint64) packet.Config {
	f := c.Config
	p := packet.DefaultConfig()
	p.Seed = seed
	sw := packet.DefaultSwitch()
	sw.Buffer = f.BufferMiB << 20
	sw.ECN = nil
	for _, k := range f.KMin {
		sw.ECN = append(sw.ECN, packet.ECN{Rate: k.Rate, Kmin: int64(k.Value), Kmax: int64(lookup(f.KMax, k.Rate)), Pmax: lookup(f.PMax, k.Rate)})
	}
	p.Switches = []packet.Switch{sw}
	p.Classes = [8]packet.Class{}
	for i := range c.Flows {
		p.Classes[c.Flows[i].PG] = packet.Class{Enabled: true, Lossless: true, ECN: f.EnableQCN, Weight: 1}
	}
	p.NICs[0].AckEvery = int(f.ackEvery())
	p.CC = f.congestionControl(compat)
	if f.HasWindow {
		p.Window = packet.Window{BDP: true, Global: f.GlobalWindow, Variable: f.VariableWindow}
	}
	if compat {
		f.compat(&p)
	} else {
		p.Framing = fabric.RoCEv2(f.Payload)
	}
	return p
}

func (f *Config) compat(p *packet.Config) {
	p.Compat = true
	p.Framing = fabric.Framing{Payload: f.Payload, Header: dataHeader, Ack: ackBytes}
	if f.CCMode == ccHPCC {
		p.Framing.Header += intBytes
		p.Framing.Ack = intAckBytes
	}
	s := &p.Switches[0]
	s.Reserved, s.XonOffset = reserved, xonOffset
	s.Headroom, s.XOFF = 0, 0 // by the model's formulae
	p.PFC = packet.PFC{Frame: pauseBytes}
	n := &p.NICs[0]
	*n = packet.NIC{AckEvery: n.AckEvery, AckInData: true, AckIgnoresPause: f.AckHighPriority}
	p.Recovery = packet.Recovery{Mode: packet.GoBackN, NackInterval: nackInterval}
}

func (f *Config) congestionControl(compat bool) packet.CC {
	cc := packet.DefaultCC(map[int64]packet.Algorithm{
		ccNone: packet.None, ccDCQCN: packet.DCQCN, ccHPCC: packet.HPCC, ccTIMELY: packet.TIMELY, ccDCTCP: packet.DCTCP,
	}[f.CCMode])
	d := &cc.DCQCN
	d.G, d.AlphaTimer, d.CutInterval, d.RateTimer = f.Gain, f.AlphaResume, f.RateDecrease, f.RPTimer
	d.FastRecovery, d.AI, d.HAI, d.MinRate, d.ClampTarget = int(f.FastRecovery), f.AI, f.HAI, f.MinRate, f.Clamp
	if compat {
		d.ByteCounter = 0
	}
	cc.DCTCP = packet.DCTCPParams{G: f.Gain, AI: f.DCTCPAI, MinRate: f.MinRate}
	cc.HPCC = packet.HPCCParams{
		Target: f.Target, MaxStage: int(f.MIThreshold), AI: f.AI, MinRate: f.MinRate,
		FastReact: f.FastReact, MultiRate: f.MultiRate, IntMulti: f.IntMulti, SampleOnly: f.SampleFeedback,
	}
	cc.TIMELY.AI, cc.TIMELY.MinRate = f.AI, f.MinRate
	return cc
}
