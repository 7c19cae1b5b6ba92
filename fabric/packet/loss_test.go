package packet

import (
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// funnel is one sender at 100 Gbps and one receiver at the given rate behind a
// switch whose lossy egress queue holds two packets. tau is the time of a full
// frame on the fast link, sigma on the slow one, delta a propagation, alpha an
// ACK's way back.
type funnel struct {
	g                       *fabric.Graph
	r                       *fabric.Routes
	c                       Config
	tau, sigma, delta, back sim.Time
}

func newFunnel(slow sim.Rate) *funnel {
	g := &fabric.Graph{}
	a := g.AddNode(fabric.Node{Name: "a", Kind: fabric.NIC, Group: -1})
	b := g.AddNode(fabric.Node{Name: "b", Kind: fabric.NIC, Group: -1})
	sw := g.AddNode(fabric.Node{Name: "sw", Kind: fabric.Switch, Tier: 1, Group: -1})
	const delta = sim.Microsecond
	g.AddLink(a, sw, 100*sim.Gbps, delta)
	g.AddLink(sw, b, slow, delta)
	g.Freeze()
	c := DefaultConfig()
	c.CC.Algorithm = None
	c.Switches[0].NoPFC = true
	frame := c.Framing.Payload + c.Framing.Header
	c.Switches[0].EgressLimit = 2 * frame
	fast := 100 * sim.Gbps
	return &funnel{
		g: g, r: fabric.NewRoutes(g, fabric.RouteOptions{}), c: c,
		tau: fast.TxTime(frame), sigma: slow.TxTime(frame), delta: delta,
		back: 2*delta + slow.TxTime(c.Framing.Ack) + fast.TxTime(c.Framing.Ack),
	}
}

func (f *funnel) send(t *testing.T, packets int64) *fabric.Report {
	t.Helper()
	_, rep := run(t, f.g, f.r, f.c, []fabric.Flow{{Src: 0, Dst: 1, Bytes: packets * f.c.Framing.Payload}})
	return rep
}

func check(t *testing.T, rep *fabric.Report, fct sim.Time, drops, nacks, timeouts, retx int64) {
	t.Helper()
	c := &rep.Counters
	if rep.Flows[0].FCT != fct {
		t.Errorf("completion after %d ps, by hand %d", rep.Flows[0].FCT, fct)
	}
	if c.Drops != drops || c.NACKs != nacks || c.Timeouts != timeouts || c.RetransmittedBytes != retx*4096 {
		t.Errorf("drops %d, NACKs %d, timeouts %d, %d packets sent again; by hand %d, %d, %d, %d",
			c.Drops, c.NACKs, c.Timeouts, c.RetransmittedBytes/4096, drops, nacks, timeouts, retx)
	}
}

// Eight packets, sigma = 4 tau. Packet 1 goes through, 2 and 3 wait, 4 is
// dropped, 5 takes the place of 2 at 5 tau, 6 to 8 are dropped. 5 arrives
// after 17 tau and is refused with a NACK for 4. The sender goes back to 4: of
// 4 to 8, in the same way, 7 is dropped and 8 asks for it. Then 7 and 8.
func TestGoBackN(t *testing.T) {
	f := newFunnel(25 * sim.Gbps)
	round := 17*f.tau + 2*f.delta + f.back
	check(t, f.send(t, 8), 2*round+f.tau+2*f.delta+2*f.sigma, 5, 2, 0, 5+2)
}

// The same with selective repeat: the NACK of 5 brings back 4 alone; its ACK
// says 5. Nothing tells the sender about 6 to 8 but the timeout, which counts
// from that ACK.
func TestSelectiveRepeat(t *testing.T) {
	f := newFunnel(25 * sim.Gbps)
	f.c.Recovery.Mode = SelectiveRepeat
	f.c.Recovery.RTO = 100 * sim.Microsecond
	nack := 17*f.tau + 2*f.delta + f.back
	ack := nack + f.tau + f.sigma + 2*f.delta + f.back
	check(t, f.send(t, 8), ack+f.c.Recovery.RTO+f.tau+3*f.sigma+2*f.delta, 4, 1, 1, 1+3)
}

// Six packets, sigma = 10 tau: 1 to 3 get through, 4 to 6, the tail, are lost,
// and with them every request for an ACK. At the timeout all six go again and
// the same three are lost; the first duplicate is answered with an ACK for
// three, and a timeout after it the last three go through.
func TestTimeout(t *testing.T) {
	f := newFunnel(10 * sim.Gbps)
	f.c.Recovery.RTO = 100 * sim.Microsecond
	ack := f.c.Recovery.RTO + f.tau + f.sigma + 2*f.delta + f.back
	check(t, f.send(t, 6), ack+f.c.Recovery.RTO+f.tau+3*f.sigma+2*f.delta, 6, 0, 2, 6+3)
}

// Without a path every packet is lost: the QP gives up at the timeout after
// the last that it is allowed.
func TestRetryLimit(t *testing.T) {
	f := newFunnel(100 * sim.Gbps)
	f.c.Recovery.RTO, f.c.Recovery.RetryLimit = RTOExponent(0), 3
	k := sim.NewKernel()
	e, err := New(k, f.g, f.r, f.c)
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	e.StartGroup([]fabric.Flow{{Src: 0, Dst: 1, Bytes: 4096}})
	k.After(0, func() { e.SetLink(1, fabric.LinkState{Down: true}) })
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	rep := e.Report()
	c := rep.Counters
	if c.Timeouts != 3 || c.FlowsFailed != 1 || c.FlowsFinished != 0 || rep.Flows[0].FCT >= 0 || c.Drops != 4 {
		t.Errorf("timeouts %d, failed %d, finished %d, drops %d, completion %v", c.Timeouts, c.FlowsFailed, c.FlowsFinished, c.Drops, rep.Flows[0].FCT)
	}
	if want := 4 * 4096 * sim.Nanosecond; e.shards[0].now != want {
		t.Errorf("gave up at %v, want %v", e.shards[0].now, want)
	}
	for _, v := range append(rep.Violations, rep.Notes...) {
		t.Error(v)
	}
}

func TestRTOExponent(t *testing.T) {
	if got, want := RTOExponent(14), sim.Time(67_108_864)*sim.Nanosecond; got != want {
		t.Errorf("2^14 x 4.096 us = %v, want %v", got, want)
	}
}

// A bit-error rate loses frames in proportion to their length, and everything
// arrives all the same.
func TestBitErrors(t *testing.T) {
	for _, mode := range []RecoveryMode{GoBackN, SelectiveRepeat} {
		f := newFunnel(100 * sim.Gbps)
		f.c.Switches[0] = DefaultSwitch()
		f.c.Recovery.Mode, f.c.Recovery.RTO, f.c.Recovery.RetryLimit = mode, 100*sim.Microsecond, 100
		k := sim.NewKernel()
		e, err := New(k, f.g, f.r, f.c)
		if err != nil {
			t.Fatal(err)
		}
		k.Attach(e)
		e.SetLink(0, fabric.LinkState{BER: 1e-6}) // 3.3 % of full frames
		e.StartGroup([]fabric.Flow{{Src: 0, Dst: 1, Bytes: 2000 * 4096}})
		if err := k.Run(); err != nil {
			t.Fatal(err)
		}
		rep := e.Report()
		c := rep.Counters
		if c.FlowsFinished != 1 || c.BytesDelivered != 2000*4096 {
			t.Errorf("mode %d: %+v", mode, c)
		}
		if lost := float64(c.Drops) / float64(c.Packets); lost < 0.025 || lost > 0.05 {
			t.Errorf("mode %d: lost %.3f of the packets, expected about 0.034", mode, lost)
		}
		if mode == SelectiveRepeat && c.RetransmittedBytes/4096 > 2*c.Drops {
			t.Errorf("selective repeat sent %d packets again for %d losses", c.RetransmittedBytes/4096, c.Drops)
		}
		for _, v := range append(rep.Violations, rep.Notes...) {
			t.Error(v)
		}
	}
}

func TestFrameErrors(t *testing.T) {
	if p := frameErrors(1e-6, 125); p < 0.00099950 || p > 0.00099951 { // 1 - (1-1e-6)^1000
		t.Errorf("1,000 bits at 1e-6: %g", p)
	}
	if p := frameErrors(0, 4096); p != 0 {
		t.Errorf("no errors: %g", p)
	}
}
