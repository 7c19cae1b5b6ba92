package scenarios

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
)

// effectBase is a small scenario on which keys are tried.
type effectBase struct {
	name string
	sets []string
}

const effectCluster = `cluster={nodes: 4, node: dgx-a100-80gb, fabric: {topology: leaf-spine, nodes_per_leaf: 2, spines: 2, oversubscription: 4, switch: {preset: spectrum-3, buffer: 24MB}}, transport: {ecn: {kmin: 20KB, kmax: 200KB, pmax: 20%}}}`

// effectBases are jobs that between them meet what each key is about: a key may
// have nothing to do in one of them (no packet is lost), but not in all.
func effectBases() map[string][]effectBase {
	base := func(name, job string, more ...string) effectBase {
		return effectBase{name, append([]string{effectCluster, "jobs=[{name: x, " + job + "}]"}, more...)}
	}
	train := func(name, model, parallel string, more ...string) effectBase {
		return base(name, "model: {layers: 4, hidden: 256, heads: 8, vocab: 512, seq: 128"+model+"}, parallel: {"+parallel+"}, batch: {global: 16, micro: 1}", append([]string{"run.until=30ms"}, more...)...)
	}
	traffic := func(name, keys string, more ...string) effectBase {
		return base(name, "traffic: {"+keys+"}", append([]string{"run.until=1ms"}, more...)...)
	}
	return map[string][]effectBase{
		"train": {
			train("plain", "", "tp: 8, pp: 1, dp: 4"),
			train("pipeline", "", "tp: 2, pp: 4, dp: 4", "jobs.x.unfused_attention=true", "jobs.x.nccl={NCCL_IB_TIMEOUT: 14}"),
			train("sharded", "", "tp: 1, pp: 1, dp: 32, zero: 3", "jobs.x.batch.global=32"),
			train("experts", ", experts: 8, top_k: 2", "tp: 2, pp: 1, dp: 16, ep: 8"),
			train("islands", "", "tp: 8, pp: 1, dp: 4", "cluster.node.nvlink.island=4", "cluster.node.cross_island={alpha: 5us, bus_bandwidth: 100Gbps, p2p: 80Gbps}"),
			train("compressed", "", "tp: 8, pp: 1, dp: 4", "jobs.x.compression={kind: topk, ratio: 0.1}"),
		},
		"traffic": {
			traffic("incast", "pattern: incast, bytes: 1MB, fan_in: 12"),
			traffic("permutation", "pattern: permutation, bytes: 300KB, repeat: 2, interval: 30us"),
			traffic("rings", "pattern: all-reduce, bytes: 1MB, group: 8"),
			traffic("arrivals", "pattern: poisson, load: 0.8, sizes: websearch, duration: 300us"),
			traffic("paused", "pattern: incast, bytes: 1MB, fan_in: 12", "cluster.transport.congestion_control=none", "cluster.fabric.switch.buffer=9MB", "cluster.transport.pfc={alpha: 1/64, watchdog: 10us}"),
			traffic("lossy", "pattern: incast, bytes: 1MB, fan_in: 12", "cluster.transport.congestion_control=none", "cluster.transport.pfc.enabled=false", "cluster.fabric.switch.buffer=9MB", "cluster.transport.rto=50us"),
			traffic("cut", "pattern: incast, bytes: 1MB, fan_in: 12", "cluster.transport.rto=20us", "faults=[{at: 10us, link: node0/nic0-leaf0, state: down}]"),
			traffic("small", "pattern: incast, bytes: 1MB, fan_in: 12", "observe={ports: 2}"),
			traffic("steady", "pattern: incast, bytes: 10MB, fan_in: 3", "run.until=20ms"),
			traffic("budget", "pattern: incast, bytes: 1MB, fan_in: 12", "observe={ports: 64, memory_budget: 2MiB, queues: 10ns}"),
		},
	}
}

