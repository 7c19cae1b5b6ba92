package packet

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// counters are the totals of one shard.
type counters struct {
	sent, got, dropped          int64 // data packets
	dataHops, ackHops           int64
	delivered, retxBytes        int64
	marked, cnps, cuts          int64
	pauses, resumes             int64
	drops, losslessDrops        int64
	nacks, timeouts             int64
	finished, failed, watchdogs int64
}

// What the network-wide bins count.
const (
	binCNPs = iota
	binPauses
	binECN
	binDelivered
	binKinds
)

// telemetry is what one shard remembers over time, bounded by
// Config.Telemetry.
type telemetry struct {
	c     *Telemetry
	start sim.Time // of the first bin
	width sim.Time
	end   sim.Time // of the current bin
	at    int
	begun bool
	v     [binKinds][]int64

	queues  []queueSeries
	coldest int32 // the smallest peak among queues once they are all in use
	bursts  []burst
	lost    int64
	storms  []stormState
	byPort  map[int32]int32 // port to index in storms
	ended   []fabric.Storm
	// Storms go by windows: when the next ends, when this one and the one before
	// began, and what each port had sent by then.
	tickAt, snapAt, prevAt sim.Time
	snap, prev             []int64
	rates                  []fabric.RateSeries
}

func (t *telemetry) init(c *Telemetry) {
	t.c = c
	t.byPort = map[int32]int32{}
	if c.MaxBins > 0 && c.RateBin > 0 {
		for i := range t.v {
			t.v[i] = make([]int64, 0, c.MaxBins)
		}
	}
}

// count adds n to the current bin of one kind.
func (t *telemetry) count(now sim.Time, kind int, n int64) {
	if now >= t.end {
		t.roll(now)
		if t.c.MaxBins == 0 || t.c.RateBin == 0 {
			return
		}
	}
	t.v[kind][t.at] += n
}

// spread adds n evenly to the bins of one kind from a time to another, which may
// be before the current one. Where there is no time between, or n takes back what
// was counted too early, it is the bin of that other.
func (t *telemetry) spread(kind int, from, to sim.Time, n int64) {
	if n == 0 || t.c.MaxBins == 0 || t.c.RateBin == 0 {
		return
	}
	if !t.begun {
		t.roll(from)
	}
	if to >= t.end {
		t.roll(to)
	}
	from, to = max(from, t.start), max(to, t.start)
	if n < 0 || from >= to {
		t.v[kind][(to-t.start)/t.width] += n
		return
	}
	done := int64(0)
	for at := from; at < to; {
		i := (at - t.start) / t.width
		at = min(to, t.start+(i+1)*t.width)
		x := mulDiv(n, int64(at-from), int64(to-from))
		t.v[kind][i] += x - done
		done = x
	}
}

// roll moves to the bin that holds now; when the bins are used up it doubles
// their width.
func (t *telemetry) roll(now sim.Time) {
	if t.c.MaxBins == 0 || t.c.RateBin == 0 {
		return
	}
	if !t.begun {
		t.begun = true
		t.width = t.c.RateBin
		t.start = now - now%t.width
	}
	i := int((now - t.start) / t.width)
	for i >= t.c.MaxBins {
		for k := range t.v {
			t.v[k] = foldSum(t.v[k])
		}
		t.width *= 2
		i = int((now - t.start) / t.width)
	}
	for k := range t.v {
		for len(t.v[k]) <= i {
			t.v[k] = append(t.v[k], 0)
		}
	}
	t.at = i
	t.end = t.start + sim.Time(i+1)*t.width
}

// foldSum adds up neighbours.
func foldSum(a []int64) []int64 {
	n := (len(a) + 1) / 2
	for i := range n {
		x := a[2*i]
		if 2*i+1 < len(a) {
			x += a[2*i+1]
		}
		a[i] = x
	}
	return a[:n]
}

// foldMax keeps the larger of neighbours.
func foldMax(a []int64) []int64 {
	n := (len(a) + 1) / 2
	for i := range n {
		x := a[2*i]
		if 2*i+1 < len(a) {
			x = max(x, a[2*i+1])
		}
		a[i] = x
	}
	return a[:n]
}

// traceRate adds a sample to the rate trace of the flow of QP qi.
func (s *shard) traceRate(qi int32, f *sender) {
	t := &s.tel
	if int(f.flow) >= t.c.RateTraces {
		return
	}
	for len(t.rates) <= int(f.flow) {
		t.rates = append(t.rates, fabric.RateSeries{Flow: fabric.FlowID(len(t.rates))})
	}
	r := &t.rates[f.flow]
	fl := &s.e.flows[f.flow]
	var sum sim.Rate
	for q := fl.qp; q < fl.qp+fl.qps; q++ {
		if s.snd[q].state&stDone == 0 {
			sum += s.snd[q].rate
		}
	}
	n := len(r.At)
	if n > 0 && r.At[n-1] == s.now {
		r.Rate[n-1] = sum
		return
	}
	if n == t.c.MaxSamples {
		// Full: keep every other sample; the latest stays.
		for i := 0; i < n/2; i++ {
			r.At[i], r.Rate[i] = r.At[2*i+1], r.Rate[2*i+1]
		}
		r.At, r.Rate = r.At[:n/2], r.Rate[:n/2]
	}
	if t.c.MaxSamples > 1 {
		r.At, r.Rate = append(r.At, s.now), append(r.Rate, sum)
	}
}
