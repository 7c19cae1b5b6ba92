package hybrid

import (
	"fmt"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// together starts all flows at once.
func together(fs []fabric.Flow) script {
	return func(_ *sim.Kernel, n fabric.Network) { n.StartGroup(fs) }
}

// incast sends bytes from n hosts to the first.
func incast(g *fabric.Graph, n int, bytes int64) []fabric.Flow {
	var fs []fabric.Flow
	for i := range n {
		fs = append(fs, fabric.Flow{Src: g.Hosts()[i+1], Dst: g.Hosts()[0], Bytes: bytes, QPs: 2})
	}
	return fs
}

// An island runs as the packet engine would: where every packet is moved,
// completion times are the same to the picosecond, marks and CNPs too.
func TestExactIsThePacketEngine(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 2, 2)
	c := packet.DefaultConfig()
	for name, fs := range map[string][]fabric.Flow{
		"ring":   ring(g.Hosts(), 4<<20, 2, nil),
		"incast": incast(g, 12, 1<<20),
	} {
		p := measure(t, asPacket(g, r, c), together(fs))
		h := measure(t, asHybrid(g, r, Config{Packet: c, Exact: true}), together(fs))
		if mean, most := fctError(h.rep, p.rep); most != 0 {
			t.Errorf("%s: completion times differ by %g in the mean, %g at most", name, mean, most)
		}
		a, b := p.rep.Counters, h.rep.Counters
		b.Flows = a.Flows
		if a != b {
			t.Errorf("%s: counters\n%+v, packet\n%+v", name, b, a)
		}
		if p.rep.Counters.ECNMarked == 0 && name == "incast" {
			t.Error("the incast marks nothing")
		}
		if h.rep.Fidelity != "packet" || h.rep.PacketBytes != h.rep.Counters.BytesDelivered {
			t.Errorf("%s: fidelity %q, %d of %d B as packets", name, h.rep.Fidelity, h.rep.PacketBytes, h.rep.Counters.BytesDelivered)
		}
	}
}

// An all-reduce without collisions repeats itself from the first round trips
// on: a hundred times fewer events, completion times within 0.02 %. Under DCQCN it
// glides, under others windows are skipped.
func TestRingIsSkipped(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 4, 1)
	for _, cc := range []packet.Algorithm{packet.DCQCN, packet.DCTCP, packet.None} {
		t.Run(cc.String(), func(t *testing.T) {
			c := packet.DefaultConfig()
			c.CC = packet.DefaultCC(cc)
			fs := ring(g.Hosts(), 128<<20, 1, nil)
			p := measure(t, asPacket(g, r, c), together(fs))
			h := measure(t, asHybrid(g, r, Config{Packet: c}), together(fs))
			if mean, most := fctError(h.rep, p.rep); most > 2e-4 {
				t.Errorf("completion times differ by %g in the mean, %g at most", mean, most)
			}
			if p.events < 100*h.events {
				t.Errorf("%d events, packet %d", h.events, p.events)
			}
			a, b := &p.rep.Counters, &h.rep.Counters
			if a.BytesDelivered != b.BytesDelivered || a.Packets != b.Packets || a.FlowsFinished != b.FlowsFinished {
				t.Errorf("delivered %d B in %d packets, packet %d in %d", b.BytesDelivered, b.Packets, a.BytesDelivered, a.Packets)
			}
			if d := float64(b.DataHops-a.DataHops) / float64(a.DataHops); d > 0.01 || d < -0.01 {
				t.Errorf("%d hops, packet %d", b.DataHops, a.DataHops)
			}
			if len(h.rep.Extrapolated) == 0 || h.rep.PacketBytes*20 > b.BytesDelivered {
				t.Errorf("%d of %d B as packets, extrapolated %v", h.rep.PacketBytes, b.BytesDelivered, h.rep.Extrapolated)
			}
		})
	}
}

// steps sends messages between stages of four replicas again and again, with
// pauses, and a ring in between: what a training step does to the network.
func steps(g *fabric.Graph, rounds int, ends *[]sim.Time) script {
	h := g.Hosts()
	return func(k *sim.Kernel, n fabric.Network) {
		var round func(i int)
		round = func(i int) {
			if i == rounds {
				return
			}
			done := sim.NewEvent(4)
			for d := range 4 { // one call a replica: they join one after another
				f := fabric.Flow{Src: h[d], Dst: h[8+d], Bytes: 2 << 20, QPs: 4, SrcPort: 50000 + uint16(d)*8, Done: done}
				k.After(sim.Time(d)*3*sim.Microsecond, func() { n.StartGroup([]fabric.Flow{f}) })
			}
			done.Then(k, func() {
				*ends = append(*ends, k.Now())
				all := sim.NewEvent(4)
				fs := ring(h[4:8], 8<<20, 1, all)
				for i := range fs {
					fs[i].SrcPort = 51000
				}
				n.StartGroup(fs)
				all.Then(k, func() { k.After(sim.Millisecond, func() { round(i + 1) }) })
			})
		}
		round(0)
	}
}