// effectless are keys that change no result by themselves, with what they do.
var effectless = map[string]string{
	"name":                            "names the run and its directory",
	"description":                     "a line of the report",
	"jobs.0.name":                     "names flows",
	"cluster.fabric.switch.ports":     "bandwidth that is plugged in is checked against it, and radix follows from it",
	"cluster.fabric.spine.ports":      "as switch.ports",
	"cluster.fabric.switch.port_rate": "as switch.ports",
	"cluster.fabric.spine.port_rate":  "as switch.ports",
	"cluster.node.gpu.memory":         "a model that does not fit is refused",
	"cluster.node.gpu.fp16":           "the peak of a precision that a job may choose",
	"cluster.node.gpu.fp8":            "as fp16",
	"cluster.node.gpu.tf32":           "as fp16",
	"cluster.node.gpu.fp32":           "as fp16",
	"cluster.node.nvlink.nvls":        "enters NCCL's choice of algorithm and nccl-test",
	"cluster.node.gpu.arch":           "as nvls",
	"jobs.0.skip_memory_check":        "admits a model that does not fit",
}

func effectDigest(t *testing.T, fid string, sets []string) (digest string, warnings []string, err error) {
	t.Helper()
	v, err := Load(small, append([]string{"run.fidelity=" + fid}, sets...))
	if err != nil {
		return "", nil, err
	}
	m, err := v.Build(BuildOptions{})
	if err != nil {
		return "", nil, err
	}
	o, err := m.Run(nil)
	if err != nil {
		return "", nil, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %+v %+v %+v %+v %v %v", v.Spec.Seed.V, len(m.Cluster.GPUs), *o.Report, o.Results, o.Traffic, o.Traces, o.End, o.Partial)
	return fmt.Sprintf("%x", h.Sum(nil)), o.Warnings, nil
}

// specLeaves lists the paths of the keys of a spec with their effective values.
func specLeaves(v reflect.Value, path string, tag reflect.StructTag, out *[]leafKey) {
	if l, ok := v.Addr().Interface().(leaf); ok {
		*out = append(*out, leafKey{path, l, tag})
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if k := f.Tag.Get("yaml"); k != "" && k != "-" {
				p := k
				if path != "" {
					p = path + "." + k
				}
				specLeaves(v.Field(i), p, f.Tag, out)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			specLeaves(v.Elem(), path, tag, out)
		}
	case reflect.Slice:
		for i := range v.Len() {
			specLeaves(v.Index(i), fmt.Sprintf("%s.%d", path, i), tag, out)
		}
	}
}

type leafKey struct {
	path string
	leaf leaf
	tag  reflect.StructTag
}

// others proposes values that differ from the effective one.
func (k leafKey) others() []string {
	was := ""
	if k.leaf.origin().Kind != Unset {
		was = k.leaf.text()
	}
	var out []string
	if e := k.tag.Get("enum"); e != "" {
		for _, x := range strings.Split(e, ",") {
			if _, list := k.leaf.(*Val[[]string]); list {
				x = "[" + x + "]"
			}
			out = append(out, x)
		}
	}
	unset := was == ""
	switch l := k.leaf.(type) {
	case *Val[bool]:
		out = append(out, "true", "false")
	case *Val[int]:
		out = append(out, fmt.Sprint(2*l.V), fmt.Sprint(l.V/2), fmt.Sprint(l.V+1), "1", "2", "4", "50")
	case *Val[int64]:
		out = append(out, fmt.Sprint(l.V+1), "3")
	case *Val[uint64]:
		out = append(out, fmt.Sprint(l.V+1))
	case *Val[Ratio]:
		out = append(out, fmt.Sprint(float64(l.V)/2), fmt.Sprint(float64(l.V)*2), "0.3", "0.0002", "1.5")
	case *Val[Bytes]:
		out = append(out, (l.V * 2).String(), (l.V / 2).String(), "100KB", "1MiB", "1KB")
	case *Val[AutoBytes]:
		out = append(out, "100KB", "400KB")
	case *Val[sim.Rate]:
		out = append(out, rateText(l.V/2), rateText(l.V*2), "10Gbps", "1Gbps")
	case *Val[ByteRate]:
		out = append(out, rateText(sim.Rate(l.V)/2), "100Gbps")
	case *Val[sim.Time]:
		out = append(out, timeText(l.V*2), timeText(l.V/2), "10us", "1us", "100us")
	case *Val[Metres]:
		out = append(out, "50m")
	case *Val[FLOPS]:
		out = append(out, "50TFLOPS")
	}
	out = slices.DeleteFunc(out, func(s string) bool { return s == was || unset && (s == "0" || s == "0B" || s == "0bps") })
	return slices.Compact(out)
}

// TestEveryKeyHasEffect changes each key of the schema, in several small runs at
// each fidelity, and wants other results, a refusal, or a warning that names the
// key: nothing is silently ignored.
func TestEveryKeyHasEffect(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some thousand simulations")
	}
	for _, fid := range []string{"flow", "hybrid", "packet"} {
		t.Run(fid, func(t *testing.T) {
			t.Parallel()
			heard := map[string]bool{}
			for _, group := range []string{"traffic", "train"} {
				// The same packets whoever sends them: only traffic loses any.
				maps.DeleteFunc(heard, func(k string, _ bool) bool {
					return !strings.HasPrefix(k, "cluster.transport.") && !strings.HasPrefix(k, "observe.") && !strings.HasPrefix(k, "run.")
				})
				silent := map[string]string{}
				for _, b := range effectBases()[group] {
					b.try(t, fid, silent, heard)
				}
				for _, k := range slices.Sorted(maps.Keys(silent)) {
					if _, known := effectless[k]; !known && !heard[k] {
						t.Errorf("%s: %s changes nothing and nothing says so: %s", group, k, silent[k])
					}
				}
			}
		})
	}
}

