// Package packet is the packet engine: every data packet, acknowledgement, CNP
// and pause frame of RoCE crosses every link of the network, one event or two a
// hop.
//
// Terms: a queue pair (QP) is one connection of a flow, the sender side and the
// receiver side in one record; a class is a priority of data; queue 0 of a port
// holds MAC control frames (PFC), queue 1 the control class (ACK, CNP), the
// others the data classes; an account is what one (ingress port, class) of a
// switch occupies; a shard is a set of ports and QPs with a clock, a wheel and a
// packet arena of its own.
//
// The engine has two modes. Its own is exact in picoseconds with the headers,
// pacing and limits of real devices; Config.Compat selects the meaning of the
// HPCC family of ns-3 models, quirks included, to compare with their figures.
//
// packet imports sim and fabric alone.
package packet
