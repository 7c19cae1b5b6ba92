package scenarios

import "reflect"

// fill copies every value that src knows and dst does not, and gives it the
// origin o. dst and src are pointers to the same type of spec.
func fill(dst, src any, o Origin) {
	walk2(reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem(), o)
}

func walk2(dst, src reflect.Value, o Origin) {
	if l, ok := dst.Addr().Interface().(leaf); ok {
		s := src.Addr().Interface().(leaf)
		if l.origin().Kind == Unset && s.origin().Kind != Unset {
			l.assign(s)
			*l.origin() = o
		}
		return
	}
	switch dst.Kind() {
	case reflect.Struct:
		for i := range dst.NumField() {
			if k := dst.Type().Field(i).Tag.Get("yaml"); k != "" && k != "-" {
				walk2(dst.Field(i), src.Field(i), o)
			}
		}
	case reflect.Pointer:
		if src.IsNil() {
			return
		}
		if dst.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
		}
		walk2(dst.Elem(), src.Elem(), o)
	}
}

// defaults gives every unset value that has a default tag its default. Absent
// optional sections (nil pointers) stay absent.
func defaults(spec any) { walkDefaults(reflect.ValueOf(spec).Elem(), "") }

func walkDefaults(v reflect.Value, tag reflect.StructTag) {
	if l, ok := v.Addr().Interface().(leaf); ok {
		if d, has := tag.Lookup("default"); has && l.origin().Kind == Unset {
			if err := l.parse(scalarNode(d)); err != nil {
				panic("scenarios: bad default " + d + ": " + err.Error())
			}
			*l.origin() = Origin{Kind: FromDefault}
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if k := f.Tag.Get("yaml"); k != "" && k != "-" {
				walkDefaults(v.Field(i), f.Tag)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			walkDefaults(v.Elem(), tag)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkDefaults(v.Index(i), tag)
		}
	}
}

// def sets v if it is unset: a default that depends on other values.
func def[T any](v *Val[T], x T) {
	if v.From.Kind == Unset {
		v.V, v.From = x, Origin{Kind: FromDefault}
	}
}
