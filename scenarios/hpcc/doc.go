// Package hpcc reads the inputs of the HPCC family of ns-3 models (topology,
// flow and config files, also used by ConWeave, SimAI and ASTRA-sim's ns-3 back
// end) as they are, and replays them on the packet engine.
//
// Terms: a Case is one set of inputs; compat is the engine's mode that gives
// the reference model's meaning to every key, quirks included; own is simnet's
// own meaning of the same network and flows; standalone is the reference's
// estimate of the completion time of a flow alone.
//
// Loaders are strict: what is wrong is reported as file:line:column. A key that
// is read but not modelled is named in a warning. hpcc may import sim, fabric
// and its engines.
package hpcc
