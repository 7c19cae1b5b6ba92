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
	// Large marks rings and steps that reduce 256 MiB a rank and more, where
	// hybrid promises far fewer events.
	Large bool
	// Most is how many draws make chance small against the targets; 0: usualDraws.
	Most int
}

// Cases returns all cases, by family.
func Cases() []Case {
	return []Case{
		{Name: "gpt-64", Family: Training, Large: true, Most: 16},
		{Name: "gpt-64-overlap", Family: Training, Quick: true, Most: 64},
		{Name: "zero-64", Family: Training, Large: true, Most: 24},
		{Name: "ring-64-256m", Family: AllReduce, Large: true, Most: 24},
		{Name: "ring-64-4m", Family: AllReduce, Quick: true},
		{Name: "ring-64-1g", Family: AllReduce, Large: true, Most: 12},
		{Name: "ring-256-256m", Family: AllReduce, Large: true, Most: 12},
		{Name: "ring-256-16m", Family: AllReduce},
		{Name: "rings-of-4", Family: AllReduce, Most: 48},
		{Name: "rings-of-4-512m", Family: AllReduce, Large: true, Most: 16},
		{Name: "alltoall-64-1m", Family: AllToAll},
		{Name: "alltoall-64-64k", Family: AllToAll, Quick: true},
		{Name: "alltoall-groups", Family: AllToAll, Most: 48},
		{Name: "incast-8", Family: Incast, Quick: true},
		{Name: "incast-32", Family: Incast, Quick: true},
		{Name: "incast-32-64k", Family: Incast, Quick: true},
		{Name: "permutation-64", Family: Permutation, Most: 128},
		{Name: "permutation-128-2m", Family: Permutation, Quick: true},
		{Name: "websearch-50", Family: Poisson},
		{Name: "hadoop-30", Family: Poisson, Quick: true},
		{Name: "fault-ring", Family: Fault, Most: 32},
		{Name: "fault-permutation", Family: Fault, Most: 64},
		{Name: "two-jobs", Family: SeveralJobs, Large: true, Most: 24},
	}
}

// usualDraws is enough where hybrid is packets but for moments.
const usualDraws = 8

// draws is how many of the n draws asked for a case gets: a large one, which takes
// packets from a quarter of a minute to two, half of them, and none more than it
// needs.
func (c *Case) draws(n int) int {
	if c.Large {
		n = (n + 1) / 2
	}
	most := c.Most
	if most == 0 {
		most = usualDraws
	}
	return max(1, min(n, most))
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
