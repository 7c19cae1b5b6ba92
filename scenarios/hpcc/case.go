package hpcc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/simnet/simnet/fabric"
	"github.com/simnet/simnet/sim"
)

// Case is one set of inputs, checked and joined.
type Case struct {
	Topology *Topology
	Flows    []Flow // in the order of the file
	Config   *Config
	Graph    *fabric.Graph // node ids are those of the topology file
	Routes   *fabric.Routes
	// Path and AckPath are the ports of each flow's data and ACKs.
	Path, AckPath [][]fabric.PortID
	// Warnings say what was read and has no effect, or not the reference's.
	Warnings []string
	SHA256   string // of the inputs, hexadecimal
}

// Inputs are the texts of a case. Config and Paths may be empty.
type Inputs struct {
	Topology, Flows, Config, Paths Input
}

// Load reads a case. config and paths may be empty: the HPCC repository's
// DCQCN set then counts, and the model's hash chooses the paths.
func Load(topology, flows, config, paths string) (*Case, error) {
	var in Inputs
	for _, f := range []struct {
		to   *Input
		name string
	}{{&in.Topology, topology}, {&in.Flows, flows}, {&in.Config, config}, {&in.Paths, paths}} {
		var err error
		if *f.to, err = readInput(f.name); err != nil {
			return nil, err
		}
	}
	return New(in)
}

// New checks and joins the inputs of a case.
func New(in Inputs) (*Case, error) {
	c := &Case{Config: DefaultConfig(), SHA256: in.sum()}
	var err error
	if c.Topology, err = ParseTopology(in.Topology); err != nil {
		return nil, err
	}
	if in.Config.Name != "" {
		if c.Config, err = ParseConfig(in.Config); err != nil {
			return nil, err
		}
	}
	if err = c.Config.checkRates(c.Topology); err != nil {
		return nil, err
	}
	if c.Flows, err = ParseFlows(in.Flows, c.Topology); err != nil {
		return nil, err
	}
	if len(c.Flows) == 0 {
		return nil, fmt.Errorf("%s: no flows to run", in.Flows.Name)
	}
	c.Warnings = c.Config.warnings()
	if err = c.buildGraph(); err != nil {
		return nil, err
	}
	var given map[pathKey]givenPath
	if in.Paths.Name != "" {
		if given, err = parsePaths(in.Paths, c.Topology); err != nil {
			return nil, err
		}
	}
	if err = c.route(given, in.Paths.Name); err != nil {
		return nil, err
	}
	return c, c.checkLinkDown()
}

