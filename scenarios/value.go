package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/simnet/simnet/sim"
)

// Val is one value of a spec with its provenance. V is meaningless while From
// is Unset.
type Val[T any] struct {
	V    T
	From Origin
}

// Set reports whether the value is known, from whatever origin.
func (v *Val[T]) Set() bool { return v.From.Kind != Unset }

// leaf is a Val of any type, as the decoder sees it.
type leaf interface {
	parse(n *yaml.Node) error
	text() string
	origin() *Origin
	number() (float64, bool)
	assign(from leaf)
	kind() string
}

func (v *Val[T]) origin() *Origin { return &v.From }
func (v *Val[T]) assign(l leaf)   { v.V = l.(*Val[T]).V }

// kind says what is expected, for messages and the schema.
func (v *Val[T]) kind() string {
	switch any(&v.V).(type) {
	case *string:
		return "text"
	case *bool:
		return "true or false"
	case *int, *int64, *uint64:
		return "a whole number"
	case *Peer:
		return "a rank or any"
	case *Bytes, *AutoBytes:
		return "a size"
	case *Ratio:
		return "a ratio"
	case *sim.Rate, *ByteRate:
		return "a rate"
	case *sim.Time:
		return "a time"
	case *Metres:
		return "a length"
	case *FLOPS:
		return "an arithmetic throughput"
	case *[]string, *[]int:
		return "a list"
	case *[]Bytes:
		return "a list of sizes"
	}
	panic(fmt.Sprintf("scenarios: no value of type %T", v.V))
}

// parse reads the value of a node. The error is a *quantityError where a hint
// can be given.
func (v *Val[T]) parse(n *yaml.Node) error {
	switch p := any(&v.V).(type) {
	case *[]string:
		return parseList(n, p, func(e *yaml.Node) (string, error) { return e.Value, nil })
	case *[]int:
		return parseList(n, p, func(e *yaml.Node) (int, error) {
			x, err := parseInt(e)
			return int(x), err
		})
	case *[]Bytes:
		return parseList(n, p, func(e *yaml.Node) (Bytes, error) { return parseBytes(e.Value) })
	}
	if n.Kind != yaml.ScalarNode {
		return wrong("", "want %s, got %s", v.kind(), nodeKind(n))
	}
	if n.Tag == "!!null" {
		return wrong("", "no value given, want %s", v.kind())
	}
	var err error
	switch p := any(&v.V).(type) {
	case *string:
		if n.Tag != "!!str" {
			return wrong(strconv.Quote(n.Value), "want text, got %s", nodeKind(n))
		}
		*p = n.Value
	case *bool:
		if n.Tag != "!!bool" {
			hint := map[string]string{"yes": "true", "on": "true", "no": "false", "off": "false"}[strings.ToLower(n.Value)]
			return wrong(hint, "want true or false, got %q", n.Value)
		}
		*p = strings.EqualFold(n.Value, "true")
	case *int:
		var x int64
		x, err = parseInt(n)
		*p = int(x)
	case *int64:
		*p, err = parseInt(n)
	case *uint64:
		if *p, err = strconv.ParseUint(n.Value, 10, 64); err != nil {
			err = wrong("", "want a whole number from 0, got %q", n.Value)
		}
	case *Peer:
		if *p = AnyPeer; n.Value != "any" {
			var x int64
			if x, err = parseInt(n); err == nil && x < 0 {
				err = wrong("any", "want a rank from 0, or any, got %q", n.Value)
			}
			*p = Peer(x)
		}
	case *Bytes:
		*p, err = parseBytes(n.Value)
	case *AutoBytes:
		*p, err = parseAutoBytes(n.Value)
	case *Ratio:
		*p, err = parseRatio(n.Value)
	case *sim.Rate:
		*p, err = parseRate(n.Value)
	case *ByteRate:
		*p, err = parseByteRate(n.Value)
	case *sim.Time:
		*p, err = parseTime(n.Value)
	case *Metres:
		*p, err = parseMetres(n.Value)
	case *FLOPS:
		*p, err = parseFLOPS(n.Value)
	}
	return err
}

func parseInt(n *yaml.Node) (int64, error) {
	if n.Kind != yaml.ScalarNode {
		return 0, wrong("", "want a whole number, got %s", nodeKind(n))
	}
	x, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "").Replace(n.Value), 10, 64)
	if err != nil {
		return 0, wrong("", "want a whole number, got %q", n.Value)
	}
	if strings.ContainsAny(n.Value, ",") {
		return 0, wrong(strconv.FormatInt(x, 10), "want a whole number, got %q", n.Value)
	}
	return x, nil
}

func parseList[E any](n *yaml.Node, p *[]E, one func(*yaml.Node) (E, error)) error {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return wrong("["+n.Value+"]", "want a list, got %s", nodeKind(n))
	}
	if n.Kind != yaml.SequenceNode {
		return wrong("", "want a list, got %s", nodeKind(n))
	}
	*p = make([]E, 0, len(n.Content))
	for _, e := range n.Content {
		if e.Kind != yaml.ScalarNode {
			return wrong("", "want a list of single values, got %s in it", nodeKind(e))
		}
		x, err := one(e)
		if err != nil {
			return err
		}
		*p = append(*p, x)
	}
	return nil
}

// nodeKind names what a node is, for "want ..., got ...".
func nodeKind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping of keys"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "the number " + n.Value
	}
	return strconv.Quote(n.Value)
}

// text is the value as YAML would have it.
func (v *Val[T]) text() string {
	switch p := any(v.V).(type) {
	case string:
		return yamlText(p)
	case sim.Rate:
		return rateText(p)
	case sim.Time:
		return timeText(p)
	case []string:
		q := make([]string, len(p))
		for i, s := range p {
			q[i] = yamlText(s)
		}
		return "[" + strings.Join(q, ", ") + "]"
	case []int:
		return strings.ReplaceAll(fmt.Sprint(p), " ", ", ")
	case []Bytes:
		q := make([]string, len(p))
		for i, b := range p {
			q[i] = b.String()
		}
		return "[" + strings.Join(q, ", ") + "]"
	}
	return fmt.Sprint(v.V)
}

// yamlText quotes s where YAML would read it as something else.
func yamlText(s string) string {
	b, err := yaml.Marshal(s)
	if err != nil || strings.Contains(strings.TrimSuffix(string(b), "\n"), "\n") {
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(string(b), "\n")
}

// number is the value as a number for range checks; false if it has none.
func (v *Val[T]) number() (float64, bool) {
	switch p := any(v.V).(type) {
	case int:
		return float64(p), true
	case int64:
		return float64(p), true
	case uint64:
		return float64(p), true
	case Bytes:
		return float64(p), true
	case AutoBytes:
		return float64(p), p != Auto
	case Ratio:
		return float64(p), true
	case sim.Rate:
		return float64(p), true
	case ByteRate:
		return float64(p), true
	case sim.Time:
		return float64(p), true
	case Metres:
		return float64(p), true
	case FLOPS:
		return float64(p), true
	}
	return 0, false
}
