package importer

import (
	"fmt"
	"math"
	"strings"
)

// GOAL text (LogGOPSim, "LogGOPSim - Simulating Large-Scale Applications in the
// LogGOPS Model", HPDC 2010): num_ranks N, then for each rank a block of
// labelled operations and of dependencies between labels.

const maxRanks = 1 << 22

type goalReader struct {
	src   source
	toks  []token
	i     int
	end   place
	t     *Trace
	labs  map[string]int // of the rank being read
	seen  map[int]place  // ranks
	place []place        // of each operation
}

func parseGOAL(s source) (*Trace, error) {
	toks, end, err := goalTokens(s)
	if err != nil {
		return nil, err
	}
	r := &goalReader{src: s, toks: toks, end: end, seen: map[int]place{}, t: &Trace{Format: "goal", Files: []string{s.name}}}
	if err := r.file(); err != nil {
		return nil, err
	}
	if i := r.t.acyclic(); i >= 0 {
		return nil, r.place[i].errorf("operation %s of rank %d waits for itself", short(r.t.Ops[i].Name), r.t.Ops[i].Rank).hint("the dependencies form a cycle")
	}
	return r.t, r.match()
}

// goalTokens splits words, braces and colons; comments are // and /* */.
func goalTokens(s source) ([]token, place, error) {
	text, err := s.text()
	if err != nil {
		return nil, place{}, err
	}
	var out []token
	line, bol := 1, 0
	at := func(i int) place { return place{s.name, line, i - bol + 1} }
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			i++
			line, bol = line+1, i
		case isBlank(c) || c == '\r':
			i++
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "/*"):
			start := at(i)
			n := strings.Index(text[i+2:], "*/")
			if n < 0 {
				return nil, place{}, start.errorf("the comment /* is not closed")
			}
			for end := i + n + 4; i < end; i++ {
				if text[i] == '\n' {
					line, bol = line+1, i+1
				}
			}
		case c == '{' || c == '}' || c == ':':
			out = append(out, token{text[i : i+1], at(i)})
			i++
		default:
			j := i
			for j < len(text) && !strings.ContainsRune(" \t\r\n{}:", rune(text[j])) && !strings.HasPrefix(text[j:], "//") && !strings.HasPrefix(text[j:], "/*") {
				j++
			}
			out = append(out, token{text[i:j], at(i)})
			i = j
		}
	}
	return out, at(len(text)), nil
}

// next takes a token; what says what it should be.
func (r *goalReader) next(what string) (token, error) {
	if r.i >= len(r.toks) {
		return token{}, r.end.errorf("the file ends where %s should follow", what)
	}
	r.i++
	return r.toks[r.i-1], nil
}

func (r *goalReader) peek() string {
	if r.i < len(r.toks) {
		return r.toks[r.i].text
	}
	return ""
}

func (r *goalReader) word(w string) error {
	t, err := r.next(w)
	if err != nil {
		return err
	}
	if t.text != w {
		return t.errorf("%s where %s should stand", short(t.text), w).meant(t.text, []string{w})
	}
	return nil
}

func (r *goalReader) integer(what string, lo, hi int64) (int64, error) {
	t, err := r.next(what)
	if err != nil {
		return 0, err
	}
	return t.integer(what, lo, hi)
}

func (r *goalReader) file() error {
	if err := r.word("num_ranks"); err != nil {
		return err
	}
	n, err := r.integer("num_ranks", 1, maxRanks)
	if err != nil {
		return err
	}
	r.t.Ranks = int(n)
	for r.i < len(r.toks) {
		if err := r.rank(); err != nil {
			return err
		}
	}
	if missing := r.t.Ranks - len(r.seen); missing > 0 {
		r.t.warnings = append(r.t.warnings, fmt.Sprintf("%s: %d of %d ranks have no block; they do nothing", r.src.name, missing, r.t.Ranks))
	}
	return nil
}

func (r *goalReader) rank() error {
	if err := r.word("rank"); err != nil {
		return err
	}
	at := r.end
	if r.i < len(r.toks) {
		at = r.toks[r.i].at
	}
	n, err := r.integer("rank", 0, int64(r.t.Ranks-1))
	if err != nil {
		return err
	}
	if first, dup := r.seen[int(n)]; dup {
		return at.errorf("rank %d appears twice", n).hint("first on line %d", first.line)
	}
	r.seen[int(n)] = at
	if err := r.word("{"); err != nil {
		return err
	}
	r.labs = map[string]int{}
	for {
		t, err := r.next("an operation or }")
		if err != nil {
			return err
		}
		if t.text == "}" {
			return nil
		}
		switch {
		case r.peek() == ":":
			r.i++
			err = r.operation(t, int(n))
		case t.text == "send" || t.text == "recv" || t.text == "calc":
			r.i--
			err = r.operation(token{"", t.at}, int(n))
		default:
			err = r.depends(t)
		}
		if err != nil {
			return err
		}
	}
}

