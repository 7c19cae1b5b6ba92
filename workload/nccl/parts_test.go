package nccl

import (
	"testing"

	"github.com/simnet/simnet/sim"
)

// TestPartsAddUp: the parts are the time, and their bound is the one that
// arithmetic gives.
func TestPartsAddUp(t *testing.T) {
	slow := dgxH100(2, 8)
	slow.NICGBs = 12.5
	slow.HostCall = 7 * sim.Microsecond
	for _, c := range []struct {
		name  string
		shape Shape
		env   map[string]string
		op    Collective
		bound string
	}{
		{"NVLS in a node", dgxH100(1, 8), nil, AllReduce, "nvls"},
		{"ring in a node", dgxH100(1, 8), map[string]string{"NCCL_NVLS_ENABLE": "0"}, AllReduce, "link"},
		{"few channels", dgxH100(1, 8), map[string]string{"NCCL_NVLS_ENABLE": "0", "NCCL_MAX_NCHANNELS": "8"}, AllReduce, "channels"},
		{"two-node NVLSTree", dgxH100(2, 8), nil, AllReduce, "nvls"},
		{"slow NICs", slow, nil, AllGather, "nic"},
		{"slow NICs, tree", slow, map[string]string{"NCCL_ALGO": "allreduce:tree", "NCCL_PROTO": "Simple"}, AllReduce, "nic"},
		{"ring over 16 channels", dgxH100(4, 8), nil, AllGather, "channels"},
		{"PCIe", Shape{Nodes: 1, GPUsPerNode: 4, Arch: SM89, Link: PCIe}, nil, AllReduce, "link"},
		{"all-to-all over NICs", dgxH100(4, 8), nil, AllToAll, "nic"},
	} {
		m := model(t, c.shape, c.env)
		p, ch := m.Parts(c.op, 4<<30)
		d, _ := m.Time(c.op, 4<<30)
		if p.Total() != d || p.Host != c.shape.HostCall {
			t.Errorf("%s: parts %+v, time %v", c.name, p, d)
		}
		if p.Bound != c.bound {
			t.Errorf("%s: %s bound by %s at %.1f GB/s, want %s", c.name, ch, p.Bound, p.AlgGBs, c.bound)
		}
	}
}

// TestAlphaBeta: the condensed figures give the large time back.
func TestAlphaBeta(t *testing.T) {
	m := model(t, dgxA100(1), nil)
	alpha, bus := m.AlphaBeta(AllReduce)
	if alpha < 500*sim.Nanosecond || alpha > 5*sim.Microsecond {
		t.Errorf("alpha %v a step", alpha)
	}
	if g := float64(bus) / 8e9; g < 200 || g > 240 {
		t.Errorf("bus bandwidth %g GB/s, A100 nodes are measured at 229 for 1 GiB", g)
	}
	d, _ := m.Time(AllReduce, 1<<30)
	guess := 14*alpha + bus.TxTime(int64(1<<30)*14/8)
	if r := float64(guess) / float64(d); r < .97 || r > 1.03 {
		t.Errorf("alpha-beta %v, model %v", guess, d)
	}
}

// TestGroupOfOne: a group of one rank moves bytes within the GPU only.
func TestGroupOfOne(t *testing.T) {
	m := model(t, Shape{Nodes: 1, GPUsPerNode: 1, Arch: SM90}, nil)
	if d, _ := m.Time(AllReduce, 1<<20); d <= 0 || d > 20*sim.Microsecond {
		t.Errorf("one rank: %v", d)
	}
}

// TestOneGPUANode: data-parallel groups have one rank a node.
func TestOneGPUANode(t *testing.T) {
	s := Shape{Nodes: 64, GPUsPerNode: 1, Arch: SM90, Link: NVSwitch, NICsPerNode: 1, NICGBs: 50}
	d, ch := model(t, s, nil).Time(AllReduce, 1<<30)
	wire := float64(2*(int64(1)<<30)*63/64) / 49e9
	if got := d.Seconds(); got < wire || got > 1.5*wire {
		t.Errorf("64 x 1 GPU over 400G: %v by %s, the wire alone takes %.4f s", d, ch, wire)
	}
}

func BenchmarkTime(b *testing.B) {
	m := model(b, dgxH100(32, 8), nil)
	b.ReportAllocs()
	for i := range b.N {
		m.Time(Collective(i%7), int64(1)<<(10+i%20))
	}
}
