package reference

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/simnet/simnet/scenarios/hpcc"
	"github.com/simnet/simnet/sim"
)

//go:embed data
var data embed.FS

// Kind says how a case is compared.
type Kind uint8

// The kinds of case.
const (
	Exact Kind = iota
	Random
	HPCC
)

func (k Kind) String() string { return [...]string{"exact", "random", "hpcc"}[k] }

// Counters are totals of a run.
type Counters struct {
	DataHops, AckHops   float64 // packets over links
	Marks, Cuts         float64 // ECN marks on data, rate cuts of DCQCN
	Pauses, Drops       float64
	MaxQueue, MaxBuffer float64 // bytes: egress queue, shared use of a switch
}

// field returns the counter that a "expect" line names; nil if there is none.
func (c *Counters) field(name string) *float64 {
	return map[string]*float64{
		"data_hops": &c.DataHops, "ack_hops": &c.AckHops, "ecn_marks": &c.Marks, "rate_cuts": &c.Cuts,
		"pauses": &c.Pauses, "drops": &c.Drops, "max_queue": &c.MaxQueue, "max_buffer": &c.MaxBuffer,
	}[name]
}

// Case is one reference run.
type Case struct {
	Name   string
	Kind   Kind
	Inputs hpcc.Inputs
	FCT    []sim.Time // of the reference, in the order of the flows
	Want   Counters
	Seeds  []SeedRun // the reference with other seeds, if it was run
}

// SeedRun is the outcome of the reference with one seed of its marking.
type SeedRun struct {
	MeanFCT          sim.Time
	Marks, Cuts      float64
	Pauses, MaxQueue float64
}

// Cases returns all cases in order of name.
func Cases() ([]Case, error) {
	topologies, err := readTopologies()
	if err != nil {
		return nil, err
	}
	seeds, err := readSeeds()
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(data, "data/cases/*.txt")
	if err != nil {
		return nil, err
	}
	base, err := data.ReadFile("data/base.txt")
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, f := range files {
		c, err := readCase(f, base, topologies)
		if err != nil {
			return nil, fmt.Errorf("reference: %s: %w", f, err)
		}
		c.Seeds = seeds[c.Name]
		all = append(all, *c)
	}
	return all, nil
}

// records splits a file into lines of words, without comments.
func records(file string) ([][]string, error) {
	text, err := data.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
			out = append(out, f)
		}
	}
	return out, nil
}

// span parses "3" or "3..7".
func span(s string) (from, to int, err error) {
	a, b, ranged := strings.Cut(s, "..")
	if from, err = strconv.Atoi(a); err != nil {
		return 0, 0, err
	}
	if !ranged {
		return from, from, nil
	}
	to, err = strconv.Atoi(b)
	return from, to, err
}

// readTopologies returns the networks as the text of topology files.
func readTopologies() (map[string][]byte, error) {
	recs, err := records("data/topologies.txt")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	name, head, links := "", "", []string(nil)
	flush := func() {
		if name != "" {
			first, rest, _ := strings.Cut(head, "\n")
			out[name] = []byte(fmt.Sprintf("%s %d\n%s\n%s\n", first, len(links), rest, strings.Join(links, "\n")))
		}
	}
	for _, f := range recs {
		if f[0] == "topology" {
			flush()
			from, to, err := span(f[3])
			if err != nil {
				return nil, err
			}
			ids := make([]string, 0, to-from+1)
			for i := from; i <= to; i++ {
				ids = append(ids, strconv.Itoa(i))
			}
			name, links = f[1], nil
			head = fmt.Sprintf("%s %d\n%s", f[2], len(ids), strings.Join(ids, " "))
			continue
		}
		a, aEnd, err := span(f[1])
		if err != nil {
			return nil, err
		}
		b, bEnd, err := span(f[2])
		if err != nil {
			return nil, err
		}
		for n := range max(aEnd-a, bEnd-b) + 1 {
			links = append(links, fmt.Sprintf("%d %d %s %s 0", min(a+n, aEnd), min(b+n, bEnd), f[3], f[4]))
		}
	}
	flush()
	return out, nil
}

func readCase(file string, base []byte, topologies map[string][]byte) (*Case, error) {
	recs, err := records(file)
	if err != nil {
		return nil, err
	}
	c := &Case{Name: strings.TrimSuffix(path.Base(file), ".txt")}
	in := &c.Inputs
	changed := map[string]string{}
	var flows []string
	for _, f := range recs {
		switch f[0] {
		case "topology":
			in.Topology = hpcc.Input{Name: f[1], Data: topologies[f[1]]}
		case "config":
			changed[f[1]] = strings.Join(f[1:], " ")
		case "expect":
			v, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				return nil, err
			}
			*c.Want.field(f[1]) = v
		case "flow":
			v := strings.Split(f[1], ",")
			fct, err := strconv.ParseInt(v[4], 10, 64)
			if err != nil {
				return nil, err
			}
			c.FCT = append(c.FCT, sim.Time(fct)*sim.Nanosecond)
			flows = append(flows, fmt.Sprintf("%s %s 3 100 %s %s", v[0], v[1], v[2], v[3]))
		}
	}
	in.Flows = hpcc.Input{Name: c.Name + "/flow.txt", Data: []byte(fmt.Sprintf("%d\n%s\n", len(flows), strings.Join(flows, "\n")))}
	in.Config = hpcc.Input{Name: c.Name + "/config.txt", Data: overlay(base, changed)}
	c.Kind = kind(c.Name)
	return c, nil
}

// overlay replaces the lines of a config whose keys are in changed.
func overlay(base []byte, changed map[string]string) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(string(base)) {
		key, _, _ := strings.Cut(line, " ")
		if v, ok := changed[key]; ok {
			line = v + "\n"
		}
		b.WriteString(line)
	}
	return b.Bytes()
}

// kind follows from the congestion control that ends a case's name.
func kind(name string) Kind {
	switch {
	case strings.HasSuffix(name, "_hpcc"):
		return HPCC
	case strings.HasSuffix(name, "_dcqcn"), strings.HasSuffix(name, "_dcqcn_paper"):
		return Random
	}
	return Exact
}

func readSeeds() (map[string][]SeedRun, error) {
	text, err := data.ReadFile("data/seeds.csv")
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	col := func(name string) int { return slices.Index(rows[0], name) }
	out := map[string][]SeedRun{}
	for _, row := range rows[1:] {
		var v [5]float64
		for i, name := range []string{"fct_mean_ns", "ecn_marks", "rate_cuts", "pfc_pauses", "max_egress_queue"} {
			if v[i], err = strconv.ParseFloat(row[col(name)], 64); err != nil {
				return nil, err
			}
		}
		name := row[0]
		out[name] = append(out[name], SeedRun{sim.Time(v[0]) * sim.Nanosecond, v[1], v[2], v[3], v[4]})
	}
	return out, nil
}
