package workload

import (
	"fmt"
	"slices"
	"strings"
)

// layout maps coordinates in the parallel dimensions to ranks, in Megatron-LM's
// way: the first dimension of the order varies fastest. Expert parallelism has
// no coordinate of its own: its groups are runs of EP ranks along data and
// context parallelism together.
type layout struct {
	p              Parallel
	tp, cp, dp, pp int // strides
}

// newLayout returns the layout of p, whose defaults must be filled in.
func newLayout(p Parallel) (layout, error) {
	l := layout{p: p}
	stride := 1
	seen := ""
	for _, d := range strings.Split(p.RankOrder, "-") {
		if strings.Contains(seen, d) {
			return l, fmt.Errorf("parallel.rank_order: %q lists %q twice", p.RankOrder, d)
		}
		seen += d + " "
		switch d {
		case "tp":
			l.tp, stride = stride, stride*p.TP
		case "cp":
			l.cp, stride = stride, stride*p.CP
		case "dp":
			l.dp, stride = stride, stride*p.DP
		case "pp":
			l.pp, stride = stride, stride*p.PP
		case "ep":
		default:
			return l, fmt.Errorf("parallel.rank_order: %q in %q is no dimension; it takes tp, cp, ep, dp and pp, as in tp-cp-ep-dp-pp", d, p.RankOrder)
		}
	}
	if l.tp*l.cp*l.dp*l.pp == 0 {
		return l, fmt.Errorf("parallel.rank_order: %q must name each of tp, cp, dp and pp, as in tp-cp-ep-dp-pp", p.RankOrder)
	}
	return l, nil
}

// rank returns the rank at the given coordinates.
func (l *layout) rank(t, c, d, s int) int { return t*l.tp + c*l.cp + d*l.dp + s*l.pp }

// replicas returns, for tensor rank t of stage s, the ranks that hold the same
// parameters (data and context parallel together) in order of rank.
func (l *layout) replicas(t, s int) []int {
	r := make([]int, 0, l.p.DP*l.p.CP)
	for d := range l.p.DP {
		for c := range l.p.CP {
			r = append(r, l.rank(t, c, d, s))
		}
	}
	slices.Sort(r)
	return r
}

// Group is a set of ranks that communicate, in ring order.
type Group []int

// Groups lists the groups of one job by kind.
type Groups struct {
	TP, CP, DP, PP []Group
	EP             []Group // of the expert all-to-all
	ExpertDP       []Group // of ranks that hold the same experts
}

// Groups returns the groups of p, each in order of rank, as Megatron-LM forms
// them. DP groups include the context-parallel ranks, over which gradients are
// reduced too.
func (p Parallel) Groups() (Groups, error) {
	p = p.withDefaults()
	l, err := newLayout(p)
	if err != nil {
		return Groups{}, err
	}
	var g Groups
	for s := range p.PP {
		for d := range p.DP {
			for c := range p.CP {
				var tp Group
				for t := range p.TP {
					tp = append(tp, l.rank(t, c, d, s))
				}
				g.TP = append(g.TP, tp)
			}
			for t := range p.TP {
				var cp Group
				for c := range p.CP {
					cp = append(cp, l.rank(t, c, d, s))
				}
				g.CP = append(g.CP, cp)
			}
		}
		for t := range p.TP {
			r := l.replicas(t, s)
			g.DP = append(g.DP, r)
			for i := 0; i < len(r); i += p.EP {
				g.EP = append(g.EP, slices.Clone(r[i:min(i+p.EP, len(r))]))
			}
			g.ExpertDP = append(g.ExpertDP, expertReplicas(r, p.EP)...)
		}
	}
	for d := range p.DP {
		for c := range p.CP {
			for t := range p.TP {
				var pp Group
				for s := range p.PP {
					pp = append(pp, l.rank(t, c, d, s))
				}
				g.PP = append(g.PP, pp)
			}
		}
	}
	return g, nil
}

// expertReplicas splits the replicas of one parameter shard into the groups
// that hold the same experts: every ep-th rank.
func expertReplicas(r []int, ep int) []Group {
	g := make([]Group, ep)
	for i, x := range r {
		g[i%ep] = append(g[i%ep], x)
	}
	return g
}
