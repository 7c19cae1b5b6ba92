package packet

import (
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

func sum(a []int64) (n int64) {
	for _, x := range a {
		n += x
	}
	return n
}

// The telemetry of an incast agrees with the counters and stays within its
// bounds.
func TestTelemetryAgreesWithCounters(t *testing.T) {
	g, r := star(9, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	c.Telemetry.MaxBins, c.Telemetry.MaxQueues = 16, 3
	c.Telemetry.RateTraces, c.Telemetry.MaxSamples = 2, 8
	c.Switches[0].Buffer = 3 << 20
	_, rep := run(t, g, r, c, incast(8, 4<<20))
	n, b := rep.Counters, rep.Bins
	for _, x := range []struct {
		what      string
		got, want int64
	}{
		{"delivered", sum(b.Delivered), n.BytesDelivered}, {"CNPs", sum(b.CNPs), n.CNPs}, {"ECN", sum(b.ECN), n.ECNMarked}, {"pauses", sum(b.Pauses), n.PFCPauses},
	} {
		if x.got != x.want || x.want == 0 {
			t.Errorf("bins of %s add up to %d, counter %d", x.what, x.got, x.want)
		}
	}
	if len(b.ECN) > 16 || len(rep.Queues) != 1 || len(rep.Queues[0].Max) > 16 {
		t.Errorf("%d bins, %d queues", len(b.ECN), len(rep.Queues))
	}
	var peak int64
	for _, x := range rep.Queues[0].Max {
		peak = max(peak, x)
	}
	port := fabric.PortID(1) // from the switch to host 1
	if q := rep.Queues[0]; q.Port != port || peak != n.MaxQueueBytes || q.Kmin != 400e3 || q.Kmax != 1600e3 || q.XOFF == 0 {
		t.Errorf("queue series of port %d peaks at %d (counter %d), Kmin %d, Kmax %d, XOFF %d", q.Port, peak, n.MaxQueueBytes, q.Kmin, q.Kmax, q.XOFF)
	}
	if len(rep.Rates) != 2 || len(rep.Rates[0].At) > 8 || len(rep.Rates[0].At) == 0 {
		t.Errorf("%d rate traces", len(rep.Rates))
	}
}

// Eight line-rate senders fill the queue at seven times the line rate: it
// passes the threshold of 1 MB after 1 MB / 7 x line rate, at the latest a
// frame time of all senders later, and the burst record names all of them.
func TestBurst(t *testing.T) {
	g, r := star(9, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	c.CC.Algorithm = None
	c.Telemetry.BurstBytes = 1_000_000
	_, rep := run(t, g, r, c, incast(8, 1<<20))
	if len(rep.Bursts) != 1 {
		t.Fatalf("%d bursts", len(rep.Bursts))
	}
	b := rep.Bursts[0]
	rate := 100 * sim.Gbps
	first := rate.TxTime(4178) + sim.Microsecond // arrival at the switch
	fill := rate.TxTime(1_000_000 / 7)
	if at := first + fill; b.Start < at-rate.TxTime(2*4178) || b.Start > at+rate.TxTime(2*4178) {
		t.Errorf("starts at %v, by hand about %v", b.Start, at)
	}
	if b.Peak != rep.Counters.MaxQueueBytes || len(b.Flows) != 8 || b.Port != 1 {
		t.Errorf("peak %d (counter %d), flows %v, port %d", b.Peak, rep.Counters.MaxQueueBytes, b.Flows, b.Port)
	}
	// It lasts until the queue is down to half the threshold.
	drain := rate.TxTime(8*c.Framing.WireBytes(1<<20) - 500_000)
	if end := b.Start + b.Duration - first; end < drain-rate.TxTime(2*4178) || end > drain+rate.TxTime(2*4178) {
		t.Errorf("ends %v after the first arrival, by hand about %v", end, drain)
	}
}

// A port that carries one flow at line rate is joined by 31 others at once:
// their CNPs are a storm, and the bandwidth after it is less than half of that
// before.
func TestStorm(t *testing.T) {
	g, r := star(33, 100*sim.Gbps, sim.Microsecond)
	c := DefaultConfig()
	fs := incast(32, 3<<20)
	fs[0].Bytes = 40 << 20
	for i := 1; i < len(fs); i++ {
		fs[i].Delay = sim.Millisecond
	}
	_, rep := run(t, g, r, c, fs)
	if len(rep.Storms) == 0 {
		t.Fatalf("no storm among %d CNPs", rep.Counters.CNPs)
	}
	st := rep.Storms[0]
	if st.Port != 1 || st.Start < 900*sim.Microsecond || st.Start > 1200*sim.Microsecond || st.End <= st.Start || st.CNPs < c.Telemetry.StormCNPs || len(st.Flows) == 0 {
		t.Errorf("storm %+v", st)
	}
	if st.Before < 95e9 || st.Before > 100e9 {
		t.Errorf("%.3g bit/s before", st.Before)
	}
	if st.During < 90e9 || st.After > st.Before/2 {
		t.Errorf("before %.3g, during %.3g, after %.3g bit/s: want a full queue during the storm and a collapse after it", st.Before, st.During, st.After)
	}
}

// Counts go to the bins of their time, also to bins that are past, in equal parts.
func TestTelemetrySpreadsOverBins(t *testing.T) {
	var tel telemetry
	tel.init(&Telemetry{RateBin: 10, MaxBins: 4})
	tel.spread(binECN, 5, 25, 8)
	tel.count(38, binECN, 1)
	tel.spread(binECN, 12, 12, 3)
	tel.spread(binECN, 12, 12, -1)
	for i, want := range []int64{2, 6, 2, 1} {
		if got := tel.v[binECN][i]; got != want {
			t.Errorf("bin %d has %d, want %d", i, got, want)
		}
	}
	tel.spread(binECN, 38, 58, 4) // bins of 20 from here on
	for i, want := range []int64{8, 3 + 0, 4} {
		if got := tel.v[binECN][i]; got != want {
			t.Errorf("bin %d of twice the width has %d, want %d", i, got, want)
		}
	}
}
