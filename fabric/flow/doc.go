// Package flow is the flow-level engine: a fabric.Simulator in which a flow is
// one number, its rate, and the network shares its links by max-min fairness.
//
// Terms: a variable is a flow as the solver sees it; its level is the rate of
// one of its queue pairs; a link of the solver is one direction of a cable, or
// a host's limit; a bottleneck of a variable is a link that is full and on
// which no level is higher; a relay's slack is what it may still send before it
// has to wait for its upstream; bound is a relay that has none left.
//
// A flow's completion time is the time that its wire bytes take at the rates it
// was given, plus what fabric.Ideal has beyond the transfer itself: alone, a
// flow takes exactly its ideal time. What is approximated: queueing, loss,
// priority classes and bit errors are not modelled; the queue pairs of a flow
// move in step; a relay's slice delays what it may send instead of releasing it
// in steps; changes within Config.Batch of one another count as one.
//
// flow imports sim and fabric alone.
package flow
