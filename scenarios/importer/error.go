package importer

import (
	"fmt"
	"strings"

	"github.com/simnet/simnet/sim/spell"
)

// Error is what is wrong with an input file.
type Error struct {
	File   string // as given to Import
	Line   int    // from 1; 0 if the format has no lines
	Column int    // in bytes, from 1; 0 if only the line is known
	Offset int64  // in bytes, from 0; for binary formats, where Line is 0
	Binary bool   // Offset counts, Line and Column do not
	What   string // what is wrong
	Hint   string // what was probably meant; may be empty
}

// Error formats as file:line:column: what (hint).
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	switch {
	case e.Binary:
		fmt.Fprintf(&b, ":byte %d", e.Offset)
	case e.Line > 0 && e.Column > 0:
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	case e.Line > 0:
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	b.WriteString(e.What)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// place is a position in an input file, for errors and warnings.
type place struct {
	file      string
	line, col int
}

func (p place) String() string {
	switch {
	case p.line > 0 && p.col > 0:
		return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.col)
	case p.line > 0:
		return fmt.Sprintf("%s:%d", p.file, p.line)
	}
	return p.file
}

// errorf makes an Error at p without a hint.
func (p place) errorf(format string, args ...any) *Error {
	return &Error{File: p.file, Line: p.line, Column: p.col, What: fmt.Sprintf(format, args...)}
}

// hint adds what was probably meant.
func (e *Error) hint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// meant adds "did you mean X?" if one of known is close to got.
func (e *Error) meant(got string, known []string) *Error {
	if s := nearest(got, known); s != "" {
		e.Hint = fmt.Sprintf("did you mean %s?", s)
	}
	return e
}

// nearest returns the member of known closest to got in edit distance, the
// first of equals, or "" if none is within a third of got's length (at least
// two edits).
func nearest(got string, known []string) string {
	limit := max(2, len(got)/3)
	if len(got) <= 2 {
		limit = 1
	}
	best, bestD := "", limit+1
	for _, k := range known {
		if abs(len(k)-len(got)) >= bestD {
			continue
		}
		if d := spell.Distance(strings.ToLower(got), strings.ToLower(k)); d < bestD {
			best, bestD = k, d
		}
	}
	return best
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

// short cuts a piece of input for a message.
func short(s string) string {
	const most = 40 // about half a terminal line
	if len(s) > most {
		s = s[:most] + "..."
	}
	return fmt.Sprintf("%q", s)
}
