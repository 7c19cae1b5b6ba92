package importer

import "fmt"

// SimAI is a workload, a topology, or both.
type SimAI struct {
	Workload  *SimAIWorkload
	Topology  *SimAITopology
	files     []string
	notMapped []string
	warnings  []string
}

// Warnings implements Result.
func (a *SimAI) Warnings() []string { return a.warnings }

// parseSimAI tells the two file kinds apart by content.
func parseSimAI(files []source) (Result, error) {
	a := &SimAI{}
	for _, s := range files {
		a.files = append(a.files, s.name)
		lines, err := s.lines()
		if err != nil {
			return nil, err
		}
		var first []token
		for _, l := range lines {
			if first = l.fields(isBlank); len(first) > 0 {
				break
			}
		}
		switch {
		case len(first) == 0:
			return nil, place{s.name, 1, 1}.errorf("the file is blank")
		case looksLikeSimAITopo(first):
			if a.Topology != nil {
				return nil, first[0].errorf("a second topology")
			}
			a.Topology, err = parseSimAITopo(s, lines)
		default:
			if a.Workload != nil {
				return nil, first[0].errorf("a second workload")
			}
			a.Workload, err = parseSimAIWorkload(s, lines, &a.warnings)
		}
		if err != nil {
			return nil, err
		}
	}
	if a.Workload != nil && a.Topology != nil && a.Workload.GPUs > a.Topology.GPUs {
		return nil, a.Workload.at.errorf("the workload wants %d GPUs, the topology has %d", a.Workload.GPUs, a.Topology.GPUs)
	}
	return a, nil
}

// YAML implements Result: cluster from the topology, a job from the workload.
func (a *SimAI) YAML() []byte {
	body := newMap()
	notMapped := append([]string(nil), a.notMapped...)
	what := ""
	if t := a.Topology; t != nil {
		body.set("cluster", t.yaml(&notMapped))
		what = fmt.Sprintf("%d %s GPUs, %d per server, %s, %s.", t.GPUs, t.GPUType, t.GPUsPerServer, plural(int(t.Switches), "switch"), plural(len(t.Links), "link"))
	}
	if w := a.Workload; w != nil {
		if what != "" {
			what += "\n"
		}
		what += fmt.Sprintf("%d GPUs, %s a GPU and iteration, %s.", w.GPUs, plural(len(w.Rows), "row"), plural(int(w.GA), "micro-batch"))
		body.set("jobs", []yamlMap{w.yaml(a.files)})
	}
	return document{kind: "simai", from: a.files, what: what, notMapped: notMapped, warnings: a.warnings, body: body}.bytes()
}

func (t *SimAITopology) yaml(notMapped *[]string) yamlMap {
	f := t.fabric()
	c := newMap().set("nodes", t.GPUs/t.GPUsPerServer)
	node := newMap().set("gpus", t.GPUsPerServer)
	if preset, sm := presetOf(t.GPUType + " 80GB"); preset != "" {
		node.set("gpu", preset, "from", t.GPUType)
	} else if sm > 0 {
		node.set("gpu", flowMap().set("arch", sm))
	}
	if f.nvGbps > 0 {
		node.set("nvlink", flowMap().set("kind", "nvswitch").set("bandwidth", gbpsText(f.nvGbps)))
	}
	if f.nicGbps > 0 {
		node.set("nics", t.GPUsPerServer).set("nic", flowMap().set("rate", gbpsText(f.nicGbps)))
	}
	c.set("node", node)
	if f.leaves > 0 {
		fab := newMap()
		switch {
		case f.leaves == 1 && f.spines == 0:
			fab.set("topology", "star")
		case f.rail && f.spines > 0:
			fab.set("topology", "rail-optimized")
		case f.rail:
			fab.set("topology", "rail-only")
		default:
			fab.set("topology", "leaf-spine")
		}
		if f.leaves > 1 && f.nodesPerLeaf > 0 {
			fab.set("nodes_per_leaf", f.nodesPerLeaf)
		}
		fab.setInt("spines", int64(f.spines))
		fab.set("link", flowMap().set("rate", gbpsText(f.nicGbps)).set("delay", nsText(f.nicNs)))
		if f.upGbps > 0 {
			fab.set("uplink", flowMap().set("rate", gbpsText(f.upGbps)).set("delay", nsText(f.upNs)))
		}
		c.set("fabric", fab)
	}
	if f.upper > 0 {
		*notMapped = append(*notMapped, plural(f.upper, "switch")+" above the spines")
	}
	if f.mixed {
		*notMapped = append(*notMapped, "links of one layer with different rates: the first of each layer is taken")
	}
	for _, l := range t.Links {
		if l.ErrorRate > 0 {
			*notMapped = append(*notMapped, "error rates of links")
			break
		}
	}
	return c
}

func (w *SimAIWorkload) yaml(files []string) yamlMap {
	par := flowMap().set("tp", w.TP).set("pp", w.PP).set("dp", w.GPUs/(w.TP*w.PP)).set("ep", w.EP)
	tr := newMap().set("format", "simai").set("micro_batches", w.GA)
	if w.PPBytes > 0 {
		tr.set("pp_bytes", bytesText(w.PPBytes))
	}
	if len(w.Rows) > inlineOps {
		tr.set("files", files)
	} else {
		rows := make([]yamlMap, len(w.Rows))
		for i, r := range w.Rows {
			rows[i] = r.yaml()
		}
		tr.set("layers", rows)
	}
	return newMap().set("name", "simai").set("parallel", par).set("trace", tr)
}

func (r SimAIRow) yaml() yamlMap {
	m := flowMap().set("name", r.Name)
	for _, p := range []struct {
		key string
		ph  SimAIPhase
	}{{"forward", r.Forward}, {"input_grad", r.InputG}, {"weight_grad", r.WeightG}} {
		v := flowMap().set("time", fmt.Sprintf("%dns", p.ph.Nanos))
		if p.ph.Collective != "" {
			v.set("collective", p.ph.Collective).set("group", p.ph.Group).set("bytes", bytesText(p.ph.Bytes))
		}
		m.set(p.key, v)
	}
	if r.UpdateNs > 0 {
		m.set("update", fmt.Sprintf("%dns", r.UpdateNs))
	}
	return m
}
