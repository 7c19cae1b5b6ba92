// Package sim is the clock of simnet: one integer time in picoseconds, a
// totally ordered set of pending events, exact rates, random streams that do
// not disturb one another, and processes that sleep and wait on the clock.
//
// Terms: an Item is one pending occurrence; a Wheel is a set of Items; an
// Event is a one-shot condition that processes wait for; an Engine is a model
// with pending events of its own (a network engine, for instance) that the
// Kernel interleaves with everything else in time order; a Proc is
// straight-line code that runs in simulated time.
//
// Total order: time first, then at one instant the Kernel's own events before
// those of engines, engines in the order in which they were attached, and
// inside one Wheel the Key (tie key, then order of scheduling).
//
// sim imports nothing of simnet. It is the only importer of simgo, in proc.go.
package sim
