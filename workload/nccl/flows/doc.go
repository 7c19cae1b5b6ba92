// Package flows turns what NCCL would run into flows on a network: the rings,
// trees, chains and pairs of a collective between the nodes, by channel and
// NIC. Any engine moves them, so that paths that collide, a slow link or another
// job show in the time of the call.
//
// Terms: a node is an NVLink domain, a rail the NICs of one index in every
// node. What stays inside nodes is no flow: the cost model of package nccl
// (Parts) gives its latency, and its bandwidth caps the flows. On an idle
// network as fast as the NICs a call takes the time of the cost model.
//
// It imports sim, fabric and workload/nccl, and knows no engine.
package flows
