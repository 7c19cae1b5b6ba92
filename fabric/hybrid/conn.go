package hybrid

import (
	"fmt"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// connKey identifies a connection: flows with equal keys take the same ways.
type connKey struct {
	src, dst   fabric.NodeID
	sport      uint16
	dport      uint16
	number, qp uint32
}

// conn is the ways of a connection's QPs and of the ACKs that answer them.
type conn struct {
	qps   []packet.QPRoute
	ports []int32         // all ways one after another, each ended by -1
	links []fabric.LinkID // that they use, each once, in order of first use

	bytes int64    // that ideal is for
	limit sim.Rate // and the flow's own cap
	ideal sim.Time
}

// connection finds the ways of flow f. Flows that bring their own paths or have
// a number of their own are not kept.
func (e *Engine) connection(f *fabric.Flow, number uint32) (*conn, error) {
	n := f.QPCount()
	key := connKey{f.Src, f.Dst, f.SrcPort, f.DstPort, number, uint32(n)}
	if f.SrcPort != 0 {
		key.number = 0
	}
	if f.Path == nil && f.AckPath == nil {
		if c := e.conns[key]; c != nil {
			return c, nil
		}
	}
	c := &conn{}
	e.mark++
	for q := range n {
		hd := fabric.QPHeader(f, number, q)
		fwd, err := e.pairs.Path(e.pathBuf[:0], f, number, q)
		if err != nil {
			return nil, err
		}
		if e.g.Ports[fwd[0]].Node != f.Src || e.g.Ports[fwd[len(fwd)-1]].Peer != f.Dst {
			return nil, fmt.Errorf("the path given does not lead from %s to %s", e.g.Nodes[f.Src].Name, e.g.Nodes[f.Dst].Name)
		}
		route := packet.QPRoute{Fwd: e.addWay(c, fwd)}
		back := fwd[:0]
		if f.AckPath != nil {
			back = append(back, f.AckPath...)
		} else if back, err = e.r.Path(back, f.Dst, f.Src, hd.Reverse()); err != nil {
			return nil, err
		}
		route.Back = e.addWay(c, back)
		c.qps = append(c.qps, route)
		e.pathBuf = back
	}
	for _, h := range []fabric.NodeID{f.Src, f.Dst} { // a NIC is one thing, with all its ports
		for _, p := range e.g.PortsOf(h) {
			e.use(c, p)
		}
	}
	if f.Path == nil && f.AckPath == nil && (f.SrcPort != 0 || number < keptNumbers) {
		e.conns[key] = c
	}
	return c, nil
}

// keptNumbers bounds how many ways of one pair of hosts are kept where every
// flow between them takes a way of its own.
const keptNumbers = 2

func (e *Engine) addWay(c *conn, path []fabric.PortID) int32 {
	for _, p := range path {
		c.ports = append(c.ports, int32(p))
		e.use(c, p)
	}
	c.ports = append(c.ports, -1)
	return e.pe.AddPath(path)
}

func (e *Engine) use(c *conn, p fabric.PortID) {
	l := e.g.Ports[p].Link
	if e.seen[l] != e.mark {
		e.seen[l] = e.mark
		c.links = append(c.links, l)
	}
}

// idealOf returns the completion time of f alone on the network.
func (e *Engine) idealOf(f *fabric.Flow, c *conn) sim.Time {
	if c.bytes != f.Bytes || c.limit != f.MaxRate {
		c.bytes, c.limit, c.ideal = f.Bytes, f.MaxRate, e.pe.IslandIdeal(f, c.qps)
	}
	return c.ideal
}
