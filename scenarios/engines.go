package scenarios

import (
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
	if m.Fidelity == "hybrid" {
		e, err := hybrid.New(m.Kernel, m.Graph, m.Routes, hybrid.Config{Packet: m.Packet, Threads: o.Threads})
		if err != nil {
			return nil, fmt.Errorf("hybrid engine: %w", err)
		}
		return e, nil
	}
	e, err := packet.New(m.Kernel, m.Graph, m.Routes, m.Packet)
	if err != nil {
		return nil, fmt.Errorf("packet engine: %w", err)
	}
	return e, nil
}

// window returns what limits packets to some phases: hybrid fidelity needs no
// limit and runs everything.
func (v *Valid) window() *WindowSpec {
	if v.Spec.Run.Fidelity.V == "hybrid" {
		return nil
	}
	return v.Spec.Run.Window
}
