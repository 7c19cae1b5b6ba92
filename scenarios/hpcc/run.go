package hpcc

import (
	"errors"
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// Options are the choices of a replay.
type Options struct {
	// Own selects simnet's own meaning of the inputs instead of the reference
	// model's.
	Own  bool
	Seed uint64
	// Config, if set, changes the engine's configuration before the run.
	Config func(*packet.Config)
	// Prepare, if set, gets the kernel before the run, to show progress or to
	// stop it.
	Prepare func(*sim.Kernel)
}

// Result is the outcome of a replay.
type Result struct {
	Report   *fabric.Report // its Flows in the order of the flow file
	SimTime  sim.Time       // when the last flow ended; the clock if one has not
	Events   uint64
	Stopped  bool // by Kernel.Stop; flows may be unfinished
	Warnings []string
}

// Run replays the case. With the reference's meaning, the ideal time of a flow
// is its standalone time, and completion counts the last ACK. Flows that the
// stop time of the config cuts off have a negative completion time.
func (c *Case) Run(o Options) (*Result, error) {
	cfg := c.PacketConfig(!o.Own, o.Seed)
	if o.Config != nil {
		o.Config(&cfg)
	}
	k := sim.NewKernel()
	eng, err := packet.New(k, c.Graph, c.Routes, cfg)
	if err != nil {
		return nil, err
	}
	k.Attach(eng)
	start := make([]sim.Time, len(c.Flows))
	for i := range c.Flows {
		start[i] = c.Flows[i].Start
		if !o.Own {
			start[i] = c.Flows[i].compatStart()
		}
	}
	order := c.order(start)
	if o.Prepare != nil {
		o.Prepare(k)
	}
	c.start(k, eng, order, start, !o.Own)
	if l, ok := c.downLink(); ok && c.Config.LinkDown[0] > 0 {
		k.After(linkDownEpoch+sim.Time(c.Config.LinkDown[0])*sim.Microsecond, func() { eng.SetLink(l, fabric.LinkState{Down: true}) })
	}
	err = k.RunUntil(c.Config.Stop)
	res := &Result{SimTime: k.Now(), Events: eng.Events(), Stopped: errors.Is(err, sim.ErrStopped), Warnings: c.Warnings}
	if err != nil && !res.Stopped {
		return nil, err
	}
	res.Report = eng.Report()
	c.inOrder(res, order, start, !o.Own)
	if n := &res.Report.Counters; n.Flows == n.FlowsFinished {
		res.SimTime = 0
		for i := range res.Report.Flows {
			res.SimTime = max(res.SimTime, res.Report.Flows[i].Start+res.Report.Flows[i].FCT)
		}
	}
	return res, nil
}

// start hands the flows to the engine in order of start: at once in compat,
// which takes the start as a delay, else each when it is due.
func (c *Case) start(k *sim.Kernel, eng fabric.Network, order []int, start []sim.Time, compat bool) {
	group := make([]fabric.Flow, len(order))
	for n, i := range order {
		group[n] = c.flow(i)
		if compat {
			group[n].Delay = start[i]
		}
	}
	if compat {
		eng.StartGroup(group)
		return
	}
	for first := 0; first < len(order); {
		at, last := start[order[first]], first
		for last < len(order) && start[order[last]] == at {
			last++
		}
		due := group[first:last]
		k.After(at-k.Now(), func() { eng.StartGroup(due) })
		first = last
	}
}

// linkDownEpoch is the time from which LINK_DOWN counts.
const linkDownEpoch = 2 * sim.Second

// flow makes the engine's flow of flow i.
func (c *Case) flow(i int) fabric.Flow {
	f := &c.Flows[i]
	x := fabric.Flow{
		Src: fabric.NodeID(f.Src), Dst: fabric.NodeID(f.Dst), Bytes: f.Bytes, Class: fabric.Class(f.PG),
		SrcPort: f.SrcPort, DstPort: f.DstPort, Path: c.Path[i], AckPath: c.AckPath[i], Job: "replay", Label: fmt.Sprint("pg", f.PG),
	}
	if c.Config.LinkDown[0] > 0 {
		x.Path, x.AckPath = nil, nil
	}
	return x
}

// inOrder puts the flow records into the order of the file.
func (c *Case) inOrder(res *Result, order []int, start []sim.Time, compat bool) {
	rep := res.Report
	place := make([]fabric.FlowID, len(order)) // by the engine's id
	flows := make([]fabric.FlowRecord, len(order))
	unfinished := 0
	for n, i := range order {
		place[n] = fabric.FlowID(i)
		flows[i] = rep.Flows[n]
		if compat {
			flows[i].Ideal = c.standalone(i)
		}
		if flows[i].FCT < 0 {
			unfinished++
		}
	}
	rep.Flows = flows
	move := func(ids []fabric.FlowID) {
		for i := range ids {
			ids[i] = place[ids[i]]
		}
	}
	for i := range rep.Rates {
		rep.Rates[i].Flow = place[rep.Rates[i].Flow]
	}
	for i := range rep.Bursts {
		move(rep.Bursts[i].Flows)
	}
	for i := range rep.Storms {
		move(rep.Storms[i].Flows)
	}
	if unfinished > 0 && !res.Stopped {
		res.Warnings = append(res.Warnings[:len(res.Warnings):len(res.Warnings)],
			fmt.Sprintf("%d of %d flows are unfinished at SIMULATOR_STOP_TIME (%v)", unfinished, len(flows), c.Config.Stop))
	}
}
