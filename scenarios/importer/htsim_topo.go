package importer

import (
	"fmt"
	"math"
	"strings"
)

// HtsimTopology is a .topo file: a fat tree of two or three tiers of switches.
type HtsimTopology struct {
	Nodes   int64
	Podsize int64
	Tiers   []HtsimTier // from the hosts upwards
}

// HtsimTier is a tier of switches.
type HtsimTier struct {
	DownGbps        int64 // of the links downwards
	RadixDown       int64
	RadixUp         int64 // 0 on top
	DownLatencyNs   int64
	SwitchLatencyNs int64
	Oversubscribed  int64
	Bundle          int64 // parallel links to one switch below
	QueueUp         int64
	QueueDown       int64
}

// htsimKeys are compared without regard to case, as htsim does.
var htsimKeys = []string{"Nodes", "Tiers", "Podsize", "Tier", "Downlink_speed_Gbps", "Radix_Down", "Radix_Up", "Downlink_Latency_ns", "Switch_Latency_ns", "Oversubscribed", "Bundle", "Queue_Up", "Queue_Down"}

type topoReader struct {
	t     HtsimTopology
	tiers int64
	tier  int // being read, -1 before the first
	seen  map[string]place
	at    []place // of each tier
}

func parseHtsimTopo(s source, lines []textLine) (*HtsimTopology, error) {
	r := &topoReader{tier: -1, seen: map[string]place{}}
	for _, l := range lines {
		f := l.fields(isBlank)
		if len(f) == 0 || strings.HasPrefix(f[0].text, "#") {
			continue
		}
		if len(f) < 2 {
			return nil, l.end().errorf("%s without a value", short(f[0].text))
		}
		if len(f) > 2 && !strings.HasPrefix(f[2].text, "#") {
			return nil, f[2].errorf("%s after the value", short(f[2].text)).hint("one key and one value a line")
		}
		if err := r.line(f); err != nil {
			return nil, err
		}
	}
	return &r.t, r.check(s)
}

func (r *topoReader) line(f []token) error {
	key := ""
	for _, k := range htsimKeys {
		if strings.EqualFold(k, f[0].text) {
			key = k
		}
	}
	if key == "" {
		return f[0].errorf("key %s is not known", short(f[0].text)).meant(f[0].text, htsimKeys)
	}
	scope := fmt.Sprintf("%s/%d", key, r.tier)
	if first, dup := r.seen[scope]; dup && key != "Tier" {
		return f[0].errorf("%s appears twice", key).hint("first on line %d", first.line)
	}
	r.seen[scope] = f[0].at
	lo := int64(0)
	switch key {
	case "Nodes", "Podsize", "Downlink_speed_Gbps", "Radix_Down", "Radix_Up", "Oversubscribed", "Bundle":
		lo = 1
	}
	v, err := f[1].integer(key, lo, math.MaxInt32)
	if err != nil {
		return err
	}
	if to := r.top(key); to != nil {
		if r.tier >= 0 {
			return f[0].errorf("%s after the first Tier", key).hint("Nodes, Tiers and Podsize come first")
		}
		*to = v
		return nil
	}
	if key == "Tier" {
		if v != int64(r.tier+1) {
			return f[1].errorf("Tier %d where Tier %d should follow", v, r.tier+1)
		}
		if r.tiers == 0 || v >= r.tiers {
			return f[1].errorf("Tier %d, but Tiers is %d", v, r.tiers).hint("tiers are counted from 0")
		}
		r.tier++
		r.t.Tiers = append(r.t.Tiers, HtsimTier{Oversubscribed: 1, Bundle: 1})
		r.at = append(r.at, f[0].at)
		return nil
	}
	if r.tier < 0 {
		return f[0].errorf("%s before the first Tier", key).hint("Tier 0 opens the block")
	}
	*r.field(key) = v
	return nil
}

func (r *topoReader) top(key string) *int64 {
	switch key {
	case "Nodes":
		return &r.t.Nodes
	case "Tiers":
		return &r.tiers
	case "Podsize":
		return &r.t.Podsize
	}
	return nil
}

func (r *topoReader) field(key string) *int64 {
	t := &r.t.Tiers[r.tier]
	return map[string]*int64{
		"Downlink_speed_Gbps": &t.DownGbps, "Radix_Down": &t.RadixDown, "Radix_Up": &t.RadixUp,
		"Downlink_Latency_ns": &t.DownLatencyNs, "Switch_Latency_ns": &t.SwitchLatencyNs,
		"Oversubscribed": &t.Oversubscribed, "Bundle": &t.Bundle, "Queue_Up": &t.QueueUp, "Queue_Down": &t.QueueDown,
	}[key]
}

func (r *topoReader) check(s source) error {
	at, ok := r.seen["Tiers/-1"]
	switch {
	case r.t.Nodes == 0:
		return place{s.name, 1, 1}.errorf("no Nodes line")
	case !ok:
		return place{s.name, 1, 1}.errorf("no Tiers line").hint("Tiers 2 or Tiers 3")
	case r.tiers != 2 && r.tiers != 3:
		return at.errorf("Tiers is %d", r.tiers).hint("2 or 3")
	case len(r.t.Tiers) != int(r.tiers):
		return at.errorf("Tiers is %d, but there are %d", r.tiers, len(r.t.Tiers))
	}
	for i, t := range r.t.Tiers {
		top := i == len(r.t.Tiers)-1
		switch {
		case t.DownGbps == 0:
			return r.at[i].errorf("Tier %d has no Downlink_speed_Gbps", i)
		case t.RadixDown == 0:
			return r.at[i].errorf("Tier %d has no Radix_Down", i)
		case !top && t.RadixUp == 0:
			return r.at[i].errorf("Tier %d has no Radix_Up", i).hint("only the top tier has none")
		case top && t.RadixUp != 0:
			return r.seen[fmt.Sprintf("Radix_Up/%d", i)].errorf("the top tier has Radix_Up")
		}
	}
	if leaf := r.t.Tiers[0]; r.t.Nodes%leaf.RadixDown != 0 {
		return r.at[0].errorf("Radix_Down %d of Tier 0 does not divide %d nodes", leaf.RadixDown, r.t.Nodes)
	}
	return nil
}
