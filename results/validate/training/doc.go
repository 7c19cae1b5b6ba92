// Package training validates the training step of package workload against
// published step times and throughputs: it holds the figures with their
// sources, the cluster and job behind each row, the split into rows that a
// platform's compute parameters are fitted on and rows that are predicted, and
// the table of errors by family.
//
// Every row runs the real step, process by process, over a network where only
// NICs have a rate: one switch that does not block, in the flow engine, or a
// short cut for it where a NIC carries one kind of flow at a time. A fabric that
// congests is the business of the network engines' own validation.
//
// It imports sim, fabric, fabric/flow and workload.
package training
