// Package nccl is NCCL's decision and cost model as pure functions: which
// algorithm, protocol, channels and chunk the library picks for a collective,
// and how long the collective then takes when nothing else uses the fabric.
//
// Terms: busbw and algbw are as nccl-tests defines them; a channel is one CTA
// with its own ring or tree; a step is one hop of a chunk; Shape is the
// cluster as NCCL sees it; Env is the set of NCCL_* variables; Tuner is the
// library's own estimate (latency + bytes/bandwidth); Model is the measured
// time, calibrated on nccl-tests logs.
//
// It imports the standard library and sim (with sim/spell) only, and knows no engine.
package nccl