// sum is the SHA-256 of the texts, each behind its length.
func (in *Inputs) sum() string {
	h := sha256.New()
	for _, i := range []*Input{&in.Topology, &in.Flows, &in.Config, &in.Paths} {
		fmt.Fprintf(h, "%d\n", len(i.Data))
		h.Write(i.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (c *Case) buildGraph() error {
	t, g := c.Topology, &fabric.Graph{}
	tier := t.tiers()
	for id := range t.Nodes {
		n := fabric.Node{Name: t.Name(id), Kind: fabric.NIC, Tier: tier[id], Group: -1}
		if t.Switch[id] {
			n.Kind = fabric.Switch
		} else {
			n.Group = int32(id)
		}
		g.AddNode(n)
	}
	lossy := 0
	for i := range t.Links {
		l := &t.Links[i]
		id := g.AddLink(fabric.NodeID(l.A), fabric.NodeID(l.B), l.Rate, l.Delay)
		p := l.ErrorRate
		if p == 0 {
			p = c.Config.ErrorRate
		}
		if p > 0 {
			lossy++
			g.Links[id].BER = bitErrorRate(p, c.Config.Payload+dataHeader)
		}
	}
	if lossy > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: the error rate of %d links is the chance of losing any packet; simnet loses bits, at the rate that gives a full data packet that chance, so that ACKs are lost less often", t.File, lossy))
	}
	g.Freeze()
	for id := range t.Nodes {
		if n := len(g.PortsOf(fabric.NodeID(id))); n > 1 && !t.Switch[id] {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%v: host %d has %d links; it sends by the first alone", t.hostPos[id], id, n))
		}
	}
	c.Graph = g
	c.Routes = fabric.NewRoutes(g, fabric.RouteOptions{Hasher: fabric.Hasher{Kind: fabric.Murmur3, PerSwitch: true}, Descending: true})
	return nil
}

// bitErrorRate returns the bit-error rate at which a packet of n bytes is lost
// with probability p.
func bitErrorRate(p float64, n int64) float64 {
	return -math.Expm1(math.Log1p(-p) / float64(8*n))
}

// tiers counts the links from each node to the nearest host, at most 3.
func (t *Topology) tiers() []uint8 {
	tier := make([]uint8, t.Nodes)
	for i := range tier {
		if t.Switch[i] {
			tier[i] = 3
		}
	}
	for range 2 {
		for _, l := range t.Links {
			tier[l.A] = min(tier[l.A], tier[l.B]+1)
			tier[l.B] = min(tier[l.B], tier[l.A]+1)
		}
	}
	return tier
}

// header is what switches hash for the data packets of f.
func (f *Flow) header() fabric.Header {
	return fabric.Header{SrcIP: uint32(hostIP(f.Src)), DstIP: uint32(hostIP(f.Dst)), SrcPort: f.SrcPort, DstPort: f.DstPort, Proto: 17}
}

func (c *Case) route(given map[pathKey]givenPath, file string) error {
	c.Path = make([][]fabric.PortID, len(c.Flows))
	c.AckPath = make([][]fabric.PortID, len(c.Flows))
	missing := 0
	for i := range c.Flows {
		f := &c.Flows[i]
		hd := f.header()
		var err error
		if p, ok := given[pathKey{f.Src, f.Dst, f.SrcPort}]; ok {
			c.Path[i], err = p.ports(c.Graph, c.Routes, hd)
			if err != nil {
				return err
			}
		} else {
			missing++
			if c.Path[i], err = c.hashed(f.Src, f.Dst, hd); err != nil {
				return f.errorf("%v", err)
			}
		}
		if c.AckPath[i], err = c.hashed(f.Dst, f.Src, hd.Reverse()); err != nil {
			return f.errorf("the way back: %v", err)
		}
	}
	if file != "" && missing > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: has no path for %d of %d flows, which the hash routes", file, missing, len(c.Flows)))
	}
	return nil
}

// hashed returns the ports that the model's hash chooses. A host sends by its
// first link.
func (c *Case) hashed(src, dst int, hd fabric.Header) ([]fabric.PortID, error) {
	own := c.Graph.PortsOf(fabric.NodeID(src))
	if len(own) == 0 {
		return nil, fmt.Errorf("host %d has no link", src)
	}
	peer := c.Graph.Ports[own[0]].Peer
	path := []fabric.PortID{own[0]}
	if peer == fabric.NodeID(dst) {
		return path, nil
	}
	if c.Graph.Nodes[peer].Kind.Host() {
		return nil, fmt.Errorf("host %d is linked to host %d alone, which does not forward", src, peer)
	}
	return c.Routes.Path(path, peer, fabric.NodeID(dst), hd)
}

// checkLinkDown resolves LINK_DOWN.
func (c *Case) checkLinkDown() error {
	d := c.Config.LinkDown
	if d[0] == 0 {
		return nil
	}
	if _, ok := c.downLink(); !ok {
		return c.Config.at("LINK_DOWN").errorf("LINK_DOWN: there is no link between %d and %d", d[1], d[2])
	}
	c.Warnings = append(c.Warnings, fmt.Sprintf("%v: LINK_DOWN: flows are routed by simnet's hash, so that they can leave the link when it fails", c.Config.at("LINK_DOWN")))
	return nil
}

// downLink returns the link that LINK_DOWN names.
func (c *Case) downLink() (fabric.LinkID, bool) {
	a, b := int(c.Config.LinkDown[1]), int(c.Config.LinkDown[2])
	for i, l := range c.Topology.Links {
		if l.A == a && l.B == b || l.A == b && l.B == a {
			return fabric.LinkID(i), true
		}
	}
	return 0, false
}

// standalone is the reference's estimate of the time of flow i alone:
// 2*sum(propagation) + sum(serialization of a payload) + all bytes at the
// slowest rate, each term cut to nanoseconds.
func (c *Case) standalone(i int) sim.Time {
	var rtt sim.Time
	payload := c.Config.Payload
	slowest := sim.Rate(math.MaxInt64)
	for _, p := range c.Path[i] {
		q := &c.Graph.Ports[p]
		rtt += 2*q.Delay + sim.Time(payload*1e9*8/int64(q.Rate))*sim.Nanosecond
		slowest = min(slowest, q.Rate)
	}
	n := c.Flows[i].Bytes
	wire := n + dataHeader*((n-1)/payload+1)
	hi, lo := bits.Mul64(uint64(wire), 8e9)
	ns, _ := bits.Div64(hi, lo, uint64(slowest))
	return rtt + sim.Time(ns)*sim.Nanosecond
}

// compatStart is the start of f as the model computes it: the decimal as a
// double, its fraction cut to 64 bits, then to nanoseconds.
func (f *Flow) compatStart() sim.Time {
	x, _ := strconv.ParseFloat(f.StartText, 64) // checked by the loader
	whole := math.Floor(x)
	ns, _ := bits.Mul64(uint64((x-whole)*(1<<64)), 1e9)
	return sim.Time(whole)*sim.Second + sim.Time(ns)*sim.Nanosecond
}

// order returns the indices of the flows by start; flows of one instant keep
// the order of the file.
func (c *Case) order(start []sim.Time) []int {
	idx := make([]int, len(start))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int {
		switch {
		case start[a] < start[b]:
			return -1
		case start[a] > start[b]:
			return 1
		}
		return 0
	})
	return idx
}

// Standalone returns the reference's estimate of the time of each flow alone.
func (c *Case) Standalone() []sim.Time {
	t := make([]sim.Time, len(c.Flows))
	for i := range t {
		t[i] = c.standalone(i)
	}
	return t
}
