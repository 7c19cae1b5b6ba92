package hpcc

import (
	"math"
	"strings"

	"github.com/simnet/simnet/fabric"
)

// givenPath is one line of a paths file.
type givenPath struct {
	Pos
	nodes []int
}

type pathKey struct {
	src, dst int
	sport    uint16
}

// parsePaths reads a paths file: "src dst sport bytes start_s a-b-c" a line.
func parsePaths(in Input, t *Topology) (map[pathKey]givenPath, error) {
	l := in.lines(true)
	m := map[pathKey]givenPath{}
	for f := l.next(); f != nil; f = l.next() {
		if err := fields(f, "src dst sport bytes start_s path"); err != nil {
			return nil, err
		}
		src, err := t.host(f[0], "src")
		if err != nil {
			return nil, err
		}
		dst, err := t.host(f[1], "dst")
		if err != nil {
			return nil, err
		}
		sport, err := f[2].integer("sport", 0, math.MaxUint16)
		if err != nil {
			return nil, err
		}
		k := pathKey{src, dst, uint16(sport)}
		if old, twice := m[k]; twice {
			return nil, f[0].errorf("the path of flow %d to %d from port %d is given twice; first at %v", src, dst, sport, old.Pos)
		}
		p := givenPath{Pos: f[5].Pos}
		at := f[5].Column
		for _, s := range strings.Split(f[5].text, "-") {
			v, err := token{Pos{in.Name, f[5].Line, at}, s}.integer("node", 0, int64(t.Nodes-1))
			if err != nil {
				return nil, err
			}
			p.nodes = append(p.nodes, int(v))
			at += len(s) + 1
		}
		if p.nodes[0] != src || p.nodes[len(p.nodes)-1] != dst {
			return nil, f[5].errorf("the path leads from %d to %d, the flow from %d to %d", p.nodes[0], p.nodes[len(p.nodes)-1], src, dst)
		}
		m[k] = p
	}
	return m, nil
}

// ports turns the nodes of a path into ports. Of parallel links each hop takes
// one by the hash of the header.
func (p *givenPath) ports(g *fabric.Graph, r *fabric.Routes, hd fabric.Header) ([]fabric.PortID, error) {
	path := make([]fabric.PortID, 0, len(p.nodes)-1)
	var same []fabric.PortID
	for i := 1; i < len(p.nodes); i++ {
		a, b := fabric.NodeID(p.nodes[i-1]), fabric.NodeID(p.nodes[i])
		same = same[:0]
		for _, q := range g.PortsOf(a) {
			if g.Ports[q].Peer == b {
				same = append(same, q)
			}
		}
		if len(same) == 0 {
			return nil, p.errorf("path: there is no link between %d and %d", a, b)
		}
		if i > 1 && g.Nodes[a].Kind.Host() {
			return nil, p.errorf("path: host %d does not forward", a)
		}
		path = append(path, same[r.Pick(a, hd, len(same))])
	}
	return path, nil
}
