// Package engines measures how far the cheaper engines are from the packet
// engine: it carries a few scenarios of each family of traffic, runs them at
// flow, hybrid and packet fidelity, and makes the table of errors. What was
// measured last is embedded, so that every flow or hybrid result can print the
// error of runs like it (ErrorOf).
//
// Terms: a family is a kind of run (a traffic pattern, the training step, a
// link fault, several jobs on one fabric); error is relative to the packet
// engine's value; finish is when the last flow has arrived.
//
// It imports sim, fabric, workload, scenarios and results.
package engines
