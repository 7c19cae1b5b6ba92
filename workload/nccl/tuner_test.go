package nccl

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts")

func dgxA100(nodes int) Shape {
	return Shape{Nodes: nodes, GPUsPerNode: 8, Arch: SM80, NICsPerNode: 8, NICGBs: 25, AMDHost: true}
}

func dgxH100(nodes, gpus int) Shape {
	return Shape{Nodes: nodes, GPUsPerNode: gpus, Arch: SM90, NVLS: true, NICsPerNode: gpus, NICGBs: 50}
}

func hgxB200(nodes, gpus int) Shape {
	return Shape{Nodes: nodes, GPUsPerNode: gpus, Arch: SM100, NVLS: true, NICsPerNode: gpus, NICGBs: 50}
}

func tuner(t *testing.T, s Shape, v Version, vars map[string]string) *Tuner {
	t.Helper()
	e, _, err := ParseEnv(vars)
	if err != nil {
		t.Fatal(err)
	}
	tn, err := NewTuner(s, v, e)
	if err != nil {
		t.Fatal(err)
	}
	return tn
}

// TestObservedDefaults holds the choices against what was observed on real
// machines (the selection rule's list of observed defaults).
func TestObservedDefaults(t *testing.T) {
	cases := []struct {
		name  string
		shape Shape
		op    Collective
		bytes int64
		want  string
	}{
		{"8 H200 up to 1 MiB", dgxH100(1, 8), AllReduce, 8, "Ring/LL"},
		{"8 H200 up to 1 MiB", dgxH100(1, 8), AllReduce, 64 << 10, "Ring/LL"},
		{"8 H200 up to 1 MiB", dgxH100(1, 8), AllReduce, 1 << 20, "Ring/LL"},
		{"8 H200 from 2 MiB", dgxH100(1, 8), AllReduce, 2 << 20, "NVLS/Simple"},
		{"8 H200 from 2 MiB", dgxH100(1, 8), AllReduce, 8 << 30, "NVLS/Simple"},
		{"4 H200 large", dgxH100(1, 4), AllReduce, 8 << 30, "Ring/Simple"},
		{"5 H200 large", dgxH100(1, 5), AllReduce, 8 << 30, "NVLS/Simple"},
		{"4 B200 large", hgxB200(1, 4), AllReduce, 8 << 30, "Ring/Simple"},
		{"5 B200 large", hgxB200(1, 5), AllReduce, 8 << 30, "Ring/Simple"},
		{"6 B200 large", hgxB200(1, 6), AllReduce, 8 << 30, "NVLS/Simple"},
		{"8 B200 large", hgxB200(1, 8), AllReduce, 8 << 30, "NVLS/Simple"},
		{"8 H200 all-gather", dgxH100(1, 8), AllGather, 16 << 30, "Ring/Simple"},
		{"8 H200 reduce-scatter", dgxH100(1, 8), ReduceScatter, 16 << 30, "Ring/Simple"},
		{"4 x 8 H200 large", dgxH100(4, 8), AllReduce, 8 << 30, "Ring/Simple"},
		{"2 x 8 H100 large", dgxH100(2, 8), AllReduce, 8 << 30, "NVLSTree/Simple"},
	}
	for _, c := range cases {
		ch := tuner(t, c.shape, 22707, nil).Choose(c.op, c.bytes)
		if got := fmt.Sprintf("%s/%s", ch.Algo, ch.Proto); got != c.want {
			t.Errorf("%s: %s of %d bytes: %s, observed %s", c.name, c.op, c.bytes, got, c.want)
		}
	}
}

// TestObservedChannels holds the channel counts that NCCL prints at start-up
// on these machines.
func TestObservedChannels(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape Shape
		want  int
	}{
		{"8 A100", dgxA100(1), 24},
		{"8 H100", dgxH100(1, 8), 24},
		{"2 x 8 H100, 8 x 400G", dgxH100(2, 8), 16},
	} {
		if got := tuner(t, c.shape, 22707, nil).channels; got != c.want {
			t.Errorf("%s: %d channels, NCCL prints %d", c.name, got, c.want)
		}
	}
}

