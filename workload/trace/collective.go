package trace

import (
	"fmt"

	"github.com/simnet/simnet/workload"
)

type groupComm struct {
	comm   *workload.Comm
	member map[int]int // rank: member
}

// shares checks what a collective says of the ranks of its group.
func (g *Graph) shares(i int) error {
	o := &g.j.Ops[i]
	if o.Kind != Collective {
		return nil
	}
	gc := g.comms[o.Group]
	if o.Root != nil {
		if _, ok := gc.member[*o.Root]; !ok {
			return &OpError{i, fmt.Sprintf("%s has root %d, which is not in its group", g.j.label(i), *o.Root)}
		}
	}
	if n := len(o.Split); n > 0 && n != len(gc.member) {
		return &OpError{i, fmt.Sprintf("%s is split over %d ranks, its group has %d", g.j.label(i), n, len(gc.member))}
	}
	return nil
}

// collective issues a rank's part in the next operation of its group.
func (g *Graph) collective(i int) {
	o := &g.j.Ops[i]
	gc := g.comms[o.Group]
	share := workload.Share{Bytes: o.Bytes, Root: workload.NoRoot, Split: o.Split}
	if o.Collective == workload.AllGather { // the output, n times the input
		share.Bytes *= int64(len(gc.member))
	}
	if o.Root != nil {
		share.Root = gc.member[*o.Root]
	}
	done, err := gc.comm.Issue(gc.member[o.Rank], o.Collective, share, string(o.Collective))
	if err != nil {
		g.k.Fail(fmt.Errorf("job %s: rank %d, %s, %v", g.j.Name, o.Rank, g.j.label(i), err))
		return
	}
	g.bytes += o.Bytes
	done.Then(g.k, func() {
		g.end(i)
		g.drain()
	})
}
