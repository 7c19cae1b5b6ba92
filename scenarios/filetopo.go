package scenarios

import (
	"fmt"

	"github.com/simnet/simnet/fabric/topo"
)

// fileTopology is a network read from a file.
type fileTopology struct {
	base topo.Base
	file string
}

// Validate implements topo.Spec.
func (t fileTopology) Validate() []error {
	return []error{fmt.Errorf("topology file %s", t.file)}
}

// Build implements topo.Spec.
func (t fileTopology) Build() (*topo.Net, error) { return nil, fmt.Errorf("unreachable") }
