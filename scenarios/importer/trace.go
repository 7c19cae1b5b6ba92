package importer

import (
	"fmt"
	"strconv"
)

// OpKind is what an operation of a trace does.
type OpKind string

// Kinds of operation.
const (
	OpCompute    OpKind = "compute"
	OpSend       OpKind = "send"
	OpRecv       OpKind = "recv"
	OpCollective OpKind = "collective"
	OpMemory     OpKind = "memory" // load or store of remote memory
	OpNothing    OpKind = "nothing"
)

// Op is one operation of one rank.
type Op struct {
	Rank       int
	Name       string // label or name in the source
	Kind       OpKind
	Nanos      int64 // duration, of compute
	Bytes      int64
	Peer       int   // of send and recv; -1 is any rank
	Tag        int64 // -1 matches any
	CPU, NIC   int   // stream of computation, network port
	Collective string
	Group      string // process group of a collective; empty: all ranks
	After      []int  // indices into Trace.Ops that must have ended
	AfterStart []int  // indices that must have started
}

// Trace is a dependency graph of operations over ranks.
type Trace struct {
	Format    string
	Files     []string
	Ranks     int
	Ops       []Op // rank by rank
	notMapped []string
	warnings  []string
	named     int // collectives known by their names alone
}

// Warnings implements Result.
func (t *Trace) Warnings() []string { return t.warnings }

// inlineOps is the longest list of operations or flows that is written out;
// longer ones are named by file, so that the fragment stays readable.
const inlineOps = 2000

// Counts returns the number of operations of each kind, and the bytes sent.
func (t *Trace) Counts() (kinds map[OpKind]int, bytes int64) {
	kinds = map[OpKind]int{}
	for _, o := range t.Ops {
		kinds[o.Kind]++
		if o.Kind == OpSend || o.Kind == OpCollective {
			bytes += o.Bytes
		}
	}
	return kinds, bytes
}

// YAML implements Result: one job with a trace.
func (t *Trace) YAML() []byte {
	tr := newMap().set("format", t.Format).set("ranks", t.Ranks)
	if len(t.Ops) > inlineOps {
		tr.set("files", t.Files)
	} else {
		ops := make([]yamlMap, len(t.Ops))
		for i, o := range t.Ops {
			ops[i] = o.yaml(i)
		}
		tr.set("operations", ops)
	}
	kinds, bytes := t.Counts()
	what := fmt.Sprintf("%s, %s:", plural(t.Ranks, "rank"), plural(len(t.Ops), "operation"))
	for _, k := range []OpKind{OpCompute, OpSend, OpRecv, OpCollective, OpMemory, OpNothing} {
		if kinds[k] > 0 {
			what += fmt.Sprintf(" %d %s,", kinds[k], k)
		}
	}
	what += fmt.Sprintf(" %d bytes sent.", bytes)
	job := newMap().set("name", "trace").set("trace", tr)
	return document{
		kind: t.Format, from: t.Files, what: what, notMapped: t.notMapped, warnings: t.warnings,
		body: newMap().set("jobs", []yamlMap{job}),
	}.bytes()
}

func (o Op) yaml(id int) yamlMap {
	m := flowMap().set("id", id).set("rank", o.Rank).set("op", string(o.Kind))
	if o.Name != "" {
		m.set("name", o.Name)
	}
	if o.Kind == OpCompute || o.Nanos > 0 {
		m.set("time", strconv.FormatInt(o.Nanos, 10)+"ns")
	}
	if o.Collective != "" {
		m.set("collective", o.Collective)
	}
	if o.Kind != OpCompute && o.Kind != OpNothing {
		m.set("bytes", bytesText(o.Bytes))
	}
	peer := "to"
	switch o.Kind {
	case OpRecv:
		peer = "from"
		fallthrough
	case OpSend:
		if o.Peer >= 0 {
			m.set(peer, o.Peer)
		} else {
			m.set(peer, "any")
		}
		if o.Tag != 0 {
			m.set("tag", o.Tag)
		}
	}
	if o.Group != "" {
		m.set("group", o.Group)
	}
	m.setInt("stream", int64(o.CPU))
	m.setInt("nic", int64(o.NIC))
	if len(o.After) > 0 {
		m.set("after", o.After)
	}
	if len(o.AfterStart) > 0 {
		m.set("after_start", o.AfterStart)
	}
	return m
}

// acyclic checks that no operation of a slice waits for itself, directly or
// through others of the slice; it returns the index of one that does, or -1.
// base is the index that dependencies give to the first of the slice.
func acyclic(ops []Op, base int) int {
	wait := make([]int, len(ops))
	next := make([][]int, len(ops))
	for i, o := range ops {
		wait[i] = len(o.After) + len(o.AfterStart)
		for _, d := range o.After {
			next[d-base] = append(next[d-base], i)
		}
		for _, d := range o.AfterStart {
			next[d-base] = append(next[d-base], i)
		}
	}
	var ready []int
	for i, w := range wait {
		if w == 0 {
			ready = append(ready, i)
		}
	}
	done := 0
	for ; len(ready) > 0; done++ {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, j := range next[i] {
			if wait[j]--; wait[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	if done == len(ops) {
		return -1
	}
	for i, w := range wait {
		if w > 0 {
			return i
		}
	}
	panic("importer: operations left over, but none waits")
}
