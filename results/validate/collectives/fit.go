package collectives

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl"
)

// Group is a set of families that share one calibration: one kind of node.
type Group struct {
	Name     string
	Families []string // whose calibrate rows it is fitted on
	Keys     []nccl.Key
	// Harnesses whose overhead the group's small rows also fix.
	Harnesses []Harness
}

// Groups are the fits behind the shipped calibrations, in the order in which
// they run: a harness fitted by one is used by the next.
var Groups = []Group{
	{
		Name: "h100", Families: []string{"h100-node", "h100-2node", "h100-scan-anchor"},
		Keys: []nccl.Key{nccl.LaunchUS, nccl.StepScale, nccl.RingFillUS, nccl.NVLSEff, nccl.NVLSFill, nccl.NVLSTreeEff,
			nccl.NVLSTreeFill, nccl.ChannelGBs},
		Harnesses: []Harness{Torch},
	},
	{
		Name: "b200", Families: []string{"b200-node", "b200-node-sendrecv", "gb300-node", "b200-2node-sendrecv"},
		Keys: []nccl.Key{nccl.LaunchUS, nccl.StepScale, nccl.RingFillUS, nccl.NVLSEff, nccl.NVLSFill,
			nccl.ChannelGBs, nccl.P2PEff, nccl.P2PFillUS, nccl.PeerUS, nccl.NICStreams},
	},
	{
		Name: "a100", Families: []string{"a100-node", "a100-2node"},
		Keys: []nccl.Key{nccl.StepScale, nccl.RingEff, nccl.RingFillUS, nccl.TreeRatio, nccl.TreeLL128,
			nccl.TreeFill},
		Harnesses: []Harness{OneProcess},
	},
	{Name: "a40", Families: []string{"a40-bridge"}, Keys: []nccl.Key{nccl.RingEff}},
	{Name: "mi300x", Families: []string{"mi300x-node"}, Keys: []nccl.Key{nccl.LaunchUS, nccl.StepScale, nccl.RingEff, nccl.RingFillUS}},
}

// Weight of the sizes between the two bands that have a target.
const middleWeight = .25

// GroupFit is the outcome of one group.
type GroupFit struct {
	Group
	nccl.FitResult
	HarnessUS map[Harness]float64
}

// Fit repeats the calibration of every group from the calibrate rows alone,
// starting from the values that an architecture without rows inherits.
func Fit() ([]GroupFit, error) {
	rows, err := Rows()
	if err != nil {
		return nil, err
	}
	harness := HarnessUS
	var out []GroupFit
	for _, g := range Groups {
		f, err := g.fit(rows, &harness)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
		out = append(out, f)
	}
	return out, nil
}

// fit alternates between the group's parameters and its harness overheads,
// which are medians of what remains.
func (g Group) fit(rows []Row, harness *[numHarnesses]float64) (GroupFit, error) {
	var samples []nccl.Sample
	var of []Harness
	var cal nccl.Calibration
	models := map[string]*nccl.Model{}
	base := map[string]Harness{}
	for _, r := range rows {
		if r.Role != Calibrate {
			continue
		}
		c, err := clusterOf(r.Log, r.Nodes)
		if err != nil {
			return GroupFit{}, err
		}
		if !slices.Contains(g.Families, c.Family) {
			continue
		}
		m, ok := models[r.Log]
		if !ok {
			if m, err = c.bare(); err != nil {
				return GroupFit{}, err
			}
			models[r.Log], base[r.Log] = m, c.Harness
			if len(samples) == 0 {
				cal = m.Cal
			}
		}
		w := 1.0
		if bandOf(r.Bytes) == MiddleBand {
			w = middleWeight
		}
		samples = append(samples, nccl.Sample{Model: m, Op: r.Collective, Bytes: r.Bytes, TimeUS: r.TimeUS, Weight: w})
		of = append(of, base[r.Log])
	}
	if len(samples) == 0 {
		return GroupFit{}, fmt.Errorf("no calibrate rows in %s", strings.Join(g.Families, ", "))
	}
	source := strings.Join(g.Families, ", ")
	out := GroupFit{Group: g, HarnessUS: map[Harness]float64{}}
	for range 4 {
		adjusted := slices.Clone(samples)
		for i := range adjusted {
			adjusted[i].TimeUS = max(1, adjusted[i].TimeUS-harness[of[i]])
		}
		res, err := nccl.Fit(cal, g.Keys, adjusted, source)
		if err != nil {
			return out, err
		}
		if out.Rows > 0 {
			res.Before = out.Before
		}
		cal, out.FitResult = res.Cal, res
		for _, h := range g.Harnesses {
			var rest []float64
			for i, s := range samples {
				if of[i] == h && s.Bytes <= 512<<10 {
					t, _ := s.Model.Time(s.Op, s.Bytes)
					rest = append(rest, s.TimeUS-t.Seconds()*1e6)
				}
			}
			if len(rest) > 0 {
				slices.Sort(rest)
				harness[h] = max(0, rest[len(rest)/2])
				out.HarnessUS[h] = harness[h]
			}
		}
	}
	return out, nil
}

// bare is the model of the cluster without its harness's overhead.
func (c Cluster) bare() (*nccl.Model, error) {
	m, err := c.model(0)
	return m, err
}

// model builds the model with an overhead of call us.
func (c Cluster) model(call float64) (*nccl.Model, error) {
	v, err := nccl.ParseVersion(c.Version)
	if err != nil {
		return nil, err
	}
	env, _, err := nccl.ParseEnv(c.Env)
	if err != nil {
		return nil, err
	}
	s := c.Shape
	s.HostCall = sim.Time(call * float64(sim.Microsecond))
	return nccl.NewModel(s, v, env)
}
