package importer

import "bytes"

// shellLexer cuts text into commands.
type shellLexer struct {
	sh *shell
	t  posText
	i  int

	words []posText
	cur   posText
	open  bool // a word has begun, be it empty
}

func (l *shellLexer) at(k int) byte {
	if l.i+k < len(l.t.b) {
		return l.t.b[l.i+k]
	}
	return 0
}

func (l *shellLexer) flush() {
	if l.open {
		l.words = append(l.words, l.cur)
		l.cur, l.open = posText{}, false
	}
}

// command reads up to the next separator. Assignments take effect here, since
// they change how what follows expands.
func (l *shellLexer) command() []posText {
	l.words, l.cur, l.open = nil, posText{}, false
	for l.i < len(l.t.b) && l.sh.err == nil {
		switch c := l.at(0); {
		case c == '\\' && (l.at(1) == '\n' || l.at(1) == '\r' && l.at(2) == '\n'):
			l.i += 2
			if l.at(-1) == '\r' {
				l.i++
			}
		case c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')':
			if c == '&' && l.at(1) == '>' { // &> file
				_ = l.redirect()
				continue
			}
			l.flush()
			l.i++
			return l.words
		case c == ' ' || c == '\t' || c == '\r':
			l.flush()
			l.i++
			if len(l.words) == 1 && opensCommand[string(l.words[0].b)] {
				return l.words // what follows is a command of its own
			}
		case c == '#' && !l.open:
			l.comment()
		case c == '>' || c == '<':
			if l.redirect() {
				return l.words
			}
		case !l.open && l.mayAssign() && l.assignment():
		default:
			l.part(false)
		}
	}
	l.flush()
	return l.words
}

// opensCommand are the keywords after which a command begins.
var opensCommand = map[string]bool{"then": true, "else": true, "do": true, "{": true, "!": true}

// comment skips to the end of the line; #SBATCH lines are kept.
func (l *shellLexer) comment() {
	start := l.i
	for l.i < len(l.t.b) && l.t.b[l.i] != '\n' {
		l.i++
	}
	line := l.t.slice(start, l.i)
	if bytes.HasPrefix(line.b, []byte("#SBATCH")) {
		sub := &shellLexer{sh: l.sh, t: line.slice(len("#SBATCH"), len(line.b))}
		words := sub.command()
		l.sh.sbatch = append(l.sh.sbatch, words...)
		l.sh.slurmVariables(words)
	}
}

// slurmVariables sets what Slurm tells a job about its size.
func (sh *shell) slurmVariables(words []posText) {
	for option, v := range sh.launcherOptions(words) {
		var text posText
		text.addString(v.text, words[0].pos0())
		for _, name := range map[string][]string{
			"nodes": {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}, "tasks": {"SLURM_NTASKS_PER_NODE"},
			"gpus": {"SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"}, "ranks": {"SLURM_NTASKS", "SLURM_NPROCS"},
		}[option] {
			sh.vars[name] = text
		}
	}
}

// redirect skips >, >>, 2>&1, < and here-documents; true if the command ends
// with it.
func (l *shellLexer) redirect() bool {
	if l.open && len(l.cur.b) == 1 && l.cur.b[0] >= '0' && l.cur.b[0] <= '9' {
		l.cur, l.open = posText{}, false
	}
	l.flush()
	here := l.at(0) == '<' && l.at(1) == '<'
	for l.at(0) == '>' || l.at(0) == '<' || l.at(0) == '&' || l.at(0) == '-' && here {
		l.i++
	}
	for l.at(0) == ' ' || l.at(0) == '\t' {
		l.i++
	}
	sub := &shellLexer{sh: l.sh, t: l.t, i: l.i}
	for sub.i < len(sub.t.b) && bytes.IndexByte([]byte(" \t\r\n;|&()<>"), sub.at(0)) < 0 && l.sh.err == nil {
		sub.part(true)
	}
	l.i = sub.i
	if here && len(sub.cur.b) > 0 {
		l.skipHere(sub.cur.b)
		return true
	}
	return false
}

// skipHere drops the body of a here-document; the rest of the command's own
// line is dropped with it.
func (l *shellLexer) skipHere(end []byte) {
	rest := l.t.b[l.i:]
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest) - 1
		}
		line := bytes.TrimSpace(rest[:n+1])
		rest = rest[n+1:]
		if bytes.Equal(line, end) {
			break
		}
	}
	l.i = len(l.t.b) - len(rest)
}

var assigners = map[string]bool{"export": true, "declare": true, "local": true, "readonly": true, "typeset": true, "env": true, "time": true}

// mayAssign tells whether NAME= here is an assignment: before the command's
// name.
func (l *shellLexer) mayAssign() bool {
	for _, w := range l.words {
		if !assigners[string(w.b)] && (len(w.b) == 0 || w.b[0] != '-') {
			return false
		}
	}
	return true
}

// assignment reads NAME=word, NAME+=word, NAME=(words) if one begins here.
func (l *shellLexer) assignment() bool {
	n := nameAt(l.t.b, l.i)
	if n == 0 {
		return false
	}
	k, more := n, false
	if l.at(k) == '+' {
		k, more = k+1, true
	}
	if l.at(k) != '=' {
		return false
	}
	name := string(l.t.b[l.i : l.i+n])
	pos := l.t.pos[l.i]
	l.i += k + 1
	if l.at(0) == '(' {
		l.array(name, more, pos)
		return true
	}
	sub := &shellLexer{sh: l.sh, t: l.t, i: l.i}
	for sub.i < len(sub.t.b) && l.sh.err == nil && !isEnd(sub) {
		sub.part(true)
	}
	l.i = sub.i
	if l.sh.live() {
		if more {
			old := l.sh.vars[name]
			old = posText{append([]byte(nil), old.b...), append([]int32(nil), old.pos...)}
			old.addText(sub.cur)
			sub.cur = old
		}
		l.sh.assign(name, sub.cur)
	}
	return true
}

// isEnd tells whether an unquoted word ends here.
func isEnd(l *shellLexer) bool {
	return bytes.IndexByte([]byte(" \t\r\n;|&()<>"), l.at(0)) >= 0
}

func (sh *shell) assign(name string, v posText) {
	if _, seen := sh.vars[name]; !seen {
		sh.envOrder = append(sh.envOrder, name)
	}
	sh.vars[name] = v
	delete(sh.arrays, name)
}

// array reads the words up to the closing parenthesis.
func (l *shellLexer) array(name string, more bool, pos int32) {
	l.i++
	sub := &shellLexer{sh: l.sh, t: l.t, i: l.i}
	for {
		if sub.i >= len(sub.t.b) {
			_ = l.sh.fail(pos, "the array %s=( is not closed", name).hint("a ) is missing")
			return
		}
		if l.sh.err != nil {
			return
		}
		c := sub.at(0)
		switch {
		case c == ')':
			sub.flush()
			l.i = sub.i + 1
			if l.sh.live() {
				if more {
					sub.words = append(append([]posText(nil), l.sh.arrays[name]...), sub.words...)
				}
				l.sh.arrays[name] = sub.words
				delete(l.sh.vars, name)
			}
			return
		case c == '\\' && sub.at(1) == '\n':
			sub.i += 2
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			sub.flush()
			sub.i++
		case c == '#' && !sub.open:
			sub.comment()
		default:
			sub.part(false)
		}
	}
}
