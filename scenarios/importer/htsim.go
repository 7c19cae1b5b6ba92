package importer

import (
	"math"
	"strings"
)

// htsim (csg-htsim, uec-transport-simulation-code) takes a connection matrix
// and, for fat trees, a topology description.

// ConnectionMatrix is a .cm file.
type ConnectionMatrix struct {
	Nodes       int
	Connections []HtsimConnection
	Triggers    []HtsimTrigger
	Failures    []HtsimFailure
}

// HtsimConnection is one flow. Trigger, SendDone and RecvDone are 0 if absent.
type HtsimConnection struct {
	Src, Dst  int
	ID        int64
	StartPs   int64
	Trigger   int64 // starts it, instead of StartPs
	Bytes     int64 // 0: without end
	SendDone  int64 // trigger that it fires when all is sent
	RecvDone  int64
	Priority  int64
	at        place
	scheduled bool
}

// HtsimTrigger starts connections.
type HtsimTrigger struct {
	ID    int64
	Kind  string // oneshot, multishot, barrier
	Count int64  // of a barrier
	at    place
}

// HtsimFailure is a failed link.
type HtsimFailure struct {
	Switch string // TOR, AGG, CORE
	ID     int64
	Link   int64
}

// cmReader checks a file's counts against its lines.
type cmReader struct {
	cm     ConnectionMatrix
	want   map[string]int64 // Connections, Triggers, Failures
	wantAt map[string]place
	ids    map[int64]place
	trig   map[int64]place
	warn   *[]string
}

func parseCM(s source, lines []textLine, warn *[]string) (*ConnectionMatrix, error) {
	r := &cmReader{want: map[string]int64{}, wantAt: map[string]place{}, ids: map[int64]place{}, trig: map[int64]place{}, warn: warn}
	spaced := false
	for _, l := range lines {
		f := l.fields(isBlank)
		if len(f) == 0 || strings.HasPrefix(f[0].text, "#") {
			continue
		}
		if !spaced && (strings.Contains(l.text, "  ") || strings.Contains(l.text, "\t")) {
			spaced = true
			*warn = append(*warn, l.at.String()+": htsim itself splits at single spaces and would misread this line")
		}
		if err := r.line(f, l); err != nil {
			return nil, err
		}
	}
	if err := r.finish(s); err != nil {
		return nil, err
	}
	return &r.cm, nil
}

func (r *cmReader) line(f []token, l textLine) error {
	switch head := f[0].text; head {
	case "Nodes", "Connections", "Triggers", "Failures":
		return r.header(f, l)
	case "trigger":
		return r.trigger(f, l)
	case "failure":
		return r.failure(f, l)
	default:
		if strings.Contains(head, "->") {
			return r.connection(f, l)
		}
		return f[0].errorf("%s begins no line of a connection matrix", short(head)).
			meant(head, []string{"Nodes", "Connections", "Triggers", "Failures", "trigger", "failure"})
	}
}

func (r *cmReader) header(f []token, l textLine) error {
	if len(f) < 2 {
		return l.end().errorf("%s without a number", f[0].text)
	}
	if first, dup := r.wantAt[f[0].text]; dup {
		return f[0].errorf("%s appears twice", f[0].text).hint("first on line %d", first.line)
	}
	lo := int64(0)
	if f[0].text == "Nodes" {
		lo = 1
	}
	n, err := f[1].integer(f[0].text, lo, maxRanks)
	if err != nil {
		return err
	}
	r.want[f[0].text], r.wantAt[f[0].text] = n, f[0].at
	if f[0].text == "Nodes" {
		r.cm.Nodes = int(n)
	}
	return nil
}

// keyed reads "key value" pairs; opts maps each key to where its value goes and
// its least value.
type cmOption struct {
	to *int64
	lo int64
}

func keyed(f []token, l textLine, opts map[string]cmOption, keys []string) (map[string]bool, error) {
	seen := map[string]bool{}
	for i := 0; i < len(f); i += 2 {
		o, ok := opts[f[i].text]
		if !ok {
			return nil, f[i].errorf("%s is not known here", short(f[i].text)).meant(f[i].text, keys)
		}
		if seen[f[i].text] {
			return nil, f[i].errorf("%s appears twice", f[i].text)
		}
		seen[f[i].text] = true
		if i+1 >= len(f) {
			return nil, l.end().errorf("%s without a value", f[i].text)
		}
		v, err := f[i+1].integer(f[i].text, o.lo, math.MaxInt64)
		if err != nil {
			return nil, err
		}
		*o.to = v
	}
	return seen, nil
}

