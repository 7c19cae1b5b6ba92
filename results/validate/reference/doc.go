// Package reference compares the packet engine with runs of the HPCC ns-3.17
// RoCE model: it carries the inputs and the figures of 37 runs with their
// source, replays them, and makes the table of errors.
//
// Terms: an exact case has nothing random, and every completion time must equal
// the reference's to the nanosecond; a random case marks packets at random, so
// that means over seeds are compared; an hpcc case runs HPCC, whose algorithm
// here is the paper's. Error is the relative error of a completion time.
//
// It imports sim, fabric, fabric/packet and scenarios/hpcc.
package reference
