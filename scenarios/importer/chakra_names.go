package importer

import "strings"

// chakraNames are the parts of names, without underscores, by which PyTorch
// calls collectives: operators (c10d::_allgather_base_), records (nccl:
// all_to_allv, nccl:reduce_scatter_tensor_coalesced) and kernels
// (ncclDevKernel_AllReduce_Sum_f32_RING_LL). A name is of the first that it
// holds.
var chakraNames = []struct{ part, collective string }{
	{"allreduce", "all_reduce"}, {"reducescatter", "reduce_scatter"}, {"allgather", "all_gather"}, {"alltoall", "all_to_all"},
	{"broadcast", "broadcast"}, {"barrier", "barrier"}, {"gather", "gather"}, {"scatter", "scatter"}, {"reduce", "reduce"},
}

// collective is what a node of type collective does: its comm_type, or where it
// has none what its name says; "" if neither is known.
func (n *ChakraNode) collective() string {
	if a := n.Attr("comm_type"); a != nil {
		if ct, ok := asInt(a); ok && ct >= 0 && ct < int64(len(chakraCollectives)) {
			return chakraCollectives[ct]
		}
		return ""
	}
	name := strings.ReplaceAll(strings.ToLower(n.Name), "_", "")
	for _, c := range chakraNames {
		if strings.Contains(name, c.part) {
			return c.collective
		}
	}
	return ""
}