func (r *cmReader) connection(f []token, l textLine) error {
	if r.cm.Nodes == 0 {
		return f[0].errorf("a connection before Nodes").hint("the header line Nodes N comes first")
	}
	c := HtsimConnection{at: f[0].at}
	ends := strings.SplitN(f[0].text, "->", 2)
	for i, to := range []*int{&c.Src, &c.Dst} {
		at := f[0].at
		if i == 1 {
			at.col += len(ends[0]) + 2
		}
		v, err := token{ends[i], at}.integer("node", 0, int64(r.cm.Nodes-1))
		if err != nil {
			return err
		}
		*to = int(v)
	}
	if c.Src == c.Dst {
		return f[0].errorf("node %d sends to itself", c.Src)
	}
	seen, err := keyed(f[1:], l, map[string]cmOption{
		"id": {&c.ID, 1}, "start": {&c.StartPs, 0}, "trigger": {&c.Trigger, 1}, "size": {&c.Bytes, 0},
		"send_done_trigger": {&c.SendDone, 1}, "recv_done_trigger": {&c.RecvDone, 1}, "prio": {&c.Priority, 0},
	}, []string{"id", "start", "trigger", "size", "send_done_trigger", "recv_done_trigger", "prio"})
	if err != nil {
		return err
	}
	if seen["start"] == seen["trigger"] {
		e := f[0].errorf("the connection has neither start nor trigger")
		if seen["start"] {
			e = f[0].errorf("the connection has both start and trigger")
		}
		return e.hint("start PS, or trigger T")
	}
	if c.ID != 0 {
		if first, dup := r.ids[c.ID]; dup {
			return f[0].errorf("id %d appears twice", c.ID).hint("first on line %d", first.line)
		}
		r.ids[c.ID] = f[0].at
	}
	c.scheduled = seen["start"]
	r.cm.Connections = append(r.cm.Connections, c)
	return nil
}

func (r *cmReader) trigger(f []token, l textLine) error {
	if len(f) < 4 || f[1].text != "id" {
		return f[0].errorf("a trigger needs an id and a kind").hint("trigger id T oneshot|multishot|barrier [count N]")
	}
	t := HtsimTrigger{at: f[0].at, Kind: f[3].text}
	var err error
	if t.ID, err = f[2].integer("id", 1, math.MaxInt64); err != nil {
		return err
	}
	kinds := []string{"oneshot", "multishot", "barrier"}
	if !contains(kinds, t.Kind) {
		return f[3].errorf("trigger kind %s", short(t.Kind)).meant(t.Kind, kinds)
	}
	if first, dup := r.trig[t.ID]; dup {
		return f[0].errorf("trigger %d appears twice", t.ID).hint("first on line %d", first.line)
	}
	r.trig[t.ID] = f[0].at
	seen, err := keyed(f[4:], l, map[string]cmOption{"count": {&t.Count, 1}}, []string{"count"})
	if err != nil {
		return err
	}
	if t.Kind == "barrier" && !seen["count"] {
		return l.end().errorf("a barrier without count").hint("count N: how many connections it waits for")
	}
	r.cm.Triggers = append(r.cm.Triggers, t)
	return nil
}

func (r *cmReader) failure(f []token, l textLine) error {
	var x HtsimFailure
	kinds := []string{"TOR", "AGG", "CORE"}
	if len(f) < 3 || f[1].text != "switch_type" {
		return f[0].errorf("a failure needs switch_type").hint("failure switch_type TOR|AGG|CORE switch_id S link_id L")
	}
	if x.Switch = f[2].text; !contains(kinds, x.Switch) {
		return f[2].errorf("switch_type %s", short(x.Switch)).meant(x.Switch, kinds)
	}
	seen, err := keyed(f[3:], l, map[string]cmOption{"switch_id": {&x.ID, 0}, "link_id": {&x.Link, 0}}, []string{"switch_id", "link_id"})
	if err != nil {
		return err
	}
	if !seen["switch_id"] || !seen["link_id"] {
		return l.end().errorf("a failure needs switch_id and link_id")
	}
	r.cm.Failures = append(r.cm.Failures, x)
	return nil
}

// finish checks counts and references.
func (r *cmReader) finish(s source) error {
	if r.cm.Nodes == 0 {
		return place{s.name, 1, 1}.errorf("no Nodes line").hint("a connection matrix begins with Nodes N and Connections C")
	}
	for _, c := range []struct {
		key  string
		have int
	}{{"Connections", len(r.cm.Connections)}, {"Triggers", len(r.cm.Triggers)}, {"Failures", len(r.cm.Failures)}} {
		at, said := r.wantAt[c.key]
		switch {
		case !said && c.have > 0:
			return place{s.name, 1, 1}.errorf("%d lines of %s, but no %s line in the header", c.have, strings.ToLower(c.key), c.key).hint("%s %d", c.key, c.have)
		case said && r.want[c.key] != int64(c.have):
			return at.errorf("%s is %d, but there are %d", c.key, r.want[c.key], c.have)
		}
	}
	for _, c := range r.cm.Connections {
		for _, t := range []int64{c.Trigger, c.SendDone, c.RecvDone} {
			if _, ok := r.trig[t]; t != 0 && !ok {
				return c.at.errorf("trigger %d is not defined", t).hint("trigger id %d oneshot", t)
			}
		}
	}
	return nil
}
