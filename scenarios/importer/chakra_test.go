package importer

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// twoRanks is a small trace: rank 0 computes, reduces and sends to rank 1.
func twoRanks() []source {
	files := []*ChakraFile{
		{Version: "0.0.4", Nodes: []ChakraNode{
			{ID: 1, Name: "matmul", Type: ChakraComp, DurationMicros: 20, Attrs: []ChakraAttr{{"is_cpu_op", false}, {"num_ops", int64(1 << 30)}}},
			{ID: 2, Name: "grads", Type: ChakraColl, DataDeps: []uint64{1}, Attrs: []ChakraAttr{{"comm_type", int64(0)}, {"comm_size", int64(4096)}, {"pg_name", "dp"}}},
			{ID: 3, Name: "host", Type: ChakraComp, DurationMicros: 1, CtrlDeps: []uint64{1}, Attrs: []ChakraAttr{{"is_cpu_op", true}, {"rf_id", int64(9)}}},
			{ID: 4, Name: "out", Type: ChakraSend, CtrlDeps: []uint64{2}, DataDeps: []uint64{2, 3}, Attrs: []ChakraAttr{{"comm_dst", int64(1)}, {"comm_size", int64(512)}, {"comm_tag", int64(7)}}},
		}},
		{Version: "0.0.4", Nodes: []ChakraNode{
			{ID: 9, Name: "grads", Type: ChakraColl, Attrs: []ChakraAttr{{"comm_type", uint64(0)}, {"comm_size", uint64(4096)}, {"pg_name", "dp"}}},
			{ID: 8, Name: "in", Type: ChakraRecv, DataDeps: []uint64{9}, Attrs: []ChakraAttr{{"comm_src", int64(0)}, {"comm_size", int64(512)}, {"comm_tag", int64(7)}}},
		}},
	}
	return []source{{"run.1.et", EncodeChakra(files[1])}, {"run.0.et", EncodeChakra(files[0])}}
}

func TestChakra(t *testing.T) {
	k, err := lookup("chakra")
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.run(twoRanks())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/chakra.golden.yaml", r.YAML())
	if w := r.Warnings(); len(w) != 0 {
		t.Errorf("warnings: %q", w)
	}
}

// TestChakraRoundTrip writes any trace and reads it back.
func TestChakraRoundTrip(t *testing.T) {
	attr := rapid.Custom(func(t *rapid.T) ChakraAttr {
		values := []func() any{
			func() any { return rapid.Int64().Draw(t, "i") },
			func() any { return rapid.Uint64().Draw(t, "u") },
			func() any { return rapid.Float64().Draw(t, "f") },
			func() any { return rapid.Bool().Draw(t, "b") },
			func() any { return rapid.String().Draw(t, "s") },
			func() any { return rapid.SliceOfN(rapid.Int64(), 1, 4).Draw(t, "is") },
			func() any { return rapid.SliceOfN(rapid.Float64(), 1, 4).Draw(t, "fs") },
			func() any { return rapid.SliceOfN(rapid.Bool(), 1, 4).Draw(t, "bs") },
			func() any { return rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "ss") },
		}
		return ChakraAttr{rapid.String().Draw(t, "name"), values[rapid.IntRange(0, len(values)-1).Draw(t, "kind")]()}
	})
	node := rapid.Custom(func(t *rapid.T) ChakraNode {
		return ChakraNode{
			ID: rapid.Uint64().Draw(t, "id"), Name: rapid.String().Draw(t, "name"), Type: ChakraType(rapid.IntRange(0, 7).Draw(t, "type")),
			CtrlDeps: rapid.SliceOfN(rapid.Uint64(), 0, 3).Draw(t, "ctrl"), DataDeps: rapid.SliceOfN(rapid.Uint64(), 0, 3).Draw(t, "data"),
			StartMicros: rapid.Uint64().Draw(t, "start"), DurationMicros: rapid.Uint64().Draw(t, "duration"),
			Attrs: rapid.SliceOfN(attr, 0, 4).Draw(t, "attrs"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		want := &ChakraFile{Version: rapid.String().Draw(t, "version"), Attrs: rapid.SliceOfN(attr, 0, 2).Draw(t, "meta"), Nodes: rapid.SliceOfN(node, 0, 5).Draw(t, "nodes")}
		got, err := decodeChakra(source{"x.et", EncodeChakra(want)})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(ChakraNode{}), cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("-want +got:\n%s", d)
		}
	})
}

