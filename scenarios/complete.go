package scenarios

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/simnet/simnet/sim"
)

// complete fills presets and defaults in, and reports what is missing.
func (c *validation) complete() {
	s := c.s
	top := s.Section.At
	if !s.Cluster.Written {
		c.errs.add(top, "", "key %q is missing", "cluster")
	}
	if len(s.Jobs) == 0 {
		c.errs.add(top, "", "key %q is missing", "jobs")
	}
	def(&s.Name, "scenario")
	plainName(&c.errs, &s.Name)
	cl := &s.Cluster
	if cl.Written {
		c.need(&cl.Section, "cluster", "nodes", cl.Nodes.Set())
		c.node(&cl.Node)
		c.fabric(&cl.Fabric)
	}
	c.congestion(&cl.Transport)
	for i := range s.Jobs {
		c.job(i, &s.Jobs[i])
	}
	defaults(s)
}

// plainName refuses a name that is no single directory name, which it becomes
// where no output directory is given.
func plainName(errs *Errors, name *Val[string]) {
	if n := name.V; n == "" || n[0] == '.' || strings.ContainsFunc(n, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }) {
		errs.add(name.From, "", "name: %q cannot name a directory; want no slash, no control character and no dot in front", n)
	}
}

func (c *validation) node(n *NodeSpec) {
	if !n.Written {
		c.errs.add(c.s.Cluster.At, "", "cluster: key %q is missing; simnet catalog nodes lists the presets", "node")
		return
	}
	usePreset("nodes", &n.Preset, n, &c.errs)
	if len(c.errs) > 0 {
		return
	}
	usePreset("gpus", &n.GPU.Preset, &n.GPU, &c.errs)
	usePreset("nics", &n.NIC.Preset, &n.NIC, &c.errs)
	if len(c.errs) > 0 {
		return
	}
	ok := c.need(&n.Section, "node", "gpus", n.GPUs.Set())
	ok = c.need(&n.Section, "node", "nics", n.NICs.Set()) && ok
	c.need(&n.Section, "node.gpu", "memory", n.GPU.Memory.Set())
	c.need(&n.Section, "node.nic", "rate", n.NIC.Rate.Set())
	if !n.GPU.BF16.Set() && !n.GPU.FP16.Set() && !n.GPU.FP32.Set() && !n.GPU.FP8.Set() && !n.GPU.TF32.Set() {
		c.errs.add(n.At, "", "node.gpu: no peak throughput is given; one of bf16, fp16, fp8, tf32, fp32 is needed")
	}
	if !ok {
		return
	}
	def(&n.GPU.Efficiency, 0.6)
	def(&n.GPU.Launch, 10*sim.Microsecond)
	def(&n.GPU.Arch, 80)
	def(&n.NVLink.Island, n.GPUs.V)
	if n.GPUs.V > 1 || n.NVLink.Island.V > 1 {
		if !n.NVLink.BusBW.Set() && !n.NVLink.Rate.Set() {
			c.errs.add(n.At, "", "node.nvlink: key %q is missing", "bus_bandwidth")
			return
		}
		// 0.77 of nominal is what all_reduce reaches on A100 (232 of 300 GB/s).
		def(&n.NVLink.BusBW, ByteRate(float64(n.NVLink.Rate.V)*0.77))
		def(&n.NVLink.Rate, n.NVLink.BusBW.V)
	}
	def(&n.NVLink.BusBW, ByteRate(100*8*sim.Gbps))
	def(&n.NVLink.Rate, n.NVLink.BusBW.V)
	def(&n.NVLink.P2P, n.NVLink.BusBW.V)
	def(&n.NVLink.Alpha, 3*sim.Microsecond)
	def(&n.GPU.Bandwidth, ByteRate(2000*8*sim.Gbps))
}

