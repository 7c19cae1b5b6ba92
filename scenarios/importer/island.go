package importer

import "sort"

// components returns the connected sets of two and more vertices, ascending.
func components(lanes [][]int) [][]int {
	n := len(lanes)
	seen := make([]bool, n)
	var out [][]int
	for s := range n {
		if seen[s] {
			continue
		}
		seen[s] = true
		set := []int{s}
		for i := 0; i < len(set); i++ {
			for j := range n {
				if !seen[j] && lanes[set[i]][j] > 0 {
					seen[j] = true
					set = append(set, j)
				}
			}
		}
		if len(set) > 1 {
			sort.Ints(set)
			out = append(out, set)
		}
	}
	return out
}

// exactCliques is the largest component whose cliques are searched fully: 3^8
// maximal cliques at worst. Larger ones are grown greedily (a rack of NVLink
// GPUs is one clique, which greed finds).
const exactCliques = 24

// cliqueCover cuts a component into sets of pairwise joined vertices: the
// largest first, of equals the one with most lanes, then the lowest numbers.
// Sets of one are left out.
func cliqueCover(component []int, lanes [][]int) [][]int {
	left := append([]int(nil), component...)
	var out [][]int
	for len(left) > 1 {
		best := bestClique(left, lanes)
		if len(best) < 2 {
			break
		}
		out = append(out, best)
		left = without(left, best)
	}
	return out
}

func bestClique(set []int, lanes [][]int) []int {
	if isClique(set, lanes) {
		return set
	}
	if len(set) > exactCliques {
		return greedyClique(set, lanes)
	}
	var best []int
	bestLanes := 0
	consider := func(c []int) {
		if len(c) < len(best) {
			return
		}
		l := laneSum(c, lanes)
		if len(c) > len(best) || l > bestLanes || l == bestLanes && lessInts(c, best) {
			best, bestLanes = append([]int(nil), c...), l
		}
	}
	// Candidates are taken in ascending order, so each clique is met once.
	var grow func(c, cand []int)
	grow = func(c, cand []int) {
		consider(c)
		for i, v := range cand {
			if len(c)+len(cand)-i < len(best) {
				return
			}
			var next []int
			for _, w := range cand[i+1:] {
				if lanes[v][w] > 0 {
					next = append(next, w)
				}
			}
			grow(append(c[:len(c):len(c)], v), next)
		}
	}
	grow(nil, set)
	return best
}

func greedyClique(set []int, lanes [][]int) []int {
	var best []int
	for _, s := range set {
		c := []int{s}
		for _, v := range set {
			if v == s {
				continue
			}
			ok := true
			for _, w := range c {
				ok = ok && lanes[v][w] > 0
			}
			if ok {
				c = append(c, v)
			}
		}
		if len(c) > len(best) {
			sort.Ints(c)
			best = c
		}
	}
	return best
}

func isClique(set []int, lanes [][]int) bool {
	for i, a := range set {
		for _, b := range set[i+1:] {
			if lanes[a][b] == 0 {
				return false
			}
		}
	}
	return true
}

func laneSum(set []int, lanes [][]int) int {
	sum := 0
	for i, a := range set {
		for _, b := range set[i+1:] {
			sum += lanes[a][b]
		}
	}
	return sum
}

func lessInts(a, b []int) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return i < len(b) && a[i] < b[i]
		}
	}
	return false
}

func without(set, drop []int) []int {
	gone := map[int]bool{}
	for _, d := range drop {
		gone[d] = true
	}
	var out []int
	for _, v := range set {
		if !gone[v] {
			out = append(out, v)
		}
	}
	return out
}
