package scenarios

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/packet"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/workload"
)

// Valid is a scenario in which every value is filled in and checked. The Spec
// in it is the effective configuration.
type Valid struct {
	Spec     Spec
	Dir      string   // where relative paths start
	Warnings []string // keys that have no effect, and other doubts
	Notes    []string // keys of the file that describe what this run does not follow

	Topology topo.Spec
	Hasher   fabric.Hasher
	Framing  fabric.Framing
	Packet   packet.Config // complete but for ECN, which needs the port rates
	Cluster  workload.Cluster
	Jobs     []ValidJob
}

// ValidJob is one job: exactly one of Training, Traffic and Trace is set.
type ValidJob struct {
	Name     string
	Spec     *JobSpec
	Training *workload.Job
	Traffic  *TrafficSpec
	Trace    *ValidTrace
}

// validation is the state of one Validate.
type validation struct {
	s    *Spec
	v    *Valid
	errs Errors
}

// Validate completes s from presets and defaults, checks everything that one
// value alone does not tell, and derives what the builder needs. dir is where
// relative paths start. It is the one place where defaults and rejections are.
func (s *Spec) Validate(dir string) (*Valid, error) {
	v := &Valid{Spec: *s, Dir: dir}
	c := &validation{s: &v.Spec, v: v}
	c.complete()
	if len(c.errs) == 0 {
		c.topology()
		c.transport()
		c.routing()
		c.cluster()
		c.jobs()
		c.recovery()
		c.run()
		c.faults()
	}
	c.errs.sort()
	if err := c.errs.err(); err != nil {
		return nil, err
	}
	c.effects()
	return v, nil
}

// warn notes something that a user should know, with its place.
func (c *validation) warn(at Origin, format string, args ...any) {
	c.v.Warnings = append(c.v.Warnings, at.Position()+": "+fmt.Sprintf(format, args...))
}

// need records an error where a key must be given and is not.
func (c *validation) need(sec *Section, where, key string, set bool) bool {
	if !set {
		c.errs.add(sec.At, "", "%s: key %q is missing", where, key)
	}
	return set
}

// fieldAt returns the origin of the value at a dotted path below spec, or the
// origin of the deepest section on the way that was written.
func fieldAt(spec any, path string, otherwise Origin) Origin {
	v := reflect.ValueOf(spec).Elem()
	at := otherwise
	for _, k := range strings.Split(path, ".") {
		k, _, _ = strings.Cut(k, "[")
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return at
			}
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return at
		}
		i := fieldByKey(v.Type(), k)
		if i < 0 {
			return at
		}
		v = v.Field(i)
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if l, ok := v.Addr().Interface().(leaf); ok {
			if o := l.origin(); o.Kind == FromFile || o.Kind == FromSet {
				return *o
			}
			return at
		}
		if s, ok := v.Addr().Interface().(section); ok && s.section().Written {
			at = s.section().At
		}
	}
	return at
}