func (r *goalReader) operation(label token, rank int) error {
	if first, dup := r.labs[label.text]; dup && label.text != "" {
		return label.errorf("label %s appears twice in rank %d", short(label.text), rank).hint("first on line %d", r.place[first].line)
	}
	verb, err := r.next("send, recv or calc")
	if err != nil {
		return err
	}
	op := Op{Rank: rank, Name: label.text}
	switch verb.text {
	case "calc":
		op.Kind = OpCompute
		if op.Nanos, err = r.integer("calc", 0, math.MaxInt64); err != nil {
			return err
		}
	case "send", "recv":
		if err := r.message(verb.text, &op); err != nil {
			return err
		}
	default:
		return verb.errorf("operation %s is not known", short(verb.text)).meant(verb.text, []string{"send", "recv", "calc"})
	}
	if err := r.options(&op); err != nil {
		return err
	}
	if label.text != "" {
		r.labs[label.text] = len(r.t.Ops)
	}
	r.t.Ops = append(r.t.Ops, op)
	r.place = append(r.place, label.at)
	return nil
}

func (r *goalReader) message(verb string, op *Op) error {
	size, err := r.next("a size")
	if err != nil {
		return err
	}
	if !strings.HasSuffix(size.text, "b") {
		return size.errorf("size %s does not end in b", short(size.text)).hint("for instance 4096b")
	}
	if op.Bytes, err = (token{strings.TrimSuffix(size.text, "b"), size.at}).integer("size", 0, math.MaxInt64); err != nil {
		return err
	}
	op.Kind = OpSend
	join, lo := "to", int64(0)
	if verb == "recv" {
		op.Kind, join, lo = OpRecv, "from", -1 // -1: from any rank
	}
	if err := r.word(join); err != nil {
		return err
	}
	peer, err := r.integer("rank", lo, int64(r.t.Ranks-1))
	op.Peer = int(peer)
	return err
}

func (r *goalReader) options(op *Op) error {
	for {
		var err error
		var v int64
		switch r.peek() {
		case "tag":
			r.i++
			op.Tag, err = r.integer("tag", -1, math.MaxInt64)
		case "cpu":
			r.i++
			v, err = r.integer("cpu", 0, 1<<20)
			op.CPU = int(v)
		case "nic":
			r.i++
			v, err = r.integer("nic", 0, 1<<10)
			op.NIC = int(v)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *goalReader) depends(a token) error {
	verb, err := r.next("requires")
	if err != nil {
		return err
	}
	if verb.text != "requires" && verb.text != "irequires" {
		if r.i >= 2 && (a.text == "}" || a.text == "{") {
			return a.errorf("%s where an operation should stand", a.text)
		}
		return verb.errorf("%s after %s", short(verb.text), short(a.text)).meant(verb.text, []string{"requires", "irequires"})
	}
	b, err := r.next("a label")
	if err != nil {
		return err
	}
	var idx [2]int
	for k, t := range []token{a, b} {
		i, ok := r.labs[t.text]
		if !ok {
			return t.errorf("label %s is not defined in this rank", short(t.text)).hint("labels are local to a rank and come before their use")
		}
		idx[k] = i
	}
	op := &r.t.Ops[idx[0]]
	if verb.text == "requires" {
		op.After = append(op.After, idx[1])
	} else {
		op.AfterStart = append(op.AfterStart, idx[1])
	}
	return nil
}

// match warns where sends and receives of a pair of ranks do not balance.
func (r *goalReader) match() error {
	type pair struct{ from, to int }
	bal := map[pair]int{}
	wild := false
	for _, o := range r.t.Ops {
		switch {
		case o.Kind == OpSend:
			bal[pair{o.Rank, o.Peer}]++
		case o.Kind == OpRecv && o.Peer >= 0:
			bal[pair{o.Peer, o.Rank}]--
		case o.Kind == OpRecv:
			wild = true
		}
	}
	if wild {
		return nil
	}
	for i, o := range r.t.Ops {
		p := pair{o.Rank, o.Peer}
		if o.Kind == OpRecv {
			p = pair{o.Peer, o.Rank}
		}
		if (o.Kind == OpSend || o.Kind == OpRecv) && bal[p] != 0 {
			r.t.warnings = append(r.t.warnings, fmt.Sprintf("%s: rank %d sends %+d messages more to rank %d than it receives", r.place[i], p.from, bal[p], p.to))
			bal[p] = 0
		}
	}
	return nil
}
