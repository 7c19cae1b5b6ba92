// Package trace plays recorded workloads: graphs of operations by rank (GOAL
// schedules, Chakra execution traces) and the layer rows of SimAI, of which
// every rank runs the same.
//
// Terms: an operation is computation, a send, a receive, a collective or an
// access to memory; it is ready once those it comes after have ended (or begun),
// then begins, then ends. A stream runs one computation at a time. A message is
// what a send leaves for a receive of the same source, destination and tag;
// makespan is from the start of the job to the end of its last operation.
//
// trace sees sim, fabric and workload alone.
package trace
