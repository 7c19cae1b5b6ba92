package importer

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// yamlMap builds a mapping whose keys keep their order.
type yamlMap struct{ n *yaml.Node }

func newMap() yamlMap { return yamlMap{&yaml.Node{Kind: yaml.MappingNode}} }

// flowMap is a mapping on one line.
func flowMap() yamlMap {
	m := newMap()
	m.n.Style = yaml.FlowStyle
	return m
}

// set adds a key; comment, if not empty, stands behind the value.
func (m yamlMap) set(key string, value any, comment ...string) yamlMap {
	v := yamlNode(value)
	k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}
	if c := strings.Join(comment, " "); c != "" {
		if v.Kind == yaml.ScalarNode {
			v.LineComment = "# " + printable(c)
		} else {
			k.HeadComment = "# " + printable(c)
		}
	}
	m.n.Content = append(m.n.Content, k, v)
	return m
}

// setInt adds a key unless v is 0.
func (m yamlMap) setInt(key string, v int64, comment ...string) {
	if v != 0 {
		m.set(key, v, comment...)
	}
}

func (m yamlMap) empty() bool { return len(m.n.Content) == 0 }

// setMap adds a mapping unless it is empty.
func (m yamlMap) setMap(key string, v yamlMap, comment ...string) {
	if !v.empty() {
		m.set(key, v, comment...)
	}
}

// yamlNode turns a value into a node. Slices of scalars are written on one
// line; slices of mappings one item a line.
func yamlNode(value any) *yaml.Node {
	scalar := func(tag, s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: s} }
	seq := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	switch v := value.(type) {
	case yamlMap:
		return v.n
	case *yaml.Node:
		return v
	case string:
		n := scalar("!!str", strings.ToValidUTF8(v, "?"))
		if strings.Contains(v, "\n") { // yaml.v3 would pick a block scalar, which not every string survives
			n.Style = yaml.DoubleQuotedStyle
		}
		return n
	case bool:
		return scalar("!!bool", strconv.FormatBool(v))
	case int:
		return scalar("!!int", strconv.Itoa(v))
	case int64:
		return scalar("!!int", strconv.FormatInt(v, 10))
	case float64:
		if v == math.Trunc(v) {
			return scalar("!!int", formatFloat(v))
		}
		return scalar("!!float", formatFloat(v))
	case []int:
		for _, x := range v {
			seq.Content = append(seq.Content, yamlNode(x))
		}
		return seq
	case []string:
		for _, x := range v {
			seq.Content = append(seq.Content, yamlNode(x))
		}
		return seq
	case [][]int:
		for _, x := range v {
			seq.Content = append(seq.Content, yamlNode(x))
		}
		return seq
	case []yamlMap:
		seq.Style = 0
		for _, x := range v {
			seq.Content = append(seq.Content, x.n)
		}
		return seq
	}
	panic(fmt.Sprintf("importer: no YAML for %T", value))
}

// formatFloat writes a number the shortest way that YAML reads as a number.
func formatFloat(v float64) string {
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// document is a fragment with its heading.
type document struct {
	kind      string
	from      []string // file names
	what      string   // what the source is, in words
	notMapped []string // one an entry
	warnings  []string
	body      yamlMap
}

// bytes renders the fragment: comments that name the source and list what was
// not mapped, then the keys.
func (d document) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Imported by simnet import %s from %s.\n", d.kind, printable(strings.Join(d.from, ", ")))
	if d.what != "" {
		for _, l := range strings.Split(d.what, "\n") {
			fmt.Fprintf(&b, "# %s\n", printable(l))
		}
	}
	list := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(&b, "# %s:\n", title)
		for _, it := range items {
			fmt.Fprintf(&b, "#   - %s\n", printable(it))
		}
	}
	list("Not mapped", d.notMapped)
	list("Warnings", d.warnings)
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(d.body.n); err != nil {
		panic("importer: " + err.Error())
	}
	return b.Bytes()
}

// printable replaces what may not stand in a comment.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\ufffd' || !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// Quantities as a scenario writes them. Whole numbers stay whole; the largest
// unit that keeps them whole is used.
func bytesText(n int64) string { return strconv.FormatInt(n, 10) + "B" }

func gbpsText(gbps float64) string { return formatFloat(gbps) + "Gbps" }

func nsText(ns float64) string { return formatFloat(ns) + "ns" }

// plural counts things: "1 switch", "3 switches".
func plural(n int, one string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(one, "ch"), strings.HasSuffix(one, "ss"):
		one += "es"
	default:
		one += "s"
	}
	return strconv.Itoa(n) + " " + one
}
