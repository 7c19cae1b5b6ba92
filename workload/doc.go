// Package workload turns a training job into computation and flows: transformer
// arithmetic, parallel groups in Megatron-LM's rank order, pipeline schedules,
// collectives, and the training step itself, run as one process per
// pipeline-stage replica on a sim.Kernel over a fabric.Network.
//
// Terms: rank, TP/PP/DP/CP/EP group, micro-batch, stage, virtual stage, 1F1B,
// bubble, exposed communication, MFU (model FLOPs over peak), HFU (hardware
// FLOPs, recomputation included).
//
// workload sees sim and fabric alone. It never asks which engine moves its
// flows.
package workload
