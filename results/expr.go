package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Expr is a condition over summaries: numbers, keys of summary.json as
// network.drops or step.time_s[0], base. before a key for the run that is
// compared with, + - * /, comparisons, && || !, parentheses, and the functions
// abs, min, max and has(key).
type Expr struct {
	src  string
	root node
}

// ParseExpr reads an expression. Errors name the column.
func ParseExpr(src string) (*Expr, error) {
	p := &exprParser{src: src}
	if err := p.scan(); err != nil {
		return nil, err
	}
	n, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.text != "" {
		return nil, p.errorf(t, "unexpected %q", t.text)
	}
	return &Expr{src, n}, nil
}

// Eval evaluates the condition for run against base (may be nil). A key that a
// summary does not have, and a number where a condition is needed, are errors.
func (e *Expr) Eval(run, base *Dir) (bool, error) {
	v, err := e.root.eval(&exprEnv{e.src, run, base})
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("%q is a number (%v), not a condition; compare it with something", e.src, v)
	}
	return b, nil
}

type token struct {
	text string // "" at the end
	col  int
}

type exprParser struct {
	src    string
	tokens []token
}

func (p *exprParser) errorf(t token, format string, args ...any) error {
	return fmt.Errorf("expression, column %d: %s\n\t%s\n\t%s^", t.col+1, fmt.Sprintf(format, args...), p.src, strings.Repeat(" ", t.col))
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *exprParser) scan() error {
	for i := 0; i < len(p.src); {
		c := p.src[i]
		n := 1
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case wordByte(c):
			for n = 1; i+n < len(p.src); n++ {
				d := p.src[i+n]
				exponent := (d == '+' || d == '-') && c <= '9' && strings.ContainsAny(p.src[i+n-1:i+n], "eE")
				if !wordByte(d) && d != '[' && d != ']' && !exponent {
					break
				}
			}
		case strings.ContainsRune("<>=!&|", rune(c)):
			if i+1 < len(p.src) && slices.Contains([]string{"<=", ">=", "==", "!=", "&&", "||"}, p.src[i:i+2]) {
				n = 2
			} else if c == '=' || c == '&' || c == '|' {
				return p.errorf(token{col: i}, "%q: probably meant %q", string(c), strings.Repeat(string(c), 2))
			}
		case !strings.ContainsRune("+-*/(),", rune(c)):
			return p.errorf(token{col: i}, "unexpected %q", string(c))
		}
		p.tokens = append(p.tokens, token{p.src[i : i+n], i})
		i += n
	}
	return nil
}

func (p *exprParser) peek() token {
	if len(p.tokens) == 0 {
		return token{col: len(p.src)}
	}
	return p.tokens[0]
}

func (p *exprParser) next() token {
	t := p.peek()
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

var precedence = map[string]int{"||": 1, "&&": 2, "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 3, "!=": 3, "+": 4, "-": 4, "*": 5, "/": 5}

// binary parses operators that bind tighter than level.
func (p *exprParser) binary(level int) (node, error) {
	left, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		prec := precedence[t.text]
		if prec <= level {
			return left, nil
		}
		p.next()
		right, err := p.binary(prec)
		if err != nil {
			return nil, err
		}
		left = &binaryNode{t, left, right}
	}
}

func (p *exprParser) unary() (node, error) {
	t := p.next()
	switch {
	case t.text == "":
		return nil, p.errorf(t, "something is missing at the end")
	case t.text == "-" || t.text == "!":
		n, err := p.unary()
		return &unaryNode{t, n}, err
	case t.text == "(":
		n, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		return n, p.expect(")")
	case t.text[0] >= '0' && t.text[0] <= '9' || t.text[0] == '.':
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil || math.IsInf(x, 0) {
			return nil, p.errorf(t, "%q is not a number", t.text)
		}
		return number(x), nil
	case !wordByte(t.text[0]):
		return nil, p.errorf(t, "unexpected %q", t.text)
	case p.peek().text == "(":
		return p.call(t)
	}
	return &keyNode{t}, nil
}

func (p *exprParser) expect(text string) error {
	if t := p.next(); t.text != text {
		return p.errorf(t, "%q is missing", text)
	}
	return nil
}

var arity = map[string][2]int{"abs": {1, 1}, "has": {1, 1}, "min": {1, 100}, "max": {1, 100}}

func (p *exprParser) call(name token) (node, error) {
	n, ok := arity[name.text]
	if !ok {
		return nil, p.errorf(name, "no function %q; there are abs, has, max and min", name.text)
	}
	p.next()
	var args []node
	for {
		a, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		args = append(args, a)
		if p.peek().text != "," {
			break
		}
		p.next()
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if len(args) < n[0] || len(args) > n[1] {
		return nil, p.errorf(name, "%s takes %d argument, not %d", name.text, n[0], len(args))
	}
	if _, isKey := args[0].(*keyNode); name.text == "has" && !isKey {
		return nil, p.errorf(name, "has takes a key, as has(step.mean_s)")
	}
	return &callNode{name, args}, nil
}
