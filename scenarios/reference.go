package scenarios

import (
	"fmt"
	"reflect"
	"strings"
)

// Reference is the page of all keys of a scenario and of a study, in Markdown,
// made from the tags that the loader itself reads.
func Reference() []byte {
	var b strings.Builder
	b.WriteString(`# Scenario reference

Made from the loader's own tables: the test of package scenarios fails when this page is behind.

Quantities carry units. Sizes: B, KB, MB, GB, TB are decimal, KiB, MiB, GiB, TiB binary. Rates: bps, Kbps, Mbps, Gbps, Tbps are bits and decimal; MB/s, GB/s, TB/s bytes.
Times: ps, ns, us, ms, s. Lengths: cm, m, km. Throughput: GFLOPS, TFLOPS, PFLOPS. Ratios: 0.125, 12.5% or 1/8.
A key with a star may be given in place of its whole mapping: ` + "`node: dgx-h100` for `node: {preset: dgx-h100}`" + `.
Keys that a preset sets show no default here; ` + "`simnet catalog`" + ` lists presets with their sources, ` + "`simnet check`" + ` every effective value with where it is from.
`)
	writeKeys(&b, "Scenario", reflect.TypeFor[Spec]())
	writeKeys(&b, "Study", reflect.TypeFor[StudySpec]())
	return []byte(b.String())
}

func writeKeys(b *strings.Builder, title string, t reflect.Type) {
	fmt.Fprintf(b, "\n## %s\n\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n", title)
	var walk func(t reflect.Type, prefix string)
	walk = func(t reflect.Type, prefix string) {
		for i := range t.NumField() {
			f := t.Field(i)
			key := f.Tag.Get("yaml")
			if key == "" || key == "-" {
				continue
			}
			ft := f.Type
			for ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			name := prefix + key
			if f.Tag.Get("short") != "" {
				name += " *"
			}
			l, isLeaf := reflect.New(ft).Interface().(leaf)
			_, self := reflect.New(ft).Interface().(selfDecoder)
			switch {
			case isLeaf:
				fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, takes(l, f.Tag), code(f.Tag.Get("default")), cell(f.Tag.Get("doc")))
			case self:
				fmt.Fprintf(b, "| `%s` | a mapping | | %s |\n", name, cell(f.Tag.Get("doc")))
			case ft.Kind() == reflect.Slice:
				fmt.Fprintf(b, "| `%s` | a list | | %s |\n", name, cell(f.Tag.Get("doc")))
				walk(ft.Elem(), name+"[].")
			default:
				fmt.Fprintf(b, "| `%s` | a mapping | | %s |\n", name, cell(f.Tag.Get("doc")))
				walk(ft, name+".")
			}
		}
	}
	walk(t, "")
}

func takes(l leaf, tag reflect.StructTag) string {
	if e := tag.Get("enum"); e != "" {
		return cell(strings.ReplaceAll(e, ",", ", "))
	}
	s := l.kind()
	lo, hi := tag.Get("min"), tag.Get("max")
	switch {
	case lo != "" && hi != "":
		s += fmt.Sprintf(", %s to %s", lo, hi)
	case lo != "":
		s += ", from " + lo
	}
	return cell(s)
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
