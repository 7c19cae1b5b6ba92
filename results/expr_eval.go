package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// node is a part of an expression; it evaluates to float64, bool or string.
type node interface {
	eval(*exprEnv) (any, error)
}

type exprEnv struct {
	src       string
	run, base *Dir
}

func (e *exprEnv) errorf(t token, format string, args ...any) error {
	return (&exprParser{src: e.src}).errorf(t, format, args...)
}

type (
	number    float64
	keyNode   struct{ t token }
	unaryNode struct {
		t token
		x node
	}
	binaryNode struct {
		op   token
		l, r node
	}
	callNode struct {
		name token
		args []node
	}
)

func (n number) eval(*exprEnv) (any, error) { return float64(n), nil }

func (n *keyNode) eval(e *exprEnv) (any, error) {
	if n.t.text == "true" || n.t.text == "false" {
		return n.t.text == "true", nil
	}
	d, key := e.run, n.t.text
	if k, ok := strings.CutPrefix(key, "base."); ok {
		if d, key = e.base, k; d == nil {
			return nil, e.errorf(n.t, "there is no run to compare with")
		}
	}
	v, err := lookup(d.Raw, key)
	if err != nil {
		if nm := d.Summary.Network.NotModelled; nm != nil && slices.Contains(nm.Keys, strings.TrimPrefix(key, "network.")) {
			err = fmt.Errorf("not modelled: %s", nm.Reason)
		}
		return nil, e.errorf(n.t, "%s in %s: %v", key, d.Path, err)
	}
	switch v := v.(type) {
	case float64, bool, string:
		return v, nil
	case []any:
		return nil, e.errorf(n.t, "%s is a list of %d; pick one as %s[0]", key, len(v), key)
	}
	return nil, e.errorf(n.t, "%s is not a value", key)
}

// lookup follows a path as network.hottest_ports[0].utilisation.
func lookup(v any, path string) (any, error) {
	walked := ""
	for _, part := range strings.Split(path, ".") {
		name, rest, _ := strings.Cut(part, "[")
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s has no keys", strings.TrimPrefix(walked, "."))
		}
		next, ok := m[name]
		if !ok {
			return nil, fmt.Errorf("no key %q%s", strings.TrimPrefix(walked+"."+name, "."), suggestKey(m, name))
		}
		v, walked = next, walked+"."+name
		for rest != "" {
			index, after, ok := strings.Cut(rest, "]")
			i, err := strconv.Atoi(index)
			list, isList := v.([]any)
			if !ok || err != nil || !isList {
				return nil, fmt.Errorf("%q is not an index into a list", "["+rest)
			}
			if i < 0 || i >= len(list) {
				return nil, fmt.Errorf("index %d of a list of %d", i, len(list))
			}
			v, rest = list[i], strings.TrimPrefix(after, "[")
		}
	}
	return v, nil
}

// suggestKey names a key that shares most of name, or lists all.
func suggestKey(m map[string]any, name string) string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if strings.HasPrefix(k, name) || strings.HasPrefix(name, k) || strings.EqualFold(strings.ReplaceAll(k, "_", ""), strings.ReplaceAll(name, "_", "")) {
			return fmt.Sprintf(" (did you mean %q?)", k)
		}
	}
	return "; there are " + strings.Join(keys, ", ")
}

func (n *unaryNode) eval(e *exprEnv) (any, error) {
	v, err := n.x.eval(e)
	if err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case float64:
		if n.t.text == "-" {
			return -x, nil
		}
	case bool:
		if n.t.text == "!" {
			return !x, nil
		}
	}
	return nil, e.errorf(n.t, "%q cannot be applied to %v", n.t.text, v)
}

func (n *binaryNode) eval(e *exprEnv) (any, error) {
	l, err := n.l.eval(e)
	if err != nil {
		return nil, err
	}
	// As everywhere, the right side of a decided && or || is not looked at: it
	// may be about a key that is absent.
	if b, ok := l.(bool); ok && (n.op.text == "&&" && !b || n.op.text == "||" && b) {
		return b, nil
	}
	r, err := n.r.eval(e)
	if err != nil {
		return nil, err
	}
	switch x := l.(type) {
	case float64:
		if y, ok := r.(float64); ok {
			if y == 0 && n.op.text == "/" { // infinity would decide the condition unseen
				return nil, e.errorf(n.op, "division by zero")
			}
			if v := arithmetic(n.op.text, x, y); v != nil {
				return v, nil
			}
		}
	case bool:
		if y, ok := r.(bool); ok {
			switch n.op.text {
			case "&&", "||":
				return y, nil
			case "==":
				return x == y, nil
			case "!=":
				return x != y, nil
			}
		}
	case string:
		if y, ok := r.(string); ok && (n.op.text == "==" || n.op.text == "!=") {
			return (x == y) == (n.op.text == "=="), nil
		}
	}
	return nil, e.errorf(n.op, "%q cannot join %v and %v", n.op.text, l, r)
}

func arithmetic(op string, x, y float64) any {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "==":
		return x == y
	case "!=":
		return x != y
	}
	return nil
}

func (n *callNode) eval(e *exprEnv) (any, error) {
	if n.name.text == "has" {
		_, err := n.args[0].eval(e)
		return err == nil, nil
	}
	var best float64
	for i, a := range n.args {
		v, err := a.eval(e)
		if err != nil {
			return nil, err
		}
		x, ok := v.(float64)
		if !ok {
			return nil, e.errorf(n.name, "%s of %v, which is not a number", n.name.text, v)
		}
		switch {
		case n.name.text == "abs":
			best = math.Abs(x)
		case i == 0 || n.name.text == "min" && x < best || n.name.text == "max" && x > best:
			best = x
		}
	}
	return best, nil
}
