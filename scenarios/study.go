package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// StudySpec is a study as written: a scenario and the values to try.
type StudySpec struct {
	Section
	Name        Val[string] `yaml:"name" doc:"short name"`
	Description Val[string] `yaml:"description" default:""`
	Scenario    Val[string] `yaml:"scenario" doc:"the base scenario, relative to this file"`
	Set         AssignSpec  `yaml:"set" doc:"assignments that all points share: key.path: value"`
	Axes        []AxisSpec  `yaml:"axes" doc:"the study is their product"`
	Points      []PointSpec `yaml:"points" doc:"runs listed one by one, instead of axes"`
	Seeds       Val[[]int]  `yaml:"seeds" doc:"each point runs with each seed; the spread gives error bars"`
	Curve       *CurveSpec  `yaml:"curve" doc:"a scaling curve to draw over one axis"`
}

// AxisSpec is one dimension of a study.
type AxisSpec struct {
	Section
	Name   Val[string] `yaml:"name" doc:"used in the names of points"`
	Points []PointSpec `yaml:"points"`
}

// PointSpec is one position on an axis, or one run: assignments made together.
type PointSpec struct {
	Section
	Name Val[string] `yaml:"name"`
	At   AssignSpec  `yaml:"at" doc:"of a run in points: where it lies on each axis, axis: value"`
	Set  AssignSpec  `yaml:"set" doc:"key.path: value"`
}

// CurveSpec names the axis of a scaling curve.
type CurveSpec struct {
	Section
	Axis   Val[string] `yaml:"axis" doc:"what grows: gpus"`
	Series Val[string] `yaml:"series" doc:"axis whose points are curves of their own"`
	// Reference is the point that efficiency is relative to.
	Reference Val[string] `yaml:"reference" doc:"point of the axis; default: the first"`
}

// Assignment is one key.path=value with where it was written.
type Assignment struct {
	Text string
	From Origin
}

// AssignSpec is a mapping of key paths to values.
type AssignSpec struct {
	Section
	List []Assignment
}

func (a *AssignSpec) decodeNode(d *decoder, n *yaml.Node) {
	a.Section = Section{At: d.at(n), Written: true}
	if n.Kind != yaml.MappingNode {
		d.errs.add(d.at(n), "", "set: want a mapping of key.path to value, got %s", nodeKind(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if seen[k.Value] {
			d.errs.add(d.at(k), "", "set: key %q is given twice", k.Value)
		}
		seen[k.Value] = true
		text := v.Value
		if v.Kind != yaml.ScalarNode {
			flow := *v
			flow.Style = yaml.FlowStyle
			b, err := yaml.Marshal(&flow)
			if err != nil {
				d.errs.add(d.at(v), "", "set: %v", err)
				continue
			}
			text = strings.TrimSpace(string(b))
		} else if v.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			text = yamlText(text)
		}
		a.List = append(a.List, Assignment{k.Value + "=" + text, d.at(k)})
	}
}

// Study is a study that has been checked: every point loads.
type Study struct {
	Name, Description, File string
	Scenario                string // path of the base scenario
	Points                  []Point
	Axes                    []string
	Curve                   *Curve
}

// Curve describes the scaling curve of a study.
type Curve struct {
	Axis, Series, Reference string
}

// Point is one run of a study.
type Point struct {
	Name string            // gpus=256,mode=strong,seed=1
	At   map[string]string // axis: point
	Seed uint64
	Sets []string // assignments as --set takes them, in order
	// Hash is the content address: equal effective scenario, engine version and
	// seed give the same 64 hexadecimal digits.
	Hash  string
	Valid *Valid
}

// LoadStudy reads a study and loads every point of it. extra are assignments
// that come after the study's own; version names the engines, so that results
// of other versions are not reused.
func LoadStudy(file string, extra []string, version string) (*Study, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, readError(file, err)
	}
	s := &StudySpec{}
	if err := decodeFile(file, text, nil, s); err != nil {
		return nil, err
	}
	return s.expand(file, extra, version)
}

// IsStudy reports whether the file looks like a study rather than a scenario.
func IsStudy(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var m map[string]yaml.Node
	if yaml.Unmarshal(text, &m) != nil {
		return false
	}
	_, base := m["scenario"]
	_, cluster := m["cluster"]
	return base && !cluster
}

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
	points := []draft{{at: map[string]string{}, sets: s.Set.List}}
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
	return draft{name: name, at: at, sets: p.sets}
}

func cross(points []draft, a *AxisSpec) []draft {
	var out []draft
	for _, p := range points {
		for j := range a.Points {
			x := &a.Points[j]
			def(&x.Name, fmt.Sprint(j+1))
			q := p.with(a.Name.V, x.Name.V)
			q.sets = append(slices.Clone(p.sets), x.Set.List...)
			out = append(out, q)
		}
	}
	return out
}

// load makes the point's scenario. Its errors are placed where the study makes
// the assignment.
func (p draft) load(scenario string, base []byte, extra []string, version string) (*Point, error) {
	pt := &Point{Name: p.name, At: p.at}
	for _, a := range p.sets {
		pt.Sets = append(pt.Sets, a.Text)
	}
	pt.Sets = append(pt.Sets, extra...)
	v, err := Parse(scenario, base, pt.Sets)
	if err != nil {
		if es, ok := err.(Errors); ok {
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
		}
		return nil, err
	}
	pt.Valid, pt.Seed = v, v.Spec.Seed.V
	pt.Hash = v.Hash(version)
	return pt, nil
}

// Hash is the content address of a scenario's results: SHA-256, in
// hexadecimal, of the effective configuration (which holds the seed), of the
// files that it refers to, and of the version of the engines.
func (v *Valid) Hash(version string) string {
	h := sha256.New()
	fmt.Fprintf(h, "simnet %s\n", version)
	h.Write(v.Canonical())
	if f := v.Spec.Cluster.Fabric.File; f.Set() {
		if b, err := os.ReadFile(resolve(v.Dir, f.V)); err == nil {
			h.Write(b)
		}
	}
	for i := range v.Spec.Jobs {
		if t := v.Spec.Jobs[i].Trace; t != nil {
			for _, f := range t.Files.V {
				if b, err := os.ReadFile(resolve(v.Dir, f)); err == nil {
					h.Write(b)
				}
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SHA256 is Hash without a version: it identifies the scenario alone.
func (v *Valid) SHA256() string { return v.Hash("") }
