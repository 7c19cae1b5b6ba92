package scenarios

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/simnet/simnet/scenarios/importer"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
	"github.com/simnet/simnet/workload/nccl"
	"github.com/simnet/simnet/workload/trace"
)

func intText(n int) string { return strconv.Itoa(n) }

// ValidTrace is a trace as its player takes it: exactly one of the two is set.
type ValidTrace struct {
	Graph  *trace.Job
	Layers *trace.Layers
}

// player makes the trace's player on a network.
func (t *ValidTrace) player(m *Machine) (trace.Player, error) {
	if t.Layers != nil {
		return trace.NewLayers(m.Kernel, m.Net, m.Cluster, *t.Layers)
	}
	return trace.New(m.Kernel, m.Net, m.Cluster, *t.Graph)
}

// traceKeys are the keys of a job that a trace reads.
var traceKeys = []string{"name", "start", "trace", "nccl", "placement", "class"}

// trace checks a job of recorded operations and makes its player's input; nil
// after an error.
func (c *validation) trace(j *JobSpec, free []bool) *ValidTrace {
	t := j.Trace
	n := len(c.errs)
	layers := t.Format.V == "simai"
	for _, k := range keysOf(reflect.TypeFor[JobSpec]()) {
		if slices.Contains(traceKeys, k) || layers && k == "parallel" {
			continue
		}
		if at := fieldAt(j, k, Origin{}); at.Kind >= FromFile {
			c.errs.add(at, "", "%s has no meaning for a trace of format %s", k, t.Format.V)
		} else if k != "model" && k != "traffic" {
			forget(j, k)
		}
	}
	other := []string{"ranks", "operations", "eager"}
	if !layers {
		other = []string{"micro_batches", "pp_bytes", "layers"}
	}
	for _, k := range other {
		if at := traceKeyAt(t, k); at.Kind >= FromFile {
			c.errs.add(at, "", "trace: %s has no meaning for format %s", k, t.Format.V)
		}
	}
	list, given := "operations", len(t.Operations)
	if layers {
		list, given = "layers", len(t.Layers)
	}
	switch {
	case t.Files.Set() && given > 0:
		c.errs.add(t.Files.From, "", "trace: files and %s are both given; a trace is one or the other", list)
	case !t.Files.Set() && given == 0:
		c.errs.add(t.At, "", "trace: key %q (or files) is missing", list)
	case t.Files.Set() && len(t.Files.V) == 0:
		c.errs.add(t.Files.From, "", "trace: files is empty")
	}
	if len(j.Stragglers) > 0 {
		c.errs.add(j.Stragglers[0].At, "", "stragglers has no meaning for a trace of format %s", t.Format.V)
	}
	if len(c.errs) > n {
		return nil
	}
	tr := c.transportOf(j)
	if len(c.errs) > n {
		return nil
	}
	if layers {
		return c.layers(j, tr, free)
	}
	return c.graph(j, tr, free)
}

// traceKeyAt is where a key of a trace was written.
func traceKeyAt(t *TraceSpec, key string) Origin {
	switch {
	case key == "operations" && len(t.Operations) > 0:
		return t.Operations[0].At
	case key == "layers" && len(t.Layers) > 0:
		return t.Layers[0].At
	case key == "operations" || key == "layers":
		return Origin{}
	}
	return fieldAt(t, key, Origin{})
}

// transportOf is how a job that is no training step uses the network.
func (c *validation) transportOf(j *JobSpec) workload.Transport {
	env, warnings := j.NCCL.env(&c.errs)
	c.v.Warnings = append(c.v.Warnings, warnings...)
	c.retransmission(&j.NCCL, env)
	if j.Class.V != 0 {
		c.v.Packet.Classes[j.Class.V] = c.v.Packet.Classes[0]
	}
	return workload.Transport{QPs: env.QPsPerConnection, Class: uint8(j.Class.V), Slice: ringSlice(env.BuffSize[nccl.Simple])}
}

