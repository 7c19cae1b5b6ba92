package importer

import (
	"fmt"
	"strings"
)

// YAML implements Result: cluster.fabric with link and switch,
// cluster.transport with pfc and ecn. All pools and profiles stand in comments.
func (s *Sonic) YAML() []byte {
	fabric := newMap()
	if gbps, ports := s.Speeds(); len(gbps) > 0 {
		fabric.set("link", flowMap().set("rate", gbpsText(float64(gbps[mostPorts(ports)]))))
	}
	if p := s.largestPool(); p != nil {
		fabric.set("switch", newMap().set("buffer", bytesText(p.Size), "the largest pool, "+p.Name))
	}
	cluster := newMap()
	cluster.setMap("fabric", fabric)
	cluster.setMap("transport", s.transportYAML())
	body := newMap().set("cluster", cluster)
	return document{kind: "sonic", from: s.files, what: s.details(), notMapped: s.notMapped, warnings: s.warnings, body: body}.bytes()
}

func mostPorts(ports []int) int {
	best := 0
	for i := range ports {
		if ports[i] > ports[best] {
			best = i
		}
	}
	return best
}

// largestPool comes nearest to the packet buffer: pools overlap, since ingress
// and egress count the same cells.
func (s *Sonic) largestPool() *SonicPool {
	var best *SonicPool
	for i := range s.Pools {
		if p := &s.Pools[i]; p.Size > 0 && (best == nil || p.Size > best.Size) {
			best = p
		}
	}
	return best
}

// alphaText writes 2^th as a scenario does: 8, 1, 1/8.
func alphaText(th int) string {
	if th >= 0 {
		return fmt.Sprint(1 << th)
	}
	return fmt.Sprintf("1/%d", 1<<-th)
}

func (s *Sonic) transportYAML() yamlMap {
	t := newMap()
	if p, ok := s.Lossless(); ok {
		pfc := newMap()
		if p.Dynamic {
			pfc.set("alpha", alphaText(p.DynamicTh), "dynamic_th", fmt.Sprint(p.DynamicTh))
		}
		pfc.set("headroom", bytesText(p.Xoff), "xoff of", p.Name)
		pfc.set("reserved", bytesText(p.Size))
		if p.XonOffset > 0 {
			pfc.set("xon_offset", bytesText(p.XonOffset))
		}
		t.set("pfc", pfc)
	}
	if w := s.ECN(); w != nil {
		t.set("ecn", newMap().set("kmin", bytesText(w.Kmin)).set("kmax", bytesText(w.Kmax)).set("pmax", fmt.Sprintf("%d%%", w.PmaxPct)), "WRED_PROFILE", w.Name+",", w.ECN)
	}
	return t
}

func (s *Sonic) details() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace("Buffers, PFC and ECN of one switch " + s.HWSKU))
	if gbps, ports := s.Speeds(); len(gbps) > 0 {
		var mix []string
		for i := range gbps {
			mix = append(mix, fmt.Sprintf("%d x %dG", ports[i], gbps[i]))
		}
		fmt.Fprintf(&b, "\nPorts: %s", strings.Join(mix, ", "))
	}
	if len(s.PFC) > 0 {
		fmt.Fprintf(&b, "\nLossless classes: %s", joinInts(s.PFC))
	}
	for _, p := range s.Pools {
		side, mode := "egress", "static"
		if p.Ingress {
			side = "ingress"
		}
		if p.Dynamic {
			mode = "dynamic"
		}
		fmt.Fprintf(&b, "\nPool %s: %s, %s, %d B, shared headroom %d B", p.Name, side, mode, p.Size, p.Xoff)
	}
	for _, p := range s.Profiles {
		if p.Xoff == 0 && p.Xon == 0 {
			continue
		}
		th := fmt.Sprintf("threshold %d B", p.StaticTh)
		if p.Dynamic {
			th = "alpha " + alphaText(p.DynamicTh)
		}
		fmt.Fprintf(&b, "\nProfile %s: size %d B, xon %d B, xon_offset %d B, xoff %d B, %s", p.Name, p.Size, p.Xon, p.XonOffset, p.Xoff, th)
	}
	for _, w := range s.WRED {
		fmt.Fprintf(&b, "\nWRED %s: %s, Kmin %d B, Kmax %d B, Pmax %d%%", w.Name, w.ECN, w.Kmin, w.Kmax, w.PmaxPct)
	}
	return b.String()
}
