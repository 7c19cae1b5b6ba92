package nccl

import (
	"math"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
	"pgregory.net/rapid"
)

func model(t testing.TB, s Shape, vars map[string]string) *Model {
	t.Helper()
	e, _, err := ParseEnv(vars)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(s, DefaultVersion, e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// anyShape draws a cluster that can be.
func anyShape(r *rapid.T) Shape {
	s := Shape{
		Nodes:       rapid.SampledFrom([]int{1, 2, 3, 4, 16, 128}).Draw(r, "nodes"),
		GPUsPerNode: rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(r, "gpus"),
		Arch:        rapid.SampledFrom([]Arch{SM70, SM80, SM86, SM89, SM90, SM100, SM120}).Draw(r, "arch"),
		Link:        rapid.SampledFrom([]Link{NVSwitch, Mesh, PCIe, HostMemory}).Draw(r, "link"),
		NICsPerNode: rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(r, "nics"),
		NICGBs:      rapid.SampledFrom([]float64{1.25, 12.5, 25, 50, 100}).Draw(r, "nic"),
	}
	s.NVLS = s.Link == NVSwitch && s.Arch >= SM90
	return s
}

// TestTimeProperties: on any cluster and collective the time is positive and
// finite, large messages take in proportion, no rank beats its links, and the
// choice names real channels and chunks.
func TestTimeProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := anyShape(r)
		if s.Ranks() < 2 {
			return
		}
		v := rapid.SampledFrom(tunerVersions).Draw(r, "version")
		m, err := NewModel(s, v, DefaultEnv())
		if err != nil {
			r.Fatal(err)
		}
		op := Collective(rapid.IntRange(0, int(numCollectives)-1).Draw(r, "op"))
		bytes := int64(1) << rapid.IntRange(3, 34).Draw(r, "log size")
		d, ch := m.Time(op, bytes)
		if d <= 0 || d > 1000*sim.Second {
			r.Fatalf("%v of %d takes %v", op, bytes, d)
		}
		if ch.Channels < 1 || ch.Channels > maxChannels || ch.ChunkBytes < 16 || ch.SliceBytes > ch.ChunkBytes || ch.NThreads < 96 {
			r.Fatalf("choice %v threads %d slice %d", ch, ch.NThreads, ch.SliceBytes)
		}
		// With the choice fixed, time never falls with size.
		if e := m.TimeOf(op, 2*bytes, ch); ch.Proto != LL && e < d {
			r.Fatalf("%v: %d takes %v, twice as much %v", op, bytes, d, e)
		}
		// No collective is faster than its bytes through the links of one GPU.
		link := m.shape.LinkGBs
		if s.Nodes > 1 {
			link += m.nicGBsTotal()
		}
		if s.GPUsPerNode == 1 {
			link = m.nicGBsTotal()
		}
		if alg := float64(bytes) / d.Seconds() / 1e9; alg > 2.2*link {
			r.Fatalf("%v of %d: %g GB/s through %g", op, bytes, alg, link)
		}
	})
}

// TestMoreHardwareIsNotSlower: a faster NIC never makes a forced algorithm
// slower, nor does a lower NIC latency.
func TestMoreHardwareIsNotSlower(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := dgxH100(rapid.SampledFrom([]int{2, 4, 16}).Draw(r, "nodes"), 8)
		e, _, err := ParseEnv(map[string]string{"NCCL_ALGO": "Ring", "NCCL_PROTO": "Simple", "NCCL_MIN_NCHANNELS": "32", "NCCL_MAX_NCHANNELS": "32"})
		if err != nil {
			r.Fatal(err)
		}
		bytes := int64(1) << rapid.IntRange(10, 34).Draw(r, "log size")
		slow := s
		slow.NICGBs = 25
		late := s
		late.NICLatency = 20 * sim.Microsecond
		base, _ := must(r, s, e).Time(AllReduce, bytes)
		a, _ := must(r, slow, e).Time(AllReduce, bytes)
		b, _ := must(r, late, e).Time(AllReduce, bytes)
		if a < base || b <= base {
			r.Fatalf("%d bytes: %v; half the NIC rate %v; 20 us NICs %v", bytes, base, a, b)
		}
	})
}

