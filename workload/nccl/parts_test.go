package nccl

import (
	"math"
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

// TestCrossingByHand: two nodes of eight A100 with four 100 Gb/s NICs, tree of
// eight channels, 512 KiB chunks: 256 MiB are 64 rounds of 4 MiB, a round takes
// 4 MiB at 49 GB/s, and all but the first wait 10 us for the read.
func TestCrossingByHand(t *testing.T) {
	s := Shape{Nodes: 2, GPUsPerNode: 8, Arch: SM80, NICsPerNode: 4, NICGBs: 12.5, NICLatency: 10 * sim.Microsecond,
		RendezvousBytes: 8 << 10, UnorderedNIC: true}
	m := model(t, s, nil)
	ch := Choice{Algo: Tree, Proto: Simple, Channels: 8, ChunkBytes: 512 << 10, SliceBytes: 512 << 10}
	x := m.crossing(AllReduce, 256<<20, ch)
	if x.message != 512<<10 || x.conns != 8 || x.bytes != 256<<20 {
		t.Fatalf("crossing %+v", x)
	}
	want := 256*1.048576e6/49e3 + 63*10
	if got := m.crossUS(x, 10); math.Abs(got-want) > 1e-6*want {
		t.Errorf("%g us, want %g", got, want)
	}
	// One packet needs no announcement: no flight but the first.
	small := m.crossing(AllReduce, 8<<10, Choice{Algo: Tree, Proto: Simple, Channels: 1, ChunkBytes: 512 << 10})
	if got, want := m.crossUS(small, 12), 8192/49e3; math.Abs(got-want) > 1e-9 {
		t.Errorf("%g us for one packet, want %g", got, want)
	}
	// Latency: two hops, each two more flights above 8 KiB.
	ch.Channels = 1
	d := m.TimeOf(AllReduce, 8<<10+16, ch) - m.TimeOf(AllReduce, 8<<10, ch)
	if d < 40*sim.Microsecond || d > 41*sim.Microsecond {
		t.Errorf("a byte over the limit costs %v, want 4 flights of 10 us", d)
	}
}

// TestStreamsByHand: a ring of 16 channels over 8 NICs has two a NIC, as a
// peer of send/recv has: with one stream a NIC, 128 KiB messages of 64 MiB
// (15/16 of it leave the node, 60 messages a NIC of 8) wait for one another.
func TestStreamsByHand(t *testing.T) {
	s := hgxB200(2, 8)
	s.NICLatency = 3 * sim.Microsecond
	m := model(t, s, nil)
	m.Cal.P[NICStreams].Value = 1
	ch := Choice{Algo: Ring, Proto: Simple, Channels: 16, ChunkBytes: 2 << 20, SliceBytes: 1 << 20}
	x := m.crossing(AllGather, 64<<20, ch)
	if x.message != 128<<10 {
		t.Fatalf("messages of %g B, want 131072", x.message)
	}
	want := 60*(131072/49e3+3+1) - 100 // posting takes 1 us on Intel hosts
	if got := m.crossUS(x, 100); math.Abs(got-want) > 1e-6*want {
		t.Errorf("%g us, want %g", got, want)
	}
	// LL128 is not flushed and NVLSTree has a connection for every head.
	ll := ch
	ll.Proto = LL128
	tree := Choice{Algo: NVLSTree, Proto: Simple, Channels: 32, ChunkBytes: 128 << 10}
	for name, x := range map[string]crossing{"LL128": m.crossing(AllGather, 64<<20, ll), "NVLSTree": m.crossing(AllReduce, 1<<30, tree)} {
		if got, line := m.crossUS(x, 0), x.bytes/(1000*m.nicGBsTotal()); math.Abs(got-line) > 1e-9*line {
			t.Errorf("%s: %g us, line rate takes %g", name, got, line)
		}
	}
}