// TestChakraPackedAndOld reads what other writers make of the same values:
// repeated fields unpacked, and attributes of other integer types.
func TestChakraPackedAndOld(t *testing.T) {
	node := []byte{0x08, 5, 0x20, 1, 0x20, 2, 0x18, 7} // id 5, ctrl_deps 1 and 2 unpacked, type 7
	node = append(node, 0x52, 13, 0x0a, 9)
	node = append(node, "comm_size"...)
	node = append(node, 0x38, 64)            // int32_val
	node = append(node, 0xfa, 0x01, 1, 0xff) // field 31, unknown to Node
	file := append([]byte{0}, byte(len(node)))
	f, err := decodeChakra(source{"x.et", append(file, node...)})
	if err != nil {
		t.Fatal(err)
	}
	n := f.Nodes[0]
	if size, ok := asInt(n.Attr("comm_size")); n.ID != 5 || n.Type != ChakraColl || !cmp.Equal(n.CtrlDeps, []uint64{1, 2}) || !ok || size != 64 {
		t.Errorf("read as %+v", n)
	}
}

// TestChakraDamaged checks the messages of damaged traces.
func TestChakraDamaged(t *testing.T) {
	node := func(n ...ChakraNode) []byte { return EncodeChakra(&ChakraFile{Nodes: n}) }
	coll := func(attrs ...ChakraAttr) ChakraNode {
		return ChakraNode{ID: 1, Name: "c", Type: ChakraColl, Attrs: attrs}
	}
	whole := twoRanks()[1].data
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"cut", whole[:len(whole)-3], "x.0.et:byte 161: message 4 has 60 bytes, but 57 are left in the file (the file is cut)"},
		{"json", []byte(`{"schema": "1.0.2"}`), "x.0.et:byte 0: message 0 has 123 bytes, but 18 are left in the file (not a Chakra trace? JSON traces are converted by chakra_converter first)"},
		{"varint", bytes.Repeat([]byte{0xff}, 12), "x.0.et:byte 0: the length of message 0 is not a varint (the file is cut or is not a Chakra trace)"},
		{"field", []byte{0, 2, 0x08, 0x80}, "x.0.et:byte 2: field 1 does not fit its message (the file is damaged or of another schema)"},
		{"tag", []byte{0, 1, 0x00}, "x.0.et:byte 2: no protobuf field begins here (the file is damaged or of another schema)"},
		{"twice", node(ChakraNode{ID: 3, Name: "a", Type: ChakraComp}, ChakraNode{ID: 3, Type: ChakraComp}), `x.0.et:byte 9: node id 3 appears twice (first as "a")`},
		{"missing", node(ChakraNode{ID: 3, Type: ChakraComp, DataDeps: []uint64{4}}), "x.0.et:byte 1: node 3 depends on node 4, which is not in the file (the trace is cut or was filtered)"},
		{"cycle", node(ChakraNode{ID: 3, Name: "a", Type: ChakraComp, DataDeps: []uint64{3}}), `x.0.et:byte 1: node "a" waits for itself (the dependencies form a cycle)`},
		{"type", node(ChakraNode{ID: 3, Name: "a", Type: 99}), `x.0.et:byte 1: node 3 ("a") is of type 99, which is not known`},
		{"comm_type", node(coll()), `x.0.et:byte 1: node 1 ("c") has no valid comm_type (0 all_reduce, 2 all_gather, 6 all_to_all, 7 reduce_scatter, ...)`},
		{"comm_size", node(coll(ChakraAttr{"comm_type", int64(2)})), `x.0.et:byte 1: node 1 ("c") has no valid comm_size (bytes of the communication)`},
		{"peer", node(ChakraNode{ID: 1, Name: "s", Type: ChakraSend}), `x.0.et:byte 1: node 1 ("s") has no valid comm_dst (the rank at the other end)`},
	} {
		_, err := parseChakra([]source{{"x.0.et", c.data}})
		var e *Error
		if !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
	_, err := parseChakra([]source{{"a.0.et", whole}, {"b.0.et", whole}})
	if err == nil || err.Error() != "b.0.et: a second file of rank 0 (the first is a.0.et)" {
		t.Errorf("two files of a rank: %v", err)
	}
}

// TestLongTrace names files instead of writing thousands of operations.
func TestLongTrace(t *testing.T) {
	f := &ChakraFile{}
	for i := range inlineOps + 1 {
		f.Nodes = append(f.Nodes, ChakraNode{ID: uint64(i + 1), Type: ChakraComp, DurationMicros: 1})
	}
	r, err := parseChakra([]source{{"long.0.et", EncodeChakra(f)}})
	if err != nil {
		t.Fatal(err)
	}
	if y := string(r.YAML()); !strings.Contains(y, "files: [long.0.et]") || strings.Contains(y, "      operations:") {
		t.Errorf("fragment of %d operations:\n%s", len(f.Nodes), y[:min(len(y), 400)])
	}
}
