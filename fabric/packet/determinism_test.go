package packet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// digest is a hash of everything in a report.
func digest(r *fabric.Report) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v", *r)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// busy is a run that marks at random, pauses, loses and retransmits.
func busy(t *testing.T, seed uint64) string {
	g, r := fatTree(4, 100*sim.Gbps, 500*sim.Nanosecond)
	c := DefaultConfig()
	c.Seed = seed
	c.Switches[0].Buffer = 1 << 20
	c.Switches[0].ECN = []ECN{{Rate: 100 * sim.Gbps, Kmin: 30e3, Kmax: 200e3, Pmax: 0.2}}
	c.Classes[1] = Class{Enabled: true, ECN: true, Weight: 1}
	c.Recovery.RTO, c.Recovery.RetryLimit = 200*sim.Microsecond, 1000
	c.Telemetry.RateTraces = 4
	fs := permutation(g, 300_000)
	for i := range fs {
		fs[i].Class = fabric.Class(i % 2)
		fs[i].Dst = g.Hosts()[i%3]
		if fs[i].Dst == fs[i].Src {
			fs[i].Dst = g.Hosts()[5]
		}
	}
	_, rep := run(t, g, r, c, fs)
	n := rep.Counters
	if n.ECNMarked == 0 || n.PFCPauses == 0 || n.Drops == 0 || n.CNPs == 0 || n.RateCuts == 0 || n.NACKs == 0 {
		t.Errorf("the run does not exercise everything: %+v", n)
	}
	return digest(rep)
}

// The same seed gives the same report at any GOMAXPROCS and GOGC; another seed
// another one.
func TestDeterminism(t *testing.T) {
	want := busy(t, 1)
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for _, p := range []int{1, 2} {
		for _, gc := range []int{5, -1} {
			runtime.GOMAXPROCS(p)
			old := debug.SetGCPercent(gc)
			if got := busy(t, 1); got != want {
				t.Errorf("GOMAXPROCS %d, GOGC %d: report %s, want %s", p, gc, got, want)
			}
			debug.SetGCPercent(old)
		}
	}
	if busy(t, 2) == want {
		t.Error("the seed has no effect")
	}
}

// lookAlways lets the engine look ahead in a network of any size, and in blocks
// of two events wherever more than 16 fall together, until the test ends.
func lookAlways(t interface{ Cleanup(func()) }) {
	least, long := lookMin, longRun
	lookMin, longRun = 0, 16
	t.Cleanup(func() { lookMin, longRun = least, long })
}

// Looking ahead changes nothing, also where a link fails and what transmissions
// name is lost.
func TestLookAheadChangesNothing(t *testing.T) {
	failing := func() string {
		g, r := fatTree(4, 100*sim.Gbps, 500*sim.Nanosecond)
		k := sim.NewKernel()
		e, err := New(k, g, r, DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		k.Attach(e)
		e.StartGroup(incast(14, 1<<20))
		last := g.PortsOf(1)[0] / 2
		for i, st := range []fabric.LinkState{{Down: true}, {}} {
			k.After(sim.Time(i+1)*300*sim.Microsecond, func() { e.SetLink(fabric.LinkID(last), st) })
		}
		if err := k.RunUntil(sim.Second); err != nil {
			t.Fatal(err)
		}
		rep := e.Report()
		if rep.Counters.Drops == 0 {
			t.Error("the link lost nothing")
		}
		return digest(rep)
	}
	a, b := busy(t, 1), failing()
	lookAlways(t)
	if x, y := busy(t, 1), failing(); x != a || y != b {
		t.Errorf("reports %s and %s, without looking ahead %s and %s", x, y, a, b)
	}
}

// Once warm, a packet costs no allocation.
func TestNoAllocations(t *testing.T) {
	g, r := star(5, 100*sim.Gbps, sim.Microsecond)
	k := sim.NewKernel()
	e, err := New(k, g, r, DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	e.StartGroup(incast(4, 400<<20))
	limit := 20 * sim.Millisecond
	if err := k.RunUntil(limit); err != nil {
		t.Fatal(err)
	}
	before := e.shards[0].n.sent
	n := testing.AllocsPerRun(5, func() {
		limit += 5 * sim.Millisecond
		if err := k.RunUntil(limit); err != nil {
			t.Fatal(err)
		}
	})
	if sent := e.shards[0].n.sent - before; n > 0 || sent < 50000 {
		t.Errorf("%v allocations a run over %d packets", n, sent)
	}
}

// An idle network costs less than 20 kB a host.
func TestIdleMemory(t *testing.T) {
	g, r := fatTree(16, 100*sim.Gbps, 500*sim.Nanosecond)
	var m0, m1 runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m0)
	e, err := New(sim.NewKernel(), g, r, DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&m1)
	if per := int64(m1.HeapAlloc-m0.HeapAlloc) / int64(len(g.Hosts())); per > 20_000 {
		t.Errorf("%d B a host", per)
	}
	runtime.KeepAlive(e)
}
