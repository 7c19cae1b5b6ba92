package importer

import (
	"strings"
	"testing"
)

// TestChakraNames reads collectives without comm_type by the names that PyTorch
// gives them, and says so.
func TestChakraNames(t *testing.T) {
	for name, want := range map[string]string{
		"c10d::allreduce_": "all_reduce", "nccl:all_reduce": "all_reduce", "nccl:allreduce_coalesced": "all_reduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL": "all_reduce",
		"c10d::_allgather_base_": "all_gather", "nccl:all_gather_into_tensor_coalesced": "all_gather", "c10d::_reduce_scatter_base_": "reduce_scatter",
		"nccl:reduce_scatter_tensor_coalesced": "reduce_scatter", "nccl:all_to_all": "all_to_all", "nccl:all_to_allv": "all_to_all", "c10d::alltoall_base_": "all_to_all",
		"nccl:broadcast": "broadcast", "nccl:_broadcast_oop": "broadcast", "nccl:reduce": "reduce", "nccl:_reduce_oop": "reduce", "nccl:gather": "gather", "nccl:scatter": "scatter",
		"c10d::barrier": "barrier", "nccl:coalesced": "", "ncclDevKernel_SendRecv": "", "nccl:send 0->1": "",
	} {
		n := ChakraNode{ID: 1, Name: name, Type: ChakraColl, Attrs: []ChakraAttr{{"comm_size", int64(64)}}}
		r, err := parseChakra([]source{{"x.0.et", EncodeChakra(&ChakraFile{Nodes: []ChakraNode{n}})}})
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "has no valid comm_type") {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tr := r.(*Trace)
		if tr.Ops[0].Collective != want || len(tr.warnings) != 1 || !strings.HasPrefix(tr.warnings[0], "1 collective without comm_type") {
			t.Errorf("%s: read as %s, warnings %q; want %s and a warning", name, tr.Ops[0].Collective, tr.warnings, want)
		}
	}
	// A comm_type that does not exist is no reason to guess.
	n := ChakraNode{ID: 1, Name: "nccl:all_reduce", Type: ChakraColl, Attrs: []ChakraAttr{{"comm_size", int64(64)}, {"comm_type", int64(77)}}}
	if got := n.collective(); got != "" {
		t.Errorf("comm_type 77 read as %s", got)
	}
}

// TestChakraCollectives: every type of the schema is read, under the name that
// a player knows.
func TestChakraCollectives(t *testing.T) {
	want := []string{"all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter", "reduce_scatter", "barrier"}
	for ct, w := range want {
		n := ChakraNode{ID: 1, Name: "x", Type: ChakraColl, Attrs: []ChakraAttr{{"comm_size", int64(64)}, {"comm_type", int64(ct)}}}
		op, err := n.op("x.0.et", 0)
		if err != nil || op.Collective != w || op.Bytes != 64 {
			t.Errorf("comm_type %d: %+v, %v; want %s", ct, op, err, w)
		}
	}
}
