package main

import (
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/simnet/simnet/scenarios/importer"
)

// writeChakra writes PREFIX.RANK.et for two ranks: each computes 100 us, sends
// the other 1 MB, receives as much, and then all-reduces 8 MB. With a second
// argument, rank 1 receives under that tag instead of 0.
func writeChakra(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: chakra PREFIX [TAG]")
	}
	for rank := range int64(2) {
		tag := int64(0)
		if rank == 1 && len(args) == 2 {
			tag = int64(atoi(ts, args[1]))
		}
		attr := func(kv ...any) []importer.ChakraAttr {
			var out []importer.ChakraAttr
			for i := 0; i < len(kv); i += 2 {
				out = append(out, importer.ChakraAttr{Name: kv[i].(string), Value: kv[i+1]})
			}
			return out
		}
		f := &importer.ChakraFile{Nodes: []importer.ChakraNode{
			{ID: 1, Name: "gemm", Type: importer.ChakraComp, DurationMicros: 100, Attrs: attr("is_cpu_op", false)},
			{ID: 2, Name: "to_peer", Type: importer.ChakraSend, DataDeps: []uint64{1}, Attrs: attr("comm_size", int64(1_000_000), "comm_dst", 1-rank, "comm_tag", int64(0))},
			{ID: 3, Name: "from_peer", Type: importer.ChakraRecv, Attrs: attr("comm_size", int64(1_000_000), "comm_src", 1-rank, "comm_tag", tag)},
			{ID: 4, Name: "grads", Type: importer.ChakraColl, DataDeps: []uint64{3}, CtrlDeps: []uint64{2}, Attrs: attr("comm_type", int64(0), "comm_size", int64(8_000_000))},
		}}
		if err := os.WriteFile(ts.MkAbs(fmt.Sprintf("%s.%d.et", args[0], rank)), importer.EncodeChakra(f), 0o644); err != nil {
			ts.Fatalf("%v", err)
		}
	}
}