func (c *validation) fabric(f *FabricSpec) {
	if !f.Written {
		c.errs.add(c.s.Cluster.At, "", "cluster: key %q is missing", "fabric")
		return
	}
	if !c.need(&f.Section, "fabric", "topology", f.Topology.Set()) || len(c.errs) > 0 {
		return
	}
	nic := &c.s.Cluster.Node.NIC
	usePreset("links", &f.Link.Preset, &f.Link, &c.errs)
	usePreset("links", &f.Uplink.Preset, &f.Uplink, &c.errs)
	if !f.Link.Rate.Set() {
		f.Link.Rate = Val[sim.Rate]{nic.Rate.V, Origin{Kind: FromDefault, Name: "the NIC's"}}
	}
	c.cable("link", &f.Link)
	if !f.Uplink.Length.Set() && !f.Uplink.Delay.Set() {
		as := Origin{Kind: FromDefault, Name: "as link"}
		fill(&f.Uplink.Length, &f.Link.Length, as)
		fill(&f.Uplink.Delay, &f.Link.Delay, as)
		fill(&f.Uplink.FEC, &f.Link.FEC, as)
	}
	c.cable("uplink", &f.Uplink)
	if !f.Switch.Preset.Set() && !f.Switch.Buffer.Set() {
		p := "spectrum-3"
		if f.Link.Rate.V > 200*sim.Gbps {
			p = "tomahawk5"
		}
		f.Switch.Preset = Val[string]{p, Origin{Kind: FromDefault, Name: "by link rate"}}
	}
	usePreset("switches", &f.Switch.Preset, &f.Switch, &c.errs)
	for _, u := range []struct {
		name string
		s    *SwitchSpec
	}{{"spine", &f.Spine}, {"core", &f.Core}} {
		usePreset("switches", &u.s.Preset, u.s, &c.errs)
		fill(u.s, &f.Switch, Origin{Kind: FromDefault, Name: "as switch"})
	}
	for _, u := range []*SwitchSpec{&f.Switch, &f.Spine, &f.Core} {
		c.need(&f.Section, "fabric.switch", "buffer", u.Buffer.Set())
		def(&u.Cell, 1)
		def(&u.Latency, 500*sim.Nanosecond)
		def(&u.Cut, false)
	}
}

// nanosecondsPerMetre is the propagation delay of fibre (4.9) and copper (4.3
// to 5), rounded up.
const nanosecondsPerMetre = 5

func propagation(m Metres) sim.Time { return sim.FromSeconds(float64(m) * nanosecondsPerMetre * 1e-9) }

func (c *validation) cable(name string, l *LinkSpec) {
	if l.Length.From.Kind >= FromFile && l.Delay.From.Kind >= FromFile && propagation(l.Length.V) != l.Delay.V {
		c.errs.add(l.Delay.From, "", "%s: delay and length are both given; the delay follows from the length, or the other way round", name)
		return
	}
	if !l.Delay.Set() {
		def(&l.Length, 10)
		l.Delay = Val[sim.Time]{propagation(l.Length.V), Origin{Kind: FromDefault, Name: fmt.Sprintf("%d ns/m", nanosecondsPerMetre)}}
	} else if l.Delay.From.Kind >= FromFile && l.Length.From.Kind < FromFile {
		l.Length = Val[Metres]{}
	}
	def(&l.FEC, 0)
	def(&l.BER, 0)
}

// congestion completes the parameters that depend on the algorithm.
func (c *validation) congestion(t *TransportSpec) {
	cc := &t.CC
	def(&cc.Algorithm, "dcqcn")
	if cc.Preset.Set() && cc.Algorithm.V != "dcqcn" {
		c.errs.add(cc.Preset.From, "", "congestion_control: presets are sets of DCQCN parameters, but the algorithm is %s", cc.Algorithm.V)
		return
	}
	if cc.Algorithm.V == "dcqcn" {
		// The setting that the field's RoCE simulators use as the vendor's.
		def(&cc.Preset, "hpcc-alibaba")
		usePreset("dcqcn", &cc.Preset, cc, &c.errs)
	}
	e := &t.ECN
	if !e.Preset.Set() && !e.Kmin.Set() && !e.Kmax.Set() && !e.Pmax.Set() {
		def(&e.Preset, "hpcc")
	}
	usePreset("ecn", &e.Preset, e, &c.errs)
	if !e.Preset.Set() {
		ok := c.need(&e.Section, "ecn", "kmin", e.Kmin.Set())
		ok = c.need(&e.Section, "ecn", "kmax", e.Kmax.Set()) && ok
		ok = c.need(&e.Section, "ecn", "pmax", e.Pmax.Set()) && ok
		if !ok {
			return
		}
	}
	if e.Kmin.V > e.Kmax.V {
		c.errs.add(e.Kmin.From, "", "ecn: kmin (%v) is above kmax (%v)", e.Kmin.V, e.Kmax.V)
	}
}
