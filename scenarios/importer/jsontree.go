package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
)

// jsonValue is a JSON value with its place.
type jsonValue struct {
	at   place
	kind byte // one of { [ " 0 b n
	text string
	keys []string // of an object, in file order
	vals map[string]*jsonValue
	list []*jsonValue
}

// maxJSONDepth bounds nesting; configuration files are below ten deep.
const maxJSONDepth = 64

type jsonReader struct {
	src   source
	text  string
	dec   *json.Decoder
	lines []int // offset of each line's first byte
}

// parseJSON reads a file that holds one JSON object.
func parseJSON(s source) (*jsonValue, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	r := &jsonReader{src: s, text: text, dec: json.NewDecoder(strings.NewReader(text)), lines: []int{0}}
	r.dec.UseNumber()
	for i := range len(text) {
		if text[i] == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if v.kind != '{' {
		return nil, v.at.errorf("the file holds %s, not an object", v.kindName()).hint("it should begin with {")
	}
	at := r.next()
	if _, err := r.dec.Token(); err != io.EOF {
		return nil, at.errorf("more follows the end of the object").hint("one JSON object a file")
	}
	return v, nil
}

func (r *jsonReader) place(offset int) place {
	i := sort.SearchInts(r.lines, offset+1) - 1
	return place{r.src.name, i + 1, offset - r.lines[i] + 1}
}

// next is the place of the token to come.
func (r *jsonReader) next() place {
	i := int(r.dec.InputOffset())
	for i < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[i]) >= 0 {
		i++
	}
	return r.place(i)
}

func (r *jsonReader) token() (json.Token, place, error) {
	at := r.next()
	t, err := r.dec.Token()
	if err == nil {
		return t, at, nil
	}
	var syn *json.SyntaxError
	switch {
	case errors.As(err, &syn):
		e := at.errorf("JSON: %s", syn.Error())
		if strings.Contains(syn.Error(), "'/'") {
			_ = e.hint("JSON has no comments")
		}
		return nil, at, e
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, at, r.place(len(r.text)).errorf("JSON: the file ends inside a value").hint("cut? a closing } or ] is missing")
	}
	return nil, at, at.errorf("JSON: %s", err)
}

func (r *jsonReader) value(depth int) (*jsonValue, error) {
	t, at, err := r.token()
	if err != nil {
		return nil, err
	}
	if depth > maxJSONDepth {
		return nil, at.errorf("values are nested deeper than %d", maxJSONDepth)
	}
	v := &jsonValue{at: at}
	switch t := t.(type) {
	case json.Delim:
		v.kind = byte(t)
		if v.kind == '{' {
			return v, r.object(v, depth)
		}
		for r.dec.More() {
			e, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			v.list = append(v.list, e)
		}
		_, _, err = r.token()
		return v, err
	case string:
		v.kind, v.text = '"', t
	case json.Number:
		v.kind, v.text = '0', t.String()
	case bool:
		v.kind, v.text = 'b', fmt.Sprint(t)
	default:
		v.kind = 'n'
	}
	return v, nil
}

func (r *jsonReader) object(v *jsonValue, depth int) error {
	v.vals = map[string]*jsonValue{}
	for r.dec.More() {
		k, at, err := r.token()
		if err != nil {
			return err
		}
		key, ok := k.(string)
		if !ok {
			return at.errorf("JSON: a key that is not a string")
		}
		e, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		if first, dup := v.vals[key]; dup {
			return at.errorf("key %s appears twice", short(key)).hint("first on line %d", first.at.line)
		}
		v.vals[key] = e
		v.keys = append(v.keys, key)
	}
	_, _, err := r.token()
	return err
}

func (v *jsonValue) kindName() string {
	switch v.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'b':
		return "true or false"
	}
	return "null"
}

// get returns a member that is there and not null; nil otherwise.
func (v *jsonValue) get(key string) *jsonValue {
	if v == nil || v.vals[key] == nil || v.vals[key].kind == 'n' {
		return nil
	}
	return v.vals[key]
}

// integer reads a whole number, also from a string of digits.
func (v *jsonValue) integer(what string, lo int64) (int64, error) {
	if v.kind != '0' && v.kind != '"' {
		return 0, v.at.errorf("%s is %s, not a whole number", what, v.kindName())
	}
	return token{strings.TrimSpace(v.text), v.at}.integer(what, lo, math.MaxInt64)
}

// truth reads true or false, also from a string.
func (v *jsonValue) truth() bool {
	return (v.kind == 'b' || v.kind == '"') && strings.EqualFold(v.text, "true")
}
