package training

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

//go:embed data/*.csv
var data embed.FS

// Role says what a row may be used for.
type Role string

// The roles of rows.
const (
	Calibrate Role = "calibrate"
	Predict   Role = "predict"
)

// Metric is what a row measures.
type Metric string

// The metrics. TFLOP/s are per GPU.
const (
	HardwareTFLOPs Metric = "TFLOP/s (hardware)" // recomputation counted
	ModelTFLOPs    Metric = "TFLOP/s (model)"
	CausalTFLOPs   Metric = "TFLOP/s (model, causal)" // masked scores not counted
	StepSeconds    Metric = "s"
	MFU            Metric = "% MFU"
)

// Row is one measured figure and the run behind it.
type Row struct {
	Family   string
	Name     string
	Role     Role
	Metric   Metric
	Measured float64
	GPUs     int
	Platform *Platform
	Job      workload.Job
	// Micro and Virtual list micro-batch sizes and virtual stages to choose
	// from where they are not published: the model's fastest that fits is
	// taken, as the authors tuned theirs.
	Micro, Virtual []int
}

// value converts a step to the row's metric.
func (r *Row) value(res *workload.Result) float64 {
	var sum sim.Time
	for _, s := range res.Steps {
		sum += s
	}
	step := sum.Seconds() / float64(len(res.Steps))
	perGPU := 1e-12 / step / float64(res.GPUs)
	switch r.Metric {
	case HardwareTFLOPs:
		return res.HardwareFLOPs * perGPU
	case ModelTFLOPs:
		return res.ModelFLOPs * perGPU
	case CausalTFLOPs:
		return r.Job.Model.CausalFLOPs(r.Job.Batch.Global) * perGPU
	case MFU:
		return 100 * res.ModelFLOPs / step / res.PeakFLOPs
	default:
		return step
	}
}

// Run runs the row's job with the given parameters and returns the predicted
// value and the step's result.
func (r *Row) Run(p Params) (float64, *workload.Result, error) {
	var best *workload.Result
	var first error
	for _, j := range r.choices() {
		res, err := r.runOnce(j, p)
		switch {
		case err != nil && first == nil:
			first = err
		case err == nil && (best == nil || res.Steps[0] < best.Steps[0]):
			best = res
		}
	}
	if best == nil {
		return 0, nil, fmt.Errorf("%s: %w", r.Name, first)
	}
	return r.value(best), best, nil
}

// choices returns the jobs that the row may stand for.
func (r *Row) choices() []workload.Job {
	micro, virtual := r.Micro, r.Virtual
	if micro == nil {
		micro = []int{r.Job.Batch.Micro}
	}
	if virtual == nil {
		virtual = []int{r.Job.Parallel.VirtualStages}
	}
	var jobs []workload.Job
	for _, b := range micro {
		for _, v := range virtual {
			j := r.Job
			j.Batch.Micro, j.Parallel.VirtualStages = b, v
			j.Parallel.OverlapP2P = j.Parallel.OverlapP2P && v > 1 // Megatron-LM, arguments.py: not without interleaving
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// complete adds what the job takes from the platform and its parameters.
func (r *Row) complete(j workload.Job, p Params) workload.Job {
	j.Transport.PairRate = PairRate
	j.StepOverhead = sim.FromSeconds(p.OverheadMS / 1000)
	j.SMContention = float64(Channels) / float64(r.Platform.GPU.SMs)
	j.P2PContention = float64(P2PChannels) / float64(r.Platform.GPU.SMs)
	return j
}

func (r *Row) runOnce(j workload.Job, p Params) (*workload.Result, error) {
	j = r.complete(j, p)
	j.Symmetric = true // the network has no contention
	k := sim.NewKernel()
	c := r.Platform.Cluster(r.GPUs, p)
	net, err := r.network(k, c, &j)
	if err != nil {
		return nil, err
	}
	t, err := workload.New(k, net, c, j)
	if err != nil {
		return nil, err
	}
	t.Start()
	if err := k.Run(); err != nil {
		return nil, err
	}
	res := t.Result()
	if res.Unfinished {
		return nil, fmt.Errorf("step did not finish: %v", k.Waiting())
	}
	return &res, nil
}

// record is one line of a data file by column name.
type record map[string]string

func (r record) int(k string) int {
	n, err := strconv.Atoi(r[k])
	if err != nil {
		panic(fmt.Sprintf("training: column %s: %v", k, err))
	}
	return n
}

func (r record) float(k string) float64 {
	f, err := strconv.ParseFloat(r[k], 64)
	if err != nil {
		panic(fmt.Sprintf("training: column %s: %v", k, err))
	}
	return f
}

// read returns the lines of an embedded file. It panics if one is malformed:
// the files are part of the program.
func read(name string) []record {
	b, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("training: " + err.Error())
	}
	c := csv.NewReader(strings.NewReader(string(b)))
	c.Comment = '#'
	lines, err := c.ReadAll()
	if err != nil {
		panic("training: " + name + ": " + err.Error())
	}
	var out []record
	for _, l := range lines[1:] {
		r := record{}
		for i, k := range lines[0] {
			r[k] = l[i]
		}
		out = append(out, r)
	}
	return out
}

func model(name string) workload.Model {
	m, err := workload.FindModel(name)
	if err != nil {
		panic("training: " + err.Error())
	}
	return m
}

func role(calibrate bool) Role {
	if calibrate {
		return Calibrate
	}
	return Predict
}
