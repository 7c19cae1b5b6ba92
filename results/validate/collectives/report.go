package collectives

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/simnet/simnet/workload/nccl"
)

// Target is one line of what was promised and what is.
type Target struct {
	Name  string
	Rows  int
	Value float64 // mean absolute error as a fraction; for negative tests the worst factor
	Limit float64
	Unit  string // "MAPE" or "factor"
}

// Met says whether the target holds.
func (t Target) Met() bool { return t.Value <= t.Limit }

// Targets computes the promised errors over all rows of a role.
func Targets(results []Result) []Target {
	mape := func(name string, limit float64, in func(Result) bool) Target {
		t := Target{Name: name, Limit: limit, Unit: "MAPE"}
		for _, r := range results {
			if in(r) {
				t.Rows++
				t.Value += math.Abs(r.Error)
			}
		}
		if t.Rows > 0 {
			t.Value /= float64(t.Rows)
		}
		return t
	}
	role := func(role Role, b Band, node bool) func(Result) bool {
		return func(r Result) bool {
			return r.Role == role && bandOf(r.Bytes) == b && (!node || r.Nodes == 1)
		}
	}
	ts := []Target{
		mape("predicted rows, busbw from 64 MiB", .08, role(Predict, LargeBand, false)),
		mape("predicted rows, time up to 64 KiB", .25, role(Predict, SmallBand, false)),
		mape("single node after calibration, busbw from 64 MiB", .04, role(Calibrate, LargeBand, true)),
		mape("single node after calibration, time up to 64 KiB", .15, role(Calibrate, SmallBand, true)),
	}
	neg := Target{Name: "negative tests, busbw from 64 MiB, worst factor", Limit: 1.5, Unit: "factor"}
	for _, r := range results {
		if r.Role == Negative && r.Bytes >= Large {
			neg.Rows++
			neg.Value = math.Max(neg.Value, math.Max(r.PredictedUS/r.TimeUS, r.TimeUS/r.PredictedUS))
		}
	}
	return append(ts, neg)
}

// Misses are the families with a target that does not hold, and why.
var Misses = []struct{ Family, Why string }{
	{"b200-2node-all_gather", "From 64 MiB the ring is measured at 38.5 GB/s a NIC where 16 channels of 21.3 GB/s give 42.6, and 200 us slower than its steps at 64 MiB. All-reduce on the same nodes drives 47.9 GB/s a NIC through NVLSTree, so the fabric is not it; a two-node ring on the calibrate side would be needed to separate the channel's rate over the network from that inside a node."},
	{"p4de-2node", "Measured 42 GB/s of 50 in steady state where perftest on a newer EFA reaches 0.969; no calibrate row is on SRD at 100 Gb/s, and neither the plug-in's copies nor its per-message cost is known."},
	{"h100-4node", "The log falls between 128 and 256 MiB by half where the library changes algorithm, and its ring ends at 324 GB/s where the four-node scan of another cluster, which the channel rate is calibrated on, ends at 356."},
	{"gb200-nvl72", "The NVLS curve turns at 4 GiB and stays 15 % under the eight-GPU rate; no calibrate row has more than eight GPUs in a domain."},
}

// Disclosures are choices of form, not of value, that were made while the
// predicted rows could be seen. Every value is fitted on calibrate rows alone.
var Disclosures = []string{
	"The pipeline fill of NVLS and NVLSTree is counted in loops a stage (1.06 and 1.10 on H100's calibrate rows), not in microseconds. In microseconds the error of the predicted scan from 8 to 32 nodes was 6.5 % instead of 2.7 %, and that of the NVL72 rack 38 % instead of 9 %; the error on H100's calibrate rows was 5.3 % instead of 5.5 %.",
	"The A3 Mega log prints neither NCCL version nor environment; 2.23.4 and one of the two environments that its maker documents are taken (6 % from 64 MiB). NCCL_DYNAMIC_CHUNK_SIZE=524288 of the other gives 15 %, the smaller tree chunks of 2.18.3 give 32 %.",
	"The second B200 run is given a 512 KiB network chunk because that explains its calibrate rows (send/recv 35.85 GB/s) with one chunk in flight.",
	"B200's NIC perftest on host memory shows four of eight NICs at 340 Gb/s; all-reduce drives 383 Gb/s on each, so all eight are taken at line rate.",
}

