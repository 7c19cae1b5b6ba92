package scenarios

import (
	"slices"
	"strings"

	"github.com/simnet/simnet/sim/spell"
)

// Nearest is the candidate that word is probably a slip of, "" if none is near.
func Nearest(word string, candidates []string) string { return nearest(word, candidates) }

// nearest returns the candidate closest to word by edit distance, or "" if
// none is near enough to be a slip: at most a third of the word, and at least
// one edit.
func nearest(word string, candidates []string) string {
	w := strings.ToLower(word)
	best, bestD := "", len(w)/3+2
	for _, c := range candidates {
		lc := strings.ToLower(c)
		if strings.ReplaceAll(lc, "_", "-") == strings.ReplaceAll(w, "_", "-") {
			return c
		}
		d := spell.Distance(w, lc)
		if d < bestD {
			best, bestD = c, d
		}
	}
	if best == "" { // the same words in another order: "spine-leaf"
		for _, c := range candidates {
			if sameWords(w, strings.ToLower(c)) {
				return c
			}
		}
	}
	if best == "" { // a part that was left out: "congestion" for "congestion_control"
		for _, c := range candidates {
			if len(w) >= 3 && (strings.HasPrefix(strings.ToLower(c), w) || strings.HasPrefix(w, strings.ToLower(c)) && len(c) >= 3) {
				return c
			}
		}
	}
	return best
}

// sameWords reports whether a and b are the same parts in any order.
func sameWords(a, b string) bool {
	split := func(s string) []string {
		p := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' })
		slices.Sort(p)
		return p
	}
	return slices.Equal(split(a), split(b))
}
