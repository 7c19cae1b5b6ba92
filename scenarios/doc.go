// Package scenarios turns a YAML scenario into a machine that runs: a strict
// loader that knows the position of every value, presets with their sources,
// one validate-and-default pass, and the builder that joins topology, engines
// and jobs.
//
// Terms: a Spec is what was written, key by key; a Valid is a Spec that has
// every value filled in and checked, each with its provenance (default, preset,
// file:line, --set); a Machine is a Valid made into a graph, engines and jobs; a
// study is a scenario with a grid of --set values.
//
// scenarios may import sim, fabric and its engines, workload, and its own
// sub-packages; results and cmd import it.
package scenarios
