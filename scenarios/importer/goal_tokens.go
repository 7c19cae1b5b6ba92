package importer

import "strings"

// goalLexer cuts GOAL text into words, braces and colons; comments are // and
// /* */.
type goalLexer struct {
	file string
	text string
	i    int
	line int
	bol  int // offset of the line's first byte
	held []token
}

func (l *goalLexer) at() place { return place{l.file, l.line, l.i - l.bol + 1} }

// next returns the next token; its text is empty at the end of the file.
func (l *goalLexer) next() (token, error) {
	if n := len(l.held); n > 0 {
		t := l.held[n-1]
		l.held = l.held[:n-1]
		return t, nil
	}
	for l.i < len(l.text) {
		at := l.at()
		switch c := l.text[l.i]; {
		case c == '\n':
			l.i++
			l.line, l.bol = l.line+1, l.i
		case isBlank(c) || c == '\r':
			l.i++
		case strings.HasPrefix(l.text[l.i:], "//"):
			for l.i < len(l.text) && l.text[l.i] != '\n' {
				l.i++
			}
		case strings.HasPrefix(l.text[l.i:], "/*"):
			n := strings.Index(l.text[l.i+2:], "*/")
			if n < 0 {
				return token{}, at.errorf("the comment /* is not closed")
			}
			for end := l.i + n + 4; l.i < end; l.i++ {
				if l.text[l.i] == '\n' {
					l.line, l.bol = l.line+1, l.i+1
				}
			}
		case c == '{' || c == '}' || c == ':':
			l.i++
			return token{l.text[l.i-1 : l.i], at}, nil
		default:
			start := l.i
			for l.i < len(l.text) && strings.IndexByte(" \t\r\n{}:", l.text[l.i]) < 0 &&
				(l.text[l.i] != '/' || !strings.HasPrefix(l.text[l.i:], "//") && !strings.HasPrefix(l.text[l.i:], "/*")) {
				l.i++
			}
			return token{l.text[start:l.i], at}, nil
		}
	}
	return token{"", l.at()}, nil
}

// hold gives a token back.
func (l *goalLexer) hold(t token) { l.held = append(l.held, t) }
