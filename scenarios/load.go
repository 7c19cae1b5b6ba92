package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Load reads, overrides, completes and checks the scenario in a file. sets are
// assignments as --set takes them, applied in order. The error is an Errors
// unless the file cannot be read.
func Load(file string, sets []string) (*Valid, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, readError(file, err)
	}
	return Parse(file, b, sets)
}

func readError(file string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// Parse is Load of text; file names it in messages and is what relative paths
// in it start from.
func Parse(file string, text []byte, sets []string) (*Valid, error) {
	s, err := ParseSpec(file, text, sets)
	if err != nil {
		return nil, err
	}
	return s.Validate(filepath.Dir(file))
}

// ParseSpec reads a scenario without completing or checking it beyond what each
// single value tells.
func ParseSpec(file string, text []byte, sets []string) (*Spec, error) {
	s := &Spec{}
	if err := decodeFile(file, text, sets, s); err != nil {
		return nil, err
	}
	return s, nil
}

// decodeFile reads one YAML document into spec, a pointer to a struct.
func decodeFile(file string, text []byte, sets []string, spec any) error {
	d := &decoder{file: file, sets: map[*yaml.Node]Origin{}}
	root, err := d.document(text)
	if err != nil {
		return err
	}
	v := reflect.ValueOf(spec).Elem()
	for _, a := range sets {
		d.applySet(root, v.Type(), a)
	}
	d.value(root, v, "", "")
	d.errs.sort()
	return d.errs.err()
}

var yamlLine = regexp.MustCompile(`^yaml: (?:unmarshal errors:\s*)?(?:line (\d+): )?(.*)`)

// parserSays matches the messages of yaml.v3's parser, as opposed to those of
// its scanner.
var parserSays = regexp.MustCompile(`^did not find expected (',' or|key|'-' indicator|node content|<)`)

// document parses text as exactly one YAML mapping.
func (d *decoder) document(text []byte) (*yaml.Node, error) {
	at := func(line, col int) Origin { return Origin{Kind: FromFile, Name: d.file, Line: line, Column: col} }
	for i, l := range bytes.Split(text, []byte("\n")) {
		if t := bytes.TrimLeft(l, " "); len(t) > 0 && t[0] == '\t' {
			d.errs.add(at(i+1, len(l)-len(t)+1), "", "a tab in the indentation; YAML wants spaces")
			return nil, d.errs
		}
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		d.errs.add(at(1, 1), "", "the file is empty")
		return nil, d.errs
	case err != nil:
		m := yamlLine.FindStringSubmatch(err.Error())
		line, _ := strconv.Atoi(m[1])
		// The parser counts lines from 0, the scanner below it from 1.
		if line > 0 && parserSays.MatchString(m[2]) {
			line++
		}
		d.errs.add(at(max(line, 1), 1), "", "not YAML: %s", m[2])
		return nil, d.errs
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		d.errs.add(d.at(root), "", "want a mapping of keys, got %s", nodeKind(root))
		return nil, d.errs
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		d.errs.add(at(second.Line, 1), "", "a second document begins here; a file holds one")
		return nil, d.errs
	}
	return root, nil
}

// sort orders the errors by place: the file first, in its order, then --set.
func (es Errors) sort() {
	slices.SortStableFunc(es, func(a, b *Error) int {
		if a.At.Kind != b.At.Kind {
			return int(a.At.Kind) - int(b.At.Kind)
		}
		if c := strings.Compare(a.At.Name, b.At.Name); c != 0 && a.At.Kind != FromSet {
			return c
		}
		if a.At.Line != b.At.Line {
			return a.At.Line - b.At.Line
		}
		return a.At.Column - b.At.Column
	})
}
