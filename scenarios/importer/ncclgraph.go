package importer

import (
	"fmt"
	"strconv"
)

// NCCLGraph is a search result of NCCL: the channels of one algorithm.
type NCCLGraph struct {
	ID          int
	Pattern     string // "ring", "tree", ...
	Channels    [][]int
	NetIn       []int // NIC of each channel, -1 if it stays inside
	NetOut      []int
	IntraGBs    float64 // per channel
	InterGBs    float64
	TypeIntra   string // best path class used
	TypeInter   string
	CrossNIC    int
	SameChannel bool
}

// graphPatterns are NCCL's numbers (NCCL src/include/graph.h,
// NCCL_TOPO_PATTERN_*).
var graphPatterns = map[int64]string{1: "balanced_tree", 2: "split_tree", 3: "tree", 4: "ring", 5: "nvls", 6: "collnet_direct"}

func readGraphs(root *xmlElem) ([]NCCLGraph, error) {
	var out []NCCLGraph
	for _, e := range root.children {
		if e.name != "graph" {
			return nil, e.errorf("<%s> in <graphs>", e.name).meant(e.name, []string{"graph"})
		}
		g, err := readGraph(e)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	if len(out) == 0 {
		return nil, root.errorf("<graphs> is empty")
	}
	return out, nil
}

func readGraph(e *xmlElem) (NCCLGraph, error) {
	g := NCCLGraph{TypeIntra: e.attr("typeintra"), TypeInter: e.attr("typeinter"), SameChannel: e.attr("samechannels") == "1"}
	var err error
	integer := func(name string, def, lo, hi int64) int64 {
		v, ierr := e.integer(name, def, lo, hi)
		if err == nil {
			err = ierr
		}
		return v
	}
	g.ID = int(integer("id", 0, 0, 255))
	pattern := integer("pattern", 0, 0, 255)
	channels := integer("nchannels", -1, 0, 4096)
	g.CrossNIC = int(integer("crossnic", 0, 0, 2))
	if err != nil {
		return g, err
	}
	g.Pattern = graphPatterns[pattern]
	if g.Pattern == "" {
		g.Pattern = "pattern " + strconv.FormatInt(pattern, 10)
	}
	for _, sp := range []struct {
		name string
		to   *float64
	}{{"speedintra", &g.IntraGBs}, {"speedinter", &g.InterGBs}} {
		if v := e.attr(sp.name); v != "" {
			if *sp.to, err = (token{v, e.at}).number("<graph> "+sp.name, 0); err != nil {
				return g, err
			}
		}
	}
	for _, c := range e.children {
		if c.name != "channel" {
			return g, c.errorf("<%s> in <graph>", c.name).meant(c.name, []string{"channel"})
		}
		if err := g.channel(c); err != nil {
			return g, err
		}
	}
	if channels >= 0 && int(channels) != len(g.Channels) {
		return g, e.errorf("nchannels is %d, but %s follow", channels, plural(len(g.Channels), "<channel>"))
	}
	return g, nil
}

func (g *NCCLGraph) channel(c *xmlElem) error {
	var gpus []int
	in, out := -1, -1
	for _, p := range c.children {
		dev, err := p.integer("dev", -1, 0, 1<<32)
		if err != nil {
			return err
		}
		switch {
		case p.name == "gpu" && dev >= 0:
			gpus = append(gpus, int(dev))
		case p.name == "net" && dev >= 0:
			if len(gpus) == 0 {
				in = int(dev)
			} else {
				out = int(dev)
			}
		case dev < 0:
			return p.errorf("<%s> without dev", p.name)
		default:
			return p.errorf("<%s> in <channel>", p.name).meant(p.name, []string{"gpu", "net"})
		}
	}
	if len(gpus) == 0 {
		return c.errorf("<channel> without <gpu>")
	}
	g.Channels = append(g.Channels, gpus)
	g.NetIn = append(g.NetIn, in)
	g.NetOut = append(g.NetOut, out)
	return nil
}

// graphOnly is a node of which only the graphs are known.
func graphOnly(graphs []NCCLGraph) *NodeTopology {
	t := &NodeTopology{Format: "nccl-topo", NVLinkOpen: true}
	most := 0
	for _, g := range graphs {
		for _, c := range g.Channels {
			for _, d := range c {
				most = max(most, d+1)
			}
		}
	}
	most = min(most, maxTopoDevices)
	for i := range most {
		t.GPUs = append(t.GPUs, TopoGPU{Name: fmt.Sprintf("GPU%d", i)})
		t.GPULinks = append(t.GPULinks, make([]Link, most))
		t.GPULinks[i][i] = Link{Class: LinkSelf}
	}
	t.warnings = append(t.warnings, "a graph file names no links; give the topology file too")
	return t
}

func graphNotes(graphs []NCCLGraph) []string {
	var out []string
	for _, g := range graphs {
		out = append(out, fmt.Sprintf("graph %d: %s, %s, %g GB/s a channel inside the node (%s), %g GB/s between nodes (%s); simnet chooses its own",
			g.ID, g.Pattern, plural(len(g.Channels), "channel"), g.IntraGBs, g.TypeIntra, g.InterGBs, g.TypeInter))
	}
	return out
}
