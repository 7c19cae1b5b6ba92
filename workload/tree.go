package workload

import (
	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// treeParent returns the parent of position r in the in-order binary tree over
// n positions whose root is 0; -1 for the root. Odd positions are leaves, and a
// position's height is its number of trailing zero bits.
func treeParent(r, n int) int {
	if r == 0 {
		return -1
	}
	bit := r & -r
	up := (r ^ bit) | bit<<1
	if up >= n {
		up = r ^ bit
	}
	return up
}

// secondTree maps a position of the second of two trees to the member at it, so
// that leaves of one tree are inner members of the other: a mirror image where
// n is even, a shift where it is odd (Sanders, Speck, Träff, Parallel Computing
// 2009; NCCL 2.4).
func secondTree(r, n int) int {
	if n%2 == 0 {
		return n - 1 - r
	}
	return (r + 1) % n
}

// tree appends the relay flows of an all-reduce of s bytes over a double binary
// tree of domains to buf and returns it: each tree reduces half of every rail's
// share towards its root, a member's upward flow following the slowest of its
// children, and broadcasts the sum back down.
func (t *Training) tree(buf []fabric.Flow, pl *groupPlan, s int64, label string, done *sim.Event) []fabric.Flow {
	m := len(pl.rails[0])
	rails := int64(len(pl.rails))
	half := max(1, ceilDiv(ceilDiv(s, rails), 2))
	limit := t.j.Transport.MaxRate
	delay := t.c.HostOverhead + sim.Time(pl.n)*t.j.Transport.RankOverhead
	if pl.inner > 1 { // a chain inside each domain, there and back
		limit = minRate(limit, pl.inside.BusBW/sim.Rate(rails))
		delay += sim.Time(2*(pl.inner-1)) * pl.inside.Alpha
	}
	add := func(src, dst fabric.NodeID, upstream []int) int {
		f := t.flow(src, dst, half, label, done)
		f.Upstream, f.Slice, f.MaxRate, f.Delay = upstream, t.j.Transport.Slice, limit, delay
		buf = append(buf, f)
		return len(buf) - 1
	}
	for _, nics := range pl.rails {
		for second := range 2 {
			at := func(r int) fabric.NodeID {
				if second == 1 {
					r = secondTree(r, m)
				}
				return nics[r]
			}
			children := make([][]int, m)
			for r := 1; r < m; r++ {
				p := treeParent(r, m)
				children[p] = append(children[p], r)
			}
			up, down := make([]int, m), make([]int, m)
			var climb func(r int) []int // the upward flows into r
			climb = func(r int) []int {
				var in []int
				for _, c := range children[r] {
					up[c] = add(at(c), at(r), climb(c))
					in = append(in, up[c])
				}
				return in
			}
			sum := climb(0)
			var descend func(r int, from []int)
			descend = func(r int, from []int) {
				for _, c := range children[r] {
					down[c] = add(at(r), at(c), from)
					descend(c, []int{down[c]})
				}
			}
			descend(0, sum)
		}
	}
	return buf
}
