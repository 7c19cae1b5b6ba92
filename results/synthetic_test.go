package results

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// synthetic is a run as an engine might report it: 32 NICs under 4 leaves and 2
// spines, 8 pipeline stages, an incast that fills leaf0's uplink.
func synthetic(fidelity string) *Run {
	rng := rand.New(rand.NewPCG(7, 11))
	g := syntheticGraph()
	r := &Run{
		Scenario: "synthetic-32", SHA256: "5a5a", Seed: 1, Fidelity: fidelity, Version: "0.1.0",
		Effective: []byte("name: synthetic-32\nseed: 1\n"), GPUs: 32, Graph: g, SimTime: 3 * sim.Second,
		Report: &fabric.Report{Fidelity: fidelity, Ports: make([]fabric.PortStats, len(g.Ports))},
		Host:   Host{WallS: 1.5, CPUS: 1.4, Events: 1000, GOMAXPROCS: 2, Go: "go1.26"},
	}
	hosts := g.Hosts()
	for i := range 400 {
		src, dst := hosts[i%32], hosts[(i*7+8)%32]
		if src == dst {
			dst = hosts[(i+1)%32]
		}
		f := fabric.FlowRecord{Src: src, Dst: dst, Bytes: 50 << 20, Start: sim.Time(i) * 5 * sim.Millisecond, Class: 3, Job: "train", Label: "pp_forward"}
		f.Ideal = (200 * sim.Gbps).TxTime(f.Bytes) + 3*sim.Microsecond
		slow := 1 + 0.05*rng.ExpFloat64()
		if i >= 336 {
			f.Label, f.Start, slow = "dp_all_reduce", 2700*sim.Millisecond, 3.2+1.5*rng.Float64()
		}
		f.FCT = sim.Time(float64(f.Ideal) * slow)
		if i == 399 {
			f.FCT = -1
		}
		r.Report.Flows = append(r.Report.Flows, f)
	}
	c := &r.Report.Counters
	c.Flows, c.FlowsFinished, c.BytesDelivered = 400, 399, 399*50<<20
	for i := range r.Report.Ports {
		r.Report.Ports[i].TxBytes = int64(20e9 * (0.3 + 0.7*rng.Float64()))
	}
	routes := fabric.NewRoutes(g, fabric.RouteOptions{Hasher: fabric.Hasher{Kind: fabric.CRC32, Fields: fabric.FiveTuple, Seed: 5, PerSwitch: true}})
	r.Crossings = CrossingsOf(routes, r.Report.Flows)
	for i := range r.Report.Ports {
		if uplink(g, fabric.PortID(i)) {
			r.Report.Ports[i].TxBytes = 0
			for _, c := range r.Crossings(fabric.PortID(i)) {
				r.Report.Ports[i].TxBytes += c.Bytes * 102 / 100
			}
		}
	}
	r.Jobs = []workload.Result{syntheticJob()}
	if fidelity != "flow" {
		r.Report.PacketBytes = c.BytesDelivered
		syntheticCongestion(r, rng)
	}
	return r
}

func syntheticGraph() *fabric.Graph {
	g := &fabric.Graph{}
	var leaf, spine []fabric.NodeID
	for i := range 4 {
		leaf = append(leaf, g.AddNode(fabric.Node{Name: fmt.Sprintf("leaf%d", i), Kind: fabric.Switch, Tier: 1}))
	}
	for i := range 2 {
		spine = append(spine, g.AddNode(fabric.Node{Name: fmt.Sprintf("spine%d", i), Kind: fabric.Switch, Tier: 2}))
	}
	for i := range 32 {
		h := g.AddNode(fabric.Node{Name: fmt.Sprintf("node%d/nic%d", i/8, i%8), Kind: fabric.NIC})
		g.AddLink(h, leaf[i/8], 200*sim.Gbps, 100*sim.Nanosecond)
	}
	for _, l := range leaf {
		for _, s := range spine {
			for range 2 {
				g.AddLink(l, s, 400*sim.Gbps, 300*sim.Nanosecond)
			}
		}
	}
	g.Freeze()
	return g
}

