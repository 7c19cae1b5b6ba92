package scenarios

// trafficKeys lists the keys that each pattern reads, beyond pattern, nodes,
// nics, qps and stagger.
var trafficKeys = map[string][]string{
	"incast":      {"bytes", "fan_in", "targets", "repeat", "interval"},
	"permutation": {"bytes", "repeat", "interval"},
	"all-to-all":  {"bytes", "group", "repeat", "interval"},
	"ring":        {"bytes", "group", "repeat", "interval"},
	"all-reduce":  {"bytes", "group", "repeat", "interval"},
	"poisson":     {"bytes", "load", "sizes", "duration"},
	"flows":       {"flows"},
}

// traffic checks a job of flows.
func (c *validation) traffic(j *JobSpec) {}

// trafficLabels lists the labels of the flows of traffic jobs.
func (c *validation) trafficLabels() []string { return nil }
