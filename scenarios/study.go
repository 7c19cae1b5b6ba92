package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
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
	From Origin            // where the study names it
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
	m := topKeys(file)
	_, base := m["scenario"]
	_, cluster := m["cluster"]
	return base && !cluster
}

// IsScenario reports whether the file looks like one scenario.
func IsScenario(file string) bool {
	m := topKeys(file)
	_, base := m["scenario"]
	_, cluster := m["cluster"]
	return cluster && !base
}

// StudyBase is the path of the scenario that a study varies, "" if it names none.
func StudyBase(file string) string {
	n := topKeys(file)["scenario"]
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	return resolve(filepath.Dir(file), n.Value)
}

// topKeys are the keys of a file's outermost mapping, none if it has no such.
func topKeys(file string) map[string]yaml.Node {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var m map[string]yaml.Node
	if yaml.Unmarshal(text, &m) != nil {
		return nil
	}
	return m
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
