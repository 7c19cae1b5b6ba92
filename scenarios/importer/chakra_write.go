package importer

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// EncodeChakra writes a trace of one rank, as decodeChakra reads it. It panics
// on an attribute of a type that ChakraAttr does not name.
func EncodeChakra(f *ChakraFile) []byte {
	var meta []byte
	if f.Version != "" {
		meta = protowire.AppendTag(meta, 1, protowire.BytesType)
		meta = protowire.AppendString(meta, f.Version)
	}
	for _, a := range f.Attrs {
		meta = appendAttr(meta, 2, a)
	}
	out := protowire.AppendBytes(nil, meta)
	for i := range f.Nodes {
		out = protowire.AppendBytes(out, f.Nodes[i].encode())
	}
	return out
}

func (n *ChakraNode) encode() []byte {
	var b []byte
	b = appendUint(b, 1, n.ID)
	if n.Name != "" {
		b = protowire.AppendTag(b, 2, protowire.BytesType)
		b = protowire.AppendString(b, n.Name)
	}
	b = appendUint(b, 3, uint64(n.Type))
	b = appendUints(b, 4, n.CtrlDeps)
	b = appendUints(b, 5, n.DataDeps)
	b = appendUint(b, 6, n.StartMicros)
	b = appendUint(b, 7, n.DurationMicros)
	for _, a := range n.Attrs {
		b = appendAttr(b, 10, a)
	}
	return b
}

func appendUint(b []byte, num protowire.Number, v uint64) []byte {
	if v == 0 {
		return b // proto3 leaves defaults out
	}
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
}

func appendUints(b []byte, num protowire.Number, vs []uint64) []byte {
	if len(vs) == 0 {
		return b
	}
	var packed []byte
	for _, v := range vs {
		packed = protowire.AppendVarint(packed, v)
	}
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), packed)
}

func appendAttr(b []byte, num protowire.Number, a ChakraAttr) []byte {
	m := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), a.Name)
	list := func(num protowire.Number, n int, each func(b []byte, i int) []byte, typ protowire.Type) {
		var l []byte
		for i := range n {
			l = each(protowire.AppendTag(l, 1, typ), i)
		}
		m = protowire.AppendBytes(protowire.AppendTag(m, num, protowire.BytesType), l)
	}
	switch v := a.Value.(type) {
	case int64:
		m = protowire.AppendVarint(protowire.AppendTag(m, 9, protowire.VarintType), uint64(v))
	case uint64:
		m = protowire.AppendVarint(protowire.AppendTag(m, 13, protowire.VarintType), v)
	case float64:
		m = protowire.AppendFixed64(protowire.AppendTag(m, 3, protowire.Fixed64Type), math.Float64bits(v))
	case bool:
		m = protowire.AppendVarint(protowire.AppendTag(m, 27, protowire.VarintType), protowire.EncodeBool(v))
	case string:
		m = protowire.AppendString(protowire.AppendTag(m, 29, protowire.BytesType), v)
	case []int64:
		list(10, len(v), func(b []byte, i int) []byte { return protowire.AppendVarint(b, uint64(v[i])) }, protowire.VarintType)
	case []float64:
		list(4, len(v), func(b []byte, i int) []byte { return protowire.AppendFixed64(b, math.Float64bits(v[i])) }, protowire.Fixed64Type)
	case []bool:
		list(28, len(v), func(b []byte, i int) []byte { return protowire.AppendVarint(b, protowire.EncodeBool(v[i])) }, protowire.VarintType)
	case []string:
		list(30, len(v), func(b []byte, i int) []byte { return protowire.AppendString(b, v[i]) }, protowire.BytesType)
	default:
		panic(fmt.Sprintf("importer: Chakra attribute %s of type %T", a.Name, a.Value))
	}
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), m)
}
