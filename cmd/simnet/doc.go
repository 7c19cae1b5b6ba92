// Command simnet simulates the network of GPU clusters: one small file a verb.
//
// Exit codes: 0 done; 1 the run or the comparison failed; 2 the input is wrong.
package main
