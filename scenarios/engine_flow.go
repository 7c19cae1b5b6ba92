package scenarios

import (
	"errors"

	"github.com/simnet/simnet/fabric"
)

func newFlow(m *Machine, o BuildOptions) (fabric.Simulator, error) {
	return nil, errors.New("no flow engine")
}
