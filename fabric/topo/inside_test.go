package topo_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/fabric/flow"
	"github.com/simnet/simnet/fabric/topo"
	"github.com/simnet/simnet/sim"
)

func built(t *testing.T) (*topo.InsideNet, *fabric.Routes) {
	t.Helper()
	n, err := topo.HybridCubeMesh().Build()
	if err != nil {
		t.Fatal(err)
	}
	return n, fabric.NewRoutes(n.Graph, fabric.RouteOptions{})
}

// move runs flows on the flow engine over the node, without packet headers, and
// returns how long they take and the bytes that each port sent.
func move(t *testing.T, n *topo.InsideNet, r *fabric.Routes, flows []fabric.Flow) (sim.Time, []fabric.PortStats) {
	t.Helper()
	k := sim.NewKernel()
	e, err := flow.New(k, n.Graph, r, flow.Config{Framing: fabric.Framing{Payload: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	k.Attach(e)
	e.StartGroup(flows)
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
	rep := e.Report()
	if rep.Counters.FlowsFinished != int64(len(flows)) {
		t.Fatalf("%d of %d flows finished", rep.Counters.FlowsFinished, len(flows))
	}
	var end sim.Time
	for i := range rep.Flows {
		end = max(end, rep.Flows[i].Start+rep.Flows[i].FCT)
	}
	return end, rep.Ports
}

// TestMatrixIsMeasured compares the mesh with nvidia-smi topo -m of a machine.
func TestMatrixIsMeasured(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "baselines", "topo", "raw", "smi_topo_v100_hybridcube_1nic_dlperf.txt"))
	if err != nil {
		t.Skip("the measured matrix is not beside the project")
	}
	rows := 0
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		var a int
		if len(f) < 9 || f[1] == "GPU1" {
			continue
		}
		if n, _ := fmt.Sscanf(f[0], "GPU%d", &a); n != 1 {
			continue
		}
		rows++
		for b, cell := range f[1:9] {
			var k int
			_, _ = fmt.Sscanf(cell, "NV%d", &k) // SYS and X stay 0
			if got := topo.HybridCubeMesh().NVLinks[a][b]; got != k {
				t.Errorf("GPU%d-GPU%d: %d links, measured %s", a, b, got, cell)
			}
		}
	}
	if rows != 8 {
		t.Errorf("%d rows read", rows)
	}
}

// TestRings: NCCL's channels on the mesh are six over all GPUs, four inside a
// quad, and as many as a pair has links; no two share a direction of a link.
func TestRings(t *testing.T) {
	s := topo.HybridCubeMesh()
	for _, c := range []struct {
		members []int
		want    int
	}{
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, 6}, {[]int{0, 1, 2, 3}, 4}, {[]int{4, 5, 6, 7}, 4}, {[]int{0, 3}, 2}, {[]int{0, 1}, 1}, {[]int{3, 7}, 1},
		{[]int{0, 4}, 2}, {[]int{0, 5}, 0}, {[]int{0, 1, 6}, 0}, {[]int{5}, 0},
	} {
		rings := s.Rings(c.members)
		if len(rings) != c.want {
			t.Errorf("GPUs %v: %d rings, want %d: %v", c.members, len(rings), c.want, rings)
		}
		use := map[[2]int]int{}
		for _, ring := range rings {
			seen := map[int]bool{}
			for i, a := range ring {
				b := ring[(i+1)%len(ring)]
				seen[a] = true
				if use[[2]int{a, b}]++; use[[2]int{a, b}] > s.NVLinks[a][b] {
					t.Errorf("GPUs %v: %d->%d is used more often than there are links", c.members, a, b)
				}
			}
			if len(seen) != len(c.members) {
				t.Errorf("ring %v does not pass all of %v", ring, c.members)
			}
		}
	}
}

// TestAllReduceOnLinks runs rings on the flow engine: bus bandwidth and bytes by
// link come out as worked by hand.
func TestAllReduceOnLinks(t *testing.T) {
	const s = 960_000_000
	all, quad := []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{0, 1, 2, 3}
	mesh := topo.HybridCubeMesh()
	for _, c := range []struct {
		name    string
		rings   [][]int
		busBW   float64          // GB/s
		links   map[string]int   // directions of links that carry something, by class
		perLink map[string]int64 // bytes of the fullest of them
	}{
		// 6 channels of 160 MB, each 2*7/8 of it over every hop.
		{"eight", mesh.Rings(all), 120, map[string]int{"NV1": 16, "NV2": 32}, map[string]int64{"NV1": 280_000_000, "NV2": 280_000_000}},
		// 4 channels of 240 MB, 2*3/4 of it; one of the two links 2-3 is left over.
		{"quad", mesh.Rings(quad), 80, map[string]int{"NV1": 6, "NV2": 10}, map[string]int64{"NV1": 360_000_000, "NV2": 360_000_000}},
		// In order of rank, 3 to 4 and 7 to 0 have no NVLink: up to the root complex and across.
		{"ranks in order", [][]int{all}, 6, map[string]int{"NV1": 2, "NV2": 4, "PCIe": 8, "socket": 2},
			map[string]int64{"NV1": 1_680_000_000, "NV2": 1_680_000_000, "PCIe": 1_680_000_000, "socket": 1_680_000_000}},
	} {
		n, r := built(t)
		flows, err := n.AllReduce(c.rings, s, r, fabric.Flow{Label: "all_reduce"})
		if err != nil {
			t.Fatal(err)
		}
		took, ports := move(t, n, r, flows)
		m := float64(len(c.rings[0]))
		if bus := 2 * (m - 1) / m * s / took.Seconds() / 1e9; math.Abs(bus/c.busBW-1) > 0.01 {
			t.Errorf("%s: bus bandwidth %.2f GB/s, want %g", c.name, bus, c.busBW)
		}
		load := n.Load(flows)
		links, most := map[string]int{}, map[string]int64{}
		for p := range load {
			class := n.Class(fabric.PortID(p))
			if load[p] > 0 {
				links[class]++
				most[class] = max(most[class], load[p])
			}
			if load[p] != ports[p].TxBytes {
				t.Errorf("%s: %s sent %d bytes, load says %d", c.name, n.Graph.PortName(fabric.PortID(p)), ports[p].TxBytes, load[p])
			}
		}
		if fmt.Sprint(links) != fmt.Sprint(c.links) || fmt.Sprint(most) != fmt.Sprint(c.perLink) {
			t.Errorf("%s: links %v carry at most %v, want %v and %v", c.name, links, most, c.links, c.perLink)
		}
	}
}

// TestInsideRefuses holds the messages of nodes that cannot be.
func TestInsideRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(*topo.Inside)
		want   string
	}{
		{func(s *topo.Inside) { s.Switches = 3 }, "node: 8 GPUs, 3 PCIe switches and 2 sockets do not divide one another"},
		{func(s *topo.Inside) { s.NVLinks = s.NVLinks[:7] }, "node: NVLinks of 7 GPUs for 8"},
		{func(s *topo.Inside) { s.NVLinks[2] = s.NVLinks[2][:5] }, "node: GPU 2 has NVLinks to 5 GPUs, there are 8"},
		{func(s *topo.Inside) { s.NVLinks[0][1] = 2 }, "node: 2 NVLinks from GPU 0 to 1, 1 back"},
		{func(s *topo.Inside) { s.NICs = []int{4} }, "node: NIC 0 on PCIe switch 4, there are 4"},
	} {
		s := topo.HybridCubeMesh()
		c.change(s)
		if _, err := s.Build(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
