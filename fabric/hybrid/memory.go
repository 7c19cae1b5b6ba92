package hybrid

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// memory holds what is known of islands by their histories, as a tree: the root
// is the idle network; a child is reached when, at a given time after birth,
// flows of a given shape join over links of a given kind. Flows and links are
// numbered in the order in which they joined, so that islands alike in all but
// the names of their parts meet in the same node.
type memory struct {
	root  node
	nodes int32
}

// node is the state of an island after its last change from outside, and what
// follows from it as long as nothing else comes: one island on it is live and
// leads, those that came later follow.
type node struct {
	id       int32
	children map[[sha256.Size]byte]*node
	leader   *island
	streams  [][2]uint64 // random states of the links that joined here first
	ends     []end       // completions since the last change, in order
	till     sim.Time    // known up to here
	idleAt   sim.Time
	lucky    bool            // marks were drawn at random: no episode is like it
	outcome  *packet.Outcome // of the whole episode, once it has run to its end
}

// end is a completion: when, counted from birth, and of which flow, by the order
// of joining.
type end struct {
	at    sim.Time
	place int32
}

func (m *memory) init() { m.root.children = map[[sha256.Size]byte]*node{} }

// complete reports whether the episode has been seen to its end.
func (n *node) complete() bool { return n.outcome != nil }

// child returns the node that key leads to from n.
func (m *memory) child(n *node, key [sha256.Size]byte) *node {
	if n.children == nil {
		n.children = map[[sha256.Size]byte]*node{}
	}
	c := n.children[key]
	if c == nil {
		m.nodes++
		c = &node{id: m.nodes}
		n.children[key] = c
	}
	return c
}

// shape writes down a change so that equal text means the same to the packets:
// links and nodes by number, with everything that the packet engine looks at.
type shape struct {
	e     *Engine
	buf   []byte
	links map[fabric.LinkID]int64
	nodes map[fabric.NodeID]int64
}

func newShape(e *Engine) *shape {
	return &shape{e: e, links: map[fabric.LinkID]int64{}, nodes: map[fabric.NodeID]int64{}}
}

func (s *shape) put(xs ...int64) {
	for _, x := range xs {
		s.buf = binary.AppendVarint(s.buf, x)
	}
}

// island names a part that exists already: its node, its age and its links.
func (s *shape) island(is *island, now sim.Time) {
	s.put(int64(is.node.id), int64(now-is.birth))
	for _, l := range is.links {
		s.known(l)
	}
}

// known numbers a link that an earlier change has described.
func (s *shape) known(l fabric.LinkID) {
	x := &s.e.g.Links[l]
	s.number(x.A)
	s.number(x.B)
	s.links[l] = int64(len(s.links))
}

func (s *shape) number(n fabric.NodeID) (i int64, fresh bool) {
	i, ok := s.nodes[n]
	if !ok {
		i = int64(len(s.nodes))
		s.nodes[n] = i
	}
	return i, !ok
}

// link numbers and describes a link.
func (s *shape) link(l fabric.LinkID) {
	x := &s.e.g.Links[l]
	s.links[l] = int64(len(s.links))
	s.put(int64(x.Rate), int64(x.Delay))
	if x.BER > 0 {
		s.put(int64(l)) // errors strike each link by itself
	}
	for _, n := range []fabric.NodeID{x.A, x.B} {
		i, fresh := s.number(n)
		s.put(i)
		if fresh {
			d := &s.e.g.Nodes[n]
			s.put(int64(d.Kind), int64(d.Class), int64(d.Latency), int64(d.Limit), int64(len(s.e.g.PortsOf(n))))
		}
	}
}

// flow describes a flow and its ways.
func (s *shape) flow(f *packet.IslandFlow, c *conn) {
	x := f.Flow
	done := int64(0)
	if x.Done != nil {
		done = 1
	}
	s.put(x.Bytes, int64(x.Class), int64(len(f.QPs)), x.Lag, x.Slice, int64(x.MaxRate), int64(x.Delay), done, int64(len(x.Upstream)))
	for _, u := range x.Upstream {
		s.put(int64(u))
	}
	for _, p := range c.ports {
		if p < 0 {
			s.put(-1)
			continue
		}
		s.put(2*s.links[fabric.LinkID(p/2)] + int64(p&1))
	}
}

func (s *shape) key() [sha256.Size]byte { return sha256.Sum256(s.buf) }
