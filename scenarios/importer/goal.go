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
	lex   goalLexer
	t     *Trace
	labs  map[string]int // of the rank being read
	seen  map[int]place  // ranks
	place []place        // of each operation
}

func parseGOAL(s source) (*Trace, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	r := &goalReader{lex: goalLexer{file: s.name, text: text, line: 1}, seen: map[int]place{}, t: &Trace{Format: "goal", Files: []string{s.name}}}
	if err := r.file(); err != nil {
		return nil, err
	}
	if i := acyclic(r.t.Ops, 0); i >= 0 {
		return nil, r.place[i].errorf("operation %s of rank %d waits for itself", short(r.t.Ops[i].Name), r.t.Ops[i].Rank).hint("the dependencies form a cycle")
	}
	r.match()
	return r.t, nil
}

// next takes a token; what says what it should be.
func (r *goalReader) next(what string) (token, error) {
	t, err := r.lex.next()
	if err == nil && t.text == "" {
		err = t.errorf("the file ends where %s should follow", what)
	}
	return t, err
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
	for {
		t, err := r.lex.next()
		if err != nil {
			return err
		}
		if t.text == "" {
			break
		}
		r.lex.hold(t)
		if err := r.rank(); err != nil {
			return err
		}
	}
	if missing := r.t.Ranks - len(r.seen); missing > 0 {
		r.t.warnings = append(r.t.warnings, fmt.Sprintf("%s: %d of %d ranks have no block; they do nothing", r.lex.file, missing, r.t.Ranks))
	}
	return nil
}

func (r *goalReader) rank() error {
	if err := r.word("rank"); err != nil {
		return err
	}
	num, err := r.next("rank")
	if err != nil {
		return err
	}
	at := num.at
	n, err := num.integer("rank", 0, int64(r.t.Ranks-1))
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
		verb, err := r.next("an operation or }")
		if err != nil {
			return err
		}
		switch {
		case verb.text == ":":
			err = r.operation(t, int(n))
		case t.text == "send" || t.text == "recv" || t.text == "calc":
			r.lex.hold(verb)
			r.lex.hold(t)
			err = r.operation(token{"", t.at}, int(n))
		default:
			err = r.depends(t, verb)
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
		t, err := r.lex.next()
		if err != nil {
			return err
		}
		var v int64
		switch t.text {
		case "tag":
			op.Tag, err = r.integer("tag", -1, math.MaxInt64)
		case "cpu":
			v, err = r.integer("cpu", 0, 1<<20)
			op.CPU = int(v)
		case "nic":
			v, err = r.integer("nic", 0, 1<<10)
			op.NIC = int(v)
		default:
			r.lex.hold(t)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *goalReader) depends(a, verb token) error {
	if verb.text != "requires" && verb.text != "irequires" {
		if a.text == "{" {
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
func (r *goalReader) match() {
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
		return
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
}
