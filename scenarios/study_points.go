package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// expand makes the points of a study, axes in order, the last varying fastest,
// seeds fastest of all.
func (s *StudySpec) expand(file string, extra []string, version string) (*Study, error) {
	defaults(s)
	var errs Errors
	if !s.Scenario.Set() {
		errs.add(s.At, "", "key %q is missing", "scenario")
		return nil, errs
	}
	def(&s.Name, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	if plainName(&errs, &s.Name); len(errs) > 0 {
		return nil, errs
	}
	st := &Study{Name: s.Name.V, Description: s.Description.V, File: file, Scenario: resolve(filepath.Dir(file), s.Scenario.V)}
	base, err := os.ReadFile(st.Scenario)
	if err != nil {
		errs.add(s.Scenario.From, "", "scenario: %v", readError(s.Scenario.V, err))
		return nil, errs
	}
	points := []draft{{from: s.At, at: map[string]string{}, sets: s.Set.List}}
	if len(s.Points) > 0 && len(s.Axes) > 0 {
		errs.add(s.Points[0].At.At, "", "axes and points are both given; a study is one or the other")
		return nil, errs
	}
	if len(s.Points) > 0 {
		points = s.listed(points[0], st)
	}
	for i := range s.Axes {
		a := &s.Axes[i]
		def(&a.Name, fmt.Sprintf("axis%d", i+1))
		st.Axes = append(st.Axes, a.Name.V)
		if len(a.Points) == 0 {
			errs.add(a.At, "", "axes[%d]: key %q is missing", i, "points")
			return nil, errs
		}
		points = cross(points, a)
	}
	if s.Seeds.Set() {
		var seeded []draft
		for _, p := range points {
			for _, seed := range s.Seeds.V {
				q := p.with("seed", fmt.Sprint(seed))
				q.sets = append(slices.Clone(p.sets), Assignment{fmt.Sprintf("seed=%d", seed), s.Seeds.From})
				seeded = append(seeded, q)
			}
		}
		points = seeded
	}
	named := map[string]bool{}
	for _, p := range points {
		if named[p.name] {
			errs.add(s.At, "", "two points are named %q; names tell the runs of a study apart", p.name)
			return nil, errs
		}
		named[p.name] = true
		pt, err := p.load(st.Scenario, base, extra, version)
		if err != nil {
			return nil, err
		}
		st.Points = append(st.Points, *pt)
	}
	if s.Curve != nil {
		if st.Curve, err = s.curve(st); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// listed makes the drafts of runs that are listed one by one.
func (s *StudySpec) listed(base draft, st *Study) []draft {
	var out []draft
	for i := range s.Points {
		x := &s.Points[i]
		q := base
		q.from = x.Section.At
		for _, a := range x.At.List {
			axis, point, _ := strings.Cut(a.Text, "=")
			q = q.with(axis, point)
			if !slices.Contains(st.Axes, axis) {
				st.Axes = append(st.Axes, axis)
			}
		}
		if x.Name.Set() {
			q.name = x.Name.V
		} else if q.name == "" {
			q.name = fmt.Sprint(i + 1)
		}
		q.sets = append(slices.Clone(base.sets), x.Set.List...)
		out = append(out, q)
	}
	return out
}

// curve checks that the axes of the curve exist.
func (s *StudySpec) curve(st *Study) (*Curve, error) {
	var errs Errors
	c := s.Curve
	if !c.Axis.Set() {
		errs.add(c.At, "", "curve: key %q is missing", "axis")
		return nil, errs
	}
	for _, v := range []*Val[string]{&c.Axis, &c.Series} {
		if v.Set() && !slices.Contains(st.Axes, v.V) {
			errs.add(v.From, nearest(v.V, st.Axes), "curve: there is no axis %q", v.V)
		}
	}
	var points []string
	for i := range st.Points {
		if p := st.Points[i].At[c.Axis.V]; !slices.Contains(points, p) {
			points = append(points, p)
		}
	}
	out := &Curve{Axis: c.Axis.V, Series: c.Series.V, Reference: c.Reference.V}
	if out.Reference == "" && len(points) > 0 {
		out.Reference = points[0]
	} else if !slices.Contains(points, out.Reference) {
		errs.add(c.Reference.From, nearest(out.Reference, points), "curve: axis %s has no point %q", c.Axis.V, out.Reference)
	}
	return out, errs.err()
}

// draft is a point in the making.
type draft struct {
	name string
	from Origin // where the study names it
	at   map[string]string
	sets []Assignment
}

func (p draft) with(axis, point string) draft {
	at := map[string]string{axis: point}
	for k, v := range p.at {
		at[k] = v
	}
	name := axis + "=" + point
	if p.name != "" {
		name = p.name + "," + name
	}
	return draft{name: name, from: p.from, at: at, sets: p.sets}
}

func cross(points []draft, a *AxisSpec) []draft {
	var out []draft
	for _, p := range points {
		for j := range a.Points {
			x := &a.Points[j]
			def(&x.Name, fmt.Sprint(j+1))
			q := p.with(a.Name.V, x.Name.V)
			q.from = x.Section.At
			q.sets = append(slices.Clone(p.sets), x.Set.List...)
			out = append(out, q)
		}
	}
	return out
}

// load makes the point's scenario and builds it once, since some mistakes show
// on the network alone: a study is wrong before its first run, not in the middle.
// Its errors are placed where the study makes the assignment.
func (p draft) load(scenario string, base []byte, extra []string, version string) (*Point, error) {
	pt := &Point{Name: p.name, At: p.at, From: p.from}
	for _, a := range p.sets {
		pt.Sets = append(pt.Sets, a.Text)
	}
	pt.Sets = append(pt.Sets, extra...)
	v, err := Parse(scenario, base, pt.Sets)
	if err != nil {
		return nil, p.place(err)
	}
	m, err := v.Build(BuildOptions{})
	if err != nil {
		return nil, p.place(err)
	}
	m.Kernel.Close()
	pt.Valid, pt.Seed = v, v.Spec.Seed.V
	pt.Hash = v.Hash(version)
	return pt, nil
}

// place puts the errors of a point where the study makes its assignments.
func (p draft) place(err error) error {
	es, ok := err.(Errors)
	if !ok {
		es = Errors{{At: p.from, Msg: err.Error()}}
	}
	for _, e := range es {
		for _, a := range p.sets {
			if e.At.Kind == FromSet && e.At.Name == a.Text {
				e.At = a.From
				e.Msg = a.Text + ": " + e.Msg
			}
		}
		if p.name != "" {
			e.Msg = "point " + p.name + ": " + e.Msg
		}
	}
	return es
}
