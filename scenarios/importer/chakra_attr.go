package importer

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The value of an AttributeProto is one of 30 fields, two a type: 3 is a
// double, 4 a list of doubles, and so on (et_def.proto).

// scalarOf tells how the scalar of a field pair is coded, by the pair's number.
type scalarOf struct {
	typ    protowire.Type
	decode func(u uint64) any // of varint and fixed types
}

var chakraScalars = map[protowire.Number]scalarOf{
	3:  {protowire.Fixed64Type, func(u uint64) any { return math.Float64frombits(u) }},
	5:  {protowire.Fixed32Type, func(u uint64) any { return float64(math.Float32frombits(uint32(u))) }},
	7:  {protowire.VarintType, func(u uint64) any { return int64(int32(u)) }},
	9:  {protowire.VarintType, func(u uint64) any { return int64(u) }},
	11: {protowire.VarintType, func(u uint64) any { return u }},
	13: {protowire.VarintType, func(u uint64) any { return u }},
	15: {protowire.VarintType, func(u uint64) any { return protowire.DecodeZigZag(u) }},
	17: {protowire.VarintType, func(u uint64) any { return protowire.DecodeZigZag(u) }},
	19: {protowire.Fixed32Type, func(u uint64) any { return u }},
	21: {protowire.Fixed64Type, func(u uint64) any { return u }},
	23: {protowire.Fixed32Type, func(u uint64) any { return int64(int32(u)) }},
	25: {protowire.Fixed64Type, func(u uint64) any { return int64(u) }},
	27: {protowire.VarintType, func(u uint64) any { return u != 0 }},
	29: {protowire.BytesType, nil}, // string
	31: {protowire.BytesType, nil}, // bytes
}

func (a *ChakraAttr) decode(file string, at int64, msg []byte) *Error {
	return wireFields(file, at, msg, func(num protowire.Number, typ protowire.Type, v []byte) int {
		if num == 1 {
			return wireString(typ, v, &a.Name)
		}
		if s, ok := chakraScalars[num]; ok {
			val, n := s.consume(typ, v)
			a.Value = val
			return n
		}
		if s, ok := chakraScalars[num-1]; ok && num%2 == 0 {
			return a.list(file, at, s, typ, v)
		}
		return 0
	})
}

func (s scalarOf) consume(typ protowire.Type, v []byte) (any, int) {
	if typ != s.typ {
		return nil, wrongType
	}
	switch typ {
	case protowire.VarintType:
		u, n := protowire.ConsumeVarint(v)
		return s.decode(u), n
	case protowire.Fixed32Type:
		u, n := protowire.ConsumeFixed32(v)
		return s.decode(uint64(u)), n
	case protowire.Fixed64Type:
		u, n := protowire.ConsumeFixed64(v)
		return s.decode(u), n
	}
	b, n := protowire.ConsumeBytes(v)
	return string(b), n
}

// list reads one of the ...List messages: field 1 repeated, packed or not.
func (a *ChakraAttr) list(file string, at int64, s scalarOf, typ protowire.Type, v []byte) int {
	if typ != protowire.BytesType {
		return wrongType
	}
	b, n := protowire.ConsumeBytes(v)
	if n < 0 {
		return n
	}
	var vals []any
	bad := false
	err := wireFields(file, at, b, func(num protowire.Number, typ protowire.Type, v []byte) int {
		if num != 1 {
			return 0
		}
		if typ == s.typ {
			val, n := s.consume(typ, v)
			vals = append(vals, val)
			return n
		}
		packed, n := protowire.ConsumeBytes(v)
		if typ != protowire.BytesType || n < 0 {
			return wrongType
		}
		for len(packed) > 0 {
			val, k := s.consume(s.typ, packed)
			if k < 0 {
				bad = true
				return k
			}
			vals = append(vals, val)
			packed = packed[k:]
		}
		return n
	})
	if err != nil || bad {
		return wrongType
	}
	a.Value = typedList(vals)
	return n
}

// typedList turns values of one type into a slice of it.
func typedList(vals []any) any {
	if len(vals) == 0 {
		return []int64(nil)
	}
	switch vals[0].(type) {
	case float64:
		return sliceOf[float64](vals)
	case bool:
		return sliceOf[bool](vals)
	case string:
		return sliceOf[string](vals)
	}
	out := make([]int64, len(vals))
	for i, v := range vals {
		out[i], _ = asInt(v)
	}
	return out
}

func sliceOf[T any](vals []any) []T {
	out := make([]T, len(vals))
	for i, v := range vals {
		out[i] = v.(T)
	}
	return out
}
