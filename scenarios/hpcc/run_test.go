package hpcc

import (
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// twoSpines: hosts 0 and 1 under switches 2 and 3, which spines 4 and 5 join.
const twoSpines = `6 4 6
2 3 4 5
0 2 100Gbps 1000ns 0
1 3 100Gbps 1000ns 0
2 4 100Gbps 1000ns 0
2 5 100Gbps 1000ns 0
3 4 100Gbps 1000ns 0
3 5 100Gbps 1000ns 0
`

const noControl = `ENABLE_QCN 0
CC_MODE 0
PACKET_PAYLOAD_SIZE 952
SIMULATOR_STOP_TIME 3.0
L2_ACK_INTERVAL 1
HAS_WIN 0
ACK_HIGH_PRIO 1
BUFFER_SIZE 32
KMIN_MAP 1 100000000000 400
KMAX_MAP 1 100000000000 1600
PMAX_MAP 1 100000000000 0.2
`

func replay(t *testing.T, topology, flows, config string, o Options) (*Case, *Result) {
	t.Helper()
	c, err := load(t, topology, flows, config, "")
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Run(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, res
}

// A flow alone: packets of 1,000 B take 80 ns on each of 4 links (79 after the
// reference's cut, whose double is just below 80), an ACK of 60 B takes 4.
func TestAloneInClosedForm(t *testing.T) {
	const packets = 1000
	_, res := replay(t, twoSpines, "1\n0 1 3 100 952000 2.0\n", noControl, Options{Seed: 1})
	tx, ack, prop := 79*sim.Nanosecond, 4*sim.Nanosecond, sim.Microsecond
	want := (packets-1)*tx + 4*(tx+prop) + 4*(ack+prop)
	if got := res.Report.Flows[0].FCT; got != want {
		t.Errorf("compat: %v, want %v", got, want)
	}
	if got := res.SimTime; got != 2*sim.Second+want {
		t.Errorf("the run ends at %v", got)
	}
	_, res = replay(t, twoSpines, "1\n0 1 3 100 952000 2.0\n", noControl, Options{Seed: 1, Own: true})
	own := (100 * sim.Gbps).TxTime(952 + fabric.RoCEv2(952).Header)
	want = (packets-1)*own + 4*(own+prop)
	if f := res.Report.Flows[0]; f.FCT != want || f.Ideal != want {
		t.Errorf("own: %v, ideal %v, want %v", f.FCT, f.Ideal, want)
	}
}

// Results come in the order of the file, whatever the order of starts.
func TestResultsInInputOrder(t *testing.T) {
	flows := "3\n0 1 3 100 952 2.002\n1 0 3 100 95200 2.001\n0 1 3 100 9520 2.0\n"
	for _, own := range []bool{false, true} {
		c, res := replay(t, twoSpines, flows, noControl, Options{Seed: 1, Own: own})
		for i, f := range res.Report.Flows {
			early := c.Flows[i].Start - f.Start // the reference cuts the start to a nanosecond
			if f.Bytes != c.Flows[i].Bytes || early < 0 || early > sim.Nanosecond || own && early != 0 || f.FCT <= 0 {
				t.Errorf("own %v: flow %d: %+v, want %d B at %v", own, i, f, c.Flows[i].Bytes, c.Flows[i].Start)
			}
		}
	}
}

func TestUnfinishedAtStopTime(t *testing.T) {
	config := strings.Replace(noControl, "TIME 3.0", "TIME 2.00001", 1)
	for _, own := range []bool{false, true} {
		_, res := replay(t, twoSpines, "2\n0 1 3 100 952 2.0\n0 1 3 100 952000000 2.0\n", config, Options{Seed: 1, Own: own})
		f := res.Report.Flows
		if f[0].FCT <= 0 || f[1].FCT >= 0 {
			t.Errorf("own %v: completion times %v, %v", own, f[0].FCT, f[1].FCT)
		}
		if res.SimTime != 2*sim.Second+10*sim.Microsecond {
			t.Errorf("own %v: the run ends at %v", own, res.SimTime)
		}
		if w := strings.Join(res.Warnings, "\n"); !strings.Contains(w, "1 of 2 flows are unfinished at SIMULATOR_STOP_TIME (2.00001s)") {
			t.Errorf("own %v: warnings %s", own, w)
		}
	}
}

// LINK_DOWN counts from 2 s; the flow leaves the link and completes in the own
// mode, which has a timeout.
func TestLinkDown(t *testing.T) {
	for _, spine := range []string{"4", "5"} {
		_, res := replay(t, twoSpines, "1\n0 1 3 100 9520000 2.0\n", noControl+"LINK_DOWN 100 2 "+spine+"\n", Options{Seed: 1, Own: true})
		if f := res.Report.Flows[0]; f.FCT < 0 {
			t.Errorf("spine %s: unfinished", spine)
		}
		for _, v := range res.Report.Violations {
			t.Errorf("spine %s: %s", spine, v)
		}
	}
}

// Of two runs with links that lose packets, the lossy one retransmits and
// still delivers everything.
func TestErrorRate(t *testing.T) {
	lossy := strings.Replace(twoSpines, "0 2 100Gbps 1000ns 0", "0 2 100Gbps 1000ns 0.01", 1)
	_, res := replay(t, lossy, "1\n0 1 3 100 952000 2.0\n", noControl, Options{Seed: 1, Own: true})
	if n := res.Report.Counters; n.Drops == 0 || n.RetransmittedBytes == 0 || n.BytesDelivered != 952000 || n.FlowsFinished != 1 {
		t.Errorf("counters %+v", n)
	}
}
