package scenarios

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	"gopkg.in/yaml.v3"

	"github.com/simnet/simnet/sim"
)

// Schema returns the JSON Schema (draft 2020-12) of scenarios, for editors.
// What depends on several values is left to the loader.
func Schema() ([]byte, error) { return schemaOf(reflect.TypeFor[Spec](), "simnet scenario") }

// StudySchema is Schema for studies.
func StudySchema() ([]byte, error) { return schemaOf(reflect.TypeFor[StudySpec](), "simnet study") }

func schemaOf(t reflect.Type, title string) ([]byte, error) {
	g := schemaWriter{defs: jsonschema.Definitions{}}
	g.structure(t)
	root := g.defs[t.Name()]
	delete(g.defs, t.Name())
	root.Version, root.Title, root.Definitions = jsonschema.Version, title, g.defs
	b, err := json.MarshalIndent(root, "", "  ")
	return append(b, '\n'), err
}

type schemaWriter struct{ defs jsonschema.Definitions }

// structure returns the schema of a section: a reference, or where a scalar may
// stand for the mapping, either of the two.
func (g *schemaWriter) structure(t reflect.Type) *jsonschema.Schema {
	ref := &jsonschema.Schema{Ref: "#/$defs/" + t.Name()}
	if _, done := g.defs[t.Name()]; !done {
		s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
		g.defs[t.Name()] = s
		for i := range t.NumField() {
			f := t.Field(i)
			if k := f.Tag.Get("yaml"); k != "" && k != "-" {
				s.Properties.Set(k, g.field(f.Type, f.Tag))
			}
		}
	}
	if i := shortField(t); i >= 0 {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{g.field(t.Field(i).Type, t.Field(i).Tag), ref}}
	}
	return ref
}

func (g *schemaWriter) field(t reflect.Type, tag reflect.StructTag) *jsonschema.Schema {
	var s *jsonschema.Schema
	v := reflect.New(t).Interface()
	l, isLeaf := v.(leaf)
	_, self := v.(selfDecoder)
	switch {
	case isLeaf:
		s = leafSchema(l, tag)
	case self:
		s = &jsonschema.Schema{Type: "object"}
		if t == reflect.TypeFor[EnvSpec]() {
			var names []any
			for _, n := range ncclNames() {
				names = append(names, n)
			}
			s.PropertyNames = &jsonschema.Schema{Enum: names}
		}
	case t.Kind() == reflect.Pointer:
		return g.field(t.Elem(), tag)
	case t.Kind() == reflect.Slice:
		s = &jsonschema.Schema{Type: "array", Items: g.structure(t.Elem())}
	default:
		s = g.structure(t)
	}
	s.Description = tag.Get("doc")
	return s
}

// Patterns of quantities: a number and one of the units.
func unitPattern(units []unit) string {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
	}
	return `^[-+0-9._eE]+ *(` + strings.Join(names, "|") + `)$`
}

func leafSchema(l leaf, tag reflect.StructTag) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	switch l.(type) {
	case *Val[string]:
		if tag.Get("number") == "true" {
			s.AnyOf = []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}
			break
		}
		s.Type, s.Enum = "string", enumOf(tag)
	case *Val[bool]:
		s.Type = "boolean"
	case *Val[int], *Val[int64], *Val[uint64]:
		s.Type = "integer"
		s.Minimum, s.Maximum = json.Number(tag.Get("min")), json.Number(tag.Get("max"))
	case *Val[Peer]:
		s.AnyOf = []*jsonschema.Schema{{Type: "integer", Minimum: "0"}, {Const: "any"}}
	case *Val[[]string]:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string", Enum: enumOf(tag)}
	case *Val[[]int]:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "integer"}
	case *Val[[]Bytes]:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string", Pattern: unitPattern(byteUnits)}
	case *Val[Ratio]:
		s.AnyOf = []*jsonschema.Schema{{Type: "number"}, {Type: "string", Pattern: `^[-+0-9.eE]+ *(%|/ *[0-9.]+)?$`}}
	case *Val[Bytes]:
		s.Type, s.Pattern = "string", unitPattern(byteUnits)
	case *Val[AutoBytes]:
		s.Type, s.Pattern = "string", `^auto$|`+unitPattern(byteUnits)
	case *Val[sim.Rate], *Val[ByteRate]:
		s.Type, s.Pattern = "string", unitPattern(append(append([]unit{}, rateUnits...), byteRateUnits...))
	case *Val[sim.Time]:
		s.AnyOf = []*jsonschema.Schema{{Const: 0}, {Type: "string", Pattern: `^0$|` + unitPattern(timeUnits)}}
	case *Val[Metres]:
		s.Type, s.Pattern = "string", unitPattern(lengthUnits)
	case *Val[FLOPS]:
		s.Type, s.Pattern = "string", unitPattern(flopsUnits)
	}
	if d, ok := tag.Lookup("default"); ok {
		var x any
		if err := yaml.Unmarshal([]byte(d), &x); err == nil && x != nil {
			s.Default = x
		}
	}
	return s
}

func enumOf(tag reflect.StructTag) []any {
	var out []any
	if e := tag.Get("enum"); e != "" {
		for _, w := range strings.Split(e, ",") {
			out = append(out, w)
		}
	}
	return out
}
