// Package fabric is the network as data: a multigraph of nodes, directed ports
// and links addressed by index, the routes over it, the flows that cross it,
// and the one interface, Network, that every engine implements.
//
// Terms: a host is an endpoint of flows (a NIC, or a GPU on an NVLink graph); a
// port is the sending end of one direction of a link, so each link has two; a
// path is the list of ports that a packet leaves through; a flow is one
// message or one rank's share of a collective; a relay flow is one that may
// send a byte only after its upstream flows have delivered it; a queue pair
// (QP) is one RoCE connection of a flow, with a UDP source port of its own.
//
// fabric imports sim alone. Engines (packet, flow, hybrid) import fabric;
// fabric knows none of them.
package fabric
