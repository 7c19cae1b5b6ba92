package scenarios

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/flow"
)

func newFlow(m *Machine) (fabric.Simulator, error) {
	e, err := flow.New(m.Kernel, m.Graph, m.Routes, flow.Config{Seed: m.Valid.Spec.Seed.V, Framing: m.Valid.Framing})
	if err != nil {
		return nil, fmt.Errorf("flow engine: %w", err)
	}
	return e, nil
}
