package scenarios

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

const small = "testdata/small.yaml"

// TestSet: --set reaches every kind of place, and says where it cannot.
func TestSet(t *testing.T) {
	v, err := Load(small, []string{
		"seed=7", "cluster.node.gpu.memory=40GB", "jobs.0.parallel.pp=4", "jobs.train.parallel.dp=1", "cluster.transport.congestion_control.preset=sigcomm15",
		"jobs.train.nccl.NCCL_IB_QPS_PER_CONNECTION=2", "cluster.routing={policy: ecmp, fields: [src_ip]}", "run.until=5s", "run.until=",
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &v.Spec
	if s.Seed.V != 7 || int64(s.Cluster.Node.GPU.Memory.V) != 40e9 || s.Jobs[0].Parallel.PP.V != 4 || s.Jobs[0].Parallel.DP.V != 1 ||
		v.Jobs[0].Training.Transport.QPs != 2 || len(s.Cluster.Routing.Fields.V) != 1 || s.Run.Until.Set() {
		t.Errorf("not all assignments took effect:\n%s", v.Effective())
	}
	if got := s.Cluster.Node.GPU.Memory.From.String(); got != "--set cluster.node.gpu.memory=40GB" {
		t.Errorf("provenance %q", got)
	}
	for _, c := range [][2]string{
		{"cluster.nods=4", `--set cluster.nods=4: unknown key "nods" in cluster (did you mean nodes?)`},
		{"jobs.trian.parallel.tp=4", `--set jobs.trian.parallel.tp=4: jobs has no element named "trian" (did you mean train?)`},
		{"jobs.1.parallel.tp=4", `--set jobs.1.parallel.tp=4: jobs has no element 1, it has 1 of them, counted from 0`},
		{"seed.x=4", `--set seed.x=4: seed is a single value, it has no key "x"`},
		{"cluster.transport.mtu=9000", `--set cluster.transport.mtu=9000: mtu: "9000" has no unit; a size is written such as 4096B, 400KB or 64MiB (did you mean 9000B?)`},
		{"cluster.nodes", `--set cluster.nodes: want key.path=value`},
		{"jobs.train.parallel.dp=3", `--set jobs.train.parallel.dp=3: parallel: tp*pp*dp*cp = 8*2*3*1 needs 48 GPUs, but 32 are free; dp: 2 would fit`},
	} {
		_, err := Load(small, []string{c[0]})
		if err == nil || err.Error() != c[1] {
			t.Errorf("--set %s:\ngot  %v\nwant %s", c[0], err, c[1])
		}
	}
}

// TestProvenance: the effective configuration says where every value is from.
func TestProvenance(t *testing.T) {
	v, err := Load(small, []string{"seed=3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"seed: 3  # --set seed=3", "nodes: 4  # testdata/small.yaml:3", "memory: 80GiB  # preset a100-sxm4-80gb", "hash: crc32  # default", "delay: 50ns  # default, 5 ns/m",
	} {
		found := false
		for _, l := range strings.Split(string(v.Effective()), "\n") {
			key, from, ok := strings.Cut(l, "#")
			found = found || ok && strings.TrimSpace(key)+"  # "+strings.TrimSpace(from) == want
		}
		if !found {
			t.Errorf("no line %q in\n%s", want, v.Effective())
		}
	}
	for i, l := range strings.Split(strings.TrimSpace(string(v.Effective())), "\n") {
		if !strings.HasSuffix(l, ":") && !strings.Contains(l, " # ") {
			t.Errorf("line %d has no provenance: %s", i+1, l)
		}
	}
}

// TestReadErrors: a file that cannot be read names itself.
func TestReadErrors(t *testing.T) {
	if _, err := Load("testdata/none.yaml", nil); err == nil || err.Error() != "testdata/none.yaml: no such file or directory" {
		t.Error(err)
	}
}

// TestCatalog: every preset has a summary, a source and values; every node
// preset makes a machine.
func TestCatalog(t *testing.T) {
	all, err := Catalog("")
	if err != nil || len(all) < 60 {
		t.Fatalf("%d presets, %v", len(all), err)
	}
	for _, e := range all {
		if e.Summary == "" || e.Source == "" || len(e.Fields) == 0 {
			t.Errorf("%s %s: %+v", e.Kind, e.Name, e)
		}
	}
	if _, err := Catalog("swiches"); err == nil || !strings.Contains(err.Error(), "did you mean switches?") {
		t.Error(err)
	}
	for kind, key := range map[string]string{
		"nodes": "cluster.node", "nics": "cluster.node.nic", "gpus": "cluster.node.gpu", "switches": "cluster.fabric.switch",
		"dcqcn": "cluster.transport.congestion_control.preset", "ecn": "cluster.transport.ecn", "links": "cluster.fabric.link",
	} {
		entries, _ := Catalog(kind)
		for _, e := range entries {
			sets := []string{key + "=" + e.Name, "jobs.train.precision=fp16", "jobs.train.parallel.tp=4", "jobs.train.parallel.dp=1"}
			if kind == "links" || kind == "nodes" || kind == "nics" {
				sets = append(sets, "cluster.node.nic.rate=800Gbps", "jobs.train.skip_memory_check=true")
			}
			if _, err := Load(small, sets); err != nil {
				t.Errorf("%s %s: %v", kind, e.Name, err)
			}
		}
	}
}

// TestReference: docs/scenario.md is what the loader reads.
func TestReference(t *testing.T) {
	const page = "../docs/scenario.md"
	want := Reference()
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is behind; run go test ./scenarios -run Reference -update (%v)", page, err)
	}
}