// names reports whether a warning lists the key at path or its section.
func names(warning, path string) bool {
	_, list, _ := strings.Cut(warning, ": ")
	for _, w := range strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' || r == ':' }) {
		if w == path || strings.Count(w, ".") >= 2 && strings.HasPrefix(path, w+".") {
			return true
		}
	}
	return false
}

// try changes every key of the base to other values: heard are those that
// changed the results, silent those that changed nothing without a word.
func (b effectBase) try(t *testing.T, fid string, silent map[string]string, heard map[string]bool) {
	base, quiet, err := effectDigest(t, fid, b.sets)
	if err != nil {
		t.Fatalf("%s: %v", b.name, err)
	}
	v, err := Load(small, append([]string{"run.fidelity=" + fid}, b.sets...))
	if err != nil {
		t.Fatal(err)
	}
	var keys []leafKey
	specLeaves(reflect.ValueOf(&v.Spec).Elem(), "", "", &keys)
	for _, k := range keys {
		if heard[k.path] || k.path == "run.fidelity" || k.path == "run.until" {
			continue
		}
		name := k.path[strings.LastIndexByte(k.path, '.')+1:]
		tried := 0
		for _, x := range k.others() {
			d, warnings, err := effectDigest(t, fid, append(slices.Clone(b.sets), k.path+"="+x))
			said := slices.ContainsFunc(warnings, func(w string) bool {
				return strings.Contains(w, name) && !slices.Contains(quiet, w) || names(w, k.path)
			})
			if err != nil {
				continue // refused: said
			}
			if d != base {
				heard[k.path] = true
				break
			}
			if !said {
				silent[k.path] += fmt.Sprintf("%s=%s ", b.name, x)
			}
			if tried++; tried == 2 {
				break
			}
		}
	}
}

// TestEveryNCCLVariableHasEffect: each variable changes a training step or a
// warning names it.
func TestEveryNCCLVariableHasEffect(t *testing.T) {
	values := []string{"4", "1", "0", "3", "10", "256", "65536", "Tree", "LL", "SYS", "eth0"}
	for _, fid := range []string{"flow", "packet"} {
		heard := map[string]bool{"NCCL_IB_RETRY_CNT": fid == "packet"} // no packet is lost here
		for _, b := range effectBases()["train"] {
			base, _, err := effectDigest(t, fid, b.sets)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range ncclNames() {
				for i := 0; i < len(values) && !heard[name]; i++ {
					d, warnings, err := effectDigest(t, fid, append(slices.Clone(b.sets), "jobs.x.nccl={"+name+": "+values[i]+"}"))
					heard[name] = err == nil && (d != base || strings.Contains(strings.Join(warnings, "\n"), name))
				}
			}
		}
		for _, name := range ncclNames() {
			if !heard[name] {
				t.Errorf("%s: %s changes nothing and nothing says so", fid, name)
			}
		}
	}
}
