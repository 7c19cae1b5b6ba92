package hpcc

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/simnet/simnet/sim"
)

// Error is what is wrong with an input file.
type Error struct {
	File         string // as given
	Line, Column int    // from 1; Line 0: the file as a whole
	What         string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.What
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.What)
}

// Pos is a place in an input file.
type Pos struct {
	File         string
	Line, Column int
}

func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func (p Pos) errorf(format string, args ...any) error {
	return &Error{p.File, p.Line, p.Column, fmt.Sprintf(format, args...)}
}

// token is one word of a line.
type token struct {
	Pos
	text string
}

// lines hands out the lines of a file that have words.
type lines struct {
	file string
	rest []byte
	n    int     // number of the line read last
	buf  []token // of the line read last
	// comments skips what follows a '#'.
	comments bool
	comma    bool // words are separated by commas
}

// Input is the text of a file and the name that messages give it.
type Input struct {
	Name string
	Data []byte
}

// readInput reads a file; an empty name gives an Input without one.
func readInput(name string) (Input, error) {
	if name == "" {
		return Input{}, nil
	}
	data, err := os.ReadFile(name)
	return Input{name, data}, err
}

func (in Input) lines(comments bool) *lines {
	return &lines{file: in.Name, rest: in.Data, comments: comments}
}

// next returns the words of the next line that has any; nil at the end of the
// file. The slice is reused.
func (l *lines) next() []token {
	for len(l.rest) > 0 {
		line, rest, _ := bytes.Cut(l.rest, []byte{'\n'})
		l.rest = rest
		l.n++
		l.buf = l.buf[:0]
		for i := 0; i < len(line); {
			if l.space(line[i]) {
				i++
				continue
			}
			if l.comments && line[i] == '#' {
				break
			}
			j := i
			for j < len(line) && !l.space(line[j]) {
				j++
			}
			l.buf = append(l.buf, token{Pos{l.file, l.n, i + 1}, string(line[i:j])})
			i = j
		}
		if len(l.buf) > 0 {
			return l.buf
		}
	}
	return nil
}

func (l *lines) space(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || l.comma && c == ','
}

// end is the position after the last line, for "ends too early".
func (l *lines) end() Pos { return Pos{l.file, l.n + 1, 1} }

// fields checks that a line has exactly the named words.
func fields(t []token, names string) error {
	want := strings.Fields(names)
	switch {
	case len(t) < len(want):
		last := t[len(t)-1]
		p := last.Pos
		p.Column += len(last.text)
		return p.errorf("the line ends before %s; expected: %s", want[len(t)], names)
	case len(t) > len(want):
		return t[len(want)].errorf("unexpected %q after %s; expected: %s", t[len(want)].text, want[len(want)-1], names)
	}
	return nil
}

// integer parses a whole number within [low, high].
func (t token) integer(what string, low, high int64) (int64, error) {
	v, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		return 0, t.errorf("%s: %q is not a whole number", what, t.text)
	}
	if v < low || v > high {
		if high == math.MaxInt64 {
			return 0, t.errorf("%s: %d, must be at least %d", what, v, low)
		}
		return 0, t.errorf("%s: %d, must be from %d to %d", what, v, low, high)
	}
	return v, nil
}

// number parses a decimal number within [low, high].
func (t token) number(what string, low, high float64) (float64, error) {
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, t.errorf("%s: %q is not a number", what, t.text)
	}
	if v < low || v > high {
		return 0, t.errorf("%s: %g, must be from %g to %g", what, v, low, high)
	}
	return v, nil
}

func (t token) flag(what string) (bool, error) {
	switch t.text {
	case "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, t.errorf("%s: %q, must be 0 or 1", what, t.text)
}

// splitUnit separates the number at the front of s from its unit.
func splitUnit(s string) (num, unit string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || s[i] == '-' || s[i] == '+') {
		i++
	}
	return s[:i], s[i:]
}

// ratePrefixes are the multiples that ns-3's DataRate knows.
var ratePrefixes = map[string]float64{
	"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30,
}

// rate parses a data rate as ns-3 writes it: 100Gbps, 20Mb/s, 3.2GB/s.
func (t token) rate(what string) (sim.Rate, error) {
	num, unit := splitUnit(t.text)
	for suffix, bits := range map[string]float64{"bps": 1, "b/s": 1, "Bps": 8, "B/s": 8} {
		prefix, ok := strings.CutSuffix(unit, suffix)
		mult, known := ratePrefixes[prefix]
		if !ok || !known {
			continue
		}
		v, err := strconv.ParseFloat(num, 64)
		if err != nil || v < 0 || v*mult*bits > 1e15 {
			return 0, t.errorf("%s: %q is not a rate from 0 to 1000 Tbps", what, t.text)
		}
		return sim.Rate(math.Round(v * mult * bits)), nil
	}
	if unit == "" {
		return 0, t.errorf("%s: %q has no unit; write %sbps for bit/s, or %sGbps", what, t.text, num, num)
	}
	return 0, t.errorf("%s: %q has an unknown unit %q; known: bps, kbps, Mbps, Gbps, b/s, Mb/s, Gb/s, B/s, ...", what, t.text, unit)
}

// timeUnits are those that ns-3's Time knows, in ps.
var timeUnits = map[string]float64{"s": 1e12, "ms": 1e9, "us": 1e6, "ns": 1e3, "ps": 1, "min": 60e12, "h": 3600e12}

// span parses a time as ns-3 writes it: 1000ns, 0.001ms; seconds without a unit.
func (t token) span(what string) (sim.Time, error) {
	num, unit := splitUnit(t.text)
	mult, ok := timeUnits[unit]
	if unit == "" {
		mult, ok = 1e12, true
	}
	if !ok {
		return 0, t.errorf("%s: %q has an unknown unit %q; known: ns, us, ms, s", what, t.text, unit)
	}
	v, err := strconv.ParseFloat(num, 64)
	if err != nil || v < 0 || v*mult > 1e18 {
		return 0, t.errorf("%s: %q is not a time from 0 to 1e6 s", what, t.text)
	}
	return sim.Time(math.Round(v * mult)), nil
}
