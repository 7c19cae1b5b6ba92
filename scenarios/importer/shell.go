package importer

import (
	"sort"
	"strings"
)

// A small part of the shell, enough for launch scripts: words, quotes,
// variables, arrays, defaults, arithmetic, if with simple tests, sh -c and eval.
// What it cannot know (a positional parameter, a command's output, an unset
// variable) stays in the text as written, so that a message can name it.

// posText is text of which each byte knows its offset in the file.
type posText struct {
	b   []byte
	pos []int32
}

func (t *posText) add(c byte, pos int32) {
	t.b = append(t.b, c)
	t.pos = append(t.pos, pos)
}

func (t *posText) addText(o posText) {
	t.b = append(t.b, o.b...)
	t.pos = append(t.pos, o.pos...)
}

func (t *posText) addString(s string, pos int32) {
	for i := range len(s) {
		t.add(s[i], pos)
	}
}

func (t posText) slice(i, j int) posText { return posText{t.b[i:j], t.pos[i:j]} }

func textOf(s string) posText {
	t := posText{[]byte(s), make([]int32, len(s))}
	for i := range t.pos {
		t.pos[i] = int32(i)
	}
	return t
}

// shellCommand is a command with its words expanded.
type shellCommand struct {
	words []posText
	outer []posText // words of the command that ran it through sh -c
}

// shell runs a script.
type shell struct {
	file     source
	lines    []int // offsets
	vars     map[string]posText
	arrays   map[string][]posText
	envOrder []string // names in order of first assignment
	commands []shellCommand
	sbatch   []posText // words of #SBATCH lines
	branches []branch
	warnings []string
	warned   map[string]bool
	depth    int // of nested ${ }
	budget   int // bytes that expansion may still make
	err      *Error
}

// branch is an open if: whether this arm runs, and whether one has run.
type branch struct{ live, taken bool }

// shellBudget bounds what expansion makes of a script, so that variables
// cannot double without end; launch lines are a few kilobytes.
const shellBudget = 4 << 20

const maxShellDepth = 16

func newShell(s source, text string) *shell {
	sh := &shell{file: s, vars: map[string]posText{}, arrays: map[string][]posText{}, warned: map[string]bool{}, budget: shellBudget, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			sh.lines = append(sh.lines, i+1)
		}
	}
	return sh
}

func (sh *shell) place(pos int32) place {
	i := sort.SearchInts(sh.lines, int(pos)+1) - 1
	return place{sh.file.name, i + 1, int(pos) - sh.lines[i] + 1}
}

func (sh *shell) fail(pos int32, format string, args ...any) *Error {
	if sh.err == nil {
		sh.err = sh.place(pos).errorf(format, args...)
	}
	return sh.err
}

func (sh *shell) warn(pos int32, text string) {
	if !sh.warned[text] {
		sh.warned[text] = true
		sh.warnings = append(sh.warnings, sh.place(pos).String()+": "+text)
	}
}

func (sh *shell) live() bool {
	for _, b := range sh.branches {
		if !b.live {
			return false
		}
	}
	return true
}

func isName(c byte, first bool) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || !first && c >= '0' && c <= '9'
}

// nameAt returns the length of the variable name at i.
func nameAt(b []byte, i int) int {
	n := 0
	for i+n < len(b) && isName(b[i+n], n == 0) {
		n++
	}
	return n
}

// run executes text; depth counts nested sh -c.
func (sh *shell) run(t posText, outer []posText, depth int) {
	if depth > maxShellDepth {
		sh.fail(t.pos[0], "commands are nested deeper than %d", maxShellDepth)
		return
	}
	l := &shellLexer{sh: sh, t: t}
	for l.i < len(t.b) && sh.err == nil {
		words := l.command()
		if sh.err == nil && len(words) > 0 {
			sh.execute(words, outer, depth)
		}
	}
}

