package trace

import (
	"fmt"
	"slices"

	"github.com/simnet/simnet/sim"
)

// mailbox holds what one rank has not matched yet, oldest first.
type mailbox struct {
	sent   []*message // to the rank, no receive has asked for it
	posted []int32    // receives that no message has come for
}

type message struct {
	op      int // the send
	arrived *sim.Event
	held    bool // its bytes wait for the receive
}

// matches reports whether a receive takes the message of a send.
func (g *Graph) matches(send, recv int) bool {
	s, r := &g.j.Ops[send], &g.j.Ops[recv]
	return (r.Peer == Any || r.Peer == s.Rank) && (r.Tag == Any || s.Tag == Any || r.Tag == s.Tag)
}

func (g *Graph) send(i int) {
	o := &g.j.Ops[i]
	m := &message{i, sim.NewEvent(1), o.Bytes > g.j.eager()}
	g.messages++
	g.bytes += o.Bytes
	m.arrived.Then(g.k, func() {
		g.end(i)
		g.drain()
	})
	if !m.held {
		g.leave(m)
	}
	box := &g.ranks[o.Peer].box
	for n, r := range box.posted {
		if g.matches(i, int(r)) {
			box.posted = slices.Delete(box.posted, n, n+1)
			g.join(m, int(r))
			return
		}
	}
	box.sent = append(box.sent, m)
}

func (g *Graph) receive(i int) {
	box := &g.ranks[g.j.Ops[i].Rank].box
	for n, m := range box.sent {
		if g.matches(m.op, i) {
			box.sent = slices.Delete(box.sent, n, n+1)
			g.join(m, i)
			return
		}
	}
	box.posted = append(box.posted, int32(i))
}

// leave gives the bytes of a message to the network.
func (g *Graph) leave(m *message) {
	o := &g.j.Ops[m.op]
	g.mover.Send(g.j.gpu(o.Rank), g.j.gpu(o.Peer), o.Bytes, o.NIC, "send", m.arrived)
}

// join ends a receive when its message has arrived.
func (g *Graph) join(m *message, recv int) {
	if m.held {
		m.held = false
		g.leave(m)
	}
	if g.j.Ops[recv].Bytes < g.j.Ops[m.op].Bytes {
		if g.short++; g.firstShort < 0 {
			g.firstShort = recv
		}
	}
	m.arrived.Then(g.k, func() {
		g.end(recv)
		g.drain()
	})
}

// leftovers warns of messages that nobody received, or that did not fit.
func (g *Graph) leftovers() []string {
	var w []string
	n, first := 0, -1
	for r := range g.ranks {
		for _, m := range g.ranks[r].box.sent {
			if n++; first < 0 {
				first = m.op
			}
		}
	}
	if n > 0 && g.left == 0 {
		o := &g.j.Ops[first]
		w = append(w, fmt.Sprintf("job %s: %d messages were sent and never received, the first by rank %d, %s to rank %d, tag %d", g.j.Name, n, o.Rank, g.j.label(first), o.Peer, o.Tag))
	}
	if g.short > 0 {
		o := &g.j.Ops[g.firstShort]
		w = append(w, fmt.Sprintf("job %s: %d receives are smaller than the message that came, the first of rank %d, %s of %d B", g.j.Name, g.short, o.Rank, g.j.label(g.firstShort), o.Bytes))
	}
	return w
}

// Stuck implements Player.
func (g *Graph) Stuck(n int) []string {
	if g.left == 0 {
		return nil
	}
	var out []string
	for i := range g.j.Ops {
		if len(out) < n && g.state[i] == opRunning {
			out = append(out, g.why(i))
		}
	}
	return out
}

// why says what a running operation waits for.
func (g *Graph) why(i int) string {
	o := &g.j.Ops[i]
	s := fmt.Sprintf("rank %d waits in %s", o.Rank, g.j.label(i))
	switch o.Kind {
	case Recv:
		from := "any rank"
		if o.Peer != Any {
			from = fmt.Sprintf("rank %d", o.Peer)
		}
		s += fmt.Sprintf(" for %d B from %s, tag %d", o.Bytes, from, o.Tag)
		if slices.Contains(g.ranks[o.Rank].box.posted, int32(i)) {
			s += ": no send matches" + g.instead(i)
		}
	case Send:
		if slices.ContainsFunc(g.ranks[o.Peer].box.sent, func(m *message) bool { return m.op == i && m.held }) {
			s += fmt.Sprintf(" of %d B for a receive of rank %d, tag %d (more than the %d B that leave without one)", o.Bytes, o.Peer, o.Tag, g.j.eager())
		}
	case Collective:
		gc := g.comms[o.Group]
		mine := gc.comm.Issued(gc.member[o.Rank])
		for r := range g.j.Ranks {
			if m, ok := gc.member[r]; ok && gc.comm.Issued(m) < mine {
				group := o.Group
				if group == "" {
					group = "all ranks"
				}
				s += fmt.Sprintf(" of group %s: rank %d has issued %d of its collectives, it %d", group, r, gc.comm.Issued(m), mine)
				break
			}
		}
	}
	return s
}

// instead names what was sent that the receive does not take, or would be sent
// later.
func (g *Graph) instead(recv int) string {
	o := &g.j.Ops[recv]
	for _, m := range g.ranks[o.Rank].box.sent {
		if s := &g.j.Ops[m.op]; o.Peer == Any || s.Rank == o.Peer {
			return fmt.Sprintf(" (rank %d has sent %s with tag %d)", s.Rank, g.j.label(m.op), s.Tag)
		}
	}
	for i := range g.j.Ops {
		if s := &g.j.Ops[i]; s.Kind == Send && s.Peer == o.Rank && g.state[i] == opWaiting && g.matches(i, recv) {
			return fmt.Sprintf(" (%s of rank %d would, but waits itself)", g.j.label(i), s.Rank)
		}
	}
	return ""
}
