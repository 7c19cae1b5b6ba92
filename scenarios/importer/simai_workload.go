package importer

import (
	"fmt"
	"math"
	"strings"
)

// SimAIWorkload is a workload text of SimAI (made by AICB): the layers that one
// GPU runs in one iteration.
type SimAIWorkload struct {
	TP, EP, PP int64
	VPP        int64 // layers of a stage, in spite of its name
	GA         int64 // micro-batches
	GPUs       int64
	PPBytes    int64   // sent between stages per micro-batch
	Checkpoint []int64 // layers whose activations are kept
	Initiate   []int64 // layers that start a recomputation
	Rows       []SimAIRow
	at         place
}

// SimAIRow is a layer.
type SimAIRow struct {
	Name     string
	Forward  SimAIPhase
	InputG   SimAIPhase // gradient of the input
	WeightG  SimAIPhase // gradient of the weights
	UpdateNs int64
}

// SimAIPhase is computation and the collective after it.
type SimAIPhase struct {
	Nanos      int64
	Collective string // "", "all_reduce", "all_gather", "reduce_scatter", "all_to_all"
	Group      string // "tp", "dp", "ep", "dp_ep"
	Bytes      int64
}

const simaiHead = "HYBRID_TRANSFORMER_FWD_IN_BCKWD"

// simaiCollectives by their name in the file, longest suffix apart.
var simaiCollectives = map[string]string{
	"ALLREDUCE": "all_reduce", "ALLGATHER": "all_gather", "REDUCESCATTER": "reduce_scatter", "ALLTOALL": "all_to_all",
}

func parseSimAIWorkload(s source, lines []textLine, warn *[]string) (*SimAIWorkload, error) {
	w := &SimAIWorkload{TP: 1, EP: 1, PP: 1, GA: 1}
	var rows [][]token
	var at []textLine
	for _, l := range lines {
		if f := l.fields(isBlank); len(f) > 0 {
			rows, at = append(rows, f), append(at, l)
		}
	}
	w.at = rows[0][0].at
	if rows[0][0].text != simaiHead {
		return nil, rows[0][0].errorf("policy %s is not read", short(rows[0][0].text)).hint("only %s", simaiHead)
	}
	if err := w.header(rows[0][1:], at[0], warn); err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, at[0].end().errorf("the file ends after its first line").hint("the number of rows follows")
	}
	if len(rows[1]) != 1 {
		return nil, rows[1][0].errorf("the second line holds %s, not the number of rows alone", plural(len(rows[1]), "word"))
	}
	n, err := rows[1][0].integer("number of rows", 1, 1<<30)
	if err != nil {
		return nil, err
	}
	for i, r := range rows[2:] {
		row, err := simaiRow(r, at[i+2])
		if err != nil {
			return nil, err
		}
		w.Rows = append(w.Rows, row)
	}
	if int64(len(w.Rows)) != n {
		return nil, rows[1][0].errorf("%d rows are announced, but there are %d", n, len(w.Rows)).hint("cut, or edited by hand?")
	}
	return w, w.check()
}

