package engines

import (
	"embed"
	"fmt"
	"slices"

	"github.com/simnet/simnet/scenarios"
)

//go:embed data/*.yaml
var data embed.FS

// Family is a kind of run whose errors are averaged.
type Family string

// The families. A run belongs to all that apply to it.
const (
	Training    Family = "training step"
	AllReduce   Family = "ring all-reduce"
	AllToAll    Family = "all-to-all"
	Incast      Family = "incast"
	Permutation Family = "permutation"
	Poisson     Family = "random arrivals"
	Fault       Family = "link fault"
	SeveralJobs Family = "several jobs"
)

// Families lists all families in the order of the tables.
func Families() []Family {
	return []Family{Training, AllReduce, AllToAll, Incast, Permutation, Poisson, Fault, SeveralJobs}
}

// Case is one scenario that all engines run.
type Case struct {
	Name   string
	Family Family
	// Quick marks the cases that the tests run: seconds altogether.
	Quick bool
}

// Cases returns all cases, by family.
func Cases() []Case {
	return []Case{
		{"gpt-64", Training, false},
		{"gpt-64-overlap", Training, true},
		{"zero-64", Training, false},
		{"ring-64-256m", AllReduce, false},
		{"ring-64-4m", AllReduce, true},
		{"ring-256-256m", AllReduce, false},
		{"ring-256-16m", AllReduce, false},
		{"rings-of-4", AllReduce, false},
		{"alltoall-64-1m", AllToAll, false},
		{"alltoall-64-64k", AllToAll, true},
		{"alltoall-groups", AllToAll, false},
		{"incast-8", Incast, true},
		{"incast-32", Incast, true},
		{"incast-32-64k", Incast, true},
		{"permutation-64", Permutation, false},
		{"permutation-128-2m", Permutation, true},
		{"websearch-50", Poisson, false},
		{"hadoop-30", Poisson, true},
		{"fault-ring", Fault, false},
		{"fault-permutation", Fault, false},
		{"two-jobs", SeveralJobs, false},
	}
}

// load reads a case's scenario for one fidelity.
func load(name, fidelity string) (*scenarios.Valid, error) {
	file := name + ".yaml"
	text, err := data.ReadFile("data/" + file)
	if err != nil {
		return nil, fmt.Errorf("engines: no case %q", name)
	}
	return scenarios.Parse(file, text, []string{"run.fidelity=" + fidelity})
}

// choose returns the named cases, all if there are no names.
func choose(names []string) ([]Case, error) {
	all := Cases()
	if len(names) == 0 {
		return all, nil
	}
	var out []Case
	for _, n := range names {
		i := slices.IndexFunc(all, func(c Case) bool { return c.Name == n })
		if i < 0 {
			return nil, fmt.Errorf("engines: no case %q", n)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// FamiliesOf returns the families that a scenario belongs to, and what in it
// belongs to none.
func FamiliesOf(v *scenarios.Valid) (of []Family, none []string) {
	for i := range v.Jobs {
		switch j := &v.Jobs[i]; {
		case j.Training != nil:
			of = append(of, Training)
		case j.Trace != nil:
			none = append(none, "recorded operations")
		default:
			if f, ok := patterns[j.Traffic.Pattern.V]; ok {
				of = append(of, f)
			} else {
				none = append(none, "traffic "+j.Traffic.Pattern.V)
			}
		}
	}
	if len(v.Spec.Faults) > 0 {
		of = append(of, Fault)
	}
	if len(v.Jobs) > 1 {
		of = append(of, SeveralJobs)
	}
	order := Families()
	slices.SortFunc(of, func(a, b Family) int { return slices.Index(order, a) - slices.Index(order, b) })
	slices.Sort(none)
	return slices.Compact(of), slices.Compact(none)
}

// patterns maps traffic to families. A ring of plain flows is a permutation:
// each host sends to one other.
var patterns = map[string]Family{
	"all-reduce": AllReduce, "all-to-all": AllToAll, "incast": Incast, "permutation": Permutation, "ring": Permutation, "poisson": Poisson,
}
