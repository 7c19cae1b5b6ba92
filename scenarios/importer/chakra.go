package importer

import (
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// rankInName finds the rank of PREFIX.RANK.et.
var rankInName = regexp.MustCompile(`\.(\d+)\.et$`)

// parseChakra reads one file a rank and joins them to a trace.
func parseChakra(files []source) (Result, error) {
	t := &Trace{Format: "chakra", Ranks: len(files)}
	type ranked struct {
		rank int
		src  source
	}
	var in []ranked
	byRank := map[int]string{}
	for i, s := range files {
		rank := i
		if m := rankInName.FindStringSubmatch(s.name); m != nil {
			r, err := strconv.Atoi(m[1])
			if err != nil || r >= maxRanks {
				return nil, place{file: s.name}.errorf("rank %s in the name is too large", m[1])
			}
			rank = r
		} else if len(files) > 1 {
			t.warnings = append(t.warnings, fmt.Sprintf("%s: no rank in the name (PREFIX.RANK.et); counted as rank %d", s.name, rank))
		}
		if first, dup := byRank[rank]; dup {
			return nil, place{file: s.name}.errorf("a second file of rank %d", rank).hint("the first is %s", first)
		}
		byRank[rank] = s.name
		in = append(in, ranked{rank, s})
	}
	sort.Slice(in, func(a, b int) bool { return in[a].rank < in[b].rank })
	for _, r := range in {
		t.Files = append(t.Files, r.src.name)
		t.Ranks = max(t.Ranks, r.rank+1)
	}
	if t.Ranks > len(files) {
		t.warnings = append(t.warnings, fmt.Sprintf("rank %d is the highest, but only %s are there: the others' operations are missing", t.Ranks-1, plural(len(files), "file")))
	}
	attrs := map[string]int{}
	for _, r := range in {
		f, err := decodeChakra(r.src)
		if err != nil {
			return nil, err
		}
		first := len(t.Ops)
		if err := t.addChakra(r.src.name, r.rank, f, attrs); err != nil {
			return nil, err
		}
		if i := acyclic(t.Ops[first:], first); i >= 0 {
			return nil, binaryError(r.src.name, f.Nodes[i].offset, "node %s waits for itself", short(t.Ops[first+i].Name)).hint("the dependencies form a cycle")
		}
	}
	if t.named > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf("%s without comm_type: what they are is taken from their names", plural(t.named, "collective")))
	}
	var names []string
	for a := range attrs {
		names = append(names, a)
	}
	sort.Strings(names)
	for _, a := range names {
		t.notMapped = append(t.notMapped, fmt.Sprintf("attribute %s (%s)", a, plural(attrs[a], "node")))
	}
	return t, nil
}

// chakraMapped are the attributes that are read.
var chakraMapped = map[string]bool{
	"is_cpu_op": true, "comm_type": true, "comm_size": true, "comm_src": true, "comm_dst": true, "comm_tag": true,
	"pg_name": true, "num_ops": true, "tensor_size": true,
}

// addChakra appends a rank's nodes. Order in a file is free, so ids are
// resolved at the end.
func (t *Trace) addChakra(file string, rank int, f *ChakraFile, attrs map[string]int) error {
	first := len(t.Ops)
	index := map[uint64]int{}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if j, dup := index[n.ID]; dup {
			return binaryError(file, n.offset, "node id %d appears twice", n.ID).hint("first as %s", short(t.Ops[j].Name))
		}
		op, err := n.op(file, rank)
		if err != nil {
			return err
		}
		if op.Kind == OpCollective && n.Attr("comm_type") == nil {
			t.named++
		}
		for _, a := range n.Attrs {
			if !chakraMapped[a.Name] {
				attrs[a.Name]++
			}
		}
		index[n.ID] = len(t.Ops)
		t.Ops = append(t.Ops, op)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		op := &t.Ops[first+i]
		seen := map[int]bool{}
		for _, id := range append(append([]uint64(nil), n.DataDeps...), n.CtrlDeps...) {
			j, ok := index[id]
			if !ok {
				return binaryError(file, n.offset, "node %d depends on node %d, which is not in the file", n.ID, id).hint("the trace is cut or was filtered")
			}
			if !seen[j] {
				seen[j] = true
				op.After = append(op.After, j)
			}
		}
	}
	return nil
}

func (n *ChakraNode) op(file string, rank int) (Op, error) {
	op := Op{Rank: rank, Name: n.Name}
	if n.DurationMicros > math.MaxInt64/1000 {
		return op, binaryError(file, n.offset, "node %d takes %d us", n.ID, n.DurationMicros).hint("damaged, or in another unit")
	}
	op.Nanos = int64(n.DurationMicros) * 1000
	size, hasSize := asInt(n.Attr("comm_size"))
	op.Bytes = size
	switch n.Type {
	case ChakraComp:
		op.Kind = OpCompute
	case ChakraMemLoad, ChakraMemStore:
		op.Kind = OpMemory
		op.Bytes, _ = asInt(n.Attr("tensor_size"))
		return op, nil
	case ChakraMetadata, ChakraInvalid:
		op.Kind = OpNothing
	case ChakraSend, ChakraRecv:
		op.Kind = OpSend
		key := "comm_dst"
		if n.Type == ChakraRecv {
			op.Kind, key = OpRecv, "comm_src"
		}
		peer, ok := asInt(n.Attr(key))
		if !ok || peer < 0 || peer >= maxRanks {
			return op, binaryError(file, n.offset, "node %d (%s) has no valid %s", n.ID, short(n.Name), key).hint("the rank at the other end")
		}
		op.Peer = int(peer)
		op.Tag, _ = asInt(n.Attr("comm_tag"))
	case ChakraColl:
		op.Kind = OpCollective
		if op.Collective = n.collective(); op.Collective == "" {
			return op, binaryError(file, n.offset, "node %d (%s) has no valid comm_type", n.ID, short(n.Name)).hint("0 all_reduce, 2 all_gather, 6 all_to_all, 7 reduce_scatter, ...")
		}
		if g, ok := n.Attr("pg_name").(string); ok {
			op.Group = strings.TrimSpace(g)
		}
	default:
		return op, binaryError(file, n.offset, "node %d (%s) is of type %d, which is not known", n.ID, short(n.Name), n.Type)
	}
	if op.Kind != OpCompute && op.Kind != OpNothing && (!hasSize || size < 0) && op.Collective != "barrier" {
		return op, binaryError(file, n.offset, "node %d (%s) has no valid comm_size", n.ID, short(n.Name)).hint("bytes of the communication")
	}
	if op.Kind == OpCompute || op.Kind == OpNothing {
		op.Bytes = 0
		if cpu, ok := n.Attr("is_cpu_op").(bool); ok && cpu {
			op.CPU = 1 // stream 1 is the host's, 0 the GPU's
		}
	}
	return op, nil
}
