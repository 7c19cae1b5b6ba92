package importer

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Chakra execution trace, schema 0.0.4 (mlcommons/chakra,
// schema/protobuf/et_def.proto): a file is a sequence of messages, each after
// its length as a varint; the first is GlobalMetadata, the others are Nodes.

// ChakraType is a NodeType.
type ChakraType int32

// Node types.
const (
	ChakraInvalid  ChakraType = 0
	ChakraMetadata ChakraType = 1
	ChakraMemLoad  ChakraType = 2
	ChakraMemStore ChakraType = 3
	ChakraComp     ChakraType = 4
	ChakraSend     ChakraType = 5
	ChakraRecv     ChakraType = 6
	ChakraColl     ChakraType = 7
)

// chakraCollectives are the CollectiveCommTypes by number.
var chakraCollectives = []string{"all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter", "reduce_scatter", "barrier"}

// ChakraNode is a Node message.
type ChakraNode struct {
	ID                 uint64
	Name               string
	Type               ChakraType
	CtrlDeps, DataDeps []uint64
	StartMicros        uint64
	DurationMicros     uint64
	Attrs              []ChakraAttr
	offset             int64 // of the message in its file
}

// ChakraAttr is an AttributeProto. Value is an int64, uint64, float64, bool,
// string, or a []int64, []float64, []bool, []string.
type ChakraAttr struct {
	Name  string
	Value any
}

// ChakraFile is the trace of one rank.
type ChakraFile struct {
	Version string
	Attrs   []ChakraAttr
	Nodes   []ChakraNode
}

// Attr returns the attribute of that name, nil if there is none.
func (n *ChakraNode) Attr(name string) any {
	for _, a := range n.Attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return nil
}

// asInt widens an attribute of any integer type.
func asInt(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case uint64:
		return int64(min(v, math.MaxInt64)), true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), true
		}
	}
	return 0, false
}

func binaryError(file string, offset int64, format string, args ...any) *Error {
	return &Error{File: file, Binary: true, Offset: offset, What: fmt.Sprintf(format, args...)}
}

// decodeChakra reads a whole file.
func decodeChakra(s source) (*ChakraFile, error) {
	f := &ChakraFile{}
	for pos, i := int64(0), 0; pos < int64(len(s.data)); i++ {
		size, n := protowire.ConsumeVarint(s.data[pos:])
		if n < 0 {
			return nil, binaryError(s.name, pos, "the length of message %d is not a varint", i).hint("the file is cut or is not a Chakra trace")
		}
		body := pos + int64(n)
		if left := uint64(int64(len(s.data)) - body); size > left {
			e := binaryError(s.name, pos, "message %d has %d bytes, but %d are left in the file", i, size, left).hint("the file is cut")
			if i == 0 {
				_ = e.hint("not a Chakra trace? JSON traces are converted by chakra_converter first")
			}
			return nil, e
		}
		msg := s.data[body : body+int64(size)]
		var err *Error
		if i == 0 {
			err = f.metadata(s.name, body, msg)
		} else {
			var node ChakraNode
			node.offset = pos
			err = node.decode(s.name, body, msg)
			f.Nodes = append(f.Nodes, node)
		}
		if err != nil {
			return nil, err
		}
		pos = body + int64(size)
	}
	return f, nil
}

// wireFields calls f for each field of a message; f returns the bytes it took,
// 0 to skip, or a protowire error code.
func wireFields(file string, at int64, msg []byte, f func(num protowire.Number, typ protowire.Type, v []byte) int) *Error {
	for pos := 0; pos < len(msg); {
		num, typ, n := protowire.ConsumeTag(msg[pos:])
		if n < 0 {
			return binaryError(file, at+int64(pos), "no protobuf field begins here").hint("the file is damaged or of another schema")
		}
		v := msg[pos+n:]
		used := f(num, typ, v)
		if used == 0 {
			used = protowire.ConsumeFieldValue(num, typ, v)
		}
		if used < 0 {
			return binaryError(file, at+int64(pos), "field %d does not fit its message", num).hint("the file is damaged or of another schema")
		}
		pos += n + used
	}
	return nil
}

// wrongType is what field functions return for a wire type that the schema
// does not give the field.
const wrongType = -1

func (f *ChakraFile) metadata(file string, at int64, msg []byte) *Error {
	var inner *Error
	err := wireFields(file, at, msg, func(num protowire.Number, typ protowire.Type, v []byte) int {
		switch num {
		case 1:
			return wireString(typ, v, &f.Version)
		case 2:
			return wireAttr(file, at, typ, v, &f.Attrs, &inner)
		}
		return 0
	})
	if inner != nil {
		return inner
	}
	return err
}

func (n *ChakraNode) decode(file string, at int64, msg []byte) *Error {
	var inner *Error
	err := wireFields(file, at, msg, func(num protowire.Number, typ protowire.Type, v []byte) int {
		var u uint64
		switch num {
		case 1:
			return wireUint(typ, v, &n.ID)
		case 2:
			return wireString(typ, v, &n.Name)
		case 3:
			used := wireUint(typ, v, &u)
			n.Type = ChakraType(min(u, math.MaxInt32))
			return used
		case 4:
			return wireUints(typ, v, &n.CtrlDeps)
		case 5:
			return wireUints(typ, v, &n.DataDeps)
		case 6:
			return wireUint(typ, v, &n.StartMicros)
		case 7:
			return wireUint(typ, v, &n.DurationMicros)
		case 10:
			return wireAttr(file, at, typ, v, &n.Attrs, &inner)
		}
		return 0
	})
	if inner != nil {
		return inner
	}
	return err
}

func wireString(typ protowire.Type, v []byte, to *string) int {
	if typ != protowire.BytesType {
		return wrongType
	}
	b, n := protowire.ConsumeBytes(v)
	*to = string(b)
	return n
}

func wireUint(typ protowire.Type, v []byte, to *uint64) int {
	if typ != protowire.VarintType {
		return wrongType
	}
	u, n := protowire.ConsumeVarint(v)
	*to = u
	return n
}

// wireUints reads a repeated field, packed or not.
func wireUints(typ protowire.Type, v []byte, to *[]uint64) int {
	if typ == protowire.VarintType {
		u, n := protowire.ConsumeVarint(v)
		*to = append(*to, u)
		return n
	}
	if typ != protowire.BytesType {
		return wrongType
	}
	b, n := protowire.ConsumeBytes(v)
	for len(b) > 0 {
		u, k := protowire.ConsumeVarint(b)
		if k < 0 {
			return k
		}
		*to = append(*to, u)
		b = b[k:]
	}
	return n
}

func wireAttr(file string, at int64, typ protowire.Type, v []byte, to *[]ChakraAttr, inner **Error) int {
	if typ != protowire.BytesType {
		return wrongType
	}
	b, n := protowire.ConsumeBytes(v)
	if n < 0 {
		return n
	}
	var a ChakraAttr
	if err := a.decode(file, at, b); err != nil {
		*inner = err
	}
	*to = append(*to, a)
	return n
}
