package scenarios

import (
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// applySet writes one assignment, key.path=value, into the tree of a scenario.
// Elements of lists are addressed by index or, where they are mappings, by
// their name. The value is read as YAML; an empty one takes the key out.
func (d *decoder) applySet(root *yaml.Node, spec reflect.Type, assignment string) {
	o := Origin{Kind: FromSet, Name: assignment}
	path, value, ok := strings.Cut(assignment, "=")
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		d.errs.add(o, "", "want key.path=value")
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(value), &doc); err != nil {
		d.errs.add(o, "", "the value is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	v := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	if len(doc.Content) == 1 {
		v = doc.Content[0]
	}
	d.mark(v, o)
	n, t, in := root, spec, ""
	keys := strings.Split(path, ".")
	for i, k := range keys {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		last := i == len(keys)-1
		var child **yaml.Node
		switch {
		case t.Kind() == reflect.Slice:
			child, t = d.listElement(n, t, k, in, o)
			if child == nil {
				return
			}
		case t.Kind() == reflect.Struct && !isLeaf(t):
			expandShort(n, t)
			f := fieldByKey(t, k)
			if f < 0 && !isSelf(t) {
				where := ""
				if in != "" {
					where = " in " + in
				}
				d.errs.add(o, nearest(k, keysOf(t)), "unknown key %q%s", k, where)
				return
			}
			if n.Kind != yaml.MappingNode {
				d.errs.add(o, "", "%s is not a mapping of keys", in)
				return
			}
			if f >= 0 && !last && isLeaf(t.Field(f).Type) {
				d.errs.add(o, "", "%s is a single value, it has no key %q", k, keys[i+1])
				return
			}
			child = mapElement(n, k, d, o)
			if f >= 0 {
				t = t.Field(f).Type
			}
			in = k
		default:
			d.errs.add(o, "", "%s is a single value, it has no key %q", in, k)
			return
		}
		if last {
			*child = v
			if v.Kind == yaml.ScalarNode && v.Tag == "!!null" {
				remove(n, child)
			}
			return
		}
		if (*child).Kind == yaml.ScalarNode && (*child).Tag == "!!null" {
			**child = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
			d.sets[*child] = o
		}
		n = *child
	}
}

// remove takes the value at place, and its key, out of n: an empty or null
// assignment goes back to the default.
func remove(n *yaml.Node, place **yaml.Node) {
	for i := range n.Content {
		if &n.Content[i] != place {
			continue
		}
		if n.Kind == yaml.MappingNode {
			n.Content = append(n.Content[:i-1:i-1], n.Content[i+1:]...)
		} else {
			n.Content = append(n.Content[:i:i], n.Content[i+1:]...)
		}
		return
	}
}

func (d *decoder) mark(n *yaml.Node, o Origin) {
	d.sets[n] = o
	for _, c := range n.Content {
		d.mark(c, o)
	}
}

func isLeaf(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(leaf)
	return ok
}

func isSelf(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(selfDecoder)
	return ok
}

// expandShort turns a scalar that stands for a mapping into that mapping, so
// that a key can be set beside it.
func expandShort(n *yaml.Node, t reflect.Type) {
	i := shortField(t)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || i < 0 {
		return
	}
	was := *n
	*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: was.Line, Column: was.Column, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: t.Field(i).Tag.Get("yaml"), Line: was.Line, Column: was.Column}, &was}}
}

// mapElement returns the place of the value of key in n, appended if new.
func mapElement(n *yaml.Node, key string, d *decoder, o Origin) **yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return &n.Content[i+1]
		}
	}
	k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}
	d.sets[k] = o
	n.Content = append(n.Content, k, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"})
	return &n.Content[len(n.Content)-1]
}

// listElement returns the place of element k, an index or a name, of list n.
func (d *decoder) listElement(n *yaml.Node, t reflect.Type, k, in string, o Origin) (**yaml.Node, reflect.Type) {
	if n.Kind != yaml.SequenceNode {
		d.errs.add(o, "", "%s has no elements", in)
		return nil, nil
	}
	if i, err := strconv.Atoi(k); err == nil {
		if i < 0 || i >= len(n.Content) {
			d.errs.add(o, "", "%s has no element %d, it has %d of them, counted from 0", in, i, len(n.Content))
			return nil, nil
		}
		return &n.Content[i], t.Elem()
	}
	var names []string
	for i, e := range n.Content {
		if e.Kind != yaml.MappingNode {
			continue
		}
		for j := 0; j+1 < len(e.Content); j += 2 {
			if e.Content[j].Value == "name" {
				names = append(names, e.Content[j+1].Value)
				if e.Content[j+1].Value == k {
					return &n.Content[i], t.Elem()
				}
			}
		}
	}
	d.errs.add(o, nearest(k, names), "%s has no element named %q", in, k)
	return nil, nil
}
