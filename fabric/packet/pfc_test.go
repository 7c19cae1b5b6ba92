package packet

import (
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

func incast(n int, bytes int64) []fabric.Flow {
	var fs []fabric.Flow
	for i := range n {
		fs = append(fs, fabric.Flow{Src: fabric.NodeID(i + 2), Dst: 1, Bytes: bytes})
	}
	return fs
}

// With a buffer far smaller than the burst, PFC holds the senders back, loses
// nothing and never lets the bottleneck run dry: the last completion is the
// closed form of an endless buffer.
func TestPFCLosesNothing(t *testing.T) {
	for _, quanta := range []int64{0, 0xffff, 200} {
		g, r := star(9, 100*sim.Gbps, sim.Microsecond)
		c := DefaultConfig()
		c.CC.Algorithm = None
		c.Switches[0].Buffer = 2 << 20
		c.PFC.Quanta = quanta
		_, rep := run(t, g, r, c, incast(8, 1<<20))
		n := rep.Counters
		if n.Drops != 0 || n.PFCPauses == 0 || n.PFCPauses != n.PFCResumes || n.PFCPausedTime == 0 {
			t.Errorf("quanta %d: drops %d, pauses %d, resumes %d, paused %v", quanta, n.Drops, n.PFCPauses, n.PFCResumes, n.PFCPausedTime)
		}
		rate := 100 * sim.Gbps
		want := rate.TxTime(4096+82) + 2*sim.Microsecond + rate.TxTime(8*c.Framing.WireBytes(1<<20))
		var last sim.Time
		for _, f := range rep.Flows {
			last = max(last, f.FCT)
		}
		if last != want {
			t.Errorf("quanta %d: last after %d ps, closed form %d", quanta, last, want)
		}
	}
}

// A static XOFF of 20,000 B with two senders: the queue grows by one frame in
// two, so the moment of the first pause follows by hand. Each frame time both
// senders put a packet in and one leaves; an ingress account crosses 20,000 B
// above its reserve with the n-th packet it holds.
func TestPauseIsSentAtThreshold(t *testing.T) {
	g, r := star(3, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	c.CC.Algorithm = None
	c.Switches[0].XOFF, c.Switches[0].Reserved, c.Switches[0].XonOffset = 20000, 0, 4000
	_, rep := run(t, g, r, c, incast(2, 1<<20))
	if rep.Counters.PFCPauses == 0 || rep.Counters.Drops != 0 {
		t.Fatalf("%d pauses, %d drops", rep.Counters.PFCPauses, rep.Counters.Drops)
	}
	// No account may hold more than XOFF and what comes in until the pause acts.
	limit := int64(2) * (20000 + int64(mustHeadroom(t, g, r, c)))
	if rep.Counters.MaxQueueBytes > limit {
		t.Errorf("queue of %d B, more than twice XOFF and headroom, %d B", rep.Counters.MaxQueueBytes, limit)
	}
}

func mustHeadroom(t *testing.T, g *fabric.Graph, r *fabric.Routes, c Config) int32 {
	t.Helper()
	e, err := New(sim.NewKernel(), g, r, c)
	if err != nil {
		t.Fatal(err)
	}
	return e.accounts[0].hdrMax
}

// Headroom that cannot hold what is in flight drops, counts and says so.
func TestHeadroomTooSmall(t *testing.T) {
	g, r := star(9, 100*sim.Gbps, 5*sim.Microsecond)
	c := DefaultConfig()
	c.CC.Algorithm = None
	c.Switches[0].Buffer, c.Switches[0].Headroom = 512<<10, 1000
	c.Recovery.RTO = 200 * sim.Microsecond
	k := sim.NewKernel()
	e, err := New(k, g, r, c)
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	e.StartGroup(incast(8, 1<<18))
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	rep := e.Report()
	if rep.Counters.Drops == 0 || rep.Counters.FlowsFinished != 8 {
		t.Errorf("%d drops, %d finished", rep.Counters.Drops, rep.Counters.FlowsFinished)
	}
	if len(rep.Violations) != 0 || len(rep.Notes) != 1 || !strings.Contains(rep.Notes[0], "headroom too small") {
		t.Errorf("violations: %q, notes: %q", rep.Violations, rep.Notes)
	}
}

// ring is three switches in a circle, a host each; flows go two switches on,
// so that every link between switches carries two of them.
func ring(c Config) (*fabric.Graph, *fabric.Routes, []fabric.Flow) {
	g := &fabric.Graph{}
	for i := range 3 {
		g.AddNode(fabric.Node{Name: "s" + string(rune('0'+i)), Kind: fabric.Switch, Tier: 1, Group: -1})
	}
	for i := range 3 {
		g.AddNode(fabric.Node{Name: "h" + string(rune('0'+i)), Kind: fabric.NIC, Group: -1})
	}
	for i := range fabric.NodeID(3) {
		g.AddLink(3+i, i, 200*sim.Gbps, sim.Microsecond)
	}
	for i := range fabric.NodeID(3) {
		g.AddLink(i, (i+1)%3, 100*sim.Gbps, sim.Microsecond)
	}
	g.Freeze()
	var fs []fabric.Flow
	for i := range 3 {
		up := []fabric.PortID{fabric.PortID(2 * i), fabric.PortID(6 + 2*i), fabric.PortID(6 + 2*((i+1)%3)), fabric.PortID(2*((i+2)%3) + 1)}
		fs = append(fs, fabric.Flow{Src: fabric.NodeID(3 + i), Dst: fabric.NodeID(3 + (i+2)%3), Bytes: 4 << 20, Path: up})
	}
	return g, fabric.NewRoutes(g, fabric.RouteOptions{}), fs
}

func TestDeadlockIsNamed(t *testing.T) {
	for _, quanta := range []int64{0, 0xffff} {
		c := DefaultConfig()
		c.CC.Algorithm = None
		c.Switches[0].Buffer = 700 << 10
		c.PFC.Quanta = quanta
		c.PFC.Watchdog = sim.Millisecond
		c.Recovery.RTO = 0
		g, r, fs := ring(c)
		k := sim.NewKernel()
		e, err := New(k, g, r, c)
		if err != nil {
			t.Fatal(err)
		}
		k.Attach(e)
		e.StartGroup(fs)
		if err := k.Run(); err != nil {
			t.Fatal(err)
		}
		rep := e.Report()
		if rep.Counters.Deadlocks != 1 || rep.Counters.FlowsFinished != 0 || rep.Counters.Drops != 0 {
			t.Errorf("quanta %d: deadlocks %d, finished %d, drops %d", quanta, rep.Counters.Deadlocks, rep.Counters.FlowsFinished, rep.Counters.Drops)
		}
		want := "s0:p1->s1 -> s1:p2->s2 -> s2:p2->s0 -> s0:p1->s1"
		if got := e.Deadlocks(); len(got) != 1 || got[0] != want {
			t.Errorf("quanta %d: cycle %q, want %q", quanta, got, want)
		}
	}
}

// The watchdog breaks the same deadlock by dropping what waits.
func TestWatchdogBreaksDeadlock(t *testing.T) {
	c := DefaultConfig()
	c.CC.Algorithm = None
	c.Switches[0].Buffer = 700 << 10
	c.PFC.Watchdog, c.PFC.WatchdogDrop = 100*sim.Microsecond, true
	c.Recovery.RTO, c.Recovery.RetryLimit = sim.Millisecond, 100
	g, r, fs := ring(c)
	k := sim.NewKernel()
	e, err := New(k, g, r, c)
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	e.StartGroup(fs)
	if err := k.RunUntil(2 * sim.Second); err != nil {
		t.Fatal(err)
	}
	rep := e.Report()
	if rep.Counters.FlowsFinished != 3 || rep.Counters.Drops == 0 || rep.Counters.Deadlocks == 0 {
		t.Errorf("finished %d, drops %d, deadlocks %d", rep.Counters.FlowsFinished, rep.Counters.Drops, rep.Counters.Deadlocks)
	}
}

// TestThresholdExact: a dynamic threshold is alpha times the free buffer to two
// bytes of 64 MB whatever the alpha, and exactly where alpha is a binary fraction.
func TestThresholdExact(t *testing.T) {
	for _, r := range []Ratio{{1, 3}, {1, 10}, {1, 1000}, {2, 7}, {1, 8}, {1, 256}, {64, 1}} {
		a := &account{alpha: int32(r.fixed())}
		for _, pool := range []int64{1 << 20, 64_000_001, 2_000_000_000} {
			d := &device{pool: pool}
			want, slack := pool*r.Num/r.Den, int64(0)
			if r.Den&(r.Den-1) != 0 {
				slack = pool>>25 + 1
			}
			if got := d.threshold(a); got < want-slack || got > want+slack {
				t.Errorf("alpha %d/%d of %d B: %d, want %d within %d", r.Num, r.Den, pool, got, want, slack)
			}
		}
	}
}
