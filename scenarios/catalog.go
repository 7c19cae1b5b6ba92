package scenarios

import (
	"embed"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed catalog/*.yaml
var catalogFS embed.FS

// Entry is one preset of the catalog.
type Entry struct {
	Kind, Name, Summary, Source string
	Fields                      []Field
}

// Field is one value that a preset sets; Key is its path below the section.
type Field struct{ Key, Value string }

// presetKind is one file of the catalog.
type presetKind struct {
	name string // as simnet catalog takes it
	spec func() any
}

var presetKinds = []presetKind{
	{"gpus", func() any { return &GPUSpec{} }},
	{"nodes", func() any { return &NodeSpec{} }},
	{"nics", func() any { return &NICSpec{} }},
	{"switches", func() any { return &SwitchSpec{} }},
	{"links", func() any { return &LinkSpec{} }},
	{"dcqcn", func() any { return &CCSpec{} }},
	{"ecn", func() any { return &ECNSpec{} }},
	{"models", func() any { return &ModelSpec{} }},
}

type preset struct {
	entry Entry
	spec  any // pointer to the section, only the preset's values set
}

// presets holds the catalog by kind, each in the order of its file.
var presets = sync.OnceValue(func() map[string][]preset {
	all := map[string][]preset{}
	for _, k := range presetKinds {
		if k.name == "models" {
			all[k.name] = modelPresets()
			continue
		}
		all[k.name] = readPresets(k)
	}
	return all
})

func readPresets(k presetKind) []preset {
	file := "catalog/" + k.name + ".yaml"
	text, err := catalogFS.ReadFile(file)
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	d := &decoder{file: file, sets: map[*yaml.Node]Origin{}}
	root, err := d.document(text)
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	var list []preset
	for i := 0; i+1 < len(root.Content); i += 2 {
		p := preset{entry: Entry{Kind: k.name, Name: root.Content[i].Value}, spec: k.spec()}
		body := root.Content[i+1]
		for j := 0; j+1 < len(body.Content); j += 2 {
			switch e := body.Content[j+1]; body.Content[j].Value {
			case "summary":
				p.entry.Summary = e.Value
			case "source":
				p.entry.Source = e.Value
			case "fields":
				d.value(e, reflect.ValueOf(p.spec).Elem(), p.entry.Name, "")
				p.entry.Fields = fieldsOf(p.spec)
			default:
				panic(fmt.Sprintf("scenarios: %s: unknown key %q", file, body.Content[j].Value))
			}
		}
		list = append(list, p)
	}
	if err := d.errs.err(); err != nil {
		panic("scenarios: " + err.Error())
	}
	return list
}

// fieldsOf lists the values that are set in a section, with dotted keys.
func fieldsOf(spec any) []Field {
	var out []Field
	var walk func(v reflect.Value, prefix string)
	walk = func(v reflect.Value, prefix string) {
		for i := range v.NumField() {
			f, key := v.Field(i), v.Type().Field(i).Tag.Get("yaml")
			if key == "" || key == "-" {
				continue
			}
			if l, ok := f.Addr().Interface().(leaf); ok {
				if l.origin().Kind != Unset {
					out = append(out, Field{strings.TrimSuffix(prefix+key, ".preset"), l.text()})
				}
			} else if f.Kind() == reflect.Struct {
				walk(f, prefix+key+".")
			}
		}
	}
	walk(reflect.ValueOf(spec).Elem(), "")
	return out
}

// CatalogKinds lists the kinds of preset, in the order in which they are shown.
func CatalogKinds() []string {
	var names []string
	for _, k := range presetKinds {
		names = append(names, k.name)
	}
	return names
}

// Catalog returns the presets of one kind, of all kinds if kind is empty. The
// error names the kind that was probably meant.
func Catalog(kind string) ([]Entry, error) {
	if kind != "" && !contains(CatalogKinds(), kind) {
		hint := nearest(kind, CatalogKinds())
		if hint != "" {
			hint = " (did you mean " + hint + "?)"
		}
		return nil, fmt.Errorf("unknown kind of preset %q, want one of %s%s", kind, strings.Join(CatalogKinds(), ", "), hint)
	}
	var out []Entry
	for _, k := range presetKinds {
		if kind == "" || kind == k.name {
			for _, p := range presets()[k.name] {
				out = append(out, p.entry)
			}
		}
	}
	return out, nil
}

// usePreset fills the section spec with the preset that it names, if any.
func usePreset(kind string, name *Val[string], spec any, errs *Errors) {
	if !name.Set() {
		return
	}
	var names []string
	for _, p := range presets()[kind] {
		if p.entry.Name == name.V {
			fill(spec, p.spec, Origin{Kind: FromPreset, Name: name.V})
			return
		}
		names = append(names, p.entry.Name)
	}
	errs.add(name.From, nearest(name.V, names), "unknown preset %q; simnet catalog %s lists them", name.V, kind)
}
