package scenarios

import (
	"errors"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// Section is embedded in every mapping of a spec and remembers where it stands.
type Section struct {
	At      Origin `yaml:"-"` // of the first key, or of the scalar that stands for it
	Written bool   `yaml:"-"`
}

func (s *Section) section() *Section { return s }

type section interface{ section() *Section }

// selfDecoder is a part of a spec whose keys are not known beforehand.
type selfDecoder interface {
	decodeNode(d *decoder, n *yaml.Node)
}

// decoder reads yaml nodes into a spec and collects everything that is wrong.
//
// The fields of a spec carry tags: yaml (the key), short (a scalar in place of
// the mapping goes into this field), default, enum, min, max, and doc.
type decoder struct {
	file string
	sets map[*yaml.Node]Origin // nodes that --set made
	errs Errors
}

func (d *decoder) at(n *yaml.Node) Origin {
	if o, ok := d.sets[n]; ok {
		return o
	}
	return Origin{Kind: FromFile, Name: d.file, Line: n.Line, Column: n.Column}
}

// value decodes n into v, which key names in messages.
func (d *decoder) value(n *yaml.Node, v reflect.Value, key string, tag reflect.StructTag) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if l, ok := v.Addr().Interface().(leaf); ok {
		d.leaf(n, l, key, tag)
		return
	}
	if s, ok := v.Addr().Interface().(selfDecoder); ok {
		s.decodeNode(d, n)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		d.value(n, v.Elem(), key, tag)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.errs.add(d.at(n), "", "%s: want a list (lines that begin with -), got %s", key, nodeKind(n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
		for i, e := range n.Content {
			d.value(e, v.Index(i), key, "")
		}
	case reflect.Struct:
		d.mapping(n, v, key)
	default:
		panic("scenarios: cannot decode into " + v.Type().String())
	}
}

func (d *decoder) leaf(n *yaml.Node, l leaf, key string, tag reflect.StructTag) {
	if n.Tag == "!!int" && tag.Get("number") == "true" {
		text := *n
		text.Tag = "!!str"
		n = &text
	}
	if err := l.parse(n); err != nil {
		hint := ""
		var q *quantityError
		if errors.As(err, &q) {
			hint = q.hint
		}
		d.errs.add(d.at(n), hint, "%s: %v", key, err)
		return
	}
	*l.origin() = d.at(n)
	checkLeaf(l, key, tag, &d.errs)
}

// checkLeaf tests a value against the enum, min and max of its tag.
func checkLeaf(l leaf, key string, tag reflect.StructTag, errs *Errors) {
	if enum := tag.Get("enum"); enum != "" {
		all := strings.Split(enum, ",")
		words := []string{l.text()}
		if s, ok := l.(*Val[string]); ok {
			words = []string{s.V}
		} else if s, ok := l.(*Val[[]string]); ok {
			words = s.V
		}
		for _, w := range words {
			if !contains(all, w) {
				errs.add(*l.origin(), nearest(w, all), "%s: unknown value %q, want one of %s", key, w, strings.Join(all, ", "))
			}
		}
	}
	x, ok := l.number()
	if !ok {
		return
	}
	lo, hi := tag.Get("min"), tag.Get("max")
	if lo == "" && hi == "" {
		return
	}
	if lo != "" && x < bound(l, lo) || hi != "" && x > bound(l, hi) {
		want := "at least " + lo
		if hi != "" && lo != "" {
			want = lo + " to " + hi
		} else if hi != "" {
			want = "at most " + hi
		}
		errs.add(*l.origin(), "", "%s: %s is out of range, want %s", key, l.text(), want)
	}
}

// bound parses a min or max tag with the parser of the value that it bounds.
func bound(l leaf, s string) float64 {
	b := reflect.New(reflect.TypeOf(l).Elem()).Interface().(leaf)
	if err := b.parse(scalarNode(s)); err != nil {
		panic("scenarios: bad bound " + s + ": " + err.Error())
	}
	x, _ := b.number()
	return x
}

// scalarNode is the node that s would be in a file.
func scalarNode(s string) *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(s), &doc); err != nil || len(doc.Content) != 1 {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	}
	return doc.Content[0]
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, key string) {
	if s, ok := v.Addr().Interface().(section); ok {
		*s.section() = Section{At: d.at(n), Written: true}
	}
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		if i := shortField(v.Type()); i >= 0 {
			f := v.Type().Field(i)
			d.value(n, v.Field(i), key, f.Tag)
			return
		}
	}
	if n.Kind != yaml.MappingNode {
		d.errs.add(d.at(n), "", "%s: want a mapping of keys, got %s", key, nodeKind(n))
		return
	}
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, e := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			d.errs.add(d.at(k), "", "%s: a key must be a single word", key)
			continue
		}
		if was := first[k.Value]; was != nil {
			where := ""
			if key != "" {
				where = key + ": "
			}
			d.errs.add(d.at(k), "", "%skey %q is given twice, first on line %d", where, k.Value, was.Line)
			continue
		}
		first[k.Value] = k
		j := fieldByKey(v.Type(), k.Value)
		if j < 0 {
			in := ""
			if key != "" {
				in = " in " + key
			}
			d.errs.add(d.at(k), nearest(k.Value, keysOf(v.Type())), "unknown key %q%s", k.Value, in)
			continue
		}
		d.value(e, v.Field(j), k.Value, v.Type().Field(j).Tag)
	}
}

// keysOf lists the keys of a spec's mapping in the order of its fields.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if k := t.Field(i).Tag.Get("yaml"); k != "" && k != "-" {
			keys = append(keys, k)
		}
	}
	return keys
}

func fieldByKey(t reflect.Type, key string) int {
	for i := range t.NumField() {
		if k := t.Field(i).Tag.Get("yaml"); k == key && k != "-" && k != "" {
			return i
		}
	}
	return -1
}

func shortField(t reflect.Type) int {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("short") != "" {
			return i
		}
	}
	return -1
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
