package hybrid

import (
	"fmt"

	"github.com/simnet/simnet/fabric/packet"
)

// Config is everything about the engine that is not in the graph.
type Config struct {
	Packet packet.Config
	// Tolerance is by how much two windows of an island may differ, as a
	// fraction of their bytes, to count as repetition; 0 means
	// DefaultTolerance. Without congestion every QP has to repeat itself ten
	// times as exactly; under congestion controls other than DCQCN, whose
	// islands glide, the whole island within three times that.
	Tolerance float64
	// Exact turns fast-forward and memory off: every packet of every island,
	// in parallel.
	Exact bool
	// NoMemory simulates every episode, also those seen before.
	NoMemory bool
	// Threads is how many islands may run at once; 0 means one. It changes no
	// result.
	Threads int
}

// DefaultTolerance is the engine's error budget of completion times; ten times
// as exactly, islands without congestion are off by far less: see
// docs/hybrid-accuracy.md.
const DefaultTolerance = 0.01

func (c *Config) validate() error {
	if c.Tolerance == 0 {
		c.Tolerance = DefaultTolerance
	}
	if c.Tolerance < 0 || c.Tolerance > 0.5 {
		return fmt.Errorf("hybrid: a tolerance of %g; it lies between 0 and 0.5", c.Tolerance)
	}
	if c.Packet.Compat {
		return fmt.Errorf("hybrid: the HPCC-compatible mode runs at packet fidelity alone")
	}
	if c.Packet.Routing.Mode != packet.ECMP {
		return fmt.Errorf("hybrid: routing that chooses for each packet leaves no islands; run it at packet fidelity")
	}
	c.Threads = max(1, c.Threads)
	return nil
}