func (w *SimAIWorkload) header(f []token, l textLine, warn *[]string) error {
	keys := []string{"model_parallel_NPU_group:", "ep:", "pp:", "vpp:", "ga:", "all_gpus:", "checkpoints:", "checkpoint_initiates:", "pp_comm:", "mode:"}
	seen := map[string]bool{}
	i := 0
	value := func(key token, lo int64) (int64, error) {
		if i >= len(f) {
			return 0, l.end().errorf("%s without a value", key.text)
		}
		i++
		return f[i-1].integer(strings.TrimSuffix(key.text, ":"), lo, math.MaxInt64)
	}
	for i < len(f) {
		key := f[i]
		name := strings.TrimSuffix(key.text, ":") + ":"
		i++
		if seen[name] {
			return key.errorf("%s appears twice", name)
		}
		seen[name] = true
		var err error
		switch name {
		case "model_parallel_NPU_group:":
			w.TP, err = value(key, 1)
		case "ep:":
			w.EP, err = value(key, 1)
		case "pp:":
			w.PP, err = value(key, 1)
		case "vpp:":
			w.VPP, err = value(key, 0)
		case "ga:":
			w.GA, err = value(key, 1)
		case "all_gpus:":
			w.GPUs, err = value(key, 1)
		case "pp_comm:":
			w.PPBytes, err = value(key, 0)
		case "mode:":
			_, err = value(key, 0)
		case "checkpoints:", "checkpoint_initiates:":
			to := &w.Checkpoint
			if name != "checkpoints:" {
				to = &w.Initiate
			}
			var n int64
			if n, err = value(key, 0); err != nil {
				return err
			}
			for ; n > 0 && err == nil; n-- {
				var v int64
				v, err = value(key, 0)
				*to = append(*to, v)
			}
		default:
			return key.errorf("%s is not known in the header", short(key.text)).meant(name, keys)
		}
		if err != nil {
			return err
		}
	}
	for _, k := range keys[:3] {
		if !seen[k] {
			*warn = append(*warn, fmt.Sprintf("%s: no %s in the header; 1 is taken", l.at, strings.TrimSuffix(k, ":")))
		}
	}
	if w.GPUs == 0 {
		return l.end().errorf("no all_gpus in the header")
	}
	return nil
}

func simaiRow(f []token, l textLine) (SimAIRow, error) {
	r := SimAIRow{Name: f[0].text}
	const fields = 12
	if len(f) < fields {
		return r, l.end().errorf("row %s has %d fields of %d", short(r.Name), len(f), fields).
			hint("name dep fwd_ns fwd_type fwd_bytes ig_ns ig_type ig_bytes wg_ns wg_type wg_bytes update_ns")
	}
	if len(f) > fields {
		return r, f[fields].errorf("row %s has %d fields, more than %d", short(r.Name), len(f), fields).hint("a blank in the name?")
	}
	for i, p := range []*SimAIPhase{&r.Forward, &r.InputG, &r.WeightG} {
		name := []string{"forward", "input gradient", "weight gradient"}[i]
		t := f[2+3*i : 5+3*i]
		var err error
		if p.Nanos, err = t[0].integer(name+" time", 0, math.MaxInt64); err != nil {
			return r, err
		}
		if p.Bytes, err = t[2].integer(name+" bytes", 0, math.MaxInt64); err != nil {
			return r, err
		}
		if err := p.collective(t[1], i == 2); err != nil {
			return r, err
		}
	}
	var err error
	r.UpdateNs, err = f[11].integer("update time", 0, math.MaxInt64)
	return r, err
}

// collective splits ALLTOALL_EP into its operation and group. Without a suffix
// the place decides: tensor parallel, or data parallel for weight gradients.
func (p *SimAIPhase) collective(t token, weights bool) error {
	if t.text == "NONE" {
		p.Bytes = 0
		return nil
	}
	op, group := t.text, "tp"
	if weights {
		group = "dp"
	}
	for _, s := range []struct{ suffix, group string }{{"_DP_EP", "dp_ep"}, {"_EP", "ep"}} {
		if strings.HasSuffix(op, s.suffix) {
			op, group = strings.TrimSuffix(op, s.suffix), s.group
			break
		}
	}
	if simaiCollectives[op] == "" {
		return t.errorf("communication %s is not known", short(t.text)).
			meant(t.text, []string{"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "ALLTOALL_EP", "ALLGATHER_DP_EP", "REDUCESCATTER_DP_EP"})
	}
	p.Collective, p.Group = simaiCollectives[op], group
	return nil
}

func (w *SimAIWorkload) check() error {
	const most = 1 << 24
	if w.TP > most || w.PP > most || w.EP > most || w.GPUs > most {
		return w.at.errorf("a parallel size above %d", most)
	}
	if w.GPUs%(w.TP*w.PP) != 0 {
		return w.at.errorf("tp %d times pp %d does not divide %d GPUs", w.TP, w.PP, w.GPUs)
	}
	if dp := w.GPUs / (w.TP * w.PP); dp*w.TP%w.EP != 0 {
		return w.at.errorf("ep %d does not divide dp %d times tp %d", w.EP, dp, w.TP)
	}
	return nil
}
