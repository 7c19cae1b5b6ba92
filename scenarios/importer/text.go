package importer

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// source is one input file.
type source struct {
	name string
	data []byte
}

// text checks that the file is UTF-8 text and returns it without a byte-order
// mark. Line ends may be LF or CRLF.
func (s source) text() (string, error) {
	d := s.data
	if bytes.HasPrefix(d, []byte{0xff, 0xfe}) || bytes.HasPrefix(d, []byte{0xfe, 0xff}) {
		return "", place{s.name, 1, 1}.errorf("the file is UTF-16 text, not UTF-8").
			hint("written by PowerShell's >? convert it with iconv -f UTF-16 -t UTF-8")
	}
	d = bytes.TrimPrefix(d, []byte("\xef\xbb\xbf"))
	for i := 0; i < len(d); {
		r, n := utf8.DecodeRune(d[i:])
		if r == utf8.RuneError && n == 1 || r == 0 {
			line := 1 + bytes.Count(d[:i], []byte("\n"))
			col := i - bytes.LastIndexByte(d[:i], '\n')
			return "", place{s.name, line, col}.errorf("byte 0x%02x is not text", d[i]).
				hint("a binary or compressed file?")
		}
		i += n
	}
	return string(d), nil
}

// token is a word of a text line with its place.
type token struct {
	text string
	at   place
}

func (t token) errorf(format string, args ...any) *Error { return t.at.errorf(format, args...) }

// textLine is a line of a text file, without its end.
type textLine struct {
	text string
	at   place // of the line's first byte
}

// lines splits a file.
func (s source) lines() ([]textLine, error) {
	t, err := s.text()
	if err != nil {
		return nil, err
	}
	var out []textLine
	for i, l := range strings.Split(t, "\n") {
		out = append(out, textLine{strings.TrimSuffix(l, "\r"), place{s.name, i + 1, 1}})
	}
	return out, nil
}

// fields splits a line at runs of separator characters.
func (l textLine) fields(isSep func(byte) bool) []token {
	var out []token
	start := -1
	for i := 0; i <= len(l.text); i++ {
		if i == len(l.text) || isSep(l.text[i]) {
			if start >= 0 {
				at := l.at
				at.col = start + 1
				out = append(out, token{l.text[start:i], at})
				start = -1
			}
		} else if start < 0 {
			start = i
		}
	}
	return out
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// end is the place just after the line's last byte.
func (l textLine) end() place {
	at := l.at
	at.col = len(l.text) + 1
	return at
}

// integer reads a whole number in [lo, hi]; what names it in the message.
func (t token) integer(what string, lo, hi int64) (int64, error) {
	v, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		if f, ferr := strconv.ParseFloat(t.text, 64); ferr == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			v = int64(f) // "4096.0", "1e6"
		} else {
			return 0, t.errorf("%s is %s, not a whole number", what, short(t.text))
		}
	}
	if v < lo || v > hi {
		if hi == math.MaxInt64 {
			return 0, t.errorf("%s is %d, less than %d", what, v, lo)
		}
		return 0, t.errorf("%s is %d, outside %d to %d", what, v, lo, hi)
	}
	return v, nil
}

// number reads a finite decimal number of at least lo.
func (t token) number(what string, lo float64) (float64, error) {
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, t.errorf("%s is %s, not a number", what, short(t.text))
	}
	if v < lo {
		return 0, t.errorf("%s is %s, less than %g", what, short(t.text), lo)
	}
	return v, nil
}

// quantity reads a number followed by one of the units, and returns the number
// times the unit's factor. The longest unit that fits wins.
func (t token) quantity(what string, units []unit) (float64, error) {
	lower := strings.ToLower(t.text)
	best := -1
	for i, u := range units {
		if strings.HasSuffix(lower, strings.ToLower(u.name)) && (best < 0 || len(u.name) > len(units[best].name)) {
			best = i
		}
	}
	if best < 0 {
		return 0, t.errorf("%s is %s, without a unit", what, short(t.text)).hint("for instance %s%s", strings.TrimSpace(t.text), units[0].name)
	}
	num := token{t.text[:len(t.text)-len(units[best].name)], t.at}
	v, err := num.number(what, 0)
	if err != nil {
		return 0, t.errorf("%s is %s, not a number with a unit", what, short(t.text)).hint("for instance 100%s", units[0].name)
	}
	return v * units[best].factor, nil
}

type unit struct {
	name   string
	factor float64
}

// rateUnits give bit/s, delayUnits ns.
var (
	rateUnits  = []unit{{"Gbps", 1e9}, {"Mbps", 1e6}, {"Kbps", 1e3}, {"Tbps", 1e12}, {"bps", 1}}
	delayUnits = []unit{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"ps", 1e-3}}
)