// TestChoiceTranscripts is what the tuner picks over sizes, machines, versions
// and variables. Change the files only knowing why the choice changed.
func TestChoiceTranscripts(t *testing.T) {
	cases := []struct {
		file  string
		shape Shape
		v     Version
		env   map[string]string
	}{
		{"a100_8_v2.18", dgxA100(1), 21803, nil},
		{"a100_4x8_v2.18", dgxA100(4), 21803, nil},
		{"h100_8_v2.27", dgxH100(1, 8), 22707, nil},
		{"h100_2x8_v2.27", dgxH100(2, 8), 22707, nil},
		{"h100_32x8_v2.27", dgxH100(32, 8), 22707, nil},
		{"h100_2x8_v2.27_ring_simple", dgxH100(2, 8), 22707, map[string]string{"NCCL_ALGO": "Ring", "NCCL_PROTO": "Simple", "NCCL_MIN_NCHANNELS": "24"}},
		{"b200_2x8_v2.30", hgxB200(2, 8), 23007, nil},
		{"h100_16x1_pat_v2.27", Shape{Nodes: 16, GPUsPerNode: 1, Arch: SM90, NICsPerNode: 1, NICGBs: 50}, 22707, nil},
		{"pcie_8_v2.27", Shape{Nodes: 1, GPUsPerNode: 8, Arch: SM89, Link: PCIe}, 22707, nil},
	}
	for _, c := range cases {
		tn := tuner(t, c.shape, c.v, c.env)
		var b strings.Builder
		for op := AllReduce; op < numCollectives; op++ {
			last := ""
			for bytes := int64(8); bytes <= 16<<30; bytes *= 2 {
				ch := tn.Choose(op, bytes)
				line := fmt.Sprintf("%s %d threads slice %d", ch, ch.NThreads, ch.SliceBytes)
				if line != last {
					fmt.Fprintf(&b, "%-14s from %12d: %s\n", op, bytes, line)
				}
				last = line
			}
		}
		path := filepath.Join("testdata", c.file+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s: the choices changed:\n%s", c.file, b.String())
		}
	}
}

// TestEnvironmentRestricts checks that a forced algorithm or protocol is the
// one chosen at every size, and that an impossible one is refused.
func TestEnvironmentRestricts(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want func(Choice) bool
	}{
		{map[string]string{"NCCL_ALGO": "Ring"}, func(c Choice) bool { return c.Algo == Ring }},
		{map[string]string{"NCCL_ALGO": "^NVLSTree,NVLS"}, func(c Choice) bool { return c.Algo != NVLS && c.Algo != NVLSTree }},
		{map[string]string{"NCCL_NVLS_ENABLE": "0"}, func(c Choice) bool { return c.Algo != NVLS && c.Algo != NVLSTree }},
		{map[string]string{"NCCL_PROTO": "Simple"}, func(c Choice) bool { return c.Proto == Simple }},
		{map[string]string{"NCCL_PROTO": "^LL"}, func(c Choice) bool { return c.Proto != LL }},
		{map[string]string{"NCCL_ALGO": "allreduce:tree"}, func(c Choice) bool { return c.Algo == Tree }},
		{map[string]string{"NCCL_MAX_NCHANNELS": "4"}, func(c Choice) bool { return c.Channels <= 4 }},
	} {
		tn := tuner(t, dgxH100(2, 8), 22707, c.env)
		for bytes := int64(8); bytes <= 4<<30; bytes *= 4 {
			if ch := tn.Choose(AllReduce, bytes); !c.want(ch) {
				t.Errorf("%v: %d bytes: %s", c.env, bytes, ch)
			}
		}
	}
	e, _, err := ParseEnv(map[string]string{"NCCL_ALGO": "Tree"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewTuner(dgxH100(2, 8), 22707, e); err == nil || !strings.Contains(err.Error(), "all_gather") {
		t.Errorf("NCCL_ALGO=Tree leaves nothing for all_gather, got %v", err)
	}
}

// TestLL128NeedsNVLink checks the rule that keeps LL128 off PCIe and off
// transports without write order.
func TestLL128NeedsNVLink(t *testing.T) {
	pcie := tuner(t, Shape{Nodes: 1, GPUsPerNode: 8, Arch: SM89, Link: PCIe}, 22707, nil)
	if _, ok := pcie.Estimate(AllReduce, Ring, LL128, 1<<20); ok {
		t.Error("LL128 is on over PCIe")
	}
	s := dgxH100(2, 8)
	s.UnorderedNIC = true
	if _, ok := tuner(t, s, 22707, nil).Estimate(AllReduce, Tree, LL, 64); ok {
		t.Error("LL is on over a transport without write order")
	}
	if _, ok := tuner(t, dgxH100(2, 8), 22707, nil).Estimate(AllReduce, Tree, LL128, 64); !ok {
		t.Error("LL128 is off over NVLink and InfiniBand")
	}
}

// TestEstimateByHand checks two entries of the tuner's table against the
// arithmetic of the source: 8 H100, v2.27.7.
func TestEstimateByHand(t *testing.T) {
	tn := tuner(t, dgxH100(1, 8), 22707, nil)
	near := func(name string, got sim.Time, want float64) {
		if g := us(got); g < want*.999 || g > want*1.001 {
			t.Errorf("%s: %g us, want %g", name, g, want)
		}
	}
	// Ring LL: 6.6 + 14*0.6 us, bus min(141, 360/2) GB/s, algorithm 8/14 of it.
	e, _ := tn.Estimate(AllReduce, Ring, LL, 1<<20)
	near("Ring LL", e, 6.6+14*.6+float64(1<<20)/1000/(141*8./14))
	// NVLS: 25 us, eight channels of 50 GB/s, 5/6.
	e, _ = tn.Estimate(AllReduce, NVLS, Simple, 1<<30)
	near("NVLS", e, 25+float64(1<<30)/1000/(400*5./6))
}
