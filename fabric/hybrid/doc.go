// Package hybrid is the packet engine with its idle work left out: flows that
// share links form islands, each with a clock of its own; an island whose
// packets repeat themselves is moved on without them; one under congestion
// glides (packet.Glide) as soon as no port is overloaded; and what an island did
// from its first flow to its last, if nothing was marked, is remembered for the
// next one like it.
//
// Terms: an island is a set of flows connected by shared links or as relays; a
// window is the span over which its deliveries are compared; an island is
// parked when its next windows will repeat the last; an episode is the life of
// an island, from its birth on idle links until they are idle again.
//
// Islands run on several threads at once; results do not depend on how many.
//
// hybrid imports sim, fabric and packet.
package hybrid
