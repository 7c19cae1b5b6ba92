package spell

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"spine", "spine", 0}, {"spinez", "spines", 1}, {"spnie", "spine", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, // alignment: no edit inside a swap
	} {
		if d := Distance(c.a, c.b); d != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, d, c.want)
		}
	}
}

// TestDistanceProperties: it is symmetric, zero for equal words alone, and no
// more than the longer word.
func TestDistanceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching("[abc]{0,8}").Draw(t, "a"), rapid.StringMatching("[abc]{0,8}").Draw(t, "b")
		d := Distance(a, b)
		if d != Distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) || d < max(len(a)-len(b), len(b)-len(a)) {
			t.Fatalf("Distance(%q, %q) = %d, back %d", a, b, d, Distance(b, a))
		}
	})
}
