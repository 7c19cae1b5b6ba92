package importer

import (
	"sort"
	"strings"
)

// SimAITopology is a topology text of SimAI. Node ids are GPUs first, then
// NVSwitches, then network switches.
type SimAITopology struct {
	GPUs, GPUsPerServer  int64
	NVSwitches, Switches int64
	GPUType              string
	Links                []SimAILink
}

// SimAILink is a cable.
type SimAILink struct {
	A, B      int64
	Gbps      float64
	DelayNs   float64
	ErrorRate float64
}

func parseSimAITopo(s source, lines []textLine) (*SimAITopology, error) {
	var words []token
	var ends []textLine
	for _, l := range lines {
		if f := l.fields(isBlank); len(f) > 0 {
			words = append(words, f...)
			for range f {
				ends = append(ends, l)
			}
		}
	}
	t := &SimAITopology{}
	i := 0
	next := func(what string) (token, error) {
		if i >= len(words) {
			return token{}, ends[len(ends)-1].end().errorf("the file ends where %s should follow", what)
		}
		i++
		return words[i-1], nil
	}
	integer := func(what string, lo, hi int64) (int64, error) {
		w, err := next(what)
		if err != nil {
			return 0, err
		}
		return w.integer(what, lo, hi)
	}
	var head [5]int64
	for k, what := range []string{"number of nodes", "GPUs per server", "number of NVSwitches", "number of switches", "number of links"} {
		v, err := integer(what, int64(map[int]int{0: 1, 1: 1}[k]), 1<<24)
		if err != nil {
			return nil, err
		}
		head[k] = v
	}
	gpuType, err := next("the GPU type")
	if err != nil {
		return nil, err
	}
	t.GPUsPerServer, t.NVSwitches, t.Switches, t.GPUType = head[1], head[2], head[3], gpuType.text
	t.GPUs = head[0] - t.NVSwitches - t.Switches
	if t.GPUs <= 0 {
		return nil, words[0].errorf("%d nodes are not more than %d NVSwitches and %d switches", head[0], t.NVSwitches, t.Switches)
	}
	if t.GPUs%t.GPUsPerServer != 0 {
		return nil, words[1].errorf("%d GPUs per server do not divide %d GPUs", t.GPUsPerServer, t.GPUs)
	}
	for k := range t.NVSwitches + t.Switches {
		w, err := next("a switch id")
		if err != nil {
			return nil, err
		}
		id, err := w.integer("switch id", 0, head[0]-1)
		if err != nil {
			return nil, err
		}
		if id != t.GPUs+k {
			return nil, w.errorf("switch id %d where %d should follow", id, t.GPUs+k).hint("GPUs have the lowest ids, then NVSwitches, then switches")
		}
	}
	for range head[4] {
		l, err := simaiLink(next, head[0])
		if err != nil {
			return nil, err
		}
		t.Links = append(t.Links, l)
	}
	if i < len(words) {
		return nil, words[i].errorf("%s after the last of %d links", short(words[i].text), head[4]).hint("the number of links in the first line is too small")
	}
	return t, nil
}

func simaiLink(next func(string) (token, error), nodes int64) (SimAILink, error) {
	var l SimAILink
	var w [5]token
	for k, what := range []string{"the source of a link", "the destination of a link", "the rate of a link", "the delay of a link", "the error rate of a link"} {
		var err error
		if w[k], err = next(what); err != nil {
			return l, err
		}
	}
	var err error
	for k, to := range []*int64{&l.A, &l.B} {
		if *to, err = w[k].integer("node", 0, nodes-1); err != nil {
			return l, err
		}
	}
	if l.A == l.B {
		return l, w[1].errorf("node %d is linked to itself", l.A)
	}
	bps, err := w[2].quantity("rate", rateUnits)
	if err != nil {
		return l, err
	}
	l.Gbps = bps / 1e9
	if l.DelayNs, err = w[3].quantity("delay", delayUnits); err != nil {
		return l, err
	}
	l.ErrorRate, err = w[4].number("error rate", 0)
	return l, err
}

// simaiFabric is what a topology looks like when seen as leaves and spines.
type simaiFabric struct {
	leaves, spines, upper int
	nodesPerLeaf          int  // 0 if it differs
	rail                  bool // each leaf has GPUs of one local index
	nicGbps, upGbps       float64
	nicNs, upNs           float64
	nvGbps                float64
	mixed                 bool // rates differ within a layer
}

// fabric looks for leaves (switches with GPUs), spines (switches above leaves)
// and what is above.
func (t *SimAITopology) fabric() simaiFabric {
	var f simaiFabric
	firstSwitch := t.GPUs + t.NVSwitches
	hosts := map[int64]map[int64]bool{} // leaf: GPUs
	above := map[int64]bool{}
	for _, l := range t.Links {
		a, b := min(l.A, l.B), max(l.A, l.B)
		switch {
		case a < t.GPUs && b >= t.GPUs && b < firstSwitch:
			f.nvGbps = f.same(f.nvGbps, l.Gbps)
		case a < t.GPUs && b >= firstSwitch:
			f.nicGbps, f.nicNs = f.same(f.nicGbps, l.Gbps), l.DelayNs
			if hosts[b] == nil {
				hosts[b] = map[int64]bool{}
			}
			hosts[b][a] = true
		}
	}
	for _, l := range t.Links {
		a, b := min(l.A, l.B), max(l.A, l.B)
		if a >= firstSwitch {
			f.upGbps, f.upNs = f.same(f.upGbps, l.Gbps), l.DelayNs
			if hosts[a] != nil && hosts[b] == nil {
				above[b] = true
			}
			if hosts[b] != nil && hosts[a] == nil {
				above[a] = true
			}
		}
	}
	f.leaves, f.spines = len(hosts), len(above)
	f.upper = int(t.Switches) - f.leaves - f.spines
	f.rail = f.leaves > 1 && t.GPUsPerServer > 1
	var ids []int64
	for leaf := range hosts {
		ids = append(ids, leaf)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	for k, leaf := range ids {
		servers, rails := map[int64]bool{}, map[int64]bool{}
		for g := range hosts[leaf] {
			servers[g/t.GPUsPerServer] = true
			rails[g%t.GPUsPerServer] = true
		}
		if k == 0 {
			f.nodesPerLeaf = len(servers)
		} else if f.nodesPerLeaf != len(servers) {
			f.nodesPerLeaf = 0
		}
		f.rail = f.rail && len(rails) == 1
	}
	return f
}

// same keeps one rate of a layer and remembers that others were met.
func (f *simaiFabric) same(old, now float64) float64 {
	if old != 0 && old != now {
		f.mixed = true
	}
	if old == 0 {
		return now
	}
	return old
}

// looksLikeSimAITopo tells a topology from a workload.
func looksLikeSimAITopo(first []token) bool {
	return len(first) >= 6 && strings.Trim(first[0].text, "0123456789") == ""
}