// graph reads a trace of operations.
func (c *validation) graph(j *JobSpec, tr workload.Transport, free []bool) *ValidTrace {
	t := j.Trace
	g := &trace.Job{Name: j.Name.V, Format: t.Format.V, Transport: tr, Repeat: c.s.Run.Steps.V}
	ok := false
	if t.Files.Set() {
		ok = c.graphFiles(t, g)
	} else {
		ok = c.operations(t, g)
	}
	if !ok {
		return nil
	}
	def(&t.Ranks, g.Ranks)
	def(&t.Eager, Bytes(trace.DefaultEager))
	g.Eager = int64(t.Eager.V)
	g.Ranks = t.Ranks.V
	at := t.At
	if t.Ranks.From.Kind >= FromFile {
		at = t.Ranks.From
	}
	if g.GPUs = c.take(j, at, "trace: "+intText(g.Ranks)+" ranks need", g.Ranks, free); g.GPUs == nil {
		return nil
	}
	_, err := trace.New(sim.NewKernel(), nil, &c.v.Cluster, *g)
	var oe *trace.OpError
	switch {
	case errors.As(err, &oe) && !t.Files.Set():
		c.errs.add(t.Operations[oe.Op].At, "", "operations: %s", oe.Msg)
	case errors.As(err, &oe):
		c.errs.add(t.Files.From, "", "files: rank %d: %s", g.Ops[oe.Op].Rank, oe.Msg)
	case err != nil:
		c.errs.add(at, "", "trace: %v", err)
	default:
		return &ValidTrace{Graph: g}
	}
	return nil
}

// graphFiles reads the operations from files of another tool.
func (c *validation) graphFiles(t *TraceSpec, g *trace.Job) bool {
	r := c.importTrace(t)
	in, ok := r.(*importer.Trace)
	if !ok {
		return false
	}
	if t.Ranks.Set() && t.Ranks.V != in.Ranks {
		c.errs.add(t.Ranks.From, intText(in.Ranks), "trace: ranks is %d, but the files hold %d", t.Ranks.V, in.Ranks)
		return false
	}
	g.Ranks = in.Ranks
	g.Ops = make([]trace.Op, len(in.Ops))
	for i := range in.Ops {
		o := &in.Ops[i]
		g.Ops[i] = trace.Op{Rank: o.Rank, Name: o.Name, Kind: trace.Kind(o.Kind), Time: sim.Time(o.Nanos) * sim.Nanosecond, Bytes: o.Bytes, Peer: o.Peer, Tag: o.Tag,
			Stream: o.CPU, NIC: o.NIC, Collective: workload.Collective(o.Collective), Group: o.Group, After: o.After, AfterStart: o.AfterStart}
	}
	return true
}

// importTrace reads the files of a trace; nil after an error.
func (c *validation) importTrace(t *TraceSpec) importer.Result {
	files := make([]string, len(t.Files.V))
	for i, f := range t.Files.V {
		files[i] = resolve(c.v.Dir, f)
	}
	r, err := importer.Import(t.Format.V, files)
	var pe *os.PathError
	if errors.As(err, &pe) {
		c.errs.add(t.Files.From, "", "files: %s: %v", filepath.Base(pe.Path), pe.Err)
		return nil
	}
	if err != nil {
		c.errs.add(t.Files.From, "", "files: %s", strings.ReplaceAll(err.Error(), filepath.Dir(files[0])+string(filepath.Separator), ""))
		return nil
	}
	for _, w := range r.Warnings() {
		c.warn(t.Files.From, "%s", strings.ReplaceAll(w, filepath.Dir(files[0])+string(filepath.Separator), ""))
	}
	return r
}

