// Package collectives validates the collective cost model of workload/nccl
// against measured nccl-tests runs: it holds the figures with their sources,
// the cluster that each log was taken on, the split into rows that the model
// was calibrated on, rows it predicts and negative tests, and the table of
// errors by family. Fit repeats the calibration on the calibrate rows alone.
//
// It imports sim and workload/nccl.
package collectives
