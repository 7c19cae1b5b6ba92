// Package topo builds the fabrics that clusters use as fabric.Graph values:
// star, leaf-spine, fat-tree (k-ary, or by radix and oversubscription),
// rail-optimized, rail-only, dragonfly and torus.
//
// Terms: a leaf is the switch that NICs plug into; a rail is the set of NICs
// with the same index on every compute node; oversubscription is what enters a
// switch from below divided by what can leave it upwards; a pod is a part of a
// three-tier network that does not need the core inside itself.
//
// A spec is a plain struct; Validate lists what is wrong with it by field, and
// Build refuses what Validate does. NICs come first among the nodes of a graph,
// in order of compute node and NIC. topo imports sim and fabric alone.
package topo