// execute runs one command: keywords steer, sh -c and eval recurse, the rest is
// kept.
func (sh *shell) execute(words []posText, outer []posText, depth int) {
	switch head := string(words[0].b); head {
	case "if":
		sh.branches = append(sh.branches, branch{})
		sh.condition(words[1:])
		return
	case "elif", "else":
		if n := len(sh.branches); n > 0 {
			b := &sh.branches[n-1]
			b.live = false
			if !b.taken {
				if head == "elif" {
					sh.condition(words[1:])
					return
				}
				b.live, b.taken = true, true
			}
		}
		sh.rest(words[1:], outer, depth)
		return
	case "fi":
		if n := len(sh.branches); n > 0 {
			sh.branches = sh.branches[:n-1]
		}
		return
	case "then", "do", "{", "time", "exec", "!":
		sh.rest(words[1:], outer, depth)
		return
	case "for", "while", "until", "case":
		sh.warn(words[0].pos[0], head+" is not followed: its body is read once")
		return
	}
	if !sh.live() {
		return
	}
	for i, w := range words {
		name := string(w.b)
		if name != "sh" && name != "bash" && !strings.HasSuffix(name, "/bash") && !strings.HasSuffix(name, "/sh") {
			continue
		}
		k := i + 1
		for k < len(words) && len(words[k].b) > 1 && words[k].b[0] == '-' && !isDashC(words[k]) {
			k++ // sh -x -c
		}
		if k+1 < len(words) && isDashC(words[k]) {
			if len(words[k+1].b) > 0 {
				sh.run(words[k+1], append(append([]posText(nil), outer...), words[:i]...), depth+1)
			}
			return
		}
	}
	if string(words[0].b) == "eval" && len(words) > 1 {
		var all posText
		for i, w := range words[1:] {
			if i > 0 {
				all.add(' ', w.pos0())
			}
			all.addText(w)
		}
		if len(all.b) > 0 {
			sh.run(all, outer, depth+1)
		}
		return
	}
	sh.commands = append(sh.commands, shellCommand{words, outer})
}

func (t posText) pos0() int32 {
	if len(t.pos) == 0 {
		return 0
	}
	return t.pos[0]
}

// isDashC knows -c, -lc, -ec.
func isDashC(w posText) bool {
	s := string(w.b)
	return len(s) >= 2 && s[0] == '-' && s[1] != '-' && strings.HasSuffix(s, "c")
}

func (sh *shell) rest(words []posText, outer []posText, depth int) {
	if len(words) > 0 {
		sh.execute(words, outer, depth)
	}
}

// condition decides the arm that follows. What it cannot decide runs.
func (sh *shell) condition(words []posText) {
	b := &sh.branches[len(sh.branches)-1]
	verdict, known := test(words)
	if !known {
		verdict = true
		if len(words) > 0 && sh.live0() {
			sh.warn(words[0].pos0(), "the condition is not evaluated: its branch is read")
		}
	}
	b.live = verdict
	b.taken = b.taken || verdict
}

// live0 is live for the branches around the innermost.
func (sh *shell) live0() bool {
	for _, b := range sh.branches[:len(sh.branches)-1] {
		if !b.live {
			return false
		}
	}
	return true
}

// test evaluates [ a op b ] and [ -z a ]; known is false for anything else and
// where an operand is not known.
func test(words []posText) (verdict, known bool) {
	var w []string
	for _, x := range words {
		w = append(w, string(x.b))
	}
	if len(w) < 2 || w[0] != "[" && w[0] != "[[" || w[len(w)-1] != "]" && w[len(w)-1] != "]]" {
		return false, false
	}
	w = w[1 : len(w)-1]
	unknown := func(s string) bool { return strings.Contains(s, "$") }
	switch {
	case len(w) == 2 && (w[0] == "-z" || w[0] == "-n"):
		// An unset variable, kept as written, counts as empty.
		empty := w[1] == "" || unknown(w[1])
		return empty == (w[0] == "-z"), true
	case len(w) == 3 && !unknown(w[0]) && !unknown(w[2]):
		if w[1] == "=" || w[1] == "==" {
			return w[0] == w[2], true
		}
		if w[1] == "!=" {
			return w[0] != w[2], true
		}
		a, errA := token{text: w[0]}.integer("", -1<<62, 1<<62)
		b, errB := token{text: w[2]}.integer("", -1<<62, 1<<62)
		if errA != nil || errB != nil {
			return false, false
		}
		switch w[1] {
		case "-eq":
			return a == b, true
		case "-ne":
			return a != b, true
		case "-lt":
			return a < b, true
		case "-le":
			return a <= b, true
		case "-gt":
			return a > b, true
		case "-ge":
			return a >= b, true
		}
	}
	return false, false
}
