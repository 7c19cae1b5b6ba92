package importer

import (
	"bytes"
	"strconv"
)

// arithmetic evaluates $(( )).
func (l *shellLexer) arithmetic() {
	start := l.i
	n := bytes.Index(l.t.b[l.i:], []byte("))"))
	if n < 0 {
		_ = l.sh.fail(l.t.pos[start], "the $(( is not closed").hint("a )) is missing")
		return
	}
	for n+2 < len(l.t.b)-l.i && l.t.b[l.i+n+2] == ')' {
		n++ // $(((1+2)*3))
	}
	e := &arith{sh: l.sh, s: string(l.t.b[l.i+3 : l.i+n])}
	l.i += n + 2
	v, ok := e.expr(0)
	e.blank()
	if !ok || e.i < len(e.s) {
		l.value(l.t.slice(start, l.i), true)
		return
	}
	var out posText
	out.addString(strconv.FormatInt(v, 10), l.t.pos[start])
	l.value(out, true)
}

// arith evaluates integer expressions of + - * / % and parentheses.
type arith struct {
	sh    *shell
	s     string
	i     int
	depth int
}

func (e *arith) blank() {
	for e.i < len(e.s) && bytes.IndexByte([]byte(" \t\n\r"), e.s[e.i]) >= 0 {
		e.i++
	}
}

var arithLevels = [][]byte{[]byte("+-"), []byte("*/%")}

func (e *arith) expr(level int) (int64, bool) {
	if level == len(arithLevels) {
		return e.unary()
	}
	a, ok := e.expr(level + 1)
	for ok {
		e.blank()
		if e.i >= len(e.s) || bytes.IndexByte(arithLevels[level], e.s[e.i]) < 0 {
			return a, true
		}
		op := e.s[e.i]
		e.i++
		var b int64
		if b, ok = e.expr(level + 1); !ok {
			break
		}
		switch op {
		case '+':
			a += b
		case '-':
			a -= b
		case '*':
			a *= b
		case '/', '%':
			if b == 0 || b == -1 {
				return -a, b == -1 && op == '/'
			}
			if op == '/' {
				a /= b
			} else {
				a %= b
			}
		}
	}
	return 0, false
}

func (e *arith) unary() (int64, bool) {
	if e.depth++; e.depth > 200 {
		return 0, false
	}
	defer func() { e.depth-- }()
	e.blank()
	if e.i >= len(e.s) {
		return 0, false
	}
	switch c := e.s[e.i]; {
	case c == '(':
		e.i++
		v, ok := e.expr(0)
		e.blank()
		if !ok || e.i >= len(e.s) || e.s[e.i] != ')' {
			return 0, false
		}
		e.i++
		return v, true
	case c == '-':
		e.i++
		v, ok := e.unary()
		return -v, ok
	case c >= '0' && c <= '9':
		start := e.i
		for e.i < len(e.s) && e.s[e.i] >= '0' && e.s[e.i] <= '9' {
			e.i++
		}
		v, err := strconv.ParseInt(e.s[start:e.i], 10, 64)
		return v, err == nil
	}
	braced := false
	if e.s[e.i] == '$' {
		e.i++
		if e.i < len(e.s) && e.s[e.i] == '{' {
			braced = true
			e.i++
		}
	}
	n := nameAt([]byte(e.s), e.i)
	if n == 0 {
		return 0, false
	}
	v, ok := e.sh.lookup(e.s[e.i : e.i+n])
	e.i += n
	if braced {
		if e.i >= len(e.s) || e.s[e.i] != '}' {
			return 0, false
		}
		e.i++
	}
	x, err := strconv.ParseInt(string(bytes.TrimSpace(v.b)), 10, 64)
	return x, ok && err == nil
}
