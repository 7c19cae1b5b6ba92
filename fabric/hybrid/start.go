package hybrid

import (
	"fmt"
	"slices"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/sim"
)

// joining is flows of one group that belong together, and the islands that they
// touch.
type joining struct {
	flows   []int // places in the group
	islands []*island
	links   []fabric.LinkID // that are free
}

// StartGroup starts flows at the kernel's now; see fabric.Network.
func (e *Engine) StartGroup(fs []fabric.Flow) []fabric.FlowID {
	now := e.k.Now()
	base := fabric.FlowID(len(e.flows))
	ids := make([]fabric.FlowID, len(fs))
	conns, numbers := make([]*conn, len(fs)), make([]uint32, len(fs))
	for i := range fs {
		f := &fs[i]
		if f.Bytes <= 0 || f.Src == f.Dst || f.Class > 7 || !e.cfg.Packet.Classes[f.Class].Enabled || f.QPs < 0 || f.Lag < 0 || f.Slice < 0 {
			panic(fmt.Sprintf("hybrid: flow %d -> %d of %d bytes, class %d, %d QPs, lag %d, slice %d", f.Src, f.Dst, f.Bytes, f.Class, f.QPs, f.Lag, f.Slice))
		}
		numbers[i] = e.pairs.Number(f)
		c, err := e.connection(f, numbers[i])
		if err != nil {
			panic("hybrid: " + err.Error())
		}
		conns[i] = c
		ids[i] = base + fabric.FlowID(i)
		e.flows = append(e.flows, flow{
			rec:  fabric.FlowRecord{Src: f.Src, Dst: f.Dst, Bytes: f.Bytes, Start: now + f.Delay, FCT: -1, Ideal: e.idealOf(f, c), Class: f.Class, QPs: uint8(f.QPCount()), SrcPort: f.SrcPort, Job: f.Job, Label: f.Label},
			done: f.Done,
		})
	}
	e.changed = true
	for _, j := range e.partition(fs, conns) {
		e.join(j, fs, conns, numbers, base, now)
	}
	return ids
}

// partition splits a group by shared links, relays and the islands that it
// touches. Parts come in the order of their first flows.
func (e *Engine) partition(fs []fabric.Flow, conns []*conn) []joining {
	up := make([]int32, len(fs)) // union-find over flows
	for i := range up {
		up[i] = int32(i)
	}
	find := func(x int32) int32 {
		for up[x] != x {
			up[x] = up[up[x]]
			x = up[x]
		}
		return x
	}
	union := func(a, b int32) {
		if a, b = find(a), find(b); a != b {
			up[max(a, b)] = min(a, b)
		}
	}
	byLink := map[fabric.LinkID]int32{}
	byIsland := map[*island]int32{}
	for i := range fs {
		for _, u := range fs[i].Upstream {
			union(int32(i), int32(u))
		}
		for _, l := range conns[i].links {
			if is := e.owner[l]; is != nil {
				if j, ok := byIsland[is]; ok {
					union(int32(i), j)
				} else {
					byIsland[is] = int32(i)
				}
			} else if j, ok := byLink[l]; ok {
				union(int32(i), j)
			} else {
				byLink[l] = int32(i)
			}
		}
	}
	var parts []joining
	at := map[int32]int{}
	for i := range fs {
		r := find(int32(i))
		p, ok := at[r]
		if !ok {
			p = len(parts)
			at[r] = p
			parts = append(parts, joining{})
		}
		j := &parts[p]
		j.flows = append(j.flows, i)
	}
	for p := range parts {
		j := &parts[p]
		e.mark++
		for _, i := range j.flows {
			for _, l := range conns[i].links {
				if e.seen[l] == e.mark {
					continue
				}
				e.seen[l] = e.mark
				if is := e.owner[l]; is == nil {
					j.links = append(j.links, l)
				} else if !slices.Contains(j.islands, is) {
					j.islands = append(j.islands, is)
				}
			}
		}
	}
	return parts
}

// join lets one part of a group start: on a new island, or on those that it
// touches, which become one.
func (e *Engine) join(j joining, fs []fabric.Flow, conns []*conn, numbers []uint32, base fabric.FlowID, now sim.Time) {
	s := step{at: now, links: j.links}
	place := map[int]int{}
	for x, i := range j.flows {
		place[i] = x
	}
	copies := make([]fabric.Flow, len(j.flows))
	for x, i := range j.flows {
		copies[x] = fs[i]
		f := &copies[x]
		f.Upstream = nil
		for _, u := range fs[i].Upstream {
			f.Upstream = append(f.Upstream, place[u])
		}
		s.flows = append(s.flows, packet.IslandFlow{Flow: f, ID: base + fabric.FlowID(i), Number: numbers[i], QPs: conns[i].qps})
	}
	var next *node
	glides := e.board(&j, &s, now)
	if !glides {
		next = e.place(j, &s, conns, now)
	}
	if next != nil && next.streams != nil {
		s.streams = next.streams // what is alike has the same luck
	} else {
		for _, l := range j.links {
			s.streams = append(s.streams, e.pe.Streams(l))
		}
		if next != nil {
			next.streams = s.streams
		}
	}
	is := e.unite(j.islands, now, next, glides)
	for _, l := range j.links {
		e.owner[l] = is
	}
	is.links = append(is.links, j.links...)
	for i := range s.flows {
		is.flows = append(is.flows, s.flows[i].ID)
	}
	is.node, is.cursor, is.fresh, is.idle = next, 0, true, false
	if next == nil {
		is.hist = nil
	} else {
		is.hist.steps = append(is.hist.steps, s)
		next.till = max(next.till, now-is.birth)
	}
	if is.run != nil {
		is.run.join(e, &s)
		if next != nil {
			next.leader = is
		}
	}
	e.catchUp(is, now)
}

// leaderless reports whether nobody knows how the node goes on.
func (n *node) leaderless() bool { return n.leader == nil && !n.complete() }

// place returns the node in the memory that a change leads to; nil if it is not
// to be remembered.
func (e *Engine) place(j joining, s *step, conns []*conn, now sim.Time) *node {
	if e.cfg.Exact || e.cfg.NoMemory || e.faulty {
		return nil
	}
	from := &e.memory.root
	steps := 1
	for _, is := range j.islands {
		if is.node == nil {
			return nil
		}
		steps += is.hist.size() + 1
	}
	if steps > maxHistory {
		return nil
	}
	x := newShape(e)
	if len(j.islands) > 0 {
		from = j.islands[0].node
		for _, is := range j.islands {
			x.island(is, now)
		}
	}
	x.put(-1, int64(len(j.links)))
	for _, l := range j.links {
		x.link(l)
	}
	for i := range s.flows {
		x.flow(&s.flows[i], conns[j.flows[i]])
	}
	n := e.memory.child(from, x.key())
	if n.lucky {
		return nil // what chance has decided is drawn anew
	}
	return n
}

// size returns the number of changes in h.
func (h *history) size() int {
	n := len(h.steps)
	for i := range h.steps {
		if m := h.steps[i].merged; m != nil {
			n += m.size()
		}
	}
	return n
}
