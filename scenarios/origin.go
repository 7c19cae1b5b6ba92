package scenarios

import (
	"fmt"
	"strings"
)

// OriginKind says where a value is from.
type OriginKind uint8

// The origins of a value, weakest first.
const (
	Unset OriginKind = iota
	FromDefault
	FromPreset
	FromFile
	FromSet
)

// Origin is the provenance of one value.
type Origin struct {
	Kind OriginKind
	// Name is the reason of a default (FromDefault), the preset (FromPreset), the file (FromFile), or the assignment
	// as typed (FromSet).
	Name         string
	Line, Column int // of FromFile, counted from 1
}

// String is how effective.yaml and messages show an origin.
func (o Origin) String() string {
	switch o.Kind {
	case FromDefault:
		if o.Name != "" {
			return "default, " + o.Name
		}
		return "default"
	case FromPreset:
		return "preset " + o.Name
	case FromFile:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	case FromSet:
		return "--set " + o.Name
	}
	return "unset"
}

// Position is the prefix of a message about a value of this origin.
func (o Origin) Position() string {
	switch o.Kind {
	case FromFile:
		return fmt.Sprintf("%s:%d:%d", o.Name, o.Line, o.Column)
	case FromSet:
		return "--set " + o.Name
	}
	return o.String()
}

// Error is one thing wrong with the input.
type Error struct {
	At   Origin
	Msg  string
	Hint string // what was probably meant; empty if there is no guess
}

func (e *Error) Error() string {
	s := e.At.Position() + ": " + e.Msg
	if e.Hint != "" {
		s += " (did you mean " + e.Hint + "?)"
	}
	return s
}

// maxErrors keeps a wrong indentation from filling the screen.
const maxErrors = 10

// Errors is everything found wrong, in the order of the file. It is never
// empty when returned.
type Errors []*Error

func (es Errors) Error() string {
	var lines []string
	for i, e := range es {
		if i == maxErrors {
			lines = append(lines, fmt.Sprintf("and %d more", len(es)-maxErrors))
			break
		}
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// add appends an error.
func (es *Errors) add(at Origin, hint, format string, args ...any) {
	*es = append(*es, &Error{At: at, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// err returns es as an error, nil if it is empty.
func (es Errors) err() error {
	if len(es) == 0 {
		return nil
	}
	return es
}
