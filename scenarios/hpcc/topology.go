package hpcc

import (
	"fmt"
	"math"
	"strings"

	"github.com/simnet/simnet/sim"
)

// Topology is a topology file.
type Topology struct {
	File    string
	Nodes   int
	Switch  []bool // by node
	Links   []Link
	hostPos []Pos // of the first link of each node
}

// Link is one line of a topology file.
type Link struct {
	Pos
	A, B  int
	Rate  sim.Rate
	Delay sim.Time
	// ErrorRate is the probability that a packet is lost, 0 to 1.
	ErrorRate float64
}

// ParseTopology reads a topology file: a line "nodes switches links", the ids of
// the switches, then a line a link.
func ParseTopology(in Input) (*Topology, error) {
	l := in.lines(false)
	head := l.next()
	if head == nil {
		return nil, Pos{in.Name, 1, 1}.errorf("the file is empty; expected: nodes switches links")
	}
	if len(head) == 6 {
		return nil, head[3].errorf("this is the six-field header of a SimAI topology (nodes gpus-per-server nvswitches switches links gpu-type); expected: nodes switches links")
	}
	if err := fields(head, "nodes switches links"); err != nil {
		return nil, err
	}
	var n [3]int64
	for i, what := range []string{"nodes", "switches", "links"} {
		var err error
		if n[i], err = head[i].integer(what, 0, 1<<24-1); err != nil {
			return nil, err
		}
	}
	if n[1] > n[0] {
		return nil, head[1].errorf("switches: %d of %d nodes", n[1], n[0])
	}
	t := &Topology{File: in.Name, Nodes: int(n[0]), Switch: make([]bool, n[0]), hostPos: make([]Pos, n[0])}
	headLinks := head[2]
	for left := n[1]; left > 0; {
		ids := l.next()
		if ids == nil {
			return nil, l.end().errorf("the file ends with %d switch ids missing", left)
		}
		for i, id := range ids {
			if left == 0 {
				return nil, ids[i].errorf("more switch ids than the %d announced", n[1])
			}
			v, err := id.integer("switch id", 0, n[0]-1)
			if err != nil {
				return nil, err
			}
			if t.Switch[v] {
				return nil, id.errorf("switch %d is listed twice", v)
			}
			t.Switch[v] = true
			left--
		}
	}
	for f := l.next(); f != nil; f = l.next() {
		k, err := t.link(f)
		if err != nil {
			return nil, err
		}
		if int64(len(t.Links)) == n[2] {
			return nil, f[0].errorf("more links than the %d announced at %v", n[2], headLinks.Pos)
		}
		for _, v := range []int{k.A, k.B} {
			if t.hostPos[v].Line == 0 {
				t.hostPos[v] = k.Pos
			}
		}
		t.Links = append(t.Links, k)
	}
	if int64(len(t.Links)) < n[2] {
		return nil, l.end().errorf("the file ends after %d links; %d announced at %v", len(t.Links), n[2], headLinks.Pos)
	}
	return t, nil
}

func (t *Topology) link(f []token) (k Link, err error) {
	if err := fields(f, "a b rate delay error_rate"); err != nil {
		return k, err
	}
	k.Pos = f[0].Pos
	var a, b int64
	if a, err = f[0].integer("node", 0, int64(t.Nodes-1)); err != nil {
		return k, err
	}
	if b, err = f[1].integer("node", 0, int64(t.Nodes-1)); err != nil {
		return k, err
	}
	if a == b {
		return k, f[1].errorf("node %d is linked to itself", a)
	}
	k.A, k.B = int(a), int(b)
	if k.Rate, err = f[2].rate("rate"); err != nil {
		return k, err
	}
	if k.Rate == 0 {
		return k, f[2].errorf("rate: must be above zero")
	}
	if k.Delay, err = f[3].span("delay"); err != nil {
		return k, err
	}
	k.ErrorRate, err = f[4].number("error_rate", 0, 1)
	return k, err
}

