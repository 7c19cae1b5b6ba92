package scenarios

import (
	"math"
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
)

// incast8 is eight senders and one receiver on a switch with little to share.
var incast8 = []string{"run.fidelity=packet", "cluster.nodes=2", "cluster.fabric={topology: star, switch: {buffer: 4MB, cell: 1B}}",
	"cluster.transport={congestion_control: none, pfc: {alpha: 1/32}}", "jobs=[{name: burst, traffic: {pattern: incast, bytes: 1MB, fan_in: 8}}]"}

func simulateSets(t *testing.T, sets ...string) *fabric.Report {
	t.Helper()
	v, err := Load(small, append(incast8[:len(incast8):len(incast8)], sets...))
	if err != nil {
		t.Fatal(err)
	}
	o := runOf(t, v)
	r := o.Report
	if len(r.Violations) > 0 {
		t.Errorf("%v: %q", sets, r.Violations)
	}
	return r
}

// Traffic has packets of its class, whichever that is.
func TestTrafficClass(t *testing.T) {
	r := simulateSets(t, "jobs.burst.class=3")
	if len(r.Flows) != 8 || r.Flows[0].Class != 3 || r.Counters.FlowsFinished != 8 {
		t.Errorf("%d flows of class %d, %d finished", len(r.Flows), r.Flows[0].Class, r.Counters.FlowsFinished)
	}
}

// The cell size of the switch reaches its buffer: a frame of 4178 B takes 8192 B.
func TestCellReachesSwitch(t *testing.T) {
	fine, coarse := simulateSets(t), simulateSets(t, "cluster.fabric.switch={buffer: 32MB, cell: 4096B}")
	if fine.Counters.PFCPauses == 0 || coarse.Counters.MaxBufferBytes == 0 || coarse.Counters.MaxBufferBytes%4096 != 0 {
		t.Errorf("%d pauses; %d B at most in cells of 4096 B", fine.Counters.PFCPauses, coarse.Counters.MaxBufferBytes)
	}
}

// A queue that is paused for longer than the watchdog allows is counted.
func TestWatchdogCounts(t *testing.T) {
	long, short := simulateSets(t), simulateSets(t, "cluster.transport.pfc.watchdog=1us")
	if long.Counters.PFCWatchdogs != 0 || short.Counters.PFCWatchdogs == 0 || short.Counters.PFCWatchdogs > short.Counters.PFCPauses {
		t.Errorf("%d of 200 ms, %d of 1 us in %d pauses", long.Counters.PFCWatchdogs, short.Counters.PFCWatchdogs, short.Counters.PFCPauses)
	}
}

// A seed may be written as the number it is.
func TestRoutingSeedIsNumber(t *testing.T) {
	for _, s := range []string{"77", "\"77\""} {
		v, err := Load(small, []string{"cluster.routing.seed=" + s})
		if err != nil {
			t.Fatal(err)
		}
		if v.Hasher.Seed != 77 || !v.Hasher.PerSwitch {
			t.Errorf("%s: %+v", s, v.Hasher)
		}
	}
}

// What cannot be is said with its place, before an engine says it without.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"cluster.fabric.switch.buffer=500KB", "--set cluster.fabric.switch.buffer=500KB: switch leaf0: its ports reserve"},
		{"cluster.transport.mtu=65536B", "--set cluster.transport.mtu=65536B: transport: an mtu of 64KiB and 82 B of headers do not fit a frame of 65535 B; at most 65453B"},
		{"cluster.transport.congestion_control={algorithm: timely, t_low: 1ms}", "t_high (500us) is not above t_low (1ms)"},
		{"name=../../elsewhere", "--set name=../../elsewhere: name: \"../../elsewhere\" cannot name a directory"},
		{"jobs.burst.stragglers=[{rank: 0, factor: 2}]", "traffic: stragglers has no meaning for a job of traffic"},
		{"jobs.burst.pair_rate=1Gbps", "--set jobs.burst.pair_rate=1Gbps: traffic: pair_rate has no meaning for a job of traffic"},
	} {
		v, err := Load(small, append(incast8[:len(incast8):len(incast8)], c.set))
		if err == nil {
			_, err = v.Build(BuildOptions{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}

// An alpha reaches the packet engine as it is written, to the 2^-24 that the
// engine counts in.
func TestAlphaIsExact(t *testing.T) {
	for text, want := range map[string]float64{"1/3": 1.0 / 3, "0.333": 0.333, "1/8": 0.125, "0.001": 0.001, "64": 64, "10%": 0.1} {
		v, err := Load(small, []string{"cluster.transport.pfc.alpha=" + text})
		if err != nil {
			t.Fatal(err)
		}
		r := v.Packet.Switches[0].Alpha
		if got := float64(r.Num) / float64(r.Den); math.Abs(got-want) > 1.0/(1<<25) {
			t.Errorf("alpha: %s is %d/%d, %g off", text, r.Num, r.Den, got-want)
		}
	}
}
