package scenarios

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
)

// Effective renders the complete configuration as YAML that loads again, each
// value with where it is from.
func (v *Valid) Effective() []byte { return render(&v.Spec, true) }

// Canonical is Effective without the comments: equal configurations give equal
// bytes wherever their values are from.
func (v *Valid) Canonical() []byte { return render(&v.Spec, false) }

// selfRenderer is a part of a spec whose keys are not known beforehand.
type selfRenderer interface {
	lines() []line
}

type line struct {
	text string
	from *Origin
}

func render(spec any, comments bool) []byte {
	var ls []line
	renderStruct(reflect.ValueOf(spec).Elem(), 0, &ls)
	width := 0
	for _, l := range ls {
		if l.from != nil && len(l.text) > width && len(l.text) < 64 {
			width = len(l.text)
		}
	}
	var b bytes.Buffer
	for _, l := range ls {
		b.WriteString(l.text)
		if comments && l.from != nil {
			fmt.Fprintf(&b, "%s  # %s", strings.Repeat(" ", max(0, width-len(l.text))), oneLine(l.from.String()))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

func renderStruct(v reflect.Value, depth int, ls *[]line) {
	indent := strings.Repeat("  ", depth)
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		f := v.Field(i)
		if f.Kind() == reflect.Pointer {
			if f.IsNil() {
				continue
			}
			f = f.Elem()
		}
		if l, ok := f.Addr().Interface().(leaf); ok {
			if l.origin().Kind != Unset {
				*ls = append(*ls, line{indent + key + ": " + l.text(), l.origin()})
			}
			continue
		}
		var sub []line
		head := line{text: indent + key + ":"}
		if s, ok := f.Addr().Interface().(selfRenderer); ok {
			for _, l := range s.lines() {
				sub = append(sub, line{indent + "  " + l.text, l.from})
			}
		} else if f.Kind() == reflect.Slice {
			for j := range f.Len() {
				var el []line
				renderStruct(f.Index(j), depth+2, &el)
				if len(el) > 0 {
					el[0].text = indent + "  - " + strings.TrimLeft(el[0].text, " ")
				}
				sub = append(sub, el...)
			}
		} else {
			renderStruct(f, depth+1, &sub)
		}
		if len(sub) > 0 {
			*ls = append(append(*ls, head), sub...)
		}
	}
}