// Name returns the name of node id as results print it: hosts keep their
// number, so that flows.csv joins with the flow file; "switch9".
func (t *Topology) Name(id int) string {
	if t.Switch[id] {
		return fmt.Sprint("switch", id)
	}
	return fmt.Sprint(id)
}

// node parses the id of a host.
func (t *Topology) host(f token, what string) (int, error) {
	v, err := f.integer(what, 0, int64(t.Nodes-1))
	if err != nil {
		return 0, err
	}
	if t.Switch[v] {
		return 0, f.errorf("%s: node %d is a switch", what, v)
	}
	return int(v), nil
}

// Flow is one line of a flow file.
type Flow struct {
	Pos
	Src, Dst int
	PG       int // priority class, 1 to 7
	SrcPort  uint16
	DstPort  uint16
	Bytes    int64
	// StartText is the start in seconds as written; Start is what it means.
	StartText string
	Start     sim.Time
}

// firstPort is the source port of the first flow of each pair of hosts.
const firstPort = 10000

// ParseFlows reads a flow file: a line with the count, then a line a flow.
// Source ports count up from 10000 for each pair of hosts.
func ParseFlows(in Input, t *Topology) ([]Flow, error) {
	l := in.lines(false)
	head := l.next()
	if head == nil {
		return nil, Pos{in.Name, 1, 1}.errorf("the file is empty; expected the number of flows")
	}
	if len(head) == 6 {
		return nil, head[0].errorf("the first line must hold the number of flows alone")
	}
	if err := fields(head, "count"); err != nil {
		return nil, err
	}
	headCount := head[0]
	count, err := headCount.integer("count", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	var flows []Flow
	next := map[[2]int]uint16{}
	for f := l.next(); f != nil; f = l.next() {
		x, err := t.flow(f)
		if err != nil {
			return nil, err
		}
		if int64(len(flows)) == count {
			return nil, f[0].errorf("more flows than the %d announced at %v", count, headCount.Pos)
		}
		pair := [2]int{x.Src, x.Dst}
		x.SrcPort = firstPort + next[pair]
		next[pair]++
		flows = append(flows, x)
	}
	if int64(len(flows)) < count {
		return nil, l.end().errorf("the file ends after %d flows; %d announced at %v", len(flows), count, headCount.Pos)
	}
	return flows, nil
}

func (t *Topology) flow(f []token) (x Flow, err error) {
	if len(f) == 5 {
		return x, f[4].errorf("the line has five fields; expected: src dst pg dport bytes start_s (some forks leave dport out: put 100)")
	}
	if err := fields(f, "src dst pg dport bytes start_s"); err != nil {
		return x, err
	}
	x.Pos = f[0].Pos
	if x.Src, err = t.host(f[0], "src"); err != nil {
		return x, err
	}
	if x.Dst, err = t.host(f[1], "dst"); err != nil {
		return x, err
	}
	if x.Src == x.Dst {
		return x, f[1].errorf("dst: a flow from host %d to itself", x.Src)
	}
	pg, err := f[2].integer("pg", 0, 7)
	if err != nil {
		return x, err
	}
	if pg == 0 {
		return x, f[2].errorf("pg: 0 is the control class (pause frames); flows take 1 to 7")
	}
	x.PG = int(pg)
	port, err := f[3].integer("dport", 0, math.MaxUint16)
	if err != nil {
		return x, err
	}
	x.DstPort = uint16(port)
	if x.Bytes, err = f[4].integer("bytes", 1, math.MaxInt64); err != nil {
		return x, err
	}
	if _, err := f[5].number("start_s", 0, 1e6); err != nil {
		return x, err
	}
	x.StartText = strings.Clone(f[5].text)
	s, _ := f[5].number("start_s", 0, 1e6)
	x.Start = sim.FromSeconds(s)
	return x, nil
}