func syntheticJob() workload.Result {
	const p, m = 8, 24
	fwd, bwd := 20*sim.Millisecond, 60*sim.Millisecond
	j := workload.Result{Job: "train", TokensPerStep: 96 * 2048, ModelFLOPs: 4e15, HardwareFLOPs: 5.3e15, PeakFLOPs: 32 * 312e12, GPUs: 32}
	stages := make([][]workload.Action, p)
	for s := range p {
		stages[s] = workload.OneFOneB.Actions(s, p, m, 1)
	}
	// A timeline as workload.Evaluate finds it, with the spans kept.
	fdone, bdone := make([]sim.Time, p*m), make([]sim.Time, p*m)
	clock, next := make([]sim.Time, p), make([]int, p)
	for moved := true; moved; {
		moved = false
		for s := range p {
			if next[s] == len(stages[s]) {
				continue
			}
			a := stages[s][next[s]]
			k := s*m + int(a.Micro)
			var ready sim.Time
			d, kind, done := fwd, workload.SpanForward, fdone
			if a.Kind == workload.Backward {
				d, kind, done = bwd, workload.SpanBackward, bdone
				ready = fdone[k]
				if s < p-1 {
					ready = bdone[k+m]
				}
			} else if s > 0 {
				ready = fdone[k-m]
			}
			if ready == 0 && (s > 0 || a.Kind == workload.Backward) {
				continue
			}
			start := max(clock[s], ready)
			if start > clock[s] {
				j.Timeline = append(j.Timeline, workload.Span{Kind: workload.SpanWait, Stage: int32(s), Micro: -1, Start: clock[s], End: start})
			}
			clock[s] = start + d
			done[k] = clock[s]
			j.Timeline = append(j.Timeline, workload.Span{Kind: kind, Stage: int32(s), Micro: a.Micro, Start: start, End: clock[s]})
			next[s]++
			moved = true
		}
	}
	end := clock[0] + 260*sim.Millisecond
	for s := range p {
		j.Timeline = append(j.Timeline,
			workload.Span{Kind: workload.SpanDP, Stage: int32(s), Micro: -1, Start: clock[s], End: clock[s] + 230*sim.Millisecond},
			workload.Span{Kind: workload.SpanOptimizer, Stage: int32(s), Micro: -1, Start: clock[s] + 230*sim.Millisecond, End: clock[s] + 245*sim.Millisecond})
		b := workload.Breakdown{Compute: m * (fwd + bwd) * 85 / 100, TPComm: m * (fwd + bwd) * 15 / 100, DPCommExposed: 230 * sim.Millisecond, PPComm: 12 * sim.Millisecond, Other: 15 * sim.Millisecond}
		b.PPBubble = end - b.Total()
		j.Stages = append(j.Stages, workload.StageResult{Stage: s, Breakdown: b})
	}
	j.Breakdown = j.Stages[0].Breakdown
	j.Steps = []sim.Time{end}
	return j
}

func syntheticCongestion(r *Run, rng *rand.Rand) {
	rep, c := r.Report, &r.Report.Counters
	c.Packets, c.DataHops, c.AckHops = 5_107_200, 18_000_000, 4_500_000
	c.ECNMarked, c.CNPs, c.RateCuts = 61_234, 8_211, 7_950
	c.PFCPauses, c.PFCResumes, c.PFCPausedTime = 412, 412, 9*sim.Millisecond
	const bins, width = 600, sim.Microsecond
	up := r.Graph.PortsOf(0)[8:]
	for k := range 6 {
		q := fabric.QueueSeries{Port: up[k%4], Start: 0, Bin: width, Kmin: 400_000, Kmax: 1_600_000, XOFF: 2_400_000}
		if k >= 4 {
			q.Port = r.Graph.PortsOf(4)[k]
		}
		level := 0.0
		for i := range bins {
			target := 0.0
			switch {
			case i > 120 && i < 200:
				target = 2.6e6 / float64(k+1)
			case i >= 200 && i < 480:
				target = (0.9e6 + 0.5e6*math.Sin(float64(i)/11+float64(k))) / (0.6*float64(k) + 1)
			}
			level += (target - level) * 0.12
			q.Max = append(q.Max, max(0, int64(level+rng.NormFloat64()*2e4)))
		}
		st := &rep.Ports[q.Port]
		for _, m := range q.Max {
			st.MaxQueue = max(st.MaxQueue, m)
		}
		st.ECNMarked, st.Pauses, st.Paused = int64(20000/(k+1)), int64(100-10*k), 2*sim.Millisecond
		c.MaxQueueBytes = max(c.MaxQueueBytes, st.MaxQueue)
		rep.Queues = append(rep.Queues, q)
	}
	rep.Bins.Bin = 10 * width
	for i := range bins / 10 {
		on := 0.0
		if i > 12 && i < 48 {
			on = math.Exp(-float64(i-13) / 14)
		}
		rep.Bins.CNPs = append(rep.Bins.CNPs, int64(900*on*(0.7+0.6*rng.Float64())))
		rep.Bins.Pauses = append(rep.Bins.Pauses, int64(60*on*on*rng.Float64()))
		rep.Bins.ECN = append(rep.Bins.ECN, int64(5000*on))
		rep.Bins.Delivered = append(rep.Bins.Delivered, int64(8e6*(1-0.55*on)))
	}
	rep.Bursts = []fabric.Burst{
		{Port: up[0], Start: 122 * sim.Microsecond, Duration: 80 * sim.Microsecond, Peak: 2_580_000, Flows: []fabric.FlowID{336, 337, 338, 10}},
		{Port: up[1], Start: 130 * sim.Microsecond, Duration: 20 * sim.Microsecond, Peak: 1_280_000, Flows: []fabric.FlowID{340}},
	}
	rep.Storms = []fabric.Storm{{Port: up[0], Start: 130 * sim.Microsecond, End: 470 * sim.Microsecond, CNPs: 7000, Before: 391e9, During: 160e9, After: 350e9, Flows: []fabric.FlowID{336, 337}}}
	for k := range 4 {
		s := fabric.RateSeries{Flow: fabric.FlowID(336 + k)}
		rate := 200e9
		for t := sim.Time(0); t < 600*sim.Microsecond; t += 5 * sim.Microsecond {
			switch {
			case t > 130*sim.Microsecond && t < 250*sim.Microsecond && rng.Float64() < 0.3:
				rate *= 0.6
			default:
				rate = min(200e9, rate+2.5e9*(1+float64(k)/2))
			}
			s.At, s.Rate = append(s.At, t), append(s.Rate, sim.Rate(rate))
		}
		rep.Rates = append(rep.Rates, s)
	}
}