func must(t interface{ Fatal(...any) }, s Shape, e Env) *Model {
	m, err := NewModel(s, DefaultVersion, e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestShapeErrors checks that what cannot be is refused in words.
func TestShapeErrors(t *testing.T) {
	for _, c := range []struct {
		s    Shape
		want string
	}{
		{Shape{}, "at least 1"},
		{Shape{Nodes: 1, GPUsPerNode: 8}, "architecture is missing"},
		{Shape{Nodes: 2, GPUsPerNode: 8, Arch: SM80}, "at least one NIC"},
		{Shape{Nodes: 1, GPUsPerNode: 8, Arch: SM80, NVLS: true}, "NVLS needs"},
		{Shape{Nodes: 3, GPUsPerNode: 4, Arch: SM100, DomainNodes: 2, NICsPerNode: 4, NICGBs: 50}, "do not divide"},
		{Shape{Nodes: 1, GPUsPerNode: 8, Arch: SM80, LinkGBs: -1}, "negative"},
	} {
		if _, err := NewModel(c.s, 0, DefaultEnv()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

// TestNVLinkDomain checks that the nodes of one NVLink domain act as one node.
func TestNVLinkDomain(t *testing.T) {
	s := Shape{Nodes: 2, GPUsPerNode: 4, Arch: SM100, NVLS: true, DomainNodes: 18, NICsPerNode: 4, NICGBs: 50}
	one := Shape{Nodes: 1, GPUsPerNode: 8, Arch: SM100, NVLS: true}
	a, ca := model(t, s, nil).Time(AllReduce, 1<<30)
	b, cb := model(t, one, nil).Time(AllReduce, 1<<30)
	if a != b || ca != cb {
		t.Errorf("two trays of a domain: %v %v, one node of eight: %v %v", a, ca, b, cb)
	}
}

// TestPublicParametersHaveRanges: every shipped value lies in its range and
// says where it is from.
func TestPublicParametersHaveRanges(t *testing.T) {
	for _, a := range []Arch{SM70, SM80, SM86, SM90, SM100, CDNA3} {
		for _, l := range []Link{NVSwitch, Mesh, PCIe, HostMemory} {
			c := CalibrationFor(a, l)
			for k := range numParams {
				p := c.P[k]
				if p.Value < p.Min || p.Value > p.Max || p.Source == "" || p.Meaning == "" || p.Unit == "" {
					t.Errorf("sm%d %s: %+v", a, l, p)
				}
			}
		}
	}
}

// TestFitRecovers makes measurements with known parameters and finds them
// again, one stray row notwithstanding.
func TestFitRecovers(t *testing.T) {
	truth := model(t, dgxH100(1, 8), nil)
	for k, v := range map[Key]float64{LaunchUS: 3, StepScale: 1.4, NVLSEff: .6, NVLSFill: 2} {
		if err := truth.Cal.Set(k, v, "test"); err != nil {
			t.Fatal(err)
		}
	}
	m := model(t, dgxH100(1, 8), nil)
	var samples []Sample
	for b := int64(8); b <= 16<<30; b *= 2 {
		d, _ := truth.Time(AllReduce, b)
		samples = append(samples, Sample{Model: m, Op: AllReduce, Bytes: b, TimeUS: us(d)})
	}
	samples[2].TimeUS *= 5
	keys := KeysFor(samples)
	res, err := Fit(m.Cal, keys, samples, "test")
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[Key]float64{NVLSEff: .6, NVLSFill: 2} {
		if got := res.Cal.V(k); math.Abs(got/want-1) > .06 {
			t.Errorf("%s = %g, made with %g", k, got, want)
		}
	}
	// Launch and step cannot be told apart on one number of ranks; their sum can.
	small := func(c *Calibration) float64 { return c.V(LaunchUS) + 14*.6*c.V(StepScale) }
	if got, want := small(&res.Cal), small(&truth.Cal); math.Abs(got-want) > .3 {
		t.Errorf("latency of an LL ring %g us, made with %g", got, want)
	}
	if res.MAPE > .04 || res.Before < res.MAPE {
		t.Errorf("error %g before, %g after", res.Before, res.MAPE)
	}
}
