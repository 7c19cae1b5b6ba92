package importer

import "bytes"

// part reads one piece of a word: a quoted string, an expansion or a byte.
// whole keeps blanks of expansions (as in an assignment).
func (l *shellLexer) part(whole bool) {
	pos := l.t.pos[l.i]
	switch c := l.at(0); c {
	case '\'':
		l.i++
		n := bytes.IndexByte(l.t.b[l.i:], '\'')
		if n < 0 {
			_ = l.sh.fail(pos, "the ' is not closed").hint("an apostrophe in a comment is harmless, in a command it opens a string")
			return
		}
		l.cur.addText(l.t.slice(l.i, l.i+n))
		l.open = true
		l.i += n + 1
	case '"':
		l.i++
		l.open = true
		l.quoted(pos)
	case '\\':
		l.i++
		if l.i < len(l.t.b) {
			l.literal(l.t.b[l.i], l.t.pos[l.i])
			l.i++
		}
	case '$', '`':
		l.dollar(whole)
	default:
		l.literal(c, pos)
		l.i++
	}
}

func (l *shellLexer) literal(c byte, pos int32) {
	l.cur.add(c, pos)
	l.open = true
}

// quoted reads up to the closing double quote.
func (l *shellLexer) quoted(pos int32) {
	for l.i < len(l.t.b) && l.sh.err == nil {
		switch c := l.at(0); {
		case c == '"':
			l.i++
			return
		case c == '\\' && l.at(1) == '\n':
			l.i += 2
		case c == '\\' && bytes.IndexByte([]byte("\"\\$`"), l.at(1)) >= 0 && l.at(1) != 0:
			l.cur.add(l.at(1), l.t.pos[l.i+1])
			l.i += 2
		case c == '$' || c == '`':
			l.dollar(true)
		default:
			l.cur.add(c, l.t.pos[l.i])
			l.i++
		}
	}
	if l.sh.err == nil {
		_ = l.sh.fail(pos, `the " is not closed`).hint("the string runs to the end of the file")
	}
}

// dollar expands what begins with $ or a backquote.
func (l *shellLexer) dollar(whole bool) {
	start := l.i
	pos := l.t.pos[start]
	asWritten := func() { l.value(l.t.slice(start, l.i), true) }
	switch {
	case l.at(0) == '`' || l.at(0) == '$' && l.at(1) == '(' && l.at(2) != '(':
		if !l.skipCommand() {
			_ = l.sh.fail(pos, "the command substitution is not closed")
			return
		}
		l.sh.warn(pos, "a command's output is not known: "+short(string(l.t.b[start:l.i])))
		asWritten()
	case l.at(1) == '(':
		l.arithmetic()
	case l.at(1) == '{':
		n := bytes.IndexByte(l.t.b[l.i:], '}')
		if n < 0 {
			_ = l.sh.fail(pos, "the ${ is not closed").hint("a } is missing")
			return
		}
		n = l.matching(n)
		inner := l.t.slice(l.i+2, l.i+n)
		l.i += n + 1
		l.braces(inner, whole, start)
	default:
		n := nameAt(l.t.b, l.i+1)
		if n == 0 { // $1, $@, $?, or a dollar sign
			l.i++
			if l.i < len(l.t.b) && bytes.IndexByte([]byte("0123456789@*#?$!-"), l.at(0)) >= 0 {
				l.i++
			}
			asWritten()
			return
		}
		name := string(l.t.b[l.i+1 : l.i+1+n])
		l.i += 1 + n
		if v, ok := l.sh.lookup(name); ok {
			l.value(v, whole)
			return
		}
		asWritten()
	}
}

// matching moves n, the offset of the first }, to the one that closes nested
// ${ }.
func (l *shellLexer) matching(n int) int {
	depth := 0
	for k := l.i; k < len(l.t.b); k++ {
		switch {
		case l.t.b[k] == '{' && k > 0 && l.t.b[k-1] == '$':
			depth++
		case l.t.b[k] == '}':
			if depth--; depth == 0 {
				return k - l.i
			}
		}
	}
	return n
}

func (sh *shell) lookup(name string) (posText, bool) {
	if v, ok := sh.vars[name]; ok {
		return v, true
	}
	if a, ok := sh.arrays[name]; ok {
		if len(a) == 0 {
			return posText{}, true
		}
		return a[0], true
	}
	return posText{}, false
}

// braces expands the inside of ${ }: a name, an array, a default.
func (l *shellLexer) braces(in posText, whole bool, start int) {
	if l.sh.depth++; l.sh.depth > maxShellDepth*4 {
		l.sh.fail(l.t.pos[start], "expansions are nested deeper than %d", maxShellDepth*4)
		return
	}
	defer func() { l.sh.depth-- }()
	n := nameAt(in.b, 0)
	name, op := string(in.b[:n]), string(in.b[n:])
	if a, ok := l.sh.arrays[name]; ok && (op == "[@]" || op == "[*]") {
		for k, w := range a {
			if k > 0 {
				if whole && op == "[*]" {
					l.cur.add(' ', w.pos0())
				} else {
					l.flush()
				}
			}
			l.value(w, whole)
			l.open = l.open || whole
		}
		return
	}
	v, set := l.sh.lookup(name)
	switch {
	case n > 0 && (op == "" || op == "[@]" || op == "[*]" || op == "[0]"):
		if set {
			l.value(v, whole)
			return
		}
	case n > 0 && len(op) >= 1 && (op[0] == '-' || len(op) >= 2 && op[0] == ':' && (op[1] == '-' || op[1] == '=')):
		skip := n + 1
		if op[0] == ':' {
			skip++
			set = set && len(v.b) > 0
		}
		if set {
			l.value(v, whole)
			return
		}
		sub := &shellLexer{sh: l.sh, t: in, i: skip, words: l.words, cur: l.cur, open: l.open}
		for sub.i < len(in.b) && l.sh.err == nil {
			if c := sub.at(0); !whole && (c == ' ' || c == '\t' || c == '\n') {
				sub.flush()
				sub.i++
				continue
			}
			sub.part(whole)
		}
		l.words, l.cur, l.open = sub.words, sub.cur, sub.open
		return
	case set:
		l.sh.warn(l.t.pos[start], "the expansion ${"+string(in.b)+"} is not evaluated")
	}
	l.value(l.t.slice(start, l.i), true)
}

// value appends an expansion; unless whole, blanks in it end words.
func (l *shellLexer) value(v posText, whole bool) {
	if l.sh.budget -= len(v.b); l.sh.budget < 0 {
		l.sh.fail(l.t.pos[min(l.i, len(l.t.pos)-1)], "variables expand to more than %d bytes", shellBudget)
		return
	}
	for k, c := range v.b {
		if !whole && (c == ' ' || c == '\t' || c == '\n') {
			l.flush()
			continue
		}
		l.literal(c, v.pos[k])
	}
	if whole && len(v.b) > 0 {
		l.open = true
	}
}

// skipCommand moves past $( ) or ` `.
func (l *shellLexer) skipCommand() bool {
	if l.at(0) == '`' {
		n := bytes.IndexByte(l.t.b[l.i+1:], '`')
		l.i += n + 2
		return n >= 0
	}
	depth := 0
	for ; l.i < len(l.t.b); l.i++ {
		switch l.t.b[l.i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.i++
				return true
			}
		}
	}
	return false
}