// operations reads the inline list.
func (c *validation) operations(t *TraceSpec, g *trace.Job) bool {
	n := len(c.errs)
	index := make(map[int]int, len(t.Operations))
	for i := range t.Operations {
		o := &t.Operations[i]
		id := i
		if o.ID.Set() {
			id = o.ID.V
		}
		if first, dup := index[id]; dup {
			c.errs.add(o.At, "", "operations: id %d is given twice, first on line %d", id, t.Operations[first].At.Line)
		}
		index[id] = i
		g.Ranks = max(g.Ranks, o.Rank.V+1)
	}
	for i := range t.Operations {
		g.Ops = append(g.Ops, c.operation(&t.Operations[i], index))
	}
	return len(c.errs) == n
}

// operationKeys lists the keys that each kind of operation reads beyond id,
// rank, op, name and what it comes after; those that it needs come first, up to
// the empty one.
var operationKeys = map[string][]string{
	"compute":    {"time", "", "stream"},
	"send":       {"bytes", "to", "", "tag", "nic", "stream", "time"},
	"recv":       {"bytes", "from", "", "tag", "nic", "stream", "time"},
	"collective": {"collective", "", "bytes", "group", "root", "split", "stream", "time"},
	"memory":     {"bytes", "", "time", "stream"},
	"nothing":    {"", "time", "stream"},
}

func (c *validation) operation(o *OperationSpec, index map[int]int) trace.Op {
	ok := c.need(&o.Section, "operations", "rank", o.Rank.Set())
	if !c.need(&o.Section, "operations", "op", o.Op.Set()) || !ok {
		return trace.Op{}
	}
	keys := operationKeys[o.Op.V]
	needed := slices.Index(keys, "")
	for i, k := range keys[:max(0, needed)] {
		c.need(&o.Section, "operations: "+o.Op.V, keys[i], fieldAt(o, k, Origin{}).Kind != Unset)
	}
	for _, k := range []string{"time", "bytes", "collective", "group", "root", "split", "to", "from", "tag", "stream", "nic"} {
		if at := fieldAt(o, k, Origin{}); at.Kind != Unset && !slices.Contains(keys, k) {
			c.errs.add(at, "", "operations: %s has no meaning for op %s", k, o.Op.V)
		}
	}
	if o.Op.V == "collective" && o.Collective.V != "barrier" {
		c.need(&o.Section, "operations: "+o.Collective.V, "bytes", o.Bytes.Set())
	}
	x := trace.Op{Rank: o.Rank.V, Name: o.Name.V, Kind: trace.Kind(o.Op.V), Time: o.Time.V, Bytes: int64(o.Bytes.V), Tag: o.Tag.V, Stream: o.Stream.V, NIC: o.NIC.V,
		Collective: workload.Collective(o.Collective.V), Group: o.Group.V}
	x.Peer = int(o.To.V)
	if o.Op.V == "recv" {
		x.Peer = int(o.Source.V)
	}
	if o.Root.Set() {
		x.Root = &o.Root.V
	}
	for _, b := range o.Split.V {
		x.Split = append(x.Split, int64(b))
	}
	for _, d := range []struct {
		key  string
		from *Val[[]int]
		to   *[]int
	}{{"after", &o.After, &x.After}, {"after_start", &o.AfterStart, &x.AfterStart}} {
		for _, id := range d.from.V {
			i, ok := index[id]
			if !ok {
				c.errs.add(d.from.From, "", "operations: %s names %d, no operation has that id", d.key, id)
				continue
			}
			*d.to = append(*d.to, i)
		}
	}
	return x
}

// labels lists the labels that the flows of a trace may have.
func (t *TraceSpec) labels() []string {
	if t == nil {
		return nil
	}
	groups, out := []string{""}, []string{"send"}
	if t.Format.V == "simai" {
		groups, out = []string{"tp_", "dp_", "ep_", "dp_ep_"}, nil
	}
	for _, g := range groups {
		for _, c := range workload.Collectives() {
			out = append(out, g+string(c))
		}
	}
	return out
}