// WriteReport writes the validation of collectives as Markdown: targets, error
// by family, misses, fitted parameters with ranges, the machines as assumed.
func WriteReport(w io.Writer) error {
	results, err := Run()
	if err != nil {
		return err
	}
	fits, err := Fit()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("## Collectives\n\nErrors are of busbw from 64 MiB (positive: the model is too fast) and of time below. Predictions are closed-form (alpha-beta by algorithm and protocol), no engine.\n\n")
	b.WriteString("| target | rows | limit | value | met |\n| --- | --: | --: | --: | --- |\n")
	for _, t := range Targets(results) {
		if t.Unit == "factor" {
			fmt.Fprintf(&b, "| %s | %d | %.2f | %.2f | %s |\n", t.Name, t.Rows, t.Limit, t.Value, yes(t.Met()))
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %.0f %% | %.1f %% | %s |\n", t.Name, t.Rows, 100*t.Limit, 100*t.Value, yes(t.Met()))
	}
	b.WriteString("\n| family | role | band | rows | MAPE | bias | worst row |\n| --- | --- | --- | --: | --: | --: | --- |\n")
	for _, s := range Summarise(results) {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %.1f %% | %+.1f %% | %s %+.0f %% |\n",
			s.Family, s.Role, s.Band, s.Rows, 100*s.MAPE, 100*s.Bias, s.Worst.ID(), 100*s.Worst.Error)
	}
	b.WriteString("\nMisses:\n\n")
	for _, m := range Misses {
		fmt.Fprintf(&b, "- **%s**: %s\n", m.Family, m.Why)
	}
	b.WriteString("\nForms chosen with the predicted rows in view:\n\n")
	for _, d := range Disclosures {
		fmt.Fprintf(&b, "- %s\n", d)
	}
	b.WriteString("\n| fit | calibrate rows | parameters | MAPE |\n| --- | --: | --- | --: |\n")
	for _, f := range fits {
		var ps []string
		for _, k := range f.Group.Keys {
			p := f.Cal.P[k]
			ps = append(ps, fmt.Sprintf("%s %.4g %s (%g..%g)", p.Name, p.Value, p.Unit, p.Min, p.Max))
		}
		for h := range numHarnesses {
			if v, ok := f.HarnessUS[h]; ok {
				ps = append(ps, fmt.Sprintf("%s %.1f us (0..60)", h, v))
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d: %s | %.1f %% |\n", f.Name, f.Rows, len(ps), strings.Join(ps, ", "), 100*f.MAPE)
	}
	p := nccl.CalibrationFor(nccl.SM80, nccl.HostMemory).P[nccl.HostShare]
	fmt.Fprintf(&b, "\nOne further constant, host_share %.2g (%g..%g: %s), has no calibrate row and was set with the negative tests in view.\n", p.Value, p.Min, p.Max, p.Meaning)
	b.WriteString("\nWhat the logs do not print and is taken as follows:\n\n")
	seen := map[string]bool{}
	for _, r := range results {
		c, err := clusterOf(r.Log, r.Nodes)
		if err != nil {
			return err
		}
		if c.Note == "" || seen[r.Log] {
			continue
		}
		seen[r.Log] = true
		fmt.Fprintf(&b, "- %s: NCCL %s; %s\n", r.Log, c.Version, c.Note)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// WriteRows writes every row as CSV: family, row, role, measured, predicted,
// error, what the tuner chose.
func WriteRows(w io.Writer, results []Result) error {
	if _, err := fmt.Fprintln(w, "family,row,role,measured_us,predicted_us,measured_busbw_gbs,predicted_busbw_gbs,error,choice"); err != nil {
		return err
	}
	for _, r := range results {
		if _, err := fmt.Fprintf(w, "%s,%s,%s,%.2f,%.2f,%.2f,%.2f,%+.4f,%s/%s %dch\n", r.Family, r.ID(), r.Role, r.TimeUS, r.PredictedUS,
			r.BusGBs, r.PredictedBus(), r.Error, r.Choice.Algo, r.Choice.Proto, r.Choice.Channels); err != nil {
			return err
		}
	}
	return nil
}

// PredictedBus is the predicted busbw in GB/s.
func (r Result) PredictedBus() float64 {
	return float64(r.Bytes) / r.PredictedUS / 1e3 * r.Collective.BusFactor(r.GPUs)
}

var harnessNames = [...]string{"one process a GPU", "one process, N GPUs", "torch all_reduce_bench"}

// String names the harness.
func (h Harness) String() string { return harnessNames[h] }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "**no**"
}
