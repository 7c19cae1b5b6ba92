package importer

import (
	"sort"
	"strconv"
	"strings"
)

func (r *sonicReader) wred() error {
	t, err := r.table("WRED_PROFILE")
	if err != nil {
		return err
	}
	for _, name := range t.keys {
		row := t.vals[name]
		w := SonicWRED{Name: name, ECN: "ecn_none"}
		if v := row.get("ecn"); v != nil {
			w.ECN = v.text
			if modes := []string{"ecn_none", "ecn_all", "ecn_green", "ecn_yellow", "ecn_red", "ecn_green_yellow", "ecn_green_red", "ecn_yellow_red"}; !contains(modes, w.ECN) {
				return v.at.errorf("ecn %s of %s", short(w.ECN), name).meant(w.ECN, modes)
			}
		}
		for _, f := range []struct {
			key string
			to  *int64
		}{{"green_min_threshold", &w.Kmin}, {"green_max_threshold", &w.Kmax}, {"green_drop_probability", &w.PmaxPct}} {
			if *f.to, err = field(row, f.key, 0, 0); err != nil {
				return err
			}
		}
		if w.Kmin > w.Kmax {
			return row.get("green_min_threshold").at.errorf("green_min_threshold %d of %s is above green_max_threshold %d", w.Kmin, name, w.Kmax)
		}
		if w.PmaxPct > 100 {
			return row.get("green_drop_probability").at.errorf("green_drop_probability of %s is %d, more than 100 percent", name, w.PmaxPct)
		}
		r.s.WRED = append(r.s.WRED, w)
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// classes reads "3,4" or "3-4".
func classes(t token) ([]int, error) {
	var out []int
	for _, part := range strings.Split(t.text, ",") {
		lo, hi, span := strings.Cut(strings.TrimSpace(part), "-")
		if part == "" && t.text == "" {
			return nil, nil
		}
		a, err := strconv.Atoi(lo)
		b := a
		if err == nil && span {
			b, err = strconv.Atoi(hi)
		}
		if err != nil || a < 0 || b > 7 || b < a {
			return nil, t.errorf("%s is not a list of classes", short(t.text)).hint("0 to 7, for instance 3,4 or 3-4")
		}
		for c := a; c <= b; c++ {
			out = append(out, c)
		}
	}
	sort.Ints(out)
	return out, nil
}
