package topo

import (
	"slices"

	"github.com/simnet/simnet/fabric"
)

// maxRingSearch bounds the members of a ring that is searched for: the number
// of orders grows with their factorial.
const maxRingSearch = 8

// Rings returns as many rings over the given GPUs as their NVLinks carry at
// once, each a directed order of the members that no other ring shares a
// direction of a link with: NCCL's channels. A ring of three or more is used in
// both directions. None if no ring of NVLinks passes all members, or if there
// are more than 8 of them.
func (s *Inside) Rings(members []int) [][]int {
	n := len(members)
	switch {
	case n < 2 || n > maxRingSearch:
		return nil
	case n == 2: // each link carries one ring: there and back
		var out [][]int
		for range s.NVLinks[members[0]][members[1]] {
			out = append(out, slices.Clone(members))
		}
		return out
	}
	left := make([][]int, s.GPUs)
	for a := range left {
		left[a] = slices.Clone(s.NVLinks[a])
	}
	most := maxRingSearch
	for _, a := range members {
		degree := 0
		for _, b := range members {
			degree += left[a][b]
		}
		most = min(most, degree/2)
	}
	var best, chosen [][]int
	// Cycles are numbered by their order, so that a set is tried once.
	cycles := s.cycles(members)
	var pick func(from int)
	pick = func(from int) {
		if len(chosen) > len(best) {
			best = slices.Clone(chosen)
		}
		for i := from; i < len(cycles) && len(best) < most; i++ {
			c := cycles[i]
			if !take(left, c, 1) {
				continue
			}
			chosen = append(chosen, c)
			pick(i)
			chosen = chosen[:len(chosen)-1]
			take(left, c, -1)
		}
	}
	pick(0)
	var out [][]int
	for _, c := range best {
		back := slices.Clone(c)
		slices.Reverse(back[1:])
		out = append(out, c, back)
	}
	return out
}

// take takes k links of every hop of a cycle from left, or none and returns
// false where they do not suffice.
func take(left [][]int, cycle []int, k int) bool {
	for i, a := range cycle {
		if left[a][cycle[(i+1)%len(cycle)]] < k {
			return false
		}
	}
	for i, a := range cycle {
		b := cycle[(i+1)%len(cycle)]
		left[a][b] -= k
		left[b][a] -= k
	}
	return true
}

// cycles lists the rings of NVLinks over members, each in one direction, in
// lexical order.
func (s *Inside) cycles(members []int) [][]int {
	n := len(members)
	var out [][]int
	order := []int{members[0]}
	used := map[int]bool{members[0]: true}
	var grow func()
	grow = func() {
		last := order[len(order)-1]
		if len(order) == n {
			if s.NVLinks[last][members[0]] > 0 && slices.Index(members, order[1]) < slices.Index(members, last) {
				out = append(out, slices.Clone(order))
			}
			return
		}
		for _, b := range members {
			if !used[b] && s.NVLinks[last][b] > 0 {
				used[b] = true
				order = append(order, b)
				grow()
				order = order[:len(order)-1]
				used[b] = false
			}
		}
	}
	grow()
	return out
}

// AllReduce returns the relay flows of a ring all-reduce of bytes over rings of
// equal shares, each hop on an NVLink that no other ring uses in that direction
// where there is one, or else over PCIe. f is copied into each flow.
func (n *InsideNet) AllReduce(rings [][]int, bytes int64, r *fabric.Routes, f fabric.Flow) ([]fabric.Flow, error) {
	var out []fabric.Flow
	used := make([]bool, len(n.Graph.Ports))
	for i, ring := range rings {
		m := int64(len(ring))
		share := bytes*int64(i+1)/int64(len(rings)) - bytes*int64(i)/int64(len(rings))
		base := len(out)
		for k, a := range ring {
			b := ring[(k+1)%len(ring)]
			x := f
			x.Src, x.Dst = n.GPU[a], n.GPU[b]
			x.Bytes, x.Lag = max(1, 2*(m-1)*share/m), max(1, share/m)
			x.Upstream = []int{base + (k+len(ring)-1)%len(ring)}
			for _, l := range n.links[a][b] {
				p := fabric.PortID(2 * l)
				if n.Graph.Ports[p].Node != x.Src {
					p++
				}
				if !used[p] {
					used[p], x.Path = true, []fabric.PortID{p}
					break
				}
			}
			if x.Path == nil {
				path, err := r.Path(nil, x.Src, x.Dst, fabric.QPHeader(&x, 0, 0))
				if err != nil {
					return nil, err
				}
				x.Path = path
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// Load adds up the payload of flows with given paths by port.
func (n *InsideNet) Load(flows []fabric.Flow) []int64 {
	load := make([]int64, len(n.Graph.Ports))
	for i := range flows {
		for _, p := range flows[i].Path {
			load[p] += flows[i].Bytes
		}
	}
	return load
}
