package scenarios

import (
	"errors"
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/flow"
	"github.com/simnet/simnet/fabric/hybrid"
	"github.com/simnet/simnet/fabric/packet"
)

// newFlow makes the flow-level engine.
func newFlow(m *Machine) (fabric.Simulator, error) {
	e, err := flow.New(m.Kernel, m.Graph, m.Routes, flow.Config{Seed: m.Valid.Spec.Seed.V, Framing: m.Valid.Framing, AckEvery: m.Valid.Spec.Cluster.Transport.AckEvery.V})
	if err != nil {
		return nil, fmt.Errorf("flow engine: %w", err)
	}
	return e, nil
}

// newPacket makes the packet or the hybrid engine, as the fidelity asks.
func newPacket(m *Machine, o BuildOptions) (fabric.Simulator, error) {
	if run := &m.Valid.Spec.Run; m.Fidelity == "hybrid" || run.Parallel.V {
		e, err := hybrid.New(m.Kernel, m.Graph, m.Routes, hybrid.Config{Packet: m.Packet, Exact: m.Fidelity == "packet", Threads: o.Threads, Tolerance: float64(run.Tolerance.V)})
		if b := (*packet.BufferError)(nil); errors.As(err, &b) {
			return nil, m.bufferError(b)
		}
		if err != nil {
			return nil, fmt.Errorf("hybrid engine: %w", err)
		}
		return e, nil
	}
	e, err := packet.New(m.Kernel, m.Graph, m.Routes, m.Packet)
	if b := (*packet.BufferError)(nil); errors.As(err, &b) {
		return nil, m.bufferError(b)
	}
	if err != nil {
		return nil, fmt.Errorf("packet engine: %w", err)
	}
	return e, nil
}

// bufferError says where the buffer was written and what fits it.
func (m *Machine) bufferError(b *packet.BufferError) error {
	f := &m.Valid.Spec.Cluster.Fabric
	at := [...]*SwitchSpec{classLeaf: &f.Switch, classSpine: &f.Spine, classCore: &f.Core}[m.Graph.Nodes[b.Node].Class].Buffer.From
	var errs Errors
	errs.add(at, "", "switch %s: its ports reserve %v for PFC (reserved and headroom) of a buffer of %v, which leaves too little to share; raise buffer, or lower pfc.reserved, pfc.headroom or the cable lengths",
		m.Graph.Nodes[b.Node].Name, Bytes((b.Buffer-b.Pool+999)/1000*1000), Bytes(b.Buffer))
	return errs.err()
}

// window returns what limits packets to some phases: hybrid fidelity needs no
// limit and runs everything.
func (v *Valid) window() *WindowSpec {
	if v.Spec.Run.Fidelity.V == "hybrid" {
		return nil
	}
	return v.Spec.Run.Window
}