// What has been seen is not simulated again, and ends as it did. What marks
// have decided is left to chance again: TestChanceIsNotRemembered.
func TestMemory(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 2, 2)
	c := packet.DefaultConfig()
	c.Switches[0].ECN = nil
	var once, many []sim.Time
	a := measure(t, asHybrid(g, r, Config{Packet: c}), steps(g, 1, &once))
	b := measure(t, asHybrid(g, r, Config{Packet: c}), steps(g, 50, &many))
	if b.events > 5*a.events {
		t.Errorf("50 rounds take %d events, one %d", b.events, a.events)
	}
	if len(many) != 50 || many[0] != once[0] {
		t.Fatalf("%d rounds, the first ends at %v, alone at %v", len(many), many, once)
	}
	if b.rep.Counters.BytesDelivered != 50*a.rep.Counters.BytesDelivered || b.rep.Counters.Packets != 50*a.rep.Counters.Packets {
		t.Errorf("%d B in %d packets over 50 rounds, %d in %d in one", b.rep.Counters.BytesDelivered, b.rep.Counters.Packets, a.rep.Counters.BytesDelivered, a.rep.Counters.Packets)
	}
	for i := range b.rep.Flows {
		if f := &b.rep.Flows[i]; f.FCT < f.Ideal*999/1000 {
			t.Errorf("flow %d took %v, alone %v", i, f.FCT, f.Ideal)
		}
	}
}

// The report is the same on any number of threads.
func TestThreadsChangeNothing(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 2, 2)
	c := packet.DefaultConfig()
	run := func(threads int, exact bool) string {
		var ends []sim.Time
		return fmt.Sprintf("%+v", *measure(t, asHybrid(g, r, Config{Packet: c, Threads: threads, Exact: exact}), func(k *sim.Kernel, n fabric.Network) {
			n.StartGroup(incast(g, 3, 32<<20)) // long enough to glide
			n.StartGroup(ring(g.Hosts()[12:], 4<<20, 2, nil))
			steps(g, 5, &ends)(k, n)
		}).rep)
	}
	for _, exact := range []bool{false, true} {
		want := run(1, exact)
		for _, n := range []int{2, 8} {
			if got := run(n, exact); got != want {
				t.Errorf("exact %v: another report on %d threads", exact, n)
			}
		}
	}
}

// A link that fails moves its flows, as in the packet engine.
func TestLinkFault(t *testing.T) {
	g, r := leafSpine(t, 8, 4, 2, 2)
	c := packet.DefaultConfig()
	var link fabric.LinkID = -1
	for l := range g.Links {
		if !g.Nodes[g.Links[l].A].Kind.Host() && !g.Nodes[g.Links[l].B].Kind.Host() {
			link = fabric.LinkID(l)
			break
		}
	}
	s := func(k *sim.Kernel, n fabric.Network) {
		n.StartGroup([]fabric.Flow{{Src: g.Hosts()[0], Dst: g.Hosts()[5], Bytes: 8 << 20, QPs: 4}, {Src: g.Hosts()[2], Dst: g.Hosts()[3], Bytes: 8 << 20}})
		k.After(100*sim.Microsecond, func() { n.SetLink(link, fabric.LinkState{Down: true}) })
		k.After(50*sim.Millisecond, func() { n.SetLink(link, fabric.LinkState{}) })
	}
	p := measure(t, asPacket(g, r, c), s)
	r.SetDown(link, false)
	r.Rebuild()
	h := measure(t, asHybrid(g, r, Config{Packet: c}), s)
	if mean, most := fctError(h.rep, p.rep); most > 0.01 {
		t.Errorf("completion times differ by %g in the mean, %g at most", mean, most)
	}
	// A glide knows how many packets are on each wire, not where, and no ACKs.
	x, y := &h.rep.Counters, &p.rep.Counters
	if x.FlowsFinished != 2 || x.Drops == 0 || x.Drops > y.Drops || x.RetransmittedBytes != y.RetransmittedBytes {
		t.Errorf("%d flows finished, %d drops, packet %d, %d B sent again, packet %d", x.FlowsFinished, x.Drops, y.Drops, x.RetransmittedBytes, y.RetransmittedBytes)
	}
}

func TestConfigIsChecked(t *testing.T) {
	g, r := leafSpine(t, 4, 2, 2, 1)
	for _, change := range []func(*Config){
		func(c *Config) { c.Packet.Routing.Mode = packet.Spray },
		func(c *Config) { c.Packet.Compat = true },
		func(c *Config) { c.Tolerance = 2 },
	} {
		c := Config{Packet: packet.DefaultConfig()}
		change(&c)
		if _, err := New(sim.NewKernel(), g, r, c); err == nil {
			t.Errorf("%+v accepted", c.Tolerance)
		}
	}
}

// An episode with marks is drawn anew each time: rounds differ.
func TestChanceIsNotRemembered(t *testing.T) {
	g, r := leafSpine(t, 16, 4, 2, 2)
	const rounds = 12
	took := map[sim.Time]bool{}
	m := measure(t, asHybrid(g, r, Config{Packet: packet.DefaultConfig()}), func(k *sim.Kernel, n fabric.Network) {
		h := g.Hosts()
		var round func(i int)
		round = func(i int) {
			from := k.Now()
			done := sim.NewEvent(4)
			var fs []fabric.Flow
			for x := range 4 {
				fs = append(fs, fabric.Flow{Src: h[4+x], Dst: h[0], Bytes: 4 << 20, SrcPort: 50000, Done: done})
			}
			n.StartGroup(fs)
			done.Then(k, func() {
				took[k.Now()-from] = true
				if i+1 < rounds {
					k.After(sim.Millisecond, func() { round(i + 1) })
				}
			})
		}
		round(0)
	})
	if m.rep.Counters.ECNMarked == 0 {
		t.Fatal("nothing was marked")
	}
	if len(took) != rounds {
		t.Errorf("%d rounds take %d different times", rounds, len(took))
	}
}
