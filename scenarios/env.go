package scenarios

import (
	"fmt"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/simnet/simnet/workload/nccl"
)

// EnvVar is one variable of a job's environment.
type EnvVar struct {
	Name, Value string
	From        Origin
}

// EnvSpec holds NCCL_* variables in the order in which they are written.
type EnvSpec struct {
	Section
	Vars []EnvVar
}

func (e *EnvSpec) decodeNode(d *decoder, n *yaml.Node) {
	e.Section = Section{At: d.at(n), Written: true}
	if n.Kind != yaml.MappingNode {
		d.errs.add(d.at(n), "", "nccl: want a mapping of NCCL variables, got %s", nodeKind(n))
		return
	}
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if was := first[k.Value]; was != nil {
			d.errs.add(d.at(k), "", "nccl: key %q is given twice, first on line %d", k.Value, was.Line)
			continue
		}
		first[k.Value] = k
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			d.errs.add(d.at(v), "", "%s: want one value, got %s", k.Value, nodeKind(v))
			continue
		}
		if names := ncclNames(); !slices.Contains(names, k.Value) {
			d.errs.add(d.at(k), nearest(k.Value, names), "unknown NCCL variable %q", k.Value)
			continue
		}
		if _, _, err := nccl.ParseEnv(map[string]string{k.Value: v.Value}); err != nil {
			d.errs.add(d.at(v), "", "%v", err)
			continue
		}
		e.Vars = append(e.Vars, EnvVar{k.Value, v.Value, d.at(v)})
	}
}

func (e *EnvSpec) lines() []line {
	var out []line
	for i := range e.Vars {
		v := &e.Vars[i]
		text := v.Value
		if _, err := strconv.Atoi(text); err != nil {
			text = yamlText(text)
		}
		out = append(out, line{v.Name + ": " + text, &v.From})
	}
	return out
}

// ncclNames lists the variables that NCCL reads, modelled or not.
func ncclNames() []string { return append(nccl.ModelledVariables(), nccl.KnownVariables()...) }

// stepVariables are those that change a training step; nccl.Model, which
// answers for nccl-tests, follows more.
var stepVariables = []string{
	"NCCL_IB_QPS_PER_CONNECTION", "NCCL_BUFFSIZE", "NCCL_IB_TIMEOUT", "NCCL_IB_RETRY_CNT",
}

// env parses the variables together and lists what they do not do here; followed
// are those that the caller follows beyond stepVariables.
func (e *EnvSpec) env(errs *Errors, followed ...string) (nccl.Env, []string) {
	vars := map[string]string{}
	var warnings []string
	for _, v := range e.Vars {
		vars[v.Name] = v.Value
		if slices.Contains(stepVariables, v.Name) || slices.Contains(followed, v.Name) {
			continue
		}
		if slices.Contains(nccl.ModelledVariables(), v.Name) {
			warnings = append(warnings, fmt.Sprintf("%s: %s has no effect on a training step here; simnet nccl-test follows it", v.From, v.Name))
		}
	}
	env, w, err := nccl.ParseEnv(vars)
	if err != nil {
		errs.add(e.At, "", "nccl: %v", err)
	}
	return env, append(warnings, w...)
}

// get returns a variable, nil if it is not set.
func (e *EnvSpec) get(name string) *EnvVar {
	for i := range e.Vars {
		if e.Vars[i].Name == name {
			return &e.Vars[i]
		}
	}
	return nil
}
